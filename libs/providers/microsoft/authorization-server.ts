import { isUuid, type AccountIdentity, type AuthorizationServer, type OAuthClient, type TokenDecision } from '#domain';
import { serviceRoot } from '#providers/kit/calls';
import {
  type CodeExchange,
  type JsonAnswer,
  OpenIdAuthorizationServer,
  refusal,
  SigningKeys,
  type TokenAnswer,
  type TokenEndpointDeps,
  type TokenExchange,
  type UnverifiedIdToken,
  verifiedClaims,
} from '#providers/kit/oauth';
import type { MicrosoftSettings } from './contract.js';
import { graphRoot } from './graph-root.js';
import { identityOf, isIssuer, isOfTenant, issuerOf, type Profile } from './id-token.js';
import { allowProfile, DEFAULT_SCOPES, missingScopes } from './scopes.js';
import { numberOf, readTokenAnswer } from './token-answer.js';

export interface AuthorizationServerDeps
  extends Omit<TokenEndpointDeps, 'provider'>, Pick<MicrosoftSettings, 'graphUrl' | 'loginUrl'> {}

/** The directory's users may not consent to these permissions, or only ask an administrator to. */
const ADMINISTRATOR_NEEDED: ReadonlySet<number> = new Set([90_094, 90_095]);

/** Work and personal accounts. */
const ANY_TENANT = 'common';

/**
 * The Microsoft identity platform: https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow. A code
 * is redeemed, and its grant refreshed, at the tenant where it was given.
 */
export class MicrosoftAuthorizationServer extends OpenIdAuthorizationServer {
  override readonly defaultScopes = DEFAULT_SCOPES;
  private readonly root: string;
  private readonly profile: string;
  private readonly keysByTenant = new Map<string, SigningKeys>();

  constructor(private readonly deps: AuthorizationServerDeps) {
    super({ ...deps, provider: 'Microsoft' });
    this.root = serviceRoot(deps.loginUrl, `/${ANY_TENANT}`);
    this.profile = `${graphRoot(deps.graphUrl)}/me`;
  }

  override authorizationEndpoint(client: OAuthClient): string {
    return this.at(client, 'oauth2/v2.0/authorize');
  }

  /** `prompt` is one word here. */
  override authorizationParams({
    prompt,
    loginHint,
    nonce,
    again,
  }: Parameters<AuthorizationServer['authorizationParams']>[0]): Record<string, string> {
    const asked = again ? 'consent' : prompt;
    return {
      response_mode: 'query',
      nonce,
      ...(asked !== null && { prompt: asked }),
      ...(loginHint !== null && { login_hint: loginHint }),
    };
  }

  override isIssuer(iss: string): boolean {
    return isIssuer(this.root, iss);
  }

  /** Both `access_denied` and `consent_required` come with many numbers; these two mean it. */
  override needsAdministrator({ errorDescription }: Parameters<AuthorizationServer['needsAdministrator']>[0]): boolean {
    return ADMINISTRATOR_NEEDED.has(numberOf(errorDescription) ?? 0);
  }

  /** https://learn.microsoft.com/entra/identity-platform/v2-admin-consent: personal accounts have no administrators. */
  override administratorConsentUrl({
    client,
    redirectUri,
    scopes,
  }: Parameters<AuthorizationServer['administratorConsentUrl']>[0]): string {
    const tenant = tenantOf(client);
    const organization = tenant === ANY_TENANT || tenant === 'consumers' ? 'organizations' : tenant;
    const url = new URL(this.at({ ...client, tenant: organization }, 'v2.0/adminconsent'));
    url.search = new URLSearchParams({
      client_id: client.clientId,
      scope: scopes.join(' '),
      redirect_uri: redirectUri,
    }).toString();
    return url.href;
  }

  override missingScopes(requested: readonly string[], granted: readonly string[]): string[] {
    return missingScopes(requested, granted);
  }

  /** Microsoft gives a refresh token to whoever asks for `offline_access`: consenting again would not bring one. */
  override async exchange(request: CodeExchange): Promise<TokenDecision> {
    const decision = await super.exchange(request);
    if (decision.state !== 'granted' || decision.tokens.refreshToken !== null) return decision;
    const message = 'Microsoft gave no refresh token: the OAuth client has to ask for the scope offline_access.';
    return { state: 'client-refused', fault: refusal(200, 'no_refresh_token', message) };
  }

  /**
   * Only id_tokens tell who somebody is: `/me` knows no directory, and of a personal account another id.
   * @returns null, always
   */
  override identify(): Promise<null> {
    return Promise.resolve(null);
  }

  /** Microsoft lets users and administrators end a grant, but not the client that has it. */
  override revoke(): Promise<void> {
    return Promise.resolve();
  }

  protected override tokenEndpoint(client: OAuthClient): string {
    return this.at(client, 'oauth2/v2.0/token');
  }

  protected override readAnswer(answer: JsonAnswer, exchange: TokenExchange, client: OAuthClient): TokenAnswer {
    return readTokenAnswer(answer, { exchange, nowMs: this.deps.nowMs(), tenant: tenantOf(client) });
  }

  protected override async identityOf(
    { idToken, tokens, client, nonce }: UnverifiedIdToken,
    exchange: TokenExchange,
  ): Promise<AccountIdentity | null> {
    const check = {
      clientId: client.clientId,
      nonce,
      nowMs: this.deps.nowMs(),
      isIssuedBy: (iss: string, { tid }: Record<string, unknown>) =>
        isUuid(tid) && iss === issuerOf(this.root, tid) && isOfTenant(tid, tenantOf(client)),
    };
    const claims = await verifiedClaims(idToken, check, this.keysOf(client), exchange);
    // Refreshing is frequent, and nobody asks for addresses then.
    const isAsked = nonce !== null && allowProfile(tokens.scopes);
    return identityOf(claims, isAsked ? await this.readProfile(tokens.accessToken, exchange) : null);
  }

  /** null when Microsoft does not tell. */
  private async readProfile(accessToken: string, exchange: TokenExchange): Promise<Profile | null> {
    const { status, body } = await exchange.get(this.profile, { authorization: `Bearer ${accessToken}` });
    return status === 200 ? body : null;
  }

  private keysOf(client: OAuthClient): SigningKeys {
    const tenant = tenantOf(client);
    let keys = this.keysByTenant.get(tenant);
    if (keys === undefined) {
      keys = new SigningKeys(this.at(client, 'discovery/v2.0/keys'));
      this.keysByTenant.set(tenant, keys);
    }
    return keys;
  }

  private at(client: OAuthClient, path: string): string {
    return `${this.root}/${encodeURIComponent(tenantOf(client))}/${path}`;
  }
}

function tenantOf({ tenant }: OAuthClient): string {
  return (tenant ?? ANY_TENANT).toLowerCase();
}
