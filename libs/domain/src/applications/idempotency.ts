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
  /** The caller continues and ends with `complete` or `release`. `claimId` identifies the holder. */
  | { state: 'claimed'; claimId: string }
  | { state: 'completed'; answer: StoredAnswer }
  /** The key was used with another request. */
  | { state: 'mismatch' }
  /** Another request with this key is running. */
  | { state: 'inFlight'; retryAfterSeconds: number };

export abstract class IdempotencyRepository {
  /**
   * @param fingerprint hash over method, path and body
   * @param lockMs a claim whose holder died is free after this time
   */
  abstract claim(scope: IdempotencyKeyScope, fingerprint: string, lockMs: number): Promise<IdempotencyClaim>;
  abstract complete(scope: IdempotencyKeyScope, claimId: string, answer: StoredAnswer): Promise<void>;
  abstract release(scope: IdempotencyKeyScope, claimId: string): Promise<void>;
}
