export interface IdempotencyKeyScope {
  applicationId: string;
  key: string;
}

export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  /** JSON text. */
  body: string;
}

export type IdempotencyClaim =
  /** Go on; finish with `complete` or `release`. `claimId` proves who holds it. */
  | { state: 'claimed'; claimId: string }
  /** The same request already succeeded. */
  | { state: 'completed'; answer: StoredAnswer }
  /** The same key was used with another request. */
  | { state: 'mismatch' }
  /** Another request with this key is still running. */
  | { state: 'inFlight'; retryAfterSeconds: number };

export abstract class IdempotencyRepository {
  /** `fingerprint`: hash over method, path and body. A claim whose holder died is taken over after `lockMs`. */
  abstract claim(scope: IdempotencyKeyScope, fingerprint: string, lockMs: number): Promise<IdempotencyClaim>;
  abstract complete(scope: IdempotencyKeyScope, claimId: string, answer: StoredAnswer): Promise<void>;
  abstract release(scope: IdempotencyKeyScope, claimId: string): Promise<void>;
}
