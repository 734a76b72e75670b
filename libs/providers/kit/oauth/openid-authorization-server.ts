import type { ExpiryReason } from '#domain/accounts';
import {
  AuthorizationServer,
  type AccountIdentity,
  type OAuthClient,
  type TokenDecision,
  TOKEN_TIMEOUT_MS,
  type OAuthTokens,
} from '#domain/oauth';
import { DomainError, type ProviderErrorDetails } from '#domain/system';
import type { Egress, OutboundResponse, OutboundRequest } from '#egress';
import { IdTokenRejected } from './id-token.js';
import { instrumentTry } from '../calls/measured-try.js';
import { parsedJson, retryAfterMs, mapToDomainError } from '../calls/provider-error.js';
import { transportFailure } from '../calls/http.js';

/** Limit for all calls of one method together, within {@link TOKEN_TIMEOUT_MS}. */
const METHOD_MS = TOKEN_TIMEOUT_MS - 500;
const MAX_RESPONSE_BYTES = 256 * 1024;

export interface TokenEndpointDeps {
  /** Name in messages. */
  provider: string;
  egress: Egress;
  nowMs: () => number;
}

export interface JsonResponse {
  status: number;
  headers: Record<string, string>;
  body: Record<string, unknown> | null;
}

/** The calls of one method, with one deadline. Throws for an answer that is no decision. */
export class TokenExchange {
  readonly #endsAtMs = performance.now() + METHOD_MS;

  constructor(
    private readonly deps: TokenEndpointDeps,
    private readonly signal: AbortSignal,
  ) {}

