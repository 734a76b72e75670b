import type { ExpiryReason } from '#domain/accounts';
import type { AuthorizationServer, OAuthClient, TokenDecision } from '#domain/oauth';
import { isUuid } from '#domain/system';
import { serviceRoot, providerErrorCode } from '#providers/kit/calls';
import {
  type CodeExchange,
  type JsonResponse,
  OpenIdAuthorizationServer,
  errorDetails,
  type OpenIdSignInRequest,
  SigningKeys,
  type TokenResponse,
  type TokenEndpointDeps,
  type TokenExchange,
  type UnverifiedIdToken,
  verifiedClaims,
  grantedTokens,
} from '#providers/kit/oauth';
import { graphRoot } from './graph-links.js';
import { identityOf, isIssuer, isOfTenant, issuerOf, type Profile } from './id-token.js';
import { allowProfile, DEFAULT_SCOPES, missingScopes } from './scopes.js';

export interface MicrosoftRoots {
  graphUrl: string;
  loginUrl: string;
}

interface AuthorizationServerDeps extends MicrosoftRoots, Omit<TokenEndpointDeps, 'provider'> {}

/** Errors for permissions that need an administrator's consent. */
const ADMINISTRATOR_NEEDED: ReadonlySet<number> = new Set([90_094, 90_095]);

const ANY_TENANT = 'common';

/** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow, at the tenant of the client. */
export class MicrosoftAuthorizationServer extends OpenIdAuthorizationServer {
  override readonly defaultScopes = DEFAULT_SCOPES;
  override readonly missingScopes = missingScopes;
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

