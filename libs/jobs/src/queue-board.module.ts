import { Module, type DynamicModule } from '@nestjs/common';
import { Queue, type ConnectionOptions } from 'bullmq';
import { QueueBoard } from '#domain';
import { BullQueueBoard } from './queue-board.js';
import { chooseQueueBackend, type QueueBackendOptions } from './queue-backend.js';

/** Longest time that one answer of the store is waited for, milliseconds. */
const ANSWER_MS = 5_000;

/** Lets a process look into the queues. Global. */
@Module({})
export class QueueBoardModule {
  static forRoot({ databaseUrl, redisUrl }: Pick<QueueBackendOptions, 'databaseUrl' | 'redisUrl'>): DynamicModule {
    const backend = chooseQueueBackend({ databaseUrl, redisUrl, connectionName: 'unified-calendar queue board' });
    // One connection for each queue, and none while nobody looks (PostgreSQL).
    const connection = { ...backend, max: 1, commandTimeout: ANSWER_MS } as ConnectionOptions;
    return {
      module: QueueBoardModule,
      global: true,
      providers: [
        {
          provide: QueueBoard,
          // Looking changes nothing, not even what the queue says of itself.
          useFactory: () => new BullQueueBoard((name) => new Queue(name, { connection, skipMetasUpdate: true })),
        },
      ],
      exports: [QueueBoard],
    };
  }
}
