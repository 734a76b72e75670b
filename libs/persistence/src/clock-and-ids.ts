import { randomUUIDv7 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Clock, IdGenerator, Timer } from '#domain/system';

export class SystemClock extends Clock {
  override nowMs(): number {
    return Date.now();
  }
}

export class SystemTimer extends Timer {
  override async sleep(ms: number): Promise<void> {
    await sleep(ms);
  }
}

const TIME_LENGTH = 13;
const COUNTER_LIMIT = 0x1000;

/**
 * UUIDs of version 7 (RFC 9562). Ids of one process are in order of creation, also within a millisecond: `rand_a` is a
 * counter (§6.2, method 1). 62 bits stay random.
 */
export class UuidV7Generator extends IdGenerator {
  private time = '';
  private counter = 0;

  override next(): string {
    const id = randomUUIDv7();
    const time = id.slice(0, TIME_LENGTH);
    if (time > this.time) {
      this.time = time;
      // Starts in the lower half, to leave room within the millisecond.
      this.counter = Number.parseInt(id.slice(15, 18), 16) >> 1;
    } else {
      this.counter += 1;
      if (this.counter === COUNTER_LIMIT) {
        this.time = millisecondAfter(this.time);
        this.counter = 0;
      }
    }
    return `${this.time}-7${this.counter.toString(16).padStart(3, '0')}${id.slice(18)}`;
  }
}

function millisecondAfter(time: string): string {
  const digits = (Number.parseInt(time.replace('-', ''), 16) + 1).toString(16).padStart(TIME_LENGTH - 1, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
