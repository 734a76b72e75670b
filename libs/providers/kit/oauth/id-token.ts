import { errors, jwtVerify, createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { TokenExchange } from './openid-authorization-server.js';

/** Clock tolerance, seconds. Microsoft's tokens are valid (`nbf`) from the second of their creation. */
const CLOCK_TOLERANCE_S = 600;
const MAX_LENGTH = 16_384;

/** An id_token that failed verification. The message holds no part of it. */
export class IdTokenRejected extends Error {
  override readonly name = 'IdTokenRejected';
}

interface IdTokenCheck {
  clientId: string;
  nonce: string | null;
  nowMs: number;
  /** RS256 by default. Never an algorithm with a shared secret. */
  algorithms?: string[];
  isIssuedBy: (iss: string, claims: Record<string, unknown>) => boolean;
}

/**
 * Verifies an id_token (OpenID Connect Core §3.1.3.7) and returns its claims.
 * @throws IdTokenRejected; DomainError when the keys are unavailable
 */
export async function verifiedClaims(
  idToken: string,
  { clientId, nonce, nowMs, algorithms = ['RS256'], isIssuedBy }: IdTokenCheck,
  keys: SigningKeys,
  exchange: TokenExchange,
): Promise<Record<string, unknown>> {
  if (idToken.length > MAX_LENGTH) throw new IdTokenRejected('The id_token is too long');
  // jose types them as the standard does, without a check.
  let claims: Record<string, unknown>;
  try {
    ({ payload: claims } = await jwtVerify(idToken, keys.finder(exchange), {
      algorithms,
      audience: clientId,
      requiredClaims: ['iss', 'sub', 'exp', 'iat'],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(nowMs),
    }));
  } catch (error) {
    if (error instanceof errors.JOSEError) throw new IdTokenRejected(`The id_token does not verify: ${error.code}`);
    // A key that is too short or no key at all. The Web Crypto API throws a DOMException.
    if (!(error instanceof TypeError || error instanceof DOMException)) throw error;
    keys.doubt();
    throw exchange.undecided(200, 'signing-keys');
  }
  if (typeof claims['iss'] !== 'string' || !isIssuedBy(claims['iss'], claims)) {
    throw new IdTokenRejected('The id_token is of another issuer');
  }
  if (nonce !== null && claims['nonce'] !== nonce) throw new IdTokenRejected('The id_token is of another sign-in');
  return claims;
}

export function isAddress(value: unknown): value is string {
  return typeof value === 'string' && /^[^\s\p{Cc}\p{Cs}@]{1,64}@[^\s\p{Cc}\p{Cs}@]{1,255}$/u.test(value);
}

/** Default and maximum age of keys. */
const DEFAULT_AGE_MS = 3_600_000;
const MAX_AGE_MS = 86_400_000;
/** Minimum time between lookups of unknown keys: anybody can make up key ids. */
const COOL_DOWN_MS = 60_000;

interface KeySet {
  find: JWTVerifyGetKey;
  readAtMs: number;
  ageMs: number;
}

/** Public keys of a provider (RFC 7517), cached for as long as it says. */
export class SigningKeys {
  #keys: KeySet | null = null;

  constructor(
    private readonly url: string,
    private readonly monotonicMs: () => number = () => performance.now(),
  ) {}

  /** @throws DomainError ProviderUnavailable, ProviderTimeout, ProviderRateLimited; JWKSNoMatchingKey */
  finder(exchange: TokenExchange): JWTVerifyGetKey {
    return async (header, token) => {
      const known = this.#keys;
      const isFresh = known !== null && this.monotonicMs() - known.readAtMs < known.ageMs;
      const keys = isFresh ? known : await this.#fetch(exchange);
      try {
        return await keys.find(header, token);
      } catch (error) {
        const isNew = error instanceof errors.JWKSNoMatchingKey;
        if (!isNew || this.monotonicMs() - keys.readAtMs < COOL_DOWN_MS) throw error;
      }
      return (await this.#fetch(exchange)).find(header, token);
    };
  }

  /** Makes later calls fetch the keys again, once a minute at most. */
  doubt(): void {
    if (this.#keys !== null) this.#keys.ageMs = Math.min(this.#keys.ageMs, COOL_DOWN_MS);
  }

  async #fetch(exchange: TokenExchange): Promise<KeySet> {
    const { status, headers, body } = await exchange.get(this.url);
    if (status !== 200 || body === null) throw exchange.undecided(status, 'signing-keys');
    let find: JWTVerifyGetKey;
    try {
      find = createLocalJWKSet(body as unknown as JSONWebKeySet);
    } catch {
      throw exchange.undecided(status, 'signing-keys');
    }
    this.#keys = { find, readAtMs: this.monotonicMs(), ageMs: ageOf(headers['cache-control']) };
    return this.#keys;
  }
}

function ageOf(cacheControl: string | undefined): number {
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})(?:$|[\s,;])/i.exec(cacheControl ?? '')?.[1];
  return seconds === undefined ? DEFAULT_AGE_MS : Math.min(Number(seconds) * 1_000, MAX_AGE_MS);
}
