/** Maximum time between a change and its save. */
const WITHIN_MS = 500;

/** Saves shortly after a change, together with later ones. */
export class Autosave {
  #timer: NodeJS.Timeout | undefined;

  /** @param save may throw; the next change retries */
  constructor(private readonly save: () => void) {}

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

  now(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.save();
  }
}
