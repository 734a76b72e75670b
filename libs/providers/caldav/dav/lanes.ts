/** Lets only so many pieces of work run at a time; the others wait in order. */
export class Lanes {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly width: number) {}

  /** @throws the signal's reason when it aborts while waiting */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next(); // hands its lane on
    }
  }

  #enter(signal: AbortSignal): Promise<void> {
    if (this.#running < this.width) {
      this.#running += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const proceed = (): void => {
        signal.removeEventListener('abort', give);
        resolve();
      };
      const give = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(proceed), 1);
        reject(signal.reason as Error);
      };
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      signal.addEventListener('abort', give, { once: true });
      this.#waiting.push(proceed);
    });
  }
}
