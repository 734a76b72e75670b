/** The work continues after `ms`; its later failure is ignored. `late` may throw. */
export async function withDeadline<T>(work: Promise<T>, ms: number, late: () => T): Promise<T> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  try {
    return await Promise.race([work, over.promise.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** The work continues after the signal aborts. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

export interface DeadlineOptions {
  ms: number;
  late: () => Error;
  parents?: readonly (AbortSignal | undefined)[];
  /** Default: unchanged. */
  reasonOf?: (reason: unknown) => Error;
}

/**
 * `AbortSignal.timeout` always aborts with a `DOMException`. Call `clear` after the work: the timer keeps the process
 * alive, and the parents keep a listener.
 */
export class Deadline {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly parents: readonly AbortSignal[];
  private readonly reasonOf: (reason: unknown) => Error;

  constructor({ ms, late, parents = [], reasonOf = (reason) => reason as Error }: DeadlineOptions) {
    this.parents = parents.filter((parent) => parent !== undefined);
    this.reasonOf = reasonOf;
    this.timer = setTimeout(() => this.abort(late()), ms);
    for (const parent of this.parents) parent.addEventListener('abort', this.onAbort, { once: true });
    const over = this.parents.find((parent) => parent.aborted);
    if (over !== undefined) this.abort(reasonOf(over.reason));
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  clear(): void {
    clearTimeout(this.timer);
    for (const parent of this.parents) parent.removeEventListener('abort', this.onAbort);
  }

  private readonly onAbort = (event: Event): void => {
    this.abort(this.reasonOf((event.target as AbortSignal).reason));
  };

  private abort(reason: Error): void {
    this.clear();
    this.controller.abort(reason);
  }
}
