/** Of each turn of the event loop, milliseconds, for work that others wait to do. */
const BUDGET_MS = 1;

interface Waiting {
  sinceMs: number;
  isLong: boolean;
  goOn: () => void;
}

/**
 * Keeps turns of the event loop short. What databases and providers answer comes many answers at a time, and the work that
 * each of them sets off would be done in the same turn: until its end nothing new is read, be it a probe or a request that
 * is to be turned away. Here those who have got their answer go on one after the other, in the order they came, and the
 * loop turns in between.
 */
export class Turns {
  private readonly waiting: Waiting[] = [];
  /** When the first one of this turn went on. null: nobody has. */
  private beganAtMs: number | null = null;

  /**
   * Resolves when it is one's turn: at once, unless this one has been used up or others wait.
   * @param isLong whether what follows takes more than a turn has, as is known before: never at once, and one's own turn
   */
  async next(isLong = false): Promise<void> {
    const nowMs = performance.now();
    if (this.beganAtMs === null) {
      this.beganAtMs = nowMs;
      setImmediate(this.begin);
    }
    if (!isLong && this.waiting.length === 0 && nowMs - this.beganAtMs < BUDGET_MS) return;
    await new Promise<void>((goOn) => this.waiting.push({ sinceMs: nowMs, isLong, goOn }));
  }

  /** How long the first of those has waited who wait, milliseconds. 0: nobody does. */
  waitMs(): number {
    const [first] = this.waiting;
    return first === undefined ? 0 : performance.now() - first.sinceMs;
  }

  private readonly begin = (): void => {
    if (this.waiting.length === 0) {
      this.beganAtMs = null;
      return;
    }
    this.beganAtMs = performance.now();
    setImmediate(this.begin);
    this.letOneGoOn();
  };

  private letOneGoOn(): void {
    this.waiting.shift()?.goOn();
    // Node takes ticks when no promise is left to settle: all that could be done at once has been done by then.
    if (this.waiting.length > 0) queueMicrotask(() => process.nextTick(this.another));
  }

  private readonly another = (): void => {
    const hasTime = this.beganAtMs !== null && performance.now() - this.beganAtMs < BUDGET_MS;
    if (hasTime && this.waiting[0]?.isLong === false) this.letOneGoOn();
  };
}

/** Those of this process, which has one event loop. */
export const turns = new Turns();
