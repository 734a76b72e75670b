import { setImmediate as turn } from 'node:timers/promises';
import { Clock } from '#domain/system';

/** Time that passes only when nothing else can happen. Starts at 2026-01-02T03:04:05.678Z. */
export class VirtualTime extends Clock {
  private ms = Date.parse('2026-01-02T03:04:05.678Z');
  private readonly sleepers: { untilMs: number; wake: () => void }[] = [];

  override nowMs(): number {
    return this.ms;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((wake) => void this.sleepers.push({ untilMs: this.ms + ms, wake }));
  }

  /** Lets time pass; wakes whoever slept, in order. */
  async pass(ms: number): Promise<void> {
    const endMs = this.ms + ms;
    for (;;) {
      await idle();
      const next = this.nextSleeper();
      if (next === undefined || next.untilMs > endMs) break;
      this.wake(next);
    }
    this.ms = Math.max(this.ms, endMs);
  }

  /** What `work` comes to; time passes while it waits. */
  async during<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => (isDone = true));
    done.catch(() => undefined);
    for (;;) {
      await idle();
      if (isDone) return done;
      const next = this.nextSleeper();
      if (next === undefined) throw new Error('waits for something that is no time');
      this.wake(next);
    }
  }

  /** As an operator does, or a broken time server. */
  setBack(ms: number): void {
    this.ms -= ms;
  }

  private nextSleeper() {
    return this.sleepers.toSorted((a, b) => a.untilMs - b.untilMs)[0];
  }

  private wake(sleeper: { untilMs: number; wake: () => void }): void {
    this.sleepers.splice(this.sleepers.indexOf(sleeper), 1);
    this.ms = Math.max(this.ms, sleeper.untilMs);
    sleeper.wake();
  }
}

/** Everything that can go on without time has gone on. */
async function idle(): Promise<void> {
  for (let round = 0; round < 5; round += 1) await turn();
}
