import { OperatorIdentityProvider, type OperatorIdentity, type SsoDecision, type SsoEndpoint } from '#domain/operator';
import type { ProviderErrorDetails } from '#domain/system';
import type { Egress } from '#egress';
import { providerErrorCode } from '#providers/kit/calls';
import {
  type DiscoveredEndpoints,
  Discovery,
  IdTokenRejected,
  isAddress,
  type JsonResponse,
  errorDetails,
  TokenExchange,
  verifiedClaims,
} from '#providers/kit/oauth';

export interface OpenIdSettings {
  /** Exactly as in `iss` of its id_tokens. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  label: string;
}

export interface OpenIdDeps {
  egress: Egress;
  nowMs: () => number;
  monotonicMs?: () => number;
}

const PROVIDER = 'The identity provider';
const SCOPES = ['openid', 'email', 'profile'];
/** Asymmetric algorithms: OpenID providers are free to choose one (RFC 7518 §3.1, RFC 8037 §3.1). */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const MAX_NAME_LENGTH = 100;
/** Range of a JavaScript date. */
const MAX_SECONDS = 8.64e12;

/** Any OpenID Connect provider with discovery: https://openid.net/specs/openid-connect-core-1_0.html */
export class OpenIdIdentityProvider extends OperatorIdentityProvider {
  override readonly label: string;
  private readonly discovery: Discovery;

  constructor(
    private readonly settings: OpenIdSettings,
    private readonly deps: OpenIdDeps,
  ) {
    super();
    this.label = settings.label;
    this.discovery = new Discovery(settings.issuer, deps.monotonicMs);
  }

  override async endpoint(signal: AbortSignal): Promise<SsoEndpoint> {
    const { issuer, clientId } = this.settings;
    const { authorizationEndpoint, namesIssuer } = await this.discovery.endpoints(this.exchanges(signal));
    return {
      authorizationEndpoint,
      clientId,
      scopes: SCOPES,
      isIssuer: (iss) => (iss === undefined ? !namesIssuer : iss === issuer),
    };
  }

  override async exchange({
    redirectUri,
    code,
    codeVerifier,
    nonce,
    signal,
  }: Parameters<OperatorIdentityProvider['exchange']>[0]): Promise<SsoDecision> {
    const exchange = this.exchanges(signal);
    const endpoints = await this.discovery.endpoints(exchange);
    const response = await this.requestTokens(exchange, endpoints, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
    });
    if (response.body === null) throw exchange.undecided(response.status, 'response-invalid');
    const idToken = response.body['id_token'];
    if (response.status !== 200 || typeof idToken !== 'string') return { state: 'rejected', error: errorOf(response) };
    try {
      return { state: 'identified', identity: await this.identityOf({ idToken, nonce }, endpoints, exchange) };
    } catch (error) {
      if (!(error instanceof IdTokenRejected)) throw error;
      this.discovery.doubt();
      return { state: 'rejected', error: errorDetails(response.status, 'invalid_id_token', `${error.message}.`) };
    }
  }

  private exchanges(signal: AbortSignal): TokenExchange {
    return new TokenExchange({ provider: PROVIDER, egress: this.deps.egress, nowMs: this.deps.nowMs }, signal);
  }

  private requestTokens(
    exchange: TokenExchange,
    { tokenEndpoint, clientAuthentication }: DiscoveredEndpoints,
    form: Record<string, string>,
  ): Promise<JsonResponse> {
    const { clientId, clientSecret } = this.settings;
    if (clientAuthentication === 'client_secret_post') {
      return exchange.post(tokenEndpoint, { ...form, client_id: clientId, client_secret: clientSecret });
    }
    const credentials = Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64');
    return exchange.post(tokenEndpoint, form, { authorization: `Basic ${credentials}` });
  }

  /** @throws IdTokenRejected, or DomainError when the signing keys are unavailable */
  private async identityOf(
    { idToken, nonce }: { idToken: string; nonce: string },
    { keys }: DiscoveredEndpoints,
    exchange: TokenExchange,
  ): Promise<OperatorIdentity> {
    const { issuer, clientId } = this.settings;
    const check = {
      ...{ clientId, nonce, algorithms: ALGORITHMS, nowMs: this.deps.nowMs() },
      isIssuedBy: (iss: string) => iss === issuer,
    };
    const { aud, azp, sub, ...claims } = await verifiedClaims(idToken, check, keys, exchange);
    // OpenID Connect Core §3.1.3.7: a token with several audiences must name this client in `azp`.
    const isShared = Array.isArray(aud) && aud.length > 1;
    if (azp === undefined ? isShared : azp !== clientId) throw new IdTokenRejected('The id_token is of another client');
    if (typeof sub !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(sub)) {
      throw new IdTokenRejected('The id_token is of nobody');
    }
    return {
      ...{ issuer, subject: sub, verifiedEmail: verifiedEmailOf(claims), name: nameOf(claims['name']) },
      authenticatedAt: instantOf(claims['auth_time']),
    };
  }
}

/** Some providers send booleans as text. */
function verifiedEmailOf({ email, email_verified: isVerified }: Record<string, unknown>): string | null {
  return isAddress(email) && (isVerified === true || isVerified === 'true') ? email.toLowerCase() : null;
}

function nameOf(name: unknown): string | null {
  if (typeof name !== 'string') return null;
  const shown = name.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '').trim();
  return shown === '' || shown.length > MAX_NAME_LENGTH ? null : shown;
}

/** Parses a NumericDate (RFC 7519 §2). */
function instantOf(claim: unknown): Date | null {
  const isInstant = typeof claim === 'number' && claim >= 0 && claim <= MAX_SECONDS;
  return isInstant ? new Date(claim * 1_000) : null;
}

/** Keeps the code of an error response (RFC 6749 §5.2) and drops its description, which is untrusted text. */
function errorOf({ status, body }: JsonResponse): ProviderErrorDetails {
  return errorDetails(status, providerErrorCode(body?.['error']) ?? 'no_id_token', `${PROVIDER} gave no id_token.`);
}

/** RFC 6749 §2.3.1 and appendix B. */
function formEncoded(text: string): string {
  return new URLSearchParams({ v: text }).toString().slice('v='.length);
}
