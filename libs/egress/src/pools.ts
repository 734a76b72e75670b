import { Pool } from 'undici';
import type { CheckedUrl } from './address-policy.js';
import { guardedConnector, type ConnectorContext } from './guarded-connector.js';
import type { EgressLimits } from './limits.js';

interface Entry {
  pool: Pool;
  bornAtMs: number;
}

export interface PoolsOptions extends ConnectorContext {
  limits: EgressLimits;
  nowMs: () => number;
}

/**
 * Two accounts never share a connection. A pool beyond the age limit gets no further request, so that its name is
 * resolved and checked again.
 */
export class Pools {
  /** In order of use, oldest first. */
  readonly #entries = new Map<string, Entry>();
  readonly #retiring = new Set<Pool>();

  constructor(private readonly options: PoolsOptions) {}

  get size(): number {
    return this.#entries.size;
  }

  get(target: CheckedUrl, poolKey: string): Pool {
    // A connection opened on the operator's grant must not serve other requests.
    const key = JSON.stringify([target.origin, target.granted, poolKey]);
    const nowMs = this.options.nowMs();
    const known = this.#entries.get(key);
    this.#entries.delete(key);
    if (known !== undefined && nowMs - known.bornAtMs < this.options.limits.connectionAgeMs) {
      this.#entries.set(key, known);
      return known.pool;
    }
    if (known !== undefined) this.#retire(known.pool);
    const pool = this.#open(target);
    this.#entries.set(key, { pool, bornAtMs: nowMs });
    this.#evict();
    return pool;
  }

  async destroy(reason: Error): Promise<void> {
    const pools = [...this.#retiring, ...[...this.#entries.values()].map(({ pool }) => pool)];
    this.#entries.clear();
    await Promise.all(pools.map((pool) => pool.destroy(reason)));
  }

  #open(target: CheckedUrl): Pool {
    const { limits } = this.options;
    return new Pool(target.origin, {
      connect: guardedConnector(target, this.options),
      connections: limits.connectionsPerPool,
      pipelining: 1,
      allowH2: false,
      // Overrides the environment variable UNDICI_USE_MILO.
      useMilo: false,
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.firstByteMs,
      bodyTimeout: limits.idleMs,
      keepAliveTimeout: limits.keepAliveMs,
      keepAliveMaxTimeout: Math.max(limits.keepAliveMs, limits.connectionAgeMs),
    });
  }

  #evict(): void {
    for (const [key, { pool }] of this.#entries) {
      if (this.#entries.size <= this.options.limits.pools) return;
      this.#entries.delete(key);
      this.#retire(pool);
    }
  }

  /** Running requests may finish within their deadlines; idle connections close at once. */
  #retire(pool: Pool): void {
    this.#retiring.add(pool);
    const gone = () => this.#retiring.delete(pool);
    pool.close().then(gone, gone);
  }
}
