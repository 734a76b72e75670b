import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { TokenExchange } from './token-exchange.js';

/** How long keys are used when the provider does not say, and at most, milliseconds. */
const DEFAULT_AGE_MS = 3_600_000;
const LONGEST_AGE_MS = 86_400_000;
/** An unknown key is looked for this often at most: anybody can make up key ids. */
const COOL_DOWN_MS = 60_000;

interface KeySet {
  find: JWTVerifyGetKey;
  readAtMs: number;
  ageMs: number;
}

/** A provider's public keys (RFC 7517), which it changes now and then; kept for as long as it says. */
export class SigningKeys {
  #keys: KeySet | null = null;

  constructor(
    private readonly url: string,
    private readonly monotonicMs: () => number = () => performance.now(),
  ) {}

  /**
   * Finds the key that a token names.
   * @throws DomainError ProviderUnavailable, ProviderTimeout, ProviderRateLimited; JWKSNoMatchingKey
   */
  finder(exchange: TokenExchange): JWTVerifyGetKey {
    return async (header, token) => {
      const keys = await this.#fresh(exchange);
      try {
        return await keys.find(header, token);
      } catch (error) {
        const isNew = error instanceof errors.JWKSNoMatchingKey;
        if (!isNew || this.monotonicMs() - keys.readAtMs < COOL_DOWN_MS) throw error;
      }
      return (await this.#fetch(exchange)).find(header, token);
    };
  }

  async #fresh(exchange: TokenExchange): Promise<KeySet> {
    const keys = this.#keys;
    return keys !== null && this.monotonicMs() - keys.readAtMs < keys.ageMs ? keys : this.#fetch(exchange);
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
  return seconds === undefined ? DEFAULT_AGE_MS : Math.min(Number(seconds) * 1_000, LONGEST_AGE_MS);
}
