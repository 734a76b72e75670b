import { Module, type DynamicModule } from '@nestjs/common';
import { Queue, type ConnectionOptions } from 'bullmq';
import { SyncWakeup } from '#domain/sync';
import { BullSyncWakeup, calendarSync } from './sync-wakeup.js';
import { chooseQueueBackend, type QueueBackendOptions } from './queue-backend.js';
import { queueTelemetry } from './queue-telemetry.js';

const RESPONSE_TIMEOUT_MS = 5_000;

@Module({})
export class SyncWakeupModule {
  static forRoot({ databaseUrl, redisUrl }: Pick<QueueBackendOptions, 'databaseUrl' | 'redisUrl'>): DynamicModule {
    const backend = chooseQueueBackend({ databaseUrl, redisUrl, connectionName: 'unified-calendar hints' });
    // One connection suffices: jobs are added one at a time.
    const connection = { ...backend, max: 1, commandTimeout: RESPONSE_TIMEOUT_MS } as ConnectionOptions;
    return {
      module: SyncWakeupModule,
      global: true,
      providers: [
        {
          provide: SyncWakeup,
          useFactory: () =>
            new BullSyncWakeup(() => new Queue(calendarSync.queue, { connection, ...queueTelemetry() })),
        },
      ],
      exports: [SyncWakeup],
    };
  }
}
