import { setTimeout as sleep } from 'node:timers/promises';

export interface RetryOptions<Pending> {
  waitMs: number;
  isPending: (error: unknown) => error is Pending;
  onWait: (error: Pending) => void;
  /** Default 1000. */
  everyMs?: number;
}

/** @throws the error of `ask` when it is permanent or the wait is over */
export async function retryUntilReady<Result, Pending>(
  ask: () => Promise<Result>,
  { waitMs, isPending, onWait, everyMs = 1_000 }: RetryOptions<Pending>,
): Promise<Result> {
  const end = performance.now() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await ask();
    } catch (error) {
      const leftMs = end - performance.now();
      if (!isPending(error) || leftMs <= 0) throw error;
      if (isFirst) onWait(error);
      await sleep(Math.min(everyMs, leftMs));
    }
  }
}
