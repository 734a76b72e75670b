export interface EgressLimits {
  /** Name resolution and TCP together. */
  connectMs: number;
  tlsMs: number;
  firstByteMs: number;
  idleMs: number;
  /** An older connection gets no further request, so that its name is resolved and checked again. */
  connectionAgeMs: number;
  /** Maximum idle time of a connection; a shorter `Keep-Alive` hint of the server wins. */
  keepAliveMs: number;
  headerBytes: number;
  ratio: number;
  /** Decompressed size up to which the ratio is ignored: small repetitive documents compress well. */
  ratioFloorBytes: number;
  /** The least recently used pool is closed. */
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
