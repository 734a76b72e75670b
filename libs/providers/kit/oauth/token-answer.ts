import type { OAuthTokens, ProviderFault, TokenDecision } from '#domain';
import type { TokenExchange } from './token-exchange.js';

const MAX_SCOPE_LENGTH = 8_192;
/** Of access tokens whose answer does not say, seconds. */
const USUAL_LIFETIME_S = 3_600;
const LONGEST_LIFETIME_S = 86_400;

export type CheckedTokens = Omit<OAuthTokens, 'identity'>;

/** A token endpoint's answer, read: tokens, or a decision against them. `idToken` is not verified yet. */
export type TokenAnswer =
  { state: 'granted'; tokens: CheckedTokens; idToken: string | null } | Exclude<TokenDecision, { state: 'granted' }>;

export function refusal(status: number | null, code: string, message: string): ProviderFault {
  return { status, code, message, retryable: false };
}

/**
 * RFC 6749 §5.1, of an answer with status 200.
 * @param maxTokenLength what is longer is no token any more, characters
 * @throws DomainError ProviderUnavailable, for an answer that is none
 */
export function grantedTokens(
  body: Record<string, unknown> | null,
  { exchange, nowMs, maxTokenLength }: { exchange: TokenExchange; nowMs: number; maxTokenLength: number },
): TokenAnswer {
  const invalid = () => exchange.undecided(200, 'answer-invalid');
  /** null for none. RFC 6750 §2.1 */
  const tokenOf = (value: unknown): string | null => {
    if (value === undefined || value === null || value === '') return null;
    if (typeof value === 'string' && value.length <= maxTokenLength && /^[\x21-\x7e]+$/.test(value)) return value;
    throw invalid();
  };
  const accessToken = tokenOf(body?.['access_token']);
  const type = body?.['token_type'];
  if (accessToken === null || typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    throw invalid();
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

function lifetimeS(value: unknown): number {
  const seconds = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof seconds === 'number' && seconds > 0 ? Math.min(seconds, LONGEST_LIFETIME_S) : USUAL_LIFETIME_S;
}

function scopesOf(value: unknown): string[] | null {
  if (typeof value !== 'string' || value.length > MAX_SCOPE_LENGTH) return null;
  const scopes = [...new Set(value.split(' '))].filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
  return scopes.length === 0 ? null : scopes;
}
