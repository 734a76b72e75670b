import { setTimeout as sleep } from 'node:timers/promises';

/** Work that is done again and again until it is stopped; one turn at a time. */
export class RepeatingTask {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  /**
   * @param turn aborts what it does when the signal says so; returns whether there is more to do at once. What it throws
   *   goes to `failed`, and the next turn comes after the pause.
   */
  constructor(
    private readonly pauseMs: number,
    private readonly turn: (signal: AbortSignal) => Promise<boolean>,
    private readonly failed: (error: unknown) => void,
  ) {}

  start(): void {
    this.running = this.run();
  }

  /** Resolves when the turn under way has ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const hasMore = await this.turn(signal).catch((error: unknown) => {
        this.failed(error);
        return false;
      });
      // Its rejection is how the pause ends early.
      if (!hasMore) await sleep(this.pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
