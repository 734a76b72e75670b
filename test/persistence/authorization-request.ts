import type { ApplicationRef } from '#domain/applications';
import type { NewConnectLink } from '#domain/connect-links';
import type { AuthorizationRequest } from '#domain/oauth';

/** A sign-in that began with nothing but what it needs, for ten minutes. */
export function authorizationRequest(
  application: ApplicationRef,
  given: Partial<AuthorizationRequest> = {},
): AuthorizationRequest {
  return {
    ...application,
    providerType: 'GOOGLE',
    stateHash: Buffer.from(application.applicationId),
    codeVerifier: 'v',
    nonce: 'n',
    prompt: null,
    loginHint: null,
    redirectUrl: 'https://app.example/',
    callerState: null,
    externalId: null,
    again: false,
    expiresAt: new Date(Date.now() + 600_000),
    ...given,
  };
}

/** A link that lets the user choose the provider, for thirty minutes. */
export function connectLink(application: ApplicationRef, given: Partial<NewConnectLink> = {}): NewConnectLink {
  return {
    ...application,
    providerType: null,
    secretHash: Buffer.from(application.applicationId),
    redirectUrl: 'https://app.example/',
    callerState: null,
    externalId: null,
    expiresAt: new Date(Date.now() + 1_800_000),
    ...given,
  };
}
