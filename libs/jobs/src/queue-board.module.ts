import { Module, type DynamicModule } from '@nestjs/common';
import { Queue, type ConnectionOptions } from 'bullmq';
import { QueueBoard } from '#domain';
import { BullQueueBoard } from './queue-board.js';
import { chooseQueueBackend, type QueueBackendOptions } from './queue-backend.js';

const ANSWER_MS = 5_000;

@Module({})
export class QueueBoardModule {
  static forRoot({ databaseUrl, redisUrl }: Pick<QueueBackendOptions, 'databaseUrl' | 'redisUrl'>): DynamicModule {
    const backend = chooseQueueBackend({ databaseUrl, redisUrl, connectionName: 'unified-calendar queue board' });
    // One connection per queue, and none while unused (PostgreSQL).
    const connection = { ...backend, max: 1, commandTimeout: ANSWER_MS } as ConnectionOptions;
    return {
      module: QueueBoardModule,
      global: true,
      providers: [
        {
          provide: QueueBoard,
          // Reading must not change the queue, including its metadata.
          useFactory: () => new BullQueueBoard((name) => new Queue(name, { connection, skipMetasUpdate: true })),
        },
      ],
      exports: [QueueBoard],
    };
  }
}
