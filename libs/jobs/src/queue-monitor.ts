import { Module, type OnApplicationShutdown, type DynamicModule } from '@nestjs/common';
import { Queue, type Job, type ConnectionOptions } from 'bullmq';
import { DomainError, QueueMonitor, type FailedJob, type QueueDepth } from '#domain/system';
import { withDeadline } from '#platform/deadline';
import {
  accountEvents,
  housekeeping,
  readingPlans,
  reconcile,
  tokenRevocation,
  webhookDelivery,
  webhookRetry,
} from './jobs.js';
import { calendarSync } from './sync-wakeup.js';
import { chooseQueueBackend, type QueueBackendOptions } from './queue-backend.js';

/** All queues. Failed sync jobs are not kept: the next period runs the same syncs. */
export const QUEUES = [
  webhookDelivery,
  webhookRetry,
  calendarSync,
  tokenRevocation,
  accountEvents,
  reconcile,
  readingPlans,
  housekeeping,
].map(({ queue }) => queue);

/** Of one command. */
const COMMAND_TIMEOUT_MS = 5_000;
const RESPONSE_TIMEOUT_MS = 3_000;
const REDRIVEN_AT_ONCE = 20;
const MAX_REASON_LENGTH = 500;

export class BullQueueMonitor extends QueueMonitor implements OnApplicationShutdown {
  private readonly queues = new Map<string, Queue>();

  constructor(
    private readonly openQueue: (name: string) => Queue,
    private readonly responseMs = RESPONSE_TIMEOUT_MS,
  ) {
    super();
  }

  override depths(): Promise<QueueDepth[]> {
    return this.ask(() => Promise.all(QUEUES.map((name) => depthOf(this.queue(name)))));
  }

  override waits(): Promise<{ queue: string; seconds: number }[]> {
    return this.ask(() => Promise.all(QUEUES.map((name) => waitOf(this.queue(name)))));
  }

  override failed(limit: number): Promise<FailedJob[]> {
    return this.ask(async () => {
      const jobs = await Promise.all(QUEUES.map((name) => this.queue(name).getJobs('failed', 0, limit - 1)));
      return jobs.flat().map(toFailedJob).toSorted(byNewest);
    });
  }

  override async redrive(name: string, jobId: string | null): Promise<number | null> {
    if (!QUEUES.includes(name)) return null;
    if (jobId !== null) return this.ask(() => redriveOne(this.queue(name), jobId));
    const failed = await this.ask(() => this.queue(name).getFailedCount());
    let redriven = 0;
    for (let seen = 0; seen < failed; seen += REDRIVEN_AT_ONCE) {
      redriven += await this.ask(() => redriveOldest(this.queue(name), Math.min(REDRIVEN_AT_ONCE, failed - seen)));
    }
    return redriven;
  }

  async onApplicationShutdown(): Promise<void> {
    const closed = [...this.queues.values()].map((queue) => queue.disconnect());
    // A reconnecting connection never reports its end.
    await withDeadline(Promise.allSettled(closed), this.responseMs, () => []);
  }

  private queue(name: string): Queue {
    const known = this.queues.get(name);
    if (known !== undefined) return known;
    const queue = this.openQueue(name);
    // An error event without a listener would end the process. `ask` reports the missing response.
    queue.on('error', () => undefined);
    this.queues.set(name, queue);
    // A queue reconnects by itself, but not when its first connect failed.
    queue.waitUntilReady().catch(() => {
      this.queues.delete(name);
      queue.disconnect().catch(() => undefined);
    });
    return queue;
  }

  /** @throws DomainError ProviderUnavailable */
  private async ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await withDeadline(question(), this.responseMs, () => {
        throw new Error(`no answer within ${this.responseMs} ms`);
      });
    } catch (cause) {
      throw new DomainError('ProviderUnavailable', 'The queues do not answer now. Try again soon.', { cause });
    }
  }
}

async function depthOf(queue: Queue): Promise<QueueDepth> {
  const {
    waiting = 0,
    prioritized = 0,
    active = 0,
    delayed = 0,
    failed = 0,
  } = await queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed');
  return { name: queue.name, waiting: waiting + prioritized, active, delayed, failed };
}

async function waitOf(queue: Queue): Promise<{ queue: string; seconds: number }> {
  const [oldest] = await queue.getJobs('waiting', 0, 0, true);
  const seconds = oldest === undefined ? 0 : Math.max(0, Date.now() - oldest.timestamp) / 1_000;
  return { queue: queue.name, seconds };
}

async function redriveOne(queue: Queue, jobId: string): Promise<number> {
  const job = await queue.getJob(jobId);
  return job !== undefined && (await job.isFailed()) && (await runAgain(job)) ? 1 : 0;
}

/** Jobs that fail again meanwhile are behind the older failures. */
async function redriveOldest(queue: Queue, most: number): Promise<number> {
  const jobs = await queue.getJobs('failed', 0, most - 1, true);
  return (await Promise.all(jobs.map(runAgain))).filter(Boolean).length;
}

/** Returns false for a job that is no longer failed or no longer kept. */
async function runAgain(job: Job): Promise<boolean> {
  try {
    await job.retry('failed', { resetAttemptsMade: true });
    return true;
  } catch (error) {
    if (await job.isFailed()) throw error;
    return false;
  }
}

function toFailedJob({ id, name, queueName, attemptsMade, finishedOn, failedReason }: Job): FailedJob {
  return {
    queue: queueName,
    id: id ?? '',
    name,
    attempts: attemptsMade,
    failedAt: finishedOn === undefined ? null : new Date(finishedOn),
    reason: (failedReason ?? '').slice(0, MAX_REASON_LENGTH).toWellFormed(),
  };
}

function byNewest(a: FailedJob, b: FailedJob): number {
  return (b.failedAt?.getTime() ?? 0) - (a.failedAt?.getTime() ?? 0);
}

@Module({})
export class QueueMonitorModule {
  static forRoot({ databaseUrl, redisUrl }: Pick<QueueBackendOptions, 'databaseUrl' | 'redisUrl'>): DynamicModule {
    const backend = chooseQueueBackend({ databaseUrl, redisUrl, connectionName: 'unified-calendar queue board' });
    // One connection per queue, and none while unused (PostgreSQL).
    const connection = { ...backend, max: 1, commandTimeout: COMMAND_TIMEOUT_MS } as ConnectionOptions;
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
