import { EgressError } from './errors.js';

/**
 * A signal that fires after `ms` with EgressError timeout, or with EgressError aborted when one of `parents` fires.
 * An EgressError that a parent carries as its reason is passed on. `clear` it when the work is done: the timer keeps
 * the process alive and the parents keep a listener.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #parents: readonly AbortSignal[];

  constructor(ms: number, ...parents: readonly (AbortSignal | undefined)[]) {
    this.#parents = parents.filter((parent) => parent !== undefined);
    this.#timer = setTimeout(() => this.#abort(new EgressError('timeout')), ms);
    for (const parent of this.#parents) parent.addEventListener('abort', this.#listener, { once: true });
    const over = this.#parents.find((parent) => parent.aborted);
    if (over !== undefined) this.#onParent(over);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  clear(): void {
    clearTimeout(this.#timer);
    for (const parent of this.#parents) parent.removeEventListener('abort', this.#listener);
  }

  readonly #listener = (event: Event): void => this.#onParent(event.target as AbortSignal);

  #onParent(parent: AbortSignal): void {
    const reason: unknown = parent.reason;
    this.#abort(reason instanceof EgressError ? reason : new EgressError('aborted', { cause: reason }));
  }

  #abort(reason: EgressError): void {
    this.clear();
    this.#controller.abort(reason);
  }
}

/** `work`, or the reason of the signal as soon as it fires; what becomes of `work` then is nobody's business any more. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
