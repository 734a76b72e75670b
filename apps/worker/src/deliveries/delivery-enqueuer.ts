import { setTimeout as sleep } from 'node:timers/promises';
import { InjectQueue, Processor } from '@nestjs/bullmq';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { DeliveryDispatcher, type AttemptKind } from '#application/webhooks';
import { WebhookMessageRepository, type DueMessage, type QueuedMessage } from '#domain/webhooks';
import {
  MESSAGES_PER_JOB,
  webhookDelivery,
  webhookRetry,
  type DeliveriesPayload,
  type JobDefinition,
  WORKER_OPTIONS,
} from '#jobs';
import type { Task } from '#platform/telemetry';
import { PeriodicTask } from '../periodic-task.js';
import { JobProcessor, type FailedJobFacts } from '../job-processor.js';

/** Pauses between two claims: after none, and after a few messages. */
const PAUSE_MS = 250;
const SHORT_PAUSE_MS = 50;
const TAKEN = 400;
const REJECTED_MS = 2_000;
/** Longest queue that still receives jobs. Further messages wait in the database, which orders them better. */
const MAX_QUEUE_LENGTH = 200;

/** Enqueues new messages, retries and messages that a queue lost. The database gives each one to a single worker. */
@Injectable()
export class DeliveryEnqueuer implements OnApplicationBootstrap {
  private readonly logger = new Logger(DeliveryEnqueuer.name);
  private readonly task = new PeriodicTask(
    'enqueue_deliveries',
    PAUSE_MS,
    (signal) => this.enqueueDue(signal),
    (error) => this.failed(error),
  );
  private isFailing = false;
  /** Whether the last claim found messages, so that the queues may hold jobs. */
  private isFed = true;

  constructor(
    private readonly messages: WebhookMessageRepository,
    private readonly deliveries: DeliveryDispatcher,
    @InjectQueue(webhookDelivery.queue) private readonly first: Queue,
    @InjectQueue(webhookRetry.queue) private readonly repeated: Queue,
  ) {
    // Without a listener an error event ends the process.
    for (const queue of [first, repeated]) queue.on('error', (error) => this.failed(error));
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  wake(): void {
    this.task.wake();
  }

  /** Starts attempts for new messages at once where a slot is free, without a queue. */
  onNewMessages(messages: QueuedMessage[]): void {
    if (this.deliveries.dispatchIfFree(messages).length > 0) this.wake();
  }

  async stop(): Promise<void> {
    await this.task.stop();
  }

  /** Returns true when more messages may be due. */
  private async enqueueDue(signal: AbortSignal): Promise<boolean> {
    const rooms = this.isFed ? await Promise.all([hasCapacity(this.first), hasCapacity(this.repeated)]) : [true, true];
    if (!rooms.includes(true)) return false;
    const only = rooms[0] === rooms[1] ? undefined : rooms[0] === true ? 'first' : 'repeated';
    const due = await this.messages.claimForQueue(TAKEN, only);
    this.isFed = due.length > 0;
    await Promise.all([
      this.add(
        this.first,
        webhookDelivery,
        due.filter(({ isFirst }) => isFirst),
      ),
      this.add(
        this.repeated,
        webhookRetry,
        due.filter(({ isFirst }) => !isFirst),
      ),
    ]);
    if (this.isFailing) this.logger.log('deliveries go on');
    this.isFailing = false;
    // Rejects when the task stops.
    if (due.length > 0 && due.length < TAKEN) await sleep(SHORT_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    return due.length > 0;
  }

  private async add(queue: Queue, job: JobDefinition<DeliveriesPayload>, due: DueMessage[]): Promise<void> {
    const jobs = [];
    for (let start = 0; start < due.length; start += MESSAGES_PER_JOB) {
      const messages = due.slice(start, start + MESSAGES_PER_JOB).map(({ id, endpointId }) => ({ id, endpointId }));
      jobs.push({ name: job.name, data: { messages }, opts: job.options });
    }
    if (jobs.length === 0) return;
    try {
      await queue.addBulk(jobs);
    } catch (error) {
      // The queue responds but rejects writes (READONLY, OOM).
      await this.messages.defer(due.map(({ id: messageId }) => ({ messageId, inMs: REJECTED_MS })));
      throw error;
    }
  }

  /** Logs once per outage. The database enqueues lost messages again. */
  private failed(error: unknown): void {
    if (!this.isFailing) this.logger.warn({ msg: 'deliveries postponed: queue or database unavailable', err: error });
    this.isFailing = true;
  }
}

async function hasCapacity(queue: Queue): Promise<boolean> {
  return (await queue.getWaitingCount()) < MAX_QUEUE_LENGTH;
}

/** A job ends once its attempts have started; {@link DeliveryDispatcher} limits how many run. */
const OPTIONS = { ...WORKER_OPTIONS, concurrency: 32 };

abstract class DeliveriesProcessor extends JobProcessor<DeliveriesPayload> {
  constructor(
    private readonly deliveries: DeliveryDispatcher,
    definition: JobDefinition<DeliveriesPayload>,
    private readonly attemptKind: AttemptKind,
    task: Task,
  ) {
    super(definition, task);
  }

  protected override async run({ messages }: DeliveriesPayload): Promise<void> {
    const begun = await Promise.allSettled(
      messages.map((message) => this.deliveries.dispatch(message, this.attemptKind)),
    );
    const failed = begun.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  protected override logFailure(failure: FailedJobFacts, willBeRetried: boolean): void {
    if (willBeRetried) this.logger.warn({ msg: 'delivery claim failed: job will be retried', ...failure });
    else this.logger.error({ msg: 'deliveries failed', ...failure });
  }
}

@Processor(webhookDelivery.queue, OPTIONS)
export class FirstDeliveriesProcessor extends DeliveriesProcessor {
  constructor(deliveries: DeliveryDispatcher) {
    super(deliveries, webhookDelivery, 'first', 'deliver');
  }
}

@Processor(webhookRetry.queue, OPTIONS)
export class RepeatedDeliveriesProcessor extends DeliveriesProcessor {
  constructor(deliveries: DeliveryDispatcher) {
    super(deliveries, webhookRetry, 'repeated', 'retry');
  }
}
