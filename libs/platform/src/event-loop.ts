const BUDGET_MS = 1;

interface Waiter {
  sinceMs: number;
  goOn: () => void;
}

/**
 * Keeps ticks of the event loop short. Databases and providers return many responses at once; the work after them would
 * run in one tick, during which the process reads no probe and sheds no request. Here callers continue in order, with
 * ticks in between. Each tick runs one item of long work after its short work, so that short work never waits for all
 * long work.
 */
export class EventLoopScheduler {
  private readonly short: Waiter[] = [];
  private readonly long: Waiter[] = [];
  /** When the first caller of this tick continued; null when none did. */
  private tickStartedAtMs: number | null = null;

  /** @param isLong whether the work exceeds the time of a tick: never at once, one per tick */
  async next(isLong = false): Promise<void> {
    const nowMs = performance.now();
    if (this.tickStartedAtMs === null) {
      this.tickStartedAtMs = nowMs;
      setImmediate(this.begin);
    }
    if (!isLong && this.short.length === 0 && nowMs - this.tickStartedAtMs < BUDGET_MS) return;
    await new Promise<void>((goOn) => (isLong ? this.long : this.short).push({ sinceMs: nowMs, goOn }));
  }

  waitMs(): number {
    const [first] = this.short;
    return first === undefined ? 0 : performance.now() - first.sinceMs;
  }

  private readonly begin = (): void => {
    if (this.short.length === 0 && this.long.length === 0) {
      this.tickStartedAtMs = null;
      return;
    }
    this.tickStartedAtMs = performance.now();
    setImmediate(this.begin);
    this.resumeNext();
  };

  private readonly resumeNext = (): void => {
    const hasTime = this.tickStartedAtMs !== null && performance.now() - this.tickStartedAtMs < BUDGET_MS;
    const next = hasTime ? this.short.shift() : undefined;
    if (next === undefined) {
      this.long.shift()?.goOn();
      return;
    }
    next.goOn();
    // Node runs nextTick callbacks after all settled promises, so the work of the last caller is done by then.
    queueMicrotask(() => process.nextTick(this.resumeNext));
  };
}

export const turns = new EventLoopScheduler();

/** Time per tick for work that spans many ticks, in ms. */
const SHARE_MS = 1;

/**
 * Splits long work: {@link step} yields when its share of a tick is used up. Others wait a share plus the longest step.
 */
export class Pace {
  private endsAtMs = performance.now() + SHARE_MS;

  async step(): Promise<void> {
    if (performance.now() < this.endsAtMs) return;
    await turns.next(true);
    this.endsAtMs = performance.now() + SHARE_MS;
  }
}
