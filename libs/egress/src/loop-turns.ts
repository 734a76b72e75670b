/** Lets those who wait go on one by one, each in a turn of the event loop of its own, in the order they came. */
export class LoopTurns {
  readonly #waiting: (() => void)[] = [];

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(this.#goOn);
    });
  }

  readonly #goOn = (): void => {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(this.#goOn);
  };
}
