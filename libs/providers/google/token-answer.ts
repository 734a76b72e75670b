import type { AccountStatusReason, OAuthTokens, ProviderFault, TokenDecision } from '#domain';
import { rateLimited, undecided, type JsonAnswer } from './token-endpoint.js';

/**
 * Google's tokens have up to 2,048 characters: https://developers.google.com/identity/protocols/oauth2#size. Twice that
 * is no token any more.
 */
const MAX_TOKEN_LENGTH = 4_096;
const MAX_SCOPE_LENGTH = 8_192;
/** What Google's access tokens have, for answers that do not say. */
const USUAL_LIFETIME_S = 3_600;
const LONGEST_LIFETIME_S = 86_400;

/** The grant is over, for whatever reason: Google does not tell which. */
const GRANT_REFUSALS: ReadonlyMap<string, AccountStatusReason> = new Map<string, AccountStatusReason>([
  ['invalid_grant', 'invalid_grant'],
  ['invalid_rapt', 'invalid_grant'],
  ['admin_policy_enforced', 'consent_revoked'],
  ['org_internal', 'consent_revoked'],
  ['access_denied', 'consent_revoked'],
  ['consent_required', 'consent_revoked'],
  ['interaction_required', 'consent_revoked'],
]);

/** Refusals in form, that only mean "not now". */
const NOT_NOW: ReadonlySet<string> = new Set(['temporarily_unavailable', 'server_error', 'internal_failure']);
const RATE_LIMITS: ReadonlySet<string> = new Set(['rate_limit_exceeded', 'slow_down', 'quota_exceeded']);

export type CheckedTokens = Omit<OAuthTokens, 'identity'>;

/** A token endpoint's answer, read: tokens, or a decision against them. `idToken` is not verified yet. */
export type TokenAnswer =
  { state: 'granted'; tokens: CheckedTokens; idToken: string | null } | Exclude<TokenDecision, { state: 'granted' }>;

/**
 * RFC 6749 §5.1 and §5.2 with Google's own codes. An error code that nobody knows says that our request was wrong, and
 * so is the operator's: only what refuses the grant by name ends it.
 * @throws DomainError ProviderUnavailable, ProviderRateLimited, for what is not a decision
 */
export function readTokenAnswer({ status, body }: JsonAnswer, nowMs: number): TokenAnswer {
  if (status === 200) return grantedOf(body, nowMs);
  const code = codeOf(body?.['error']);
  if (code === null || ![400, 401, 403].includes(status) || NOT_NOW.has(code)) throw undecided(status, code);
  if (RATE_LIMITS.has(code)) throw rateLimited(null);
  const reason = GRANT_REFUSALS.get(code);
  return reason === undefined
    ? {
        state: 'client-refused',
        fault: refusal(status, code, 'Google does not accept the OAuth client or its request.'),
      }
    : { state: 'grant-refused', reason, fault: refusal(status, code, 'Google does not accept the grant (any more).') };
}

export function refusal(status: number | null, code: string, message: string): ProviderFault {
  return { status, code, message, retryable: false };
}

/** `error` of RFC 6749 §5.2; null for what is no code, whose text nobody has to see. */
export function codeOf(error: unknown): string | null {
  return typeof error === 'string' && /^[A-Za-z][\w.-]{0,63}$/.test(error) ? error : null;
}

function grantedOf(body: JsonAnswer['body'], nowMs: number): TokenAnswer {
  const accessToken = tokenOf(body?.['access_token']);
  const type = body?.['token_type'];
  if (accessToken === null || typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    throw undecided(200, 'answer-invalid');
  }
  return {
    state: 'granted',
    tokens: {
      accessToken,
      refreshToken: tokenOf(body?.['refresh_token']),
      expiresAt: new Date(nowMs + lifetimeS(body?.['expires_in']) * 1_000),
      scopes: scopesOf(body?.['scope']),
    },
    idToken: typeof body?.['id_token'] === 'string' ? body['id_token'] : null,
  };
}

/** null for none. @throws DomainError ProviderUnavailable, for what cannot be a token (RFC 6750 §2.1 and its length) */
function tokenOf(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'string' && value.length <= MAX_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(value)) return value;
  throw undecided(200, 'answer-invalid');
}

function lifetimeS(value: unknown): number {
  const seconds = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof seconds === 'number' && seconds > 0 ? Math.min(seconds, LONGEST_LIFETIME_S) : USUAL_LIFETIME_S;
}

function scopesOf(value: unknown): string[] | null {
  if (typeof value !== 'string' || value.length > MAX_SCOPE_LENGTH) return null;
  const scopes = [...new Set(value.split(' '))].filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
  return scopes.length === 0 ? null : scopes;
}
