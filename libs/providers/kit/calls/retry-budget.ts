/** Of what is sent at first, in repeats. */
const SHARE = 0.1;
/** Saved up at most, and to begin with: quiet installations repeat, too. */
const MOST = 10;
/** So that a long quiet time fills it again. */
const REFILL_MS = 10_000;

/**
 * How often failures may be answered with a repeat, over all accounts: a tenth of the traffic. Repeats of everything
 * double the load of a provider just when it has too much.
 */
export class RetryBudget {
  #saved = MOST;
  #filledAtMs: number;

  constructor(private readonly monotonicMs: () => number) {
    this.#filledAtMs = monotonicMs();
  }

  /** Counts one call. */
  earn(): void {
    this.#saved = Math.min(MOST, this.#saved + SHARE);
  }

  /** Takes one repeat; false when there is none left. */
  take(): boolean {
    const nowMs = this.monotonicMs();
    this.#saved = Math.min(MOST, this.#saved + (nowMs - this.#filledAtMs) / REFILL_MS);
    this.#filledAtMs = nowMs;
    if (this.#saved < 1) return false;
    this.#saved -= 1;
    return true;
  }
}
