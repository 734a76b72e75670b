import type { ApplicationRef } from '../applications/application.js';

// Ports are abstract classes: they are the injection tokens (interfaces vanish at run time).

/** Time, injected. */
export abstract class Clock {
  abstract nowMs(): number;
}

/** UUIDv7 strings. */
export abstract class Ids {
  abstract next(): string;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether it is a UUID as text (RFC 9562 §4), in lower or upper case. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** Runs `work` in one database transaction; repositories called inside join it. Nested calls join the outer one. */
export abstract class UnitOfWork {
  abstract run<T>(application: ApplicationRef, work: () => Promise<T>): Promise<T>;
}

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

export type JsonObject = { [key: string]: JsonValue };

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
