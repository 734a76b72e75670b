import { listOf } from '../events/json.js';
import { SigningKeys } from './id-token.js';
import type { TokenExchange } from './openid-authorization-server.js';

export interface DiscoveredEndpoints {
  authorizationEndpoint: string;
  tokenEndpoint: string;
  /** Client authentication at the token endpoint (RFC 6749 §2.3.1). */
  clientAuthentication: 'client_secret_basic' | 'client_secret_post';
  /** RFC 9207 §3: whether every authorization response names its issuer. */
  namesIssuer: boolean;
  keys: SigningKeys;
}

const KEPT_FOR_MS = 3_600_000;

/** Discovers the endpoints of an OpenID provider (OpenID Connect Discovery §4) and caches them for an hour. */
export class Discovery {
  #known: { endpoints: DiscoveredEndpoints; jwksUri: string; readAtMs: number } | null = null;
  #isDoubted = false;

  constructor(
    private readonly issuer: string,
    private readonly monotonicMs: () => number = () => performance.now(),
  ) {}

  /** @throws DomainError ProviderUnavailable, ProviderTimeout, ProviderRateLimited */
  async endpoints(exchange: TokenExchange): Promise<DiscoveredEndpoints> {
    const known = this.#known;
    if (known !== null && !this.#isDoubted && this.monotonicMs() - known.readAtMs < KEPT_FOR_MS) return known.endpoints;
    const { status, body } = await exchange.get(`${this.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    if (status !== 200 || body === null) throw exchange.undecided(status, 'discovery');
    // §4.3: the issuer must match exactly, or one provider could impersonate another.
    if (body['issuer'] !== this.issuer) throw exchange.undecided(status, 'issuer-mismatch');
    const { jwksUri, ...endpoints } = this.#read(body, (name) => exchange.undecided(status, `no ${name}`));
    // The same object keeps its cool-down between lookups of unknown keys.
    const keys = known?.jwksUri === jwksUri ? known.endpoints.keys : new SigningKeys(jwksUri, this.monotonicMs);
    this.#known = { endpoints: { ...endpoints, keys }, jwksUri, readAtMs: this.monotonicMs() };
    this.#isDoubted = false;
    return this.#known.endpoints;
  }

  /** Makes the next call discover the endpoints again. */
  doubt(): void {
    this.#isDoubted = true;
  }

  #read(body: Record<string, unknown>, missing: (name: string) => Error) {
    const url = (name: string): string => {
      const value = body[name];
      if (typeof value === 'string' && this.#isTrustworthy(value)) return value;
      throw missing(name);
    };
    const methods = listOf(body['token_endpoint_auth_methods_supported'] ?? ['client_secret_basic']);
    const clientAuthentication = (['client_secret_basic', 'client_secret_post'] as const).find((method) =>
      methods.includes(method),
    );
    if (clientAuthentication === undefined) throw missing('token_endpoint_auth_methods_supported');
    return {
      authorizationEndpoint: url('authorization_endpoint'),
      tokenEndpoint: url('token_endpoint'),
      jwksUri: url('jwks_uri'),
      clientAuthentication,
      namesIssuer: body['authorization_response_iss_parameter_supported'] === true,
    };
  }

  /** Accepts https, and the origin of the configured issuer. */
  #isTrustworthy(value: string): boolean {
    const url = URL.parse(value);
    if (url === null || value.includes('#')) return false;
    return url.protocol === 'https:' || url.origin === new URL(this.issuer).origin;
  }
}
