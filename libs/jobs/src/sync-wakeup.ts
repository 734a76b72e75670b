import { Logger, Module, type OnApplicationShutdown, type DynamicModule } from '@nestjs/common';
import { Queue, type JobsOptions, type ConnectionOptions } from 'bullmq';
import { SyncWakeup } from '#domain/sync';
import { captureTraceContext } from '#platform/telemetry';
import { parseEmptyPayload, type JobDefinition } from './jobs.js';
import { chooseQueueBackend, type QueueBackendOptions } from './queue-backend.js';
import { queueTelemetry } from './queue-telemetry.js';

/** Signals that some sync is due. The database knows which, so lost or extra jobs do no harm. */
export const calendarSync = {
  queue: 'calendar-syncs',
  name: 'look',
  options: {
    attempts: 1,
    removeOnComplete: true,
    removeOnFail: true,
    // One job waits for any number of changes. An active one may have read the database too early, so the last is kept.
    deduplication: { id: 'due', keepLastIfActive: true },
  } satisfies JobsOptions,
  parse: parseEmptyPayload,
} as const satisfies JobDefinition<Record<string, never>>;

const PAUSE_MS = 1_000;

/** Wakes workers through a queue. Callers never wait for it: without it, the periodic claim finds due syncs by their time. */
export class BullSyncWakeup extends SyncWakeup implements OnApplicationShutdown {
  private readonly logger = new Logger(BullSyncWakeup.name);
  private queue: Queue | undefined;
  private isAdding = false;
  /** Runs in the trace of the last caller; null when no wake-up is pending. */
  private wanted: ReturnType<typeof captureTraceContext> | null = null;
  private isDown = false;
  private isStopped = false;

  /** @param openQueue called again after a failure: a queue whose first connect failed does not recover */
  constructor(private readonly openQueue: () => Queue) {
    super();
  }

  override wake(): void {
    this.wanted = captureTraceContext();
    if (!this.isAdding) void this.add();
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    await Promise.race([this.abandon(), pause()]);
  }

  /** Adds one job at a time, so that a hanging queue holds a single call. */
  private async add(): Promise<void> {
    this.isAdding = true;
    while (this.wanted !== null && !this.isStopped) {
      const inTrace = this.wanted;
      this.wanted = null;
      try {
        const queue = (this.queue ??= this.open());
        await inTrace(() => queue.add(calendarSync.name, {}, calendarSync.options));
        this.recordRecovery();
      } catch (error) {
        this.recordOutage(error);
        // Closes the connection: a reconnecting one would end only when the store is back.
        void this.abandon();
        await pause();
      }
    }
    this.isAdding = false;
  }

  private open(): Queue {
    const queue = this.openQueue();
    // An error event without a listener would end the process.
    queue.on('error', (error) => this.recordOutage(error));
    return queue;
  }

  private async abandon(): Promise<void> {
    const { queue } = this;
    this.queue = undefined;
    try {
      await queue?.disconnect();
    } catch (error) {
      this.recordOutage(error);
    }
  }

  private recordOutage(error: unknown): void {
    if (this.isDown || this.isStopped) return;
    this.isDown = true;
    this.logger.warn({ msg: 'calendar sync delayed by a second: sync queue unavailable', err: error });
  }

  private recordRecovery(): void {
    if (this.isDown) this.logger.log('sync queue available again');
    this.isDown = false;
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
}

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
