/** Of each turn of the event loop, milliseconds, for short work that others wait to do. */
const BUDGET_MS = 1;

interface Waiting {
  sinceMs: number;
  goOn: () => void;
}

/**
 * Keeps turns of the event loop short. What databases and providers answer comes many answers at a time, and the work that
 * each of them sets off would be done in the same turn: until its end nothing new is read, be it a probe or a request that
 * is to be turned away. Here those who have got their answer go on one after the other, in the order they came, and the
 * loop turns in between.
 *
 * Long work is a line of its own, of which every turn takes one after its short work: what is short, be it the beginning of
 * the next request, would otherwise wait for all of it, and providers would have nothing to do meanwhile.
 */
export class Turns {
  private readonly short: Waiting[] = [];
  private readonly long: Waiting[] = [];
  /** When the first one of this turn went on. null: nobody has. */
  private beganAtMs: number | null = null;

  /**
   * Resolves when it is one's turn: at once, unless this one has been used up or others wait.
   * @param isLong whether what follows takes more than a turn has, as is known before: never at once, one in a turn
   */
  async next(isLong = false): Promise<void> {
    const nowMs = performance.now();
    if (this.beganAtMs === null) {
      this.beganAtMs = nowMs;
      setImmediate(this.begin);
    }
    if (!isLong && this.short.length === 0 && nowMs - this.beganAtMs < BUDGET_MS) return;
    await new Promise<void>((goOn) => (isLong ? this.long : this.short).push({ sinceMs: nowMs, goOn }));
  }

  /** How long the first of those has waited whose work is short, milliseconds. 0: nobody does. */
  waitMs(): number {
    const [first] = this.short;
    return first === undefined ? 0 : performance.now() - first.sinceMs;
  }

  private readonly begin = (): void => {
    if (this.short.length === 0 && this.long.length === 0) {
      this.beganAtMs = null;
      return;
    }
    this.beganAtMs = performance.now();
    setImmediate(this.begin);
    this.letOneGoOn();
  };

  private readonly letOneGoOn = (): void => {
    const hasTime = this.beganAtMs !== null && performance.now() - this.beganAtMs < BUDGET_MS;
    const next = hasTime ? this.short.shift() : undefined;
    if (next === undefined) {
      this.long.shift()?.goOn();
      return;
    }
    next.goOn();
    // Node takes ticks when no promise is left to settle: all that could be done at once has been done by then.
    queueMicrotask(() => process.nextTick(this.letOneGoOn));
  };
}

/** Those of this process, which has one event loop. */
export const turns = new Turns();

/** Of one turn of the event loop, milliseconds, for work that goes on over many. */
const SHARE_MS = 1;

/**
 * Cuts long work into pieces: {@link step} between two of its steps lets the loop turn whenever they have taken their share
 * of one. How long others wait is a share and the longest step.
 */
export class Pace {
  private endsAtMs = performance.now() + SHARE_MS;

  /** Resolves at once as long as there is time left. */
  async step(): Promise<void> {
    if (performance.now() < this.endsAtMs) return;
    await turns.next(true);
    this.endsAtMs = performance.now() + SHARE_MS;
  }
}
