import type { ProviderErrorDetails } from '../system/errors.js';

/** Permanent identity of a person at the identity provider (OpenID Connect Core §5.7). */
export interface OperatorSubject {
  issuer: string;
  subject: string;
}

/** Claims of a verified id_token. */
export interface OperatorIdentity extends OperatorSubject {
  /** Lower-cased. null when missing or not verified by the identity provider. */
  verifiedEmail: string | null;
  /** null when the claim is missing. */
  name: string | null;
  /** `auth_time`. null when the claim is missing. */
  authenticatedAt: Date | null;
}

export interface SsoEndpoint {
  authorizationEndpoint: string;
  clientId: string;
  scopes: readonly string[];
  /** RFC 9207: whether a response with this `iss`, or without one, can come from this identity provider. */
  isIssuer(iss: string | undefined): boolean;
}

export type SsoDecision =
  { state: 'identified'; identity: OperatorIdentity } | { state: 'rejected'; error: ProviderErrorDetails };

/** @throws DomainError ProviderUnavailable, ProviderTimeout, ProviderRateLimited */
export abstract class OperatorIdentityProvider {
  abstract readonly label: string;

  abstract endpoint(signal: AbortSignal): Promise<SsoEndpoint>;

  /** RFC 6749 §4.1.3 with PKCE. An id_token with a wrong signature, issuer, audience, nonce or time is `refused`. */
  abstract exchange(request: {
    redirectUri: string;
    code: string;
    codeVerifier: string;
    nonce: string;
    signal: AbortSignal;
  }): Promise<SsoDecision>;
}

/** A pending single sign-on request, from the redirect to its callback. Can be consumed once. */
export interface OperatorSsoRequest {
  /** SHA-256 over `state` and the cookie of the browser that began. */
  stateHash: Buffer;
  codeVerifier: string;
  nonce: string;
  returnTo: string;
  /** Operator who links an identity. null for a sign-in. */
  linkTo: string | null;
  /** SHA-256 of the session's secret, in hex, when its operator authenticates again; else null. */
  renews: string | null;
  expiresAt: Date;
}

export abstract class OperatorSsoRepository {
  abstract save(signOn: OperatorSsoRequest): Promise<void>;
  /** Consumes the request. Returns null when it is unknown or expired. */
  abstract take(stateHash: Buffer): Promise<OperatorSsoRequest | null>;
  abstract operatorOf(subject: OperatorSubject): Promise<string | null>;
  /** Replaces the operator's identity. @throws DomainError Conflict when another operator has it */
  abstract link(operatorId: string, subject: OperatorSubject): Promise<void>;
}
