import { setTimeout as sleep } from 'node:timers/promises';
import { histogram, type Task } from '#platform/telemetry';

const tasks = histogram('calendar_job_duration_seconds');

export async function instrumentTask<T>(task: Task, work: () => Promise<T>): Promise<T> {
  const startMs = performance.now();
  let outcome: 'ok' | 'failed' = 'failed';
  try {
    const result = await work();
    outcome = 'ok';
    return result;
  } finally {
    tasks.observe((performance.now() - startMs) / 1_000, { task, outcome });
  }
}

export class PeriodicTask {
  private readonly stopping = new AbortController();
  private pause = new AbortController();
  private running: Promise<void> = Promise.resolve();

  /** @param turn returns whether there is more to do at once, and must end soon after `signal` aborts */
  constructor(
    private readonly name: Task,
    private readonly pauseMs: number,
    private readonly run: (signal: AbortSignal) => Promise<boolean>,
    private readonly failed: (error: unknown) => void,
  ) {}

  start(): void {
    this.running = this.loop();
  }

  /** Starts the next run at once, or right after the current one, which may have missed new work. */
  wake(): void {
    this.pause.abort();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async loop(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      this.pause = new AbortController();
      const hasMore = await instrumentTask(this.name, () => this.run(signal)).catch((error: unknown) => {
        this.failed(error);
        return false;
      });
      if (hasMore) continue;
      // Rejects when the pause ends early.
      await sleep(this.pauseMs, undefined, { signal: AbortSignal.any([signal, this.pause.signal]) }).catch(
        () => undefined,
      );
    }
  }
}
