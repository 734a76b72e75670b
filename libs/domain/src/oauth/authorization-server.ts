import type { ExpiryReason } from '../accounts/account.js';
import type { DomainError, ProviderFault } from '../system/errors.js';

/** An OAuth 2.0 client as a provider knows it: an application's own, or the one that the installation shares. */
export interface OAuthClient {
  clientId: string;
  clientSecret: string;
  /** What users are asked for; null: the provider's default set. */
  scopes: string[] | null;
  /** The directory whose users may sign in, for providers that have some; null: any. */
  tenant: string | null;
}

export const OAUTH_PROMPTS = ['consent', 'select_account', 'none'] as const;

export type OAuthPrompt = (typeof OAUTH_PROMPTS)[number];

/** Who signed in: `subject` is the provider's permanent key of the person, the email may change. */
export interface AccountIdentity {
  subject: string;
  /** Vouched for by the provider; an empty text when it vouches for none. */
  email: string;
  /** Other addresses that the provider vouches for as much. */
  otherEmails?: string[];
  /** Addresses that nobody vouches for: anybody's text. To be shown at most, never compared, never a key. */
  aliases?: string[];
}

/** RFC 6749 §5.1, checked. */
export interface OAuthTokens {
  accessToken: string;
  /** null: the provider gave none, and the one that is stored goes on. */
  refreshToken: string | null;
  expiresAt: Date;
  /** What was really granted; null when the answer does not say, and what is stored goes on. */
  scopes: string[] | null;
  /** From the verified id_token; null when there was none. */
  identity: AccountIdentity | null;
  /** Why the id_token that came could not be verified now: it may be as good as any. */
  identityFault?: DomainError;
}

/**
 * How a token endpoint decided. What is not a decision (unreachable, 5xx, 429, nonsense) is thrown and says nothing
 * about anybody's grant.
 */
export type TokenDecision =
  | { state: 'granted'; tokens: OAuthTokens }
  /** The grant (code or refresh token) is not or no longer good. */
  | { state: 'grant-refused'; reason: ExpiryReason; fault: ProviderFault }
  /** Our own client is wrong, disabled or deleted: for the operator, no account is to blame. */
  | { state: 'client-refused'; fault: ProviderFault };

/**
 * A provider's OAuth 2.0 side. Stateless; speaks through the guarded egress with a deadline of its own below
 * {@link TOKEN_TIMEOUT_MS}. Every method throws `DomainError` only: `ProviderUnavailable`, `ProviderTimeout`,
 * `ProviderRateLimited` for what is not a decision.
 */
export abstract class AuthorizationServer {
  /** Asked for when the application's client does not say otherwise. */
  abstract readonly defaultScopes: readonly string[];

  /** Where browsers are sent, without a query. */
  abstract authorizationEndpoint(client: OAuthClient): string;

  /**
   * Parameters of the authorization request besides the ones of RFC 6749 and 7636. `again`: the first round gave no
   * refresh token, so that consent has to be asked for.
   */
  abstract authorizationParams(request: {
    prompt: OAuthPrompt | null;
    loginHint: string | null;
    nonce: string;
    again: boolean;
  }): Record<string, string>;

  /** RFC 9207: whether an `iss` of the callback is this server's. */
  abstract isIssuer(iss: string): boolean;

  /**
   * Whether a callback with `error` (RFC 6749 §4.1.2.1) says that an administrator of the user's organization has to
   * consent first. The description is anybody's text: it may be read, and not repeated.
   */
  needsAdministrator(_refused: { error: string; errorDescription: string | null }): boolean {
    return false;
  }

  /** The page on which an administrator consents for an organization; null: there is none. */
  administratorConsentUrl(_request: {
    client: OAuthClient;
    redirectUri: string;
    scopes: readonly string[];
  }): string | null {
    return null;
  }

  /** Scopes asked for that the grant does not cover, aliases and wider scopes considered. */
  abstract missingScopes(requested: readonly string[], granted: readonly string[]): string[];

  /** RFC 6749 §4.1.3 with PKCE. An id_token that does not verify (signature, issuer, audience, nonce, time) is `grant-refused`. */
  abstract exchange(request: {
    client: OAuthClient;
    redirectUri: string;
    code: string;
    codeVerifier: string;
    nonce: string;
    signal: AbortSignal;
  }): Promise<TokenDecision>;

  /** RFC 6749 §6. @param request.isKnown whose grant it is needs no saying: an id_token that comes along is not read */
  abstract refresh(request: {
    client: OAuthClient;
    refreshToken: string;
    isKnown?: boolean;
    signal: AbortSignal;
  }): Promise<TokenDecision>;

  /** Who a token acts for, when no id_token said so; null when the grant does not allow to ask. */
  abstract identify(request: { accessToken: string; signal: AbortSignal }): Promise<AccountIdentity | null>;

  /** RFC 7009; does nothing where the provider has no such endpoint. A grant that is already gone is a success. */
  abstract revoke(request: { client: OAuthClient; token: string; signal: AbortSignal }): Promise<void>;
}

/** Longest call of a token endpoint, milliseconds. The lease of a refresh is more than twice as long. */
export const TOKEN_TIMEOUT_MS = 8_000;
