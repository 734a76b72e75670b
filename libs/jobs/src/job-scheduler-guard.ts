import { Logger } from '@nestjs/common';
import type { Queue } from 'bullmq';
import type { ScheduledJobDefinition } from './jobs.js';

/** A schedule gets lost when the store is emptied. */
const ASSERT_EVERY_MS = 30_000;

/** Keeps one schedule in place. Safe on every replica: the store identifies it by its id. */
export class JobSchedulerGuard {
  private readonly logger = new Logger(JobSchedulerGuard.name);
  private timer: NodeJS.Timeout | undefined;
  private asserting: Promise<void> = Promise.resolve();

  constructor(
    private readonly queue: Queue,
    private readonly definition: ScheduledJobDefinition,
    private readonly everyMs: number,
  ) {}

  /** Waits for the first check, so that a worker without its queue does not report a successful start. */
  async start(): Promise<void> {
    await this.assert();
    this.timer = setInterval(() => {
      this.asserting = this.assert().catch((error: unknown) => {
        this.logger.warn(`schedule ${this.definition.schedulerId} could not be checked: ${String(error)}`);
      });
    }, ASSERT_EVERY_MS);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.asserting;
  }

  /** Writes only a missing or different schedule: rewriting would move its next run. */
  private async assert(): Promise<void> {
    const { schedulerId, name, options } = this.definition;
    const known = await this.queue.getJobScheduler(schedulerId);
    if (known?.every === this.everyMs && known.name === name) return;
    await this.queue.upsertJobScheduler(schedulerId, { every: this.everyMs }, { name, data: {}, opts: options });
    this.logger.log(`schedule ${schedulerId} set: every ${this.everyMs} ms`);
  }
}
