import { randomUUIDv7 } from 'node:crypto';
import { Clock, Ids } from '#domain';

export class SystemClock extends Clock {
  override nowMs(): number {
    return Date.now();
  }
}

/** RFC 9562 version 7: in order of time, with 74 random bits. */
export class UuidV7Ids extends Ids {
  override next(): string {
    return randomUUIDv7();
  }
}
