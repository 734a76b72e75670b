import { BullModule } from '@nestjs/bullmq';
import { Module, type DynamicModule } from '@nestjs/common';
import { chooseQueueBackend, queueTelemetry } from '#jobs';
import type { Config } from '#platform';
import { HousekeepingProcessor } from './scheduled.processors.js';
import { GracefulShutdown } from './graceful-shutdown.js';
import { SCHEDULED, JobSchedulers } from './job-schedulers.js';

@Module({})
export class QueuesModule {
  constructor(drain: GracefulShutdown, schedules: JobSchedulers, housekeeping: HousekeepingProcessor) {
    for (const work of [schedules, housekeeping]) drain.add(work);
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
      providers: [GracefulShutdown, HousekeepingProcessor, JobSchedulers],
      exports: [GracefulShutdown, JobSchedulers],
    };
  }
}
