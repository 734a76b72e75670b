/** Repeats earned by each first try. */
const SHARE = 0.1;
/** Maximum of saved repeats, and their initial number: quiet installations need some, too. */
const MAX = 10;
/** Interval at which one repeat is added. */
const REFILL_MS = 10_000;

/** Limits repeats after failures to a tenth of all traffic, because they add load to an overloaded provider. */
export class RetryBudget {
  #saved = MAX;
  #filledAtMs: number;

  constructor(private readonly monotonicMs: () => number) {
    this.#filledAtMs = monotonicMs();
  }

  earn(): void {
    this.#saved = Math.min(MAX, this.#saved + SHARE);
  }

  take(): boolean {
    const nowMs = this.monotonicMs();
    this.#saved = Math.min(MAX, this.#saved + (nowMs - this.#filledAtMs) / REFILL_MS);
    this.#filledAtMs = nowMs;
    if (this.#saved < 1) return false;
    this.#saved -= 1;
    return true;
  }
}
