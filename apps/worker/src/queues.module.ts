import { BullModule } from '@nestjs/bullmq';
import { Module, type DynamicModule } from '@nestjs/common';
import { chooseQueueBackend, queueTelemetry } from '#jobs';
import type { Config } from '#platform';
import { HousekeepingProcessor } from './scheduled.processors.js';
import { QueueDrain } from './queue-drain.js';
import { SCHEDULED, SchedulesService } from './schedules.service.js';

@Module({})
export class QueuesModule {
  constructor(drain: QueueDrain, schedules: SchedulesService, housekeeper: HousekeepingProcessor) {
    for (const work of [schedules, housekeeper]) drain.add(work);
  }

  static forRoot({ databaseUrl, redisUrl }: Pick<Config, 'databaseUrl' | 'redisUrl'>): DynamicModule {
    const connection = chooseQueueBackend({
      databaseUrl,
      redisUrl: redisUrl ?? null,
      connectionName: 'unified-calendar queue',
    });
    return {
      module: QueuesModule,
      global: true,
      imports: [
        BullModule.forRoot({ connection, ...queueTelemetry() }),
        BullModule.registerQueue(...SCHEDULED.map(({ queue }) => ({ name: queue }))),
      ],
      providers: [QueueDrain, HousekeepingProcessor, SchedulesService],
      exports: [QueueDrain, SchedulesService],
    };
  }
}
