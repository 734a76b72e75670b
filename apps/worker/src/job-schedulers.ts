import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { Queue } from 'bullmq';
import {
  accountEvents,
  housekeeping,
  JobSchedulerGuard,
  readingPlans,
  reconcile,
  type ScheduledJobDefinition,
} from '#jobs';

export const SCHEDULED = [accountEvents, reconcile, readingPlans, housekeeping];

@Injectable()
export class JobSchedulers implements OnApplicationBootstrap {
  private readonly logger = new Logger(JobSchedulers.name);
  private readonly guards: JobSchedulerGuard[];

  constructor(
    @InjectQueue(accountEvents.queue) relaying: Queue,
    @InjectQueue(reconcile.queue) reconciling: Queue,
    @InjectQueue(readingPlans.queue) planning: Queue,
    @InjectQueue(housekeeping.queue) private readonly queue: Queue,
  ) {
    this.guards = [
      this.guardOf(relaying, accountEvents),
      this.guardOf(reconciling, reconcile),
      this.guardOf(planning, readingPlans),
      this.guardOf(queue, housekeeping),
    ];
  }

  async onApplicationBootstrap(): Promise<void> {
    for (const guard of this.guards) await guard.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.guards.map((guard) => guard.stop()));
  }

  async ping(): Promise<void> {
    await this.queue.getJobCountByTypes('waiting');
  }

  private guardOf(queue: Queue, definition: ScheduledJobDefinition): JobSchedulerGuard {
    // Without a listener an error event ends the process.
    queue.on('error', (error) => this.logger.warn({ msg: 'queue unavailable', queue: queue.name, err: error }));
    return new JobSchedulerGuard(queue, definition, definition.defaultEveryMs);
  }
}
