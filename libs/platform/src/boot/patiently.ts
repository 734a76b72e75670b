import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience<Pending> {
  /** Maximum wait in ms. */
  waitMs: number;
  /** Whether the error may disappear by itself. */
  isPending: (error: unknown) => error is Pending;
  /** Called once, before the first wait. */
  onWait: (error: Pending) => void;
  /** Pause between attempts, in ms. Default 1000. */
  everyMs?: number;
}

/** Retries `ask` until it succeeds. @throws the error of `ask` when it is permanent or the wait is over */
export async function patiently<Pending>(
  ask: () => Promise<void>,
  { waitMs, isPending, onWait, everyMs = 1_000 }: Patience<Pending>,
): Promise<void> {
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
