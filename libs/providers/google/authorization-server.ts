import {
  AuthorizationServer,
  DomainError,
  type AccountIdentity,
  type OAuthClient,
  type OAuthPrompt,
  type TokenDecision,
} from '#domain';
import {
  refusal,
  refusalCode,
  SigningKeys,
  TokenExchange,
  type TokenAnswer,
  type TokenEndpointDeps,
} from '#provider-calls';
import type { GoogleEndpoints } from './endpoints.js';
import { identityOf, IdTokenRefused, ISSUERS, verifiedIdentity } from './id-token.js';
import { DEFAULT_SCOPES, missingScopes } from './scopes.js';
import { readTokenAnswer } from './token-answer.js';

export interface AuthorizationServerDeps extends Omit<TokenEndpointDeps, 'provider'> {
  endpoints: GoogleEndpoints;
}

/** https://developers.google.com/identity/protocols/oauth2/web-server */
export class GoogleAuthorizationServer extends AuthorizationServer {
  override readonly defaultScopes = DEFAULT_SCOPES;
  private readonly keys: SigningKeys;

  constructor(private readonly deps: AuthorizationServerDeps) {
    super();
    this.keys = new SigningKeys(deps.endpoints.signingKeys);
  }

  override authorizationEndpoint(): string {
    return this.deps.endpoints.authorize;
  }

  /** Only a user who sees the consent page gives a refresh token: it is asked for unless the caller says otherwise. */
  override authorizationParams({
    prompt,
    loginHint,
    nonce,
    again,
  }: {
    prompt: OAuthPrompt | null;
    loginHint: string | null;
    nonce: string;
    again: boolean;
  }): Record<string, string> {
    return {
      access_type: 'offline',
      // A second consent must not take away what the first one gave.
      include_granted_scopes: 'true',
      prompt: again ? 'consent select_account' : (prompt ?? 'consent'),
      nonce,
      ...(loginHint !== null && { login_hint: loginHint }),
    };
  }

  override isIssuer(iss: string): boolean {
    return ISSUERS.includes(iss);
  }

  override missingScopes(requested: readonly string[], granted: readonly string[]): string[] {
    return missingScopes(requested, granted);
  }

  override async exchange({
    client,
    redirectUri,
    code,
    codeVerifier,
    nonce,
    signal,
  }: {
    client: OAuthClient;
    redirectUri: string;
    code: string;
    codeVerifier: string;
    nonce: string;
    signal: AbortSignal;
  }): Promise<TokenDecision> {
    const exchange = this.exchanges(signal);
    const answer = await this.askForTokens(exchange, client, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
    });
    if (answer.state !== 'granted') return answer;
    try {
      const identity = await this.identity(exchange, answer.idToken, client, nonce);
      return { state: 'granted', tokens: { ...answer.tokens, identity } };
    } catch (error) {
      if (!(error instanceof IdTokenRefused)) throw error;
      const fault = refusal(200, 'invalid_id_token', 'Google gave an id_token that does not verify.');
      return { state: 'grant-refused', reason: 'invalid_grant', fault };
    }
  }

  /** An id_token that does not verify here is as good as none: the tokens came from Google itself. */
  override async refresh({
    client,
    refreshToken,
    signal,
  }: {
    client: OAuthClient;
    refreshToken: string;
    signal: AbortSignal;
  }): Promise<TokenDecision> {
    const exchange = this.exchanges(signal);
    const answer = await this.askForTokens(exchange, client, {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    });
    if (answer.state !== 'granted') return answer;
    const identity = await this.identity(exchange, answer.idToken, client, null).catch((error: unknown) => {
      if (error instanceof IdTokenRefused || error instanceof DomainError) return null;
      throw error;
    });
    return { state: 'granted', tokens: { ...answer.tokens, identity } };
  }

  override async identify({
    accessToken,
    signal,
  }: {
    accessToken: string;
    signal: AbortSignal;
  }): Promise<AccountIdentity | null> {
    const exchange = this.exchanges(signal);
    const { status, body } = await exchange.post(this.deps.endpoints.tokenInfo, { access_token: accessToken });
    if (body === null) throw exchange.undecided(status, null);
    return status === 200 ? verifiedIdentity(body) : null;
  }

  override async revoke({ token, signal }: { token: string; signal: AbortSignal }): Promise<void> {
    const exchange = this.exchanges(signal);
    const { status, body } = await exchange.post(this.deps.endpoints.revoke, { token });
    if (status === 200) return;
    const code = refusalCode(body?.['error']);
    const isGone = status === 400 && (code === 'invalid_token' || code === 'invalid_grant');
    if (!isGone) throw exchange.undecided(status, code);
  }

  private exchanges(signal: AbortSignal): TokenExchange {
    return new TokenExchange({ ...this.deps, provider: 'Google' }, signal);
  }

  private async askForTokens(
    exchange: TokenExchange,
    { clientId, clientSecret }: OAuthClient,
    form: Record<string, string>,
  ): Promise<TokenAnswer> {
    const credentials = { client_id: clientId, client_secret: clientSecret };
    return readTokenAnswer(
      await exchange.post(this.deps.endpoints.token, { ...form, ...credentials }),
      exchange,
      this.deps.nowMs(),
    );
  }

  private async identity(
    exchange: TokenExchange,
    idToken: string | null,
    { clientId }: OAuthClient,
    nonce: string | null,
  ): Promise<AccountIdentity | null> {
    if (idToken === null) return null;
    return identityOf(idToken, { clientId, nonce, nowMs: this.deps.nowMs() }, this.keys, exchange);
  }
}
