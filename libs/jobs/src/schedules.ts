import { Logger } from '@nestjs/common';
import type { Queue } from 'bullmq';
import type { ScheduledJobDefinition } from './job-definition.js';

/** How often a schedule that got lost (the queue's store was emptied) is noticed. */
const ASSERT_EVERY_MS = 30_000;

/**
 * Keeps one schedule in place. Every replica does the same: the store knows it by its id, so there is one all the
 * same.
 */
export class ScheduleKeeper {
  private readonly logger = new Logger(ScheduleKeeper.name);
  private timer: NodeJS.Timeout | undefined;
  private asserting: Promise<void> = Promise.resolve();

  constructor(
    private readonly queue: Queue,
    private readonly definition: ScheduledJobDefinition,
    private readonly everyMs: number,
  ) {}

  /** The first assertion is awaited, so that a worker that cannot reach its queue does not claim to have started. */
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

  /** Writes the schedule only when it is missing or different: writing it again would move its next run. */
  private async assert(): Promise<void> {
    const { schedulerId, name, options } = this.definition;
    const known = await this.queue.getJobScheduler(schedulerId);
    if (known?.every === this.everyMs && known.name === name) return;
    await this.queue.upsertJobScheduler(schedulerId, { every: this.everyMs }, { name, data: {}, opts: options });
    this.logger.log(`schedule ${schedulerId} set: every ${this.everyMs} ms`);
  }
}
