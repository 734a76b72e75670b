export interface IdempotencyKeyScope {
  applicationId: string;
  key: string;
}

export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export type IdempotencyClaim =
  /** The caller continues and ends with `complete` or `release`. `claimId` identifies the holder. */
  | { state: 'claimed'; claimId: string }
  | { state: 'completed'; response: StoredResponse }
  /** The key was used with another request. */
  | { state: 'mismatch' }
  | { state: 'inFlight'; retryAfterSeconds: number };

export abstract class IdempotencyRepository {
  /** @param fingerprint hash over method, path and body @param lockMs after it the claim of a dead holder is free */
  abstract claim(scope: IdempotencyKeyScope, fingerprint: string, lockMs: number): Promise<IdempotencyClaim>;
  abstract complete(scope: IdempotencyKeyScope, claimId: string, response: StoredResponse): Promise<void>;
  abstract release(scope: IdempotencyKeyScope, claimId: string): Promise<void>;
}
