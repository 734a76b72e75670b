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