  /** Microsoft takes one word in `prompt`. */
  override authorizationParams({ prompt, loginHint, nonce, again }: OpenIdSignInRequest): Record<string, string> {
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

  /** Only the number is clear: `access_denied` and `consent_required` have many meanings. */
  override needsAdministrator({ errorDescription }: Parameters<AuthorizationServer['needsAdministrator']>[0]): boolean {
    return ADMINISTRATOR_NEEDED.has(numberOf(errorDescription) ?? 0);
  }

  /** https://learn.microsoft.com/entra/identity-platform/v2-admin-consent: personal accounts have no administrators. */
  override administratorConsentUrl(request: Parameters<AuthorizationServer['administratorConsentUrl']>[0]): string {
    const { client, redirectUri, scopes } = request;
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

  /** Only `offline_access` yields a refresh token; a second consent would yield none either. */
  override async exchange(request: CodeExchange): Promise<TokenDecision> {
    const decision = await super.exchange(request);
    if (decision.state !== 'granted' || decision.tokens.refreshToken !== null) return decision;
    const message = 'Microsoft gave no refresh token: the OAuth client has to ask for the scope offline_access.';
    return { state: 'client-rejected', error: errorDetails(200, 'no_refresh_token', message) };
  }

  /** Only an id_token identifies an account: `/me` has no directory, and other ids for personal accounts. */
  override identify(): Promise<null> {
    return Promise.resolve(null);
  }

  /** Only users and administrators can end a grant. */
  override revoke(): Promise<void> {
    return Promise.resolve();
  }

  protected override tokenEndpoint(client: OAuthClient): string {
    return this.at(client, 'oauth2/v2.0/token');
  }

  protected override readTokenResponse(
    response: JsonResponse,
    exchange: TokenExchange,
    client: OAuthClient,
  ): TokenResponse {
    return readTokenResponse(response, { exchange, nowMs: this.deps.nowMs(), tenant: tenantOf(client) });
  }

  protected override async identityOf({ idToken, tokens, client, nonce }: UnverifiedIdToken, exchange: TokenExchange) {
    const check = {
      clientId: client.clientId,
      nonce,
      nowMs: this.deps.nowMs(),
      isIssuedBy: (iss: string, { tid }: Record<string, unknown>) =>
        isUuid(tid) && iss === issuerOf(this.root, tid) && isOfTenant(tid, tenantOf(client)),
    };
    const claims = await verifiedClaims(idToken, check, this.keysOf(client), exchange);
    // A refresh needs no addresses.
    const isAsked = nonce !== null && allowProfile(tokens.scopes);
    return identityOf(claims, isAsked ? await this.readProfile(tokens.accessToken, exchange) : null);
  }

  private async readProfile(accessToken: string, exchange: TokenExchange): Promise<Profile | null> {
    const { status, body } = await exchange.get(this.profile, { authorization: `Bearer ${accessToken}` });
    return status === 200 ? body : null;
  }

  private keysOf(client: OAuthClient): SigningKeys {
    const tenant = tenantOf(client);
    const keys = this.keysByTenant.get(tenant) ?? new SigningKeys(this.at(client, 'discovery/v2.0/keys'));
    this.keysByTenant.set(tenant, keys);
    return keys;
  }

  private at(client: OAuthClient, path: string): string {
    return `${this.root}/${encodeURIComponent(tenantOf(client))}/${path}`;
  }
}

function tenantOf({ tenant }: OAuthClient): string {
  return (tenant ?? ANY_TENANT).toLowerCase();
}

/** Access tokens of directories with many groups have several thousand characters. */
const MAX_TOKEN_LENGTH = 16_384;
const MAX_NUMBERS = 20;

/** "A request loop was detected": Microsoft needs a pause of minutes. */
const LOOP = 50_196;
const LOOP_PAUSE_MS = 5 * 60_000;

/** Temporary problems of the platform, with any `error`. */
const NOT_NOW: ReadonlySet<number> = new Set([
  50_033, 50_087, 70_012, 90_006, 90_012, 90_024, 90_033, 90_055, 90_090, 90_091,
]);
const NOT_NOW_ERRORS: ReadonlySet<string> = new Set(['temporarily_unavailable', 'server_error']);

/** Errors of a grant that ended or needs its user (MFA, Conditional Access, consent). */
const GRANT_REJECTIONS: ReadonlyMap<string, ExpiryReason> = new Map<string, ExpiryReason>([
  ['invalid_grant', 'invalid_grant'],
  ['interaction_required', 'invalid_grant'],
  ['login_required', 'invalid_grant'],
  ['consent_required', 'consent_revoked'],
  ['access_denied', 'consent_revoked'],
]);

/** The user is no longer, or never was, assigned to the application. */
const NOT_ASSIGNED = 50_105;

const REASONS: ReadonlyMap<number, ExpiryReason> = new Map<number, ExpiryReason>([
  [50_034, 'user_deleted'],
  [51_004, 'user_deleted'],
  [NOT_ASSIGNED, 'consent_revoked'],
  [65_001, 'consent_revoked'],
  [65_004, 'consent_revoked'],
  [90_094, 'consent_revoked'],
  [90_095, 'consent_revoked'],
]);

/** The application does not exist in a directory, or an administrator has disabled it there. */
const UNKNOWN_IN_DIRECTORY: ReadonlySet<number> = new Set([70_001, 700_016, 7_000_112]);
const OF_MANY_DIRECTORIES: ReadonlySet<string> = new Set(['common', 'organizations']);

/**
 * RFC 6749 §5.1 and §5.2 with the numbers of https://learn.microsoft.com/entra/identity-platform/reference-error-codes.
 * `error` decides, as Microsoft recommends; numbers only narrow it.
 * @throws DomainError ProviderUnavailable, ProviderRateLimited for an answer that is no decision
 */
export function readTokenResponse(
  { status, body }: JsonResponse,
  // Tenant of the client, as in URLs.
  { exchange, nowMs, tenant }: { exchange: TokenExchange; nowMs: number; tenant: string },
): TokenResponse {
  if (status === 200) return grantedTokens(body, { exchange, nowMs, maxTokenLength: MAX_TOKEN_LENGTH });
  const error = providerErrorCode(body?.['error']);
  if (body === null || error === null || ![400, 401, 403].includes(status)) throw exchange.undecided(status, error);
  const numbers = numbersOf(body);
  if (numbers.includes(LOOP)) throw exchange.rateLimited(LOOP_PAUSE_MS);
  if (NOT_NOW_ERRORS.has(error) || numbers.some((number) => NOT_NOW.has(number))) {
    throw exchange.undecided(status, error);
  }
  const reason = numbers.map((number) => ` AADSTS${number}`).join('');
  return exchange.rejected(expiryReasonOf(error, numbers, body['suberror'], tenant), status, error, reason);
}

/**
 * Returns why the grant was rejected; null when the client was. An error of one directory concerns the grant when the
 * client is for many directories. A client that is gone everywhere shows by many rejections at once.
 */
function expiryReasonOf(
  error: string,
  numbers: readonly number[],
  suberror: unknown,
  tenant: string,
): ExpiryReason | null {
  const byNumber = numbers.map((number) => REASONS.get(number)).find((reason) => reason !== undefined);
  const reason = GRANT_REJECTIONS.get(error);
  if (reason !== undefined) return byNumber ?? (suberror === 'consent_required' ? 'consent_revoked' : reason);
  if (error !== 'unauthorized_client') return null;
  if (numbers.includes(NOT_ASSIGNED)) return 'consent_revoked';
  const isOfThisDirectory = numbers.some((number) => UNKNOWN_IN_DIRECTORY.has(number));
  return isOfThisDirectory && OF_MANY_DIRECTORIES.has(tenant) ? 'consent_revoked' : null;
}

function numbersOf({ error_codes: codes, error_description: description }: Record<string, unknown>): number[] {
  if (Array.isArray(codes)) {
    return codes.slice(0, MAX_NUMBERS).filter((code): code is number => Number.isSafeInteger(code) && code > 0);
  }
  const number = numberOf(description);
  return number === null ? [] : [number];
}

/** Reads the number of `AADSTS65001: …`. */
function numberOf(description: unknown): number | null {
  const digits = typeof description === 'string' ? /^AADSTS(\d{4,9})\b/.exec(description)?.[1] : undefined;
  return digits === undefined ? null : Number(digits);
}
