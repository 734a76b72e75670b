import type { ApplicationRef } from '#domain/applications';
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
