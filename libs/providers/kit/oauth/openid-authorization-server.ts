import { AuthorizationServer, DomainError, type AccountIdentity, type OAuthClient, type TokenDecision } from '#domain';
import { IdTokenRefused } from './id-token.js';
import {
  refusal,
  type CheckedTokens,
  type TokenAnswer,
  TokenExchange,
  type JsonAnswer,
  type TokenEndpointDeps,
} from './token-exchange.js';

/** An id_token, with what came with it and what it has to agree with. */
export interface UnverifiedIdToken {
  idToken: string;
  tokens: CheckedTokens;
  client: OAuthClient;
  /** null for one that no browser asked for: of a refresh. */
  nonce: string | null;
}

export type CodeExchange = Parameters<AuthorizationServer['exchange']>[0];

/** The token requests of OAuth 2.0 with OpenID Connect, which providers answer each in words of their own. */
export abstract class OpenIdAuthorizationServer extends AuthorizationServer {
  constructor(private readonly endpoint: TokenEndpointDeps) {
    super();
  }

  protected abstract tokenEndpoint(client: OAuthClient): string;

  /** @throws DomainError ProviderUnavailable, ProviderRateLimited, for what is not a decision */
  protected abstract readAnswer(answer: JsonAnswer, exchange: TokenExchange, client: OAuthClient): TokenAnswer;

  /**
   * Who an id_token is about; null when that is nobody who can be told from others for ever.
   * @throws IdTokenRefused; DomainError when the keys cannot be had
   */
  protected abstract identityOf(token: UnverifiedIdToken, exchange: TokenExchange): Promise<AccountIdentity | null>;

  override async exchange({
    client,
    redirectUri,
    code,
    codeVerifier,
    nonce,
    signal,
  }: CodeExchange): Promise<TokenDecision> {
    const exchange = this.exchanges(signal);
    const answer = await this.askForTokens(exchange, client, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
    });
    if (answer.state !== 'granted') return answer;
    try {
      return grantedTo(await this.identity(answer, { client, nonce }, exchange), answer.tokens);
    } catch (error) {
      if (!(error instanceof IdTokenRefused)) throw error;
      const fault = refusal(
        200,
        'invalid_id_token',
        `${this.endpoint.provider} gave an id_token that does not verify.`,
      );
      return { state: 'grant-refused', reason: 'invalid_grant', fault };
    }
  }

  /**
   * RFC 6749 §6; for the scope that was granted, which is what leaving it out means. An id_token that does not verify
   * here is as good as none: the tokens came from the provider itself.
   */
  override async refresh({
    client,
    refreshToken,
    signal,
  }: Parameters<AuthorizationServer['refresh']>[0]): Promise<TokenDecision> {
    const exchange = this.exchanges(signal);
    const answer = await this.askForTokens(exchange, client, {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    });
    if (answer.state !== 'granted') return answer;
    try {
      return grantedTo(await this.identity(answer, { client, nonce: null }, exchange), answer.tokens);
    } catch (error) {
      if (error instanceof IdTokenRefused) return grantedTo(null, answer.tokens);
      // The refresh token may have been replaced by now: what came must not be lost.
      if (error instanceof DomainError) return grantedTo(null, { ...answer.tokens, identityFault: error });
      throw error;
    }
  }

  /** The calls of one method. */
  protected exchanges(signal: AbortSignal): TokenExchange {
    return new TokenExchange(this.endpoint, signal);
  }

  private async askForTokens(
    exchange: TokenExchange,
    client: OAuthClient,
    form: Record<string, string>,
  ): Promise<TokenAnswer> {
    const credentials = { client_id: client.clientId, client_secret: client.clientSecret };
    const answer = await exchange.post(this.tokenEndpoint(client), { ...form, ...credentials });
    return this.readAnswer(answer, exchange, client);
  }

  private async identity(
    { idToken, tokens }: Extract<TokenAnswer, { state: 'granted' }>,
    expected: Pick<UnverifiedIdToken, 'client' | 'nonce'>,
    exchange: TokenExchange,
  ): Promise<AccountIdentity | null> {
    return idToken === null ? null : this.identityOf({ idToken, tokens, ...expected }, exchange);
  }
}

function grantedTo(identity: AccountIdentity | null, tokens: CheckedTokens): TokenDecision {
  return { state: 'granted', tokens: { ...tokens, identity } };
}
