import type { ExpiryReason } from '#domain';
import { refusalCode } from '#providers/kit/calls';
import { grantedTokens, type JsonAnswer, refusal, type TokenAnswer, type TokenExchange } from '#providers/kit/oauth';

/**
 * Google's tokens have up to 2,048 characters: https://developers.google.com/identity/protocols/oauth2#size. Twice that
 * is no token any more.
 */
const MAX_TOKEN_LENGTH = 4_096;

/** The grant is over, for whatever reason: Google does not tell which. */
const GRANT_REFUSALS: ReadonlyMap<string, ExpiryReason> = new Map<string, ExpiryReason>([
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

/**
 * RFC 6749 §5.1 and §5.2 with Google's own codes. An error code that nobody knows says that our request was wrong, and
 * so is the operator's: only what refuses the grant by name ends it.
 * @throws DomainError ProviderUnavailable, ProviderRateLimited, for what is not a decision
 */
export function readTokenAnswer({ status, body }: JsonAnswer, exchange: TokenExchange, nowMs: number): TokenAnswer {
  if (status === 200) return grantedTokens(body, { exchange, nowMs, maxTokenLength: MAX_TOKEN_LENGTH });
  const code = refusalCode(body?.['error']);
  if (code === null || ![400, 401, 403].includes(status) || NOT_NOW.has(code)) throw exchange.undecided(status, code);
  if (RATE_LIMITS.has(code)) throw exchange.rateLimited(null);
  const reason = GRANT_REFUSALS.get(code);
  return reason === undefined
    ? {
        state: 'client-refused',
        fault: refusal(status, code, 'Google does not accept the OAuth client or its request.'),
      }
    : { state: 'grant-refused', reason, fault: refusal(status, code, 'Google does not accept the grant (any more).') };
}
