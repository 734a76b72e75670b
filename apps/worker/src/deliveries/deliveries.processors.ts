import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Logger } from '@nestjs/common';
import { UnrecoverableError, type Job } from 'bullmq';
import { Deliveries, type Lane } from '#application';
import {
  InvalidJobPayload,
  WORKER_OPTIONS,
  webhookDeliveries,
  webhookRedeliveries,
  type DeliveriesPayload,
  type JobDefinition,
} from '#jobs';
import type { Task } from '#telemetry';
import { measuredTask } from '../measured-task.js';

/** Jobs in hand. They are done when their attempts have begun: how many of these run at a time is decided elsewhere. */
const OPTIONS = { ...WORKER_OPTIONS, concurrency: 32 };

abstract class DeliveriesProcessor extends WorkerHost {
  private readonly logger = new Logger(DeliveriesProcessor.name);
  private isAway = false;

  constructor(
    private readonly deliveries: Deliveries,
    private readonly definition: JobDefinition<DeliveriesPayload>,
    private readonly lane: Lane,
    private readonly task: Task,
  ) {
    super();
  }

  override async process(job: Job): Promise<void> {
    await measuredTask(this.task, () => this.begin(job));
  }

  private async begin(job: Job): Promise<void> {
    const { messages } = this.payloadOf(job);
    const begun = await Promise.allSettled(messages.map((message) => this.deliveries.begin(message, this.lane)));
    const failed = begun.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    this.isAway = false;
  }

  @OnWorkerEvent('failed')
  onFailed(job: Job | undefined, error: Error): void {
    const facts = { queue: this.definition.queue, jobId: job?.id, err: error };
    if (job?.finishedOn === undefined) this.logger.warn({ msg: 'deliveries are begun later', ...facts });
    else this.logger.error({ msg: 'deliveries failed', ...facts });
  }

  /** The queue's store is away or came back broken: BullMQ tries again by itself. */
  @OnWorkerEvent('error')
  onError(error: Error): void {
    if (!this.isAway) this.logger.warn({ msg: 'the queue does not answer', queue: this.definition.queue, err: error });
    this.isAway = true;
  }

  private payloadOf(job: Job): DeliveriesPayload {
    try {
      return this.definition.parse(job.data);
    } catch (error) {
      if (error instanceof InvalidJobPayload) throw new UnrecoverableError(error.message);
      throw error;
    }
  }
}

@Processor(webhookDeliveries.queue, OPTIONS)
export class FirstDeliveriesProcessor extends DeliveriesProcessor {
  constructor(deliveries: Deliveries) {
    super(deliveries, webhookDeliveries, 'first', 'deliver');
  }
}

@Processor(webhookRedeliveries.queue, OPTIONS)
export class RepeatedDeliveriesProcessor extends DeliveriesProcessor {
  constructor(deliveries: Deliveries) {
    super(deliveries, webhookRedeliveries, 'repeated', 'deliver-again');
  }
}
