import { setTimeout as sleep } from 'node:timers/promises';
import type { Task } from '#platform/telemetry';
import { measuredTask } from './measured-task.js';

/** Work that is done again and again until it is stopped; one turn at a time. */
export class RepeatingTask {
  private readonly stopping = new AbortController();
  private pause = new AbortController();
  private running: Promise<void> = Promise.resolve();

  /**
   * @param turn aborts what it does when the signal says so; returns whether there is more to do at once. What it throws
   *   goes to `failed`, and the next turn comes after the pause.
   */
  constructor(
    private readonly name: Task,
    private readonly pauseMs: number,
    private readonly turn: (signal: AbortSignal) => Promise<boolean>,
    private readonly failed: (error: unknown) => void,
  ) {}

  start(): void {
    this.running = this.run();
  }

  /** The next turn comes at once, also when one is under way: that one may have passed by what there is to do now. */
  wake(): void {
    this.pause.abort();
  }

  /** Resolves when the turn under way has ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      this.pause = new AbortController();
      const hasMore = await measuredTask(this.name, () => this.turn(signal)).catch((error: unknown) => {
        this.failed(error);
        return false;
      });
      if (hasMore) continue;
      // Its rejection is how the pause ends early.
      await sleep(this.pauseMs, undefined, { signal: AbortSignal.any([signal, this.pause.signal]) }).catch(
        () => undefined,
      );
    }
  }
}
