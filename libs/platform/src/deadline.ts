/**
 * Returns the result of `work`, or that of `late` (which may throw) after `ms`. The work continues; its later failure
 * is ignored.
 */
export async function withDeadline<T>(work: Promise<T>, ms: number, late: () => T): Promise<T> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  try {
    return await Promise.race([work, over.promise.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the result of `work`, or rejects with the reason of the signal when it aborts. The work continues. */
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
  /** Creates the reason of the signal at the deadline. */
  late: () => Error;
  /** Signals that abort the work earlier. */
  parents?: readonly (AbortSignal | undefined)[];
  /** Converts the reason of a parent. Default: unchanged. */
  reasonOf?: (reason: unknown) => Error;
}

/**
 * A signal that aborts at a deadline with a reason of the caller's choice (`AbortSignal.timeout` always uses a
 * `DOMException`), or when a parent aborts. Call `clear` after the work: the timer keeps the process alive, and the
 * parents keep a listener.
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
