/** For how long a change may be in memory only. */
const WITHIN_MS = 500;

/** Saves a while after a change, together with whatever changes meanwhile. */
export class Autosave {
  #timer: NodeJS.Timeout | undefined;

  /** @param save may throw: the next change tries again */
  constructor(private readonly save: () => void) {}

  /** Something may have changed. */
  soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      try {
        this.save();
      } catch (error) {
        process.stderr.write(`The state could not be saved: ${(error as Error).message}\n`);
      }
    }, WITHIN_MS);
  }

  /** @throws what `save` throws */
  now(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.save();
  }
}
