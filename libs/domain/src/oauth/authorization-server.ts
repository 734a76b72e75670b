import type { ExpiryReason } from '../accounts/account.js';
import type { DomainError, ProviderErrorDetails } from '../system/errors.js';

export interface OAuthClient {
  clientId: string;
  clientSecret: string;
  /** null for the provider's default scopes. */
  scopes: string[] | null;
  /** Directory (tenant) whose users may sign in. null for any, and for providers without directories. */
  tenant: string | null;
  /** When the provider stops accepting the secret; null or missing when nobody has said. */
  expiresAt?: Date | null;
}

export const OAUTH_PROMPTS = ['consent', 'select_account', 'none'] as const;

export type OAuthPrompt = (typeof OAUTH_PROMPTS)[number];

/** Who signed in. `subject` is the provider's permanent id of the person; the email may change. */
export interface AccountIdentity {
  subject: string;
  /** Verified by the provider. Empty when the provider verifies none. */
  email: string;
  /** More addresses that the provider verifies. */
  otherEmails?: string[];
  /** Unverified addresses: display only, never compare them or use them as a key. */
  aliases?: string[];
}

export interface OAuthTokens {
  accessToken: string;
  /** null when the provider sent none: the stored one stays valid. */
  refreshToken: string | null;
  expiresAt: Date;
  /** Granted scopes. null when the response has none: the stored scopes stay valid. */
  scopes: string[] | null;
  /** From the verified id_token. null without an id_token. */
  identity: AccountIdentity | null;
  /** Transient reason why the id_token could not be verified. The token may still be valid. */
  identityError?: DomainError;
}

/** Decision of a token endpoint. Responses that decide nothing (unreachable, 5xx, 429, malformed) are thrown. */
export type TokenDecision =
  | { state: 'granted'; tokens: OAuthTokens }
  | { state: 'grant-rejected'; reason: ExpiryReason; error: ProviderErrorDetails }
  /** Our own client is wrong, disabled or deleted. The operator has to act; the account is not affected. */
  | { state: 'client-rejected'; error: ProviderErrorDetails };

/** Stateless. @throws DomainError ProviderUnavailable, ProviderTimeout, ProviderRateLimited when nothing is decided */
export abstract class AuthorizationServer {
  /** Requested when the client has no scopes of its own. */
  abstract readonly defaultScopes: readonly string[];

  abstract authorizationEndpoint(client: OAuthClient): string;

  /** @param request.again ask for consent, because the first round returned no refresh token */
  abstract authorizationParams(request: {
    prompt: OAuthPrompt | null;
    loginHint: string | null;
    nonce: string;
    again: boolean;
  }): Record<string, string>;

  /** RFC 9207: whether an `iss` of the callback belongs to this server. */
  abstract isIssuer(iss: string): boolean;

  /** RFC 6749 §4.1.2.1: an administrator has to consent first. The description is untrusted: never repeat it. */
  needsAdministrator(_rejection: { error: string; errorDescription: string | null }): boolean {
    return false;
  }

  /** Page where an administrator consents for an organization. null when the provider has none. */
  administratorConsentUrl(_request: {
    client: OAuthClient;
    redirectUri: string;
    scopes: readonly string[];
  }): string | null {
    return null;
  }

  /** Requested scopes that the grant does not cover, considering aliases and wider scopes. */
  abstract missingScopes(requested: readonly string[], granted: readonly string[]): string[];

  /**
   * RFC 6749 §4.1.3 with PKCE. `grant-rejected` for an id_token with a wrong signature, issuer, audience, nonce, time.
   */
  abstract exchange(request: {
    client: OAuthClient;
    redirectUri: string;
    code: string;
    codeVerifier: string;
    nonce: string;
    signal: AbortSignal;
  }): Promise<TokenDecision>;

  /** RFC 6749 §6. @param request.isKnown ignores an id_token in the response, because the person is known */
  abstract refresh(request: {
    client: OAuthClient;
    refreshToken: string;
    isKnown?: boolean;
    signal: AbortSignal;
  }): Promise<TokenDecision>;

  /** Asks whom a token acts for, when there was no id_token. Returns null when the grant does not allow to ask. */
  abstract identify(request: { accessToken: string; signal: AbortSignal }): Promise<AccountIdentity | null>;

  /** RFC 7009. No-op for providers without revocation. Succeeds when the grant is already gone. */
  abstract revoke(request: { client: OAuthClient; token: string; signal: AbortSignal }): Promise<void>;
}

/** Longest call of a token endpoint, milliseconds. The lease of a refresh is more than twice as long. */
export const TOKEN_TIMEOUT_MS = 8_000;
