import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience<Pending> {
  /** How long to go on asking, milliseconds. */
  waitMs: number;
  /** Whether waiting can help. */
  isPending: (error: unknown) => error is Pending;
  /** Told once, before the first wait. */
  onWait: (error: Pending) => void;
  /** Between two questions, milliseconds. Default 1000. */
  everyMs?: number;
}

/** Asks until the answer is no error. @throws what `ask` threw, when waiting cannot help or has lasted long enough */
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
