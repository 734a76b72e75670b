/** Counts the turns of this process's event loop. */
export class TickCounter {
  count = 0;
  private immediate: NodeJS.Immediate;

  constructor() {
    const next = () => {
      this.count += 1;
      this.immediate = setImmediate(next);
    };
    this.immediate = setImmediate(next);
  }

  stop(): void {
    clearImmediate(this.immediate);
  }
}

/** Lets nobody else do anything. */
export function work(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}
