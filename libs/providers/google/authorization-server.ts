import type { ExpiryReason } from '#domain/accounts';
import type { AccountIdentity, AuthorizationServer } from '#domain/oauth';
import { providerErrorCode, serviceRoot } from '#providers/kit/calls';
import {
  type JsonResponse,
  OpenIdAuthorizationServer,
  type OpenIdSignInRequest,
  SigningKeys,
  type TokenResponse,
  type TokenEndpointDeps,
  type TokenExchange,
  type UnverifiedIdToken,
  verifiedClaims,
  grantedTokens,
  isAddress,
} from '#providers/kit/oauth';
import { DEFAULT_SCOPES, missingScopes } from './scopes.js';

export type GoogleEndpoints = ReturnType<typeof googleEndpoints>;

/** Roots of the Calendar API, the sign-in pages and the token endpoints. */
export interface GoogleRoots {
  apiUrl: string;
  oauthUrl: string;
  tokenUrl: string;
}

const CALENDAR = '/calendar/v3';
const AUTHORIZE = '/o/oauth2/v2/auth';
const TOKEN = '/token';

/** Each root may end with slashes, or with the path of its service. */
export function googleEndpoints({ apiUrl, oauthUrl, tokenUrl }: GoogleRoots) {
  const api = serviceRoot(apiUrl, CALENDAR);
  const tokens = serviceRoot(tokenUrl, TOKEN);
  return {
    calendar: `${api}${CALENDAR}/`,
    signingKeys: `${api}/oauth2/v3/certs`,
    userInfo: `${api}/oauth2/v3/userinfo`,
    authorize: serviceRoot(oauthUrl, AUTHORIZE) + AUTHORIZE,
    token: tokens + TOKEN,
    tokenInfo: `${tokens}/tokeninfo`,
    revoke: `${tokens}/revoke`,
  };
}

type AuthorizationServerDeps = Omit<TokenEndpointDeps, 'provider'> & { endpoints: GoogleEndpoints };

/** https://developers.google.com/identity/protocols/oauth2/web-server */
export class GoogleAuthorizationServer extends OpenIdAuthorizationServer {
  override readonly defaultScopes = DEFAULT_SCOPES;
  override readonly missingScopes = missingScopes;
  private readonly keys: SigningKeys;

  constructor(private readonly deps: AuthorizationServerDeps) {
    super({ ...deps, provider: 'Google' });
    this.keys = new SigningKeys(deps.endpoints.signingKeys);
  }

  override authorizationEndpoint(): string {
    return this.deps.endpoints.authorize;
  }

  /** Google issues a refresh token only after the consent page, which is therefore the default. */
  override authorizationParams({ prompt, loginHint, nonce, again }: OpenIdSignInRequest): Record<string, string> {
    return {
      access_type: 'offline',
      // A second consent keeps the scopes of the first one.
      include_granted_scopes: 'true',
      prompt: again ? 'consent select_account' : (prompt ?? 'consent'),
      nonce,
      ...(loginHint !== null && { login_hint: loginHint }),
    };
  }

  override isIssuer(iss: string): boolean {
    return ISSUERS.includes(iss);
  }

  protected override tokenEndpoint(): string {
    return this.deps.endpoints.token;
  }

  protected override readTokenResponse(response: JsonResponse, exchange: TokenExchange): TokenResponse {
    return readTokenResponse(response, exchange, this.deps.nowMs());
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
  }: Parameters<AuthorizationServer['identify']>[0]): Promise<AccountIdentity | null> {
    const exchange = this.exchanges(signal);
    const { status, body } = await exchange.post(this.deps.endpoints.tokenInfo, { access_token: accessToken });
    if (body === null) throw exchange.undecided(status, null);
    return status === 200 ? verifiedIdentity(body) : null;
  }

  override async revoke({ token, signal }: { token: string; signal: AbortSignal }): Promise<void> {
    const exchange = this.exchanges(signal);
    const { status, body } = await exchange.post(this.deps.endpoints.revoke, { token });
    if (status === 200) return;
    const code = providerErrorCode(body?.['error']);
    const isGone = status === 400 && (code === 'invalid_token' || code === 'invalid_grant');
    if (!isGone) throw exchange.undecided(status, code);
  }
}

/** Twice the maximum length of Google's: https://developers.google.com/identity/protocols/oauth2#size */
const MAX_TOKEN_LENGTH = 4_096;

const GRANT_REJECTIONS: ReadonlyMap<string, ExpiryReason> = new Map<string, ExpiryReason>([
  ['invalid_grant', 'invalid_grant'],
  ['invalid_rapt', 'invalid_grant'],
  ['admin_policy_enforced', 'consent_revoked'],
  ['org_internal', 'consent_revoked'],
  ['access_denied', 'consent_revoked'],
  ['consent_required', 'consent_revoked'],
  ['interaction_required', 'consent_revoked'],
]);

const NOT_NOW: ReadonlySet<string> = new Set(['temporarily_unavailable', 'server_error', 'internal_failure']);
const RATE_LIMITS: ReadonlySet<string> = new Set(['rate_limit_exceeded', 'slow_down', 'quota_exceeded']);

/**
 * RFC 6749 §5.1 and §5.2 with Google's own codes. Only codes that name the grant end it.
 * @throws DomainError ProviderUnavailable, ProviderRateLimited for an answer that is no decision
 */
export function readTokenResponse(
  { status, body }: JsonResponse,
  exchange: TokenExchange,
  nowMs: number,
): TokenResponse {
  if (status === 200) return grantedTokens(body, { exchange, nowMs, maxTokenLength: MAX_TOKEN_LENGTH });
  const code = providerErrorCode(body?.['error']);
  if (code === null || ![400, 401, 403].includes(status) || NOT_NOW.has(code)) throw exchange.undecided(status, code);
  if (RATE_LIMITS.has(code)) throw exchange.rateLimited(null);
  return exchange.rejected(GRANT_REJECTIONS.get(code) ?? null, status, code);
}

/** Both forms: https://developers.google.com/identity/openid-connect/openid-connect#validatinganidtoken */
const ISSUERS = ['https://accounts.google.com', 'accounts.google.com'];

/** Reads an id_token or `tokeninfo`, which writes booleans as text. Returns null without a verified address. */
function verifiedIdentity(claims: Record<string, unknown>): AccountIdentity | null {
  const { sub, email, email_verified: isVerified } = claims;
  if (typeof sub !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(sub)) return null;
  if (!isAddress(email)) return null;
  return isVerified === true || isVerified === 'true' ? { subject: sub, email } : null;
}
