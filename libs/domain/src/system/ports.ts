import type { ApplicationRef } from '../applications/application.js';

// Ports are abstract classes because they are injection tokens: interfaces vanish at run time.

export abstract class Clock {
  abstract nowMs(): number;
}

export abstract class Timer {
  abstract sleep(ms: number): Promise<void>;
}

export abstract class IdGenerator {
  abstract next(): string;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** RFC 9562 §4, in lower or upper case. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** Runs `work` in one database transaction, which repositories and nested calls join. */
export abstract class UnitOfWork {
  abstract run<T>(application: ApplicationRef, work: () => Promise<T>): Promise<T>;
}

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

export type JsonObject = { [key: string]: JsonValue };
