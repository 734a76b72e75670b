import type { AccountIdentity, AuthorizationServer } from '#domain';
import { refusalCode } from '#providers/kit/calls';
import {
  type JsonAnswer,
  OpenIdAuthorizationServer,
  SigningKeys,
  type TokenAnswer,
  type TokenEndpointDeps,
  type TokenExchange,
  type UnverifiedIdToken,
  verifiedClaims,
} from '#providers/kit/oauth';
import type { GoogleEndpoints } from './endpoints.js';
import { ISSUERS, verifiedIdentity } from './id-token.js';
import { DEFAULT_SCOPES, missingScopes } from './scopes.js';
import { readTokenAnswer } from './token-answer.js';

export interface AuthorizationServerDeps extends Omit<TokenEndpointDeps, 'provider'> {
  endpoints: GoogleEndpoints;
}

/** https://developers.google.com/identity/protocols/oauth2/web-server */
export class GoogleAuthorizationServer extends OpenIdAuthorizationServer {
  override readonly defaultScopes = DEFAULT_SCOPES;
  private readonly keys: SigningKeys;

  constructor(private readonly deps: AuthorizationServerDeps) {
    super({ ...deps, provider: 'Google' });
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
  }: Parameters<AuthorizationServer['authorizationParams']>[0]): Record<string, string> {
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

  protected override tokenEndpoint(): string {
    return this.deps.endpoints.token;
  }

  protected override readAnswer(answer: JsonAnswer, exchange: TokenExchange): TokenAnswer {
    return readTokenAnswer(answer, exchange, this.deps.nowMs());
  }

  protected override async identityOf(
    { idToken, client: { clientId }, nonce }: UnverifiedIdToken,
    exchange: TokenExchange,
  ): Promise<AccountIdentity | null> {
    const check = { clientId, nonce, nowMs: this.deps.nowMs(), isIssuedBy: (iss: string) => this.isIssuer(iss) };
    return verifiedIdentity(await verifiedClaims(idToken, check, this.keys, exchange));
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
}
