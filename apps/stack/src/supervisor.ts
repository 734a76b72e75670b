import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

export class PartLost extends Error {
  override readonly name = 'PartLost';
}

export interface SupervisionOptions {
  /** From the death of a part until it is ready again. */
  recoverWithinMs: number;
  /** A part that dies sooner than this has not recovered: the limit counts from its first death. */
  steadyAfterMs: number;
  firstDelayMs: number;
  maxDelayMs: number;
  report(message: string): void;
}

export const SUPERVISION: Omit<SupervisionOptions, 'report'> = {
  recoverWithinMs: 45_000,
  steadyAfterMs: 10_000,
  firstDelayMs: 250,
  maxDelayMs: 5_000,
};

/** @throws PartLost */
export async function keepAlive(part: Part, options: SupervisionOptions, signal: AbortSignal): Promise<void> {
  let delayMs = options.firstDelayMs;
  let deadSinceMs: number | null = null;
  let readySinceMs = performance.now();
  for (;;) {
    if (!(await settledBefore(part.died(), signal))) return;
    const nowMs = performance.now();
    if (deadSinceMs === null || nowMs - readySinceMs >= options.steadyAfterMs) {
      deadSinceMs = nowMs;
      delayMs = options.firstDelayMs;
    }
    options.report(`${part.name} died; starting it again.`);
    const deadline = AbortSignal.timeout(Math.max(0, Math.ceil(deadSinceMs + options.recoverWithinMs - nowMs)));
    const until = AbortSignal.any([signal, deadline]);
    for (;;) {
      try {
        await delay(delayMs, undefined, { signal: until });
        delayMs = Math.min(delayMs * 2, options.maxDelayMs);
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
    readySinceMs = performance.now();
    options.report(`${part.name} is answering again after ${((readySinceMs - deadSinceMs) / 1_000).toFixed(1)} s.`);
  }
}

export class PartSupervisor {
  private asked = new AbortController();
  private started = Promise.withResolvers<boolean>();

  constructor(
    private readonly part: RestartablePart,
    private readonly options: SupervisionOptions,
    private readonly signal: AbortSignal,
  ) {}

  /** @throws PartLost */
  async keep(): Promise<void> {
    for (;;) {
      await keepAlive(this.part, this.options, AbortSignal.any([this.signal, this.asked.signal]));
      if (this.signal.aborted) return;
      await this.startWithNewCode();
    }
  }

  /**
   * Resolves true when the part runs its new code; false when a later call replaced this one.
   * @throws PartFailed when the part does not start. The part then stays down until the next call.
   */
  restart(): Promise<boolean> {
    this.started.resolve(false);
    this.started = Promise.withResolvers();
    this.asked.abort();
    return this.started.promise;
  }

  private async startWithNewCode(): Promise<void> {
    const { started } = this;
    this.asked = new AbortController();
    const next = AbortSignal.any([this.signal, this.asked.signal]);
    try {
      await this.part.restart(AbortSignal.any([next, AbortSignal.timeout(this.options.recoverWithinMs)]));
      started.resolve(true);
    } catch (error) {
      if (next.aborted) return;
      started.reject(error);
      await once(next, 'abort');
    }
  }
}

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

export class PartFailed extends Error {
  override readonly name = 'PartFailed';
}

export interface Part {
  readonly name: string;
  /**
   * Resolves when the part is ready.
   * @throws PartFailed when the part ends, or is not ready before `signal` aborts
   */
  start(signal: AbortSignal): Promise<void>;
  /** Resolves when the part ends without a call of `stop`. */
  died(): Promise<void>;
  /** Idempotent. */
  stop(): Promise<void>;
  kill(): void;
}

export interface RestartablePart extends Part {
  /** @throws PartFailed like `start` */
  restart(signal: AbortSignal): Promise<void>;
}
