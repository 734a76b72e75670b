import { setTimeout as delay } from 'node:timers/promises';
import type { Part } from './part.js';

/** A part did not come back. */
export class PartLost extends Error {
  override readonly name = 'PartLost';
}

export interface SupervisionOptions {
  /** From the death of a part until it answers again. */
  recoverWithinMs: number;
  /** A part that dies again sooner than this never really recovered: the clock goes on from its first death. */
  steadyAfterMs: number;
  firstDelayMs: number;
  longestDelayMs: number;
  report(message: string): void;
}

export const SUPERVISION: Omit<SupervisionOptions, 'report'> = {
  recoverWithinMs: 45_000,
  steadyAfterMs: 10_000,
  firstDelayMs: 250,
  longestDelayMs: 5_000,
};

/**
 * Keeps a part running until `signal` aborts.
 * @throws PartLost
 */
export async function keepAlive(part: Part, options: SupervisionOptions, signal: AbortSignal): Promise<void> {
  let delayMs = options.firstDelayMs;
  let deadSinceMs: number | null = null;
  let answeringSinceMs = performance.now();
  for (;;) {
    if (!(await settledBefore(part.died(), signal))) return;
    const nowMs = performance.now();
    if (deadSinceMs === null || nowMs - answeringSinceMs >= options.steadyAfterMs) {
      deadSinceMs = nowMs;
      delayMs = options.firstDelayMs;
    }
    options.report(`${part.name} died; starting it again.`);
    const deadline = AbortSignal.timeout(Math.max(0, Math.ceil(deadSinceMs + options.recoverWithinMs - nowMs)));
    const until = AbortSignal.any([signal, deadline]);
    for (;;) {
      try {
        await delay(delayMs, undefined, { signal: until });
        delayMs = Math.min(delayMs * 2, options.longestDelayMs);
        await part.start(until);
        break;
      } catch (error) {
        if (signal.aborted) return;
        if (deadline.aborted) {
          throw new PartLost(`${part.name} did not come back within ${options.recoverWithinMs / 1_000} s.`, {
            cause: error,
          });
        }
        options.report(`${part.name} could not be started: ${messageOf(error)}`);
      }
    }
    answeringSinceMs = performance.now();
    options.report(`${part.name} is answering again after ${((answeringSinceMs - deadSinceMs) / 1_000).toFixed(1)} s.`);
  }
}

/** False when `signal` aborted first. */
async function settledBefore(event: Promise<void>, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(false);
    signal.addEventListener('abort', stop, { once: true });
    event.then(() => resolve(true), reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
