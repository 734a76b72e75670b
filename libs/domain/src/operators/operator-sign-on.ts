import type { ProviderFault } from '../system/errors.js';

/** Who a person is to the identity provider of the single sign-on, for ever (OpenID Connect Core §5.7). */
export interface OperatorSubject {
  issuer: string;
  subject: string;
}

/** Who signed in, as a verified id_token says. */
export interface OperatorIdentity extends OperatorSubject {
  /** In lower case; null: there is none, or the identity provider does not vouch for it. */
  verifiedEmail: string | null;
  /** null: it is not told. */
  name: string | null;
  /** When they proved to the identity provider who they are (`auth_time`); null: it is not told. */
  authenticatedAt: Date | null;
}

/** Where and how an identity provider is asked to sign somebody in. */
export interface SignOnEndpoint {
  /** Where browsers are sent; may have a query. */
  authorizationEndpoint: string;
  clientId: string;
  scopes: readonly string[];
  /** RFC 9207: whether a response with this `iss`, or without any, can be this identity provider's. */
  isIssuer(iss: string | undefined): boolean;
}

/** How the identity provider decided about a code. What is no decision is thrown. */
export type SignOnDecision =
  { state: 'identified'; identity: OperatorIdentity } | { state: 'refused'; fault: ProviderFault };

/**
 * Who signs operators in: a provider of OpenID Connect. Speaks through the guarded egress with a deadline of its own.
 * Both methods throw `DomainError` only: `ProviderUnavailable`, `ProviderTimeout`, `ProviderRateLimited`.
 */
export abstract class OperatorIdentityProvider {
  /** What the button says that leads there. */
  abstract readonly label: string;

  abstract endpoint(signal: AbortSignal): Promise<SignOnEndpoint>;

  /** RFC 6749 §4.1.3 with PKCE. An id_token that does not verify (signature, issuer, audience, nonce, time) is `refused`. */
  abstract exchange(request: {
    redirectUri: string;
    code: string;
    codeVerifier: string;
    nonce: string;
    signal: AbortSignal;
  }): Promise<SignOnDecision>;
}

/** One single sign-on under way: kept from the redirect to the callback, taken out once. */
export interface OperatorSignOn {
  /** SHA-256 over the `state` that comes back and the cookie of the browser that began. */
  stateHash: Buffer;
  codeVerifier: string;
  nonce: string;
  /** A path of the dashboard, checked. */
  returnTo: string;
  /** The operator who links their identity; null: somebody who wants to come in. */
  linkTo: string | null;
  /** SHA-256 of the secret, in hex, of the session whose operator proves again who they are; null: it is not that. */
  renews: string | null;
  expiresAt: Date;
}

export abstract class OperatorSignOnRepository {
  abstract save(signOn: OperatorSignOn): Promise<void>;
  /** Takes a sign-on out; null when there is none, or it is over. */
  abstract take(stateHash: Buffer): Promise<OperatorSignOn | null>;
  /** The id of the operator who is known by this identity. */
  abstract operatorOf(subject: OperatorSubject): Promise<string | null>;
  /**
   * From now on the operator is known by this identity, and by no other one. No-op without such an operator.
   * @throws DomainError Conflict when somebody else is known by it
   */
  abstract link(operatorId: string, subject: OperatorSubject): Promise<void>;
}
