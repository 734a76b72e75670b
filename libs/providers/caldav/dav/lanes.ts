import pLimit, { type LimitFunction } from 'p-limit';
import { unlessAborted } from '#platform/deadline';

/** Semaphore. Waiting work starts in order and gives up when its signal aborts. */
export class Lanes {
  readonly #limit: LimitFunction;

  constructor(width: number) {
    this.#limit = pLimit(width);
  }

  /** @throws the signal's reason when it aborts */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const turn = this.#limit(() => {
      signal.throwIfAborted();
      return work();
    });
    return unlessAborted(turn, signal);
  }
}
