import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { accountEvents, housekeeping, reconcile, ScheduleKeeper, type ScheduledJobDefinition } from '#jobs';

export const SCHEDULED = [accountEvents, reconcile, housekeeping];

@Injectable()
export class SchedulesService implements OnApplicationBootstrap {
  private readonly logger = new Logger(SchedulesService.name);
  private readonly keepers: ScheduleKeeper[];

  constructor(
    @InjectQueue(accountEvents.queue) relaying: Queue,
    @InjectQueue(reconcile.queue) reconciling: Queue,
    @InjectQueue(housekeeping.queue) private readonly queue: Queue,
  ) {
    this.keepers = [
      this.keeperOf(relaying, accountEvents),
      this.keeperOf(reconciling, reconcile),
      this.keeperOf(queue, housekeeping),
    ];
  }

  async onApplicationBootstrap(): Promise<void> {
    for (const keeper of this.keepers) await keeper.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.keepers.map((keeper) => keeper.stop()));
  }

  async ping(): Promise<void> {
    await this.queue.getJobCountByTypes('waiting');
  }

  private keeperOf(queue: Queue, definition: ScheduledJobDefinition): ScheduleKeeper {
    // Without a listener an error event ends the process.
    queue.on('error', (error) => this.logger.warn({ msg: 'the queue does not answer', queue: queue.name, err: error }));
    return new ScheduleKeeper(queue, definition, definition.defaultEveryMs);
  }
}
