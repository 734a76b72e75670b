import { DomainError, TOKEN_TIMEOUT_MS, type OAuthTokens, type ProviderFault, type TokenDecision } from '#domain';
import type { Egress, OutboundAnswer } from '#egress';
import { measuredTry } from '../calls/measured-try.js';
import { parsedJson, retryAfterMs } from '../calls/provider-refusal.js';
import { transportFailure } from '../calls/transport-failure.js';

/** Whoever waits for all calls of one method together has to have an answer within {@link TOKEN_TIMEOUT_MS}. */
const METHOD_MS = TOKEN_TIMEOUT_MS - 500;
const MAX_ANSWER_BYTES = 256 * 1024;
/** When the provider does not say how long it wants to be left alone. */
const RETRY_AFTER_SECONDS = 10;

export interface TokenEndpointDeps {
  /** As it is called in messages. */
  provider: string;
  egress: Egress;
  nowMs: () => number;
}

export interface JsonAnswer {
  status: number;
  headers: Record<string, string>;
  /** The JSON object that was answered; null when it was none. */
  body: Record<string, unknown> | null;
}

/** The calls of one method: they share one deadline, and answer what is no decision with an error. */
export class TokenExchange {
  readonly #endsAtMs = performance.now() + METHOD_MS;

  constructor(
    private readonly deps: TokenEndpointDeps,
    private readonly signal: AbortSignal,
  ) {}

  /** @throws DomainError ProviderUnavailable, ProviderTimeout, ProviderRateLimited */
  post(url: string, form: Record<string, string>, headers: Readonly<Record<string, string>> = {}): Promise<JsonAnswer> {
    return this.send({
      method: 'POST',
      url,
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', ...headers },
      // The body, not the query: addresses end up in logs.
      body: new URLSearchParams(form).toString(),
    });
  }

  /** @throws as {@link post} */
  get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<JsonAnswer> {
    return this.send({ method: 'GET', url, headers: { accept: 'application/json', ...headers } });
  }

  private async send(request: {
    method: string;
    url: string;
    headers: Record<string, string>;
    body?: string;
  }): Promise<JsonAnswer> {
    let answer: OutboundAnswer;
    try {
      answer = await measuredTry(async (answered) => {
        const received = await this.deps.egress.request({
          ...request,
          trust: 'configured',
          timeoutMs: Math.max(1, this.#endsAtMs - performance.now()),
          maxBytes: MAX_ANSWER_BYTES,
          signal: this.signal,
          poolKey: 'oauth',
        });
        answered(received.status);
        return received;
      });
    } catch (error) {
      throw transportFailure(this.deps.provider, error);
    }
    const { status, headers, body } = answer;
    if (status === 429) throw this.rateLimited(retryAfterMs(headers['retry-after'], this.deps.nowMs()));
    if (status >= 500) throw this.undecided(status, null, retryAfterMs(headers['retry-after'], this.deps.nowMs()));
    const json = parsedJson(body);
    const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
    return { status, headers, body: isObject ? (json as Record<string, unknown>) : null };
  }

  /** Neither yes nor no: nothing follows from it for the grant or the client. */
  undecided(status: number, code: string | null, retryMs: number | null = null): DomainError {
    const message = `${this.deps.provider}'s token endpoint gave no usable answer.`;
    return new DomainError('ProviderUnavailable', message, {
      provider: { status, code, message, retryable: true },
      ...(retryMs !== null && { retryAfterSeconds: Math.max(1, Math.ceil(retryMs / 1_000)) }),
    });
  }

  /** @param retryMs null: not told */
  rateLimited(retryMs: number | null): DomainError {
    const message = `${this.deps.provider}'s token endpoint asks to slow down.`;
    return new DomainError('ProviderRateLimited', message, {
      provider: { status: 429, code: null, message, retryable: true },
      retryAfterSeconds: retryMs === null ? RETRY_AFTER_SECONDS : Math.max(1, Math.ceil(retryMs / 1_000)),
    });
  }
}

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
