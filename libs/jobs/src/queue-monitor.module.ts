import { Module, type DynamicModule } from '@nestjs/common';
import { Queue, type ConnectionOptions } from 'bullmq';
import { QueueMonitor } from '#domain/system';
import { BullQueueMonitor } from './queue-monitor.js';
import { chooseQueueBackend, type QueueBackendOptions } from './queue-backend.js';

const RESPONSE_TIMEOUT_MS = 5_000;

@Module({})
export class QueueMonitorModule {
  static forRoot({ databaseUrl, redisUrl }: Pick<QueueBackendOptions, 'databaseUrl' | 'redisUrl'>): DynamicModule {
    const backend = chooseQueueBackend({ databaseUrl, redisUrl, connectionName: 'unified-calendar queue board' });
    // One connection per queue, and none while unused (PostgreSQL).
    const connection = { ...backend, max: 1, commandTimeout: RESPONSE_TIMEOUT_MS } as ConnectionOptions;
    return {
      module: QueueMonitorModule,
      global: true,
      providers: [
        {
          provide: QueueMonitor,
          // Reading must not change the queue, including its metadata.
          useFactory: () => new BullQueueMonitor((name) => new Queue(name, { connection, skipMetasUpdate: true })),
        },
      ],
      exports: [QueueMonitor],
    };
  }
}