  /** @throws DomainError ProviderUnavailable, ProviderTimeout, ProviderRateLimited */
  post(
    url: string,
    form: Record<string, string>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<JsonResponse> {
    return this.send({
      method: 'POST',
      url,
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', ...headers },
      // In the body, because URLs end up in logs.
      body: new URLSearchParams(form).toString(),
    });
  }

  get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<JsonResponse> {
    return this.send({ method: 'GET', url, headers: { accept: 'application/json', ...headers } });
  }

  private async send(request: Pick<OutboundRequest, 'method' | 'url' | 'headers' | 'body'>): Promise<JsonResponse> {
    let response: OutboundResponse;
    try {
      response = await instrumentTry(async (reportStatus) => {
        const received = await this.deps.egress.request({
          ...request,
          trust: 'configured',
          timeoutMs: Math.max(1, this.#endsAtMs - performance.now()),
          maxBytes: MAX_RESPONSE_BYTES,
          signal: this.signal,
          poolKey: 'oauth',
        });
        reportStatus(received.status);
        return received;
      });
    } catch (error) {
      throw transportFailure(this.deps.provider, error);
    }
    const { status, headers, body } = response;
    const retryMs = retryAfterMs(headers['retry-after'], this.deps.nowMs());
    if (status === 429) throw this.rateLimited(retryMs);
    if (status >= 500) throw this.undecided(status, null, retryMs);
    const json = parsedJson(body);
    const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
    return { status, headers, body: isObject ? (json as Record<string, unknown>) : null };
  }

  /** Builds the error for an answer that says nothing about the grant or the client. */
  undecided(status: number, code: string | null, retryMs: number | null = null): DomainError {
    const message = `${this.deps.provider}'s token endpoint gave no usable answer.`;
    return mapToDomainError(['ProviderUnavailable', message, true], { status, code, retryAfterMs: retryMs });
  }

  rateLimited(retryMs: number | null): DomainError {
    const message = `${this.deps.provider}'s token endpoint asks to slow down.`;
    return mapToDomainError(['ProviderRateLimited', message, true], { status: 429, code: null, retryAfterMs: retryMs });
  }

  /** @param reason why the grant was rejected; null when the client was. @param details end of the message */
  rejected(reason: ExpiryReason | null, status: number, code: string, details = ''): TokenResponse {
    const what = reason === null ? 'the OAuth client or its request.' : 'the grant (any more).';
    const error = errorDetails(status, code, `${this.deps.provider} does not accept ${what}${details}`);
    return reason === null ? { state: 'client-rejected', error } : { state: 'grant-rejected', reason, error };
  }
}

const MAX_SCOPE_LENGTH = 8_192;
/** Lifetime of access tokens whose answer names none, seconds. */
const USUAL_LIFETIME_S = 3_600;
const MAX_LIFETIME_S = 86_400;

export type CheckedTokens = Omit<OAuthTokens, 'identity'>;

/** `idToken` is not verified. */
export type TokenResponse =
  { state: 'granted'; tokens: CheckedTokens; idToken: string | null } | Exclude<TokenDecision, { state: 'granted' }>;

export function errorDetails(status: number | null, code: string, message: string): ProviderErrorDetails {
  return { status, code, message, retryable: false };
}

/** Reads an answer with status 200 (RFC 6749 §5.1). @throws DomainError ProviderUnavailable without usable tokens */
export function grantedTokens(
  body: Record<string, unknown> | null,
  { exchange, nowMs, maxTokenLength }: { exchange: TokenExchange; nowMs: number; maxTokenLength: number },
): TokenResponse {
  const invalid = () => exchange.undecided(200, 'response-invalid');
  /** Returns null without a token (RFC 6750 §2.1). */
  const tokenOf = (value: unknown): string | null => {
    if (value === undefined || value === null || value === '') return null;
    if (typeof value === 'string' && value.length <= maxTokenLength && /^[\x21-\x7e]+$/.test(value)) return value;
    throw invalid();
  };
  const accessToken = tokenOf(body?.['access_token']);
  const type = body?.['token_type'];
  if (accessToken === null || typeof type !== 'string' || type.toLowerCase() !== 'bearer') throw invalid();
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
  return typeof seconds === 'number' && seconds > 0 ? Math.min(seconds, MAX_LIFETIME_S) : USUAL_LIFETIME_S;
}

function scopesOf(value: unknown): string[] | null {
  if (typeof value !== 'string' || value.length > MAX_SCOPE_LENGTH) return null;
  const scopes = [...new Set(value.split(' '))].filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
  return scopes.length === 0 ? null : scopes;
}

export interface UnverifiedIdToken {
  idToken: string;
  tokens: CheckedTokens;
  client: OAuthClient;
  nonce: string | null;
}

export type CodeExchange = Parameters<AuthorizationServer['exchange']>[0];
export type OpenIdSignInRequest = Parameters<AuthorizationServer['authorizationParams']>[0];

/** Token requests of OAuth 2.0 with OpenID Connect. A subclass reads the answers of its provider. */
export abstract class OpenIdAuthorizationServer extends AuthorizationServer {
  constructor(private readonly endpoint: TokenEndpointDeps) {
    super();
  }

  protected abstract tokenEndpoint(client: OAuthClient): string;

  /** @throws DomainError ProviderUnavailable, ProviderRateLimited for an answer that is no decision */
  protected abstract readTokenResponse(
    response: JsonResponse,
    exchange: TokenExchange,
    client: OAuthClient,
  ): TokenResponse;

  /** Returns null without a permanent identity. @throws IdTokenRejected; DomainError when the keys are unavailable */
  protected abstract identityOf(token: UnverifiedIdToken, exchange: TokenExchange): Promise<AccountIdentity | null>;

  override async exchange(request: CodeExchange): Promise<TokenDecision> {
    const { client, nonce } = request;
    const exchange = this.exchanges(request.signal);
    const response = await this.requestTokens(exchange, client, {
      grant_type: 'authorization_code',
      code: request.code,
      redirect_uri: request.redirectUri,
      code_verifier: request.codeVerifier,
    });
    if (response.state !== 'granted') return response;
    try {
      return grantedTo(await this.identity(response, { client, nonce }, exchange), response.tokens);
    } catch (error) {
      if (!(error instanceof IdTokenRejected)) throw error;
      const message = `${this.endpoint.provider} gave an id_token that does not verify.`;
      const details = errorDetails(200, 'invalid_id_token', message);
      return { state: 'grant-rejected', reason: 'invalid_grant', error: details };
    }
  }

  /** RFC 6749 §6, for the granted scope. Ignores an invalid id_token: the tokens came from the provider itself. */
  override async refresh(request: Parameters<AuthorizationServer['refresh']>[0]): Promise<TokenDecision> {
    const { client, refreshToken } = request;
    const exchange = this.exchanges(request.signal);
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
    const response = await this.requestTokens(exchange, client, form);
    if (response.state !== 'granted') return response;
    if (request.isKnown === true) return grantedTo(null, response.tokens);
    try {
      return grantedTo(await this.identity(response, { client, nonce: null }, exchange), response.tokens);
    } catch (error) {
      if (error instanceof IdTokenRejected) return grantedTo(null, response.tokens);
      // The answer may hold a new refresh token, which must not be lost.
      if (error instanceof DomainError) return grantedTo(null, { ...response.tokens, identityError: error });
      throw error;
    }
  }

  protected exchanges(signal: AbortSignal): TokenExchange {
    return new TokenExchange(this.endpoint, signal);
  }

  private async requestTokens(exchange: TokenExchange, client: OAuthClient, form: Record<string, string>) {
    const credentials = { client_id: client.clientId, client_secret: client.clientSecret };
    const response = await exchange.post(this.tokenEndpoint(client), { ...form, ...credentials });
    return this.readTokenResponse(response, exchange, client);
  }

  private async identity(
    { idToken, tokens }: Extract<TokenResponse, { state: 'granted' }>,
    expected: Pick<UnverifiedIdToken, 'client' | 'nonce'>,
    exchange: TokenExchange,
  ): Promise<AccountIdentity | null> {
    return idToken === null ? null : this.identityOf({ idToken, tokens, ...expected }, exchange);
  }
}

function grantedTo(identity: AccountIdentity | null, tokens: CheckedTokens): TokenDecision {
  return { state: 'granted', tokens: { ...tokens, identity } };
}
