/** Bounds of every exchange. Times in milliseconds, sizes in bytes. */
export interface EgressLimits {
  /** Name resolution and TCP together. */
  connectMs: number;
  tlsMs: number;
  /** From sending the request to the first byte of the answer, unless the request says otherwise. */
  firstByteMs: number;
  /** Longest silence inside of a body. */
  idleMs: number;
  /** A connection older than this carries no further request: its name is resolved and judged again. */
  connectionAgeMs: number;
  /** An unused connection is closed after this, unless the server's own `Keep-Alive` hint is shorter. */
  keepAliveMs: number;
  headerBytes: number;
  /** Decompressed size over compressed size. */
  ratio: number;
  /** The ratio is not looked at below this decompressed size: small repetitive documents compress well. */
  ratioFloorBytes: number;
  /** Pools (origin and account) kept; the least recently used one goes. */
  pools: number;
  connectionsPerPool: number;
}

export const DEFAULT_LIMITS: EgressLimits = {
  connectMs: 5_000,
  tlsMs: 5_000,
  firstByteMs: 15_000,
  idleMs: 15_000,
  connectionAgeMs: 60_000,
  keepAliveMs: 4_000,
  headerBytes: 32 * 1024,
  ratio: 100,
  ratioFloorBytes: 1024 * 1024,
  pools: 512,
  connectionsPerPool: 8,
};
