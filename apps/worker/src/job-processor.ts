import { OnWorkerEvent, WorkerHost } from '@nestjs/bullmq';
import { Logger } from '@nestjs/common';
import { UnrecoverableError, type Job } from 'bullmq';
import { InvalidJobPayload, type JobDefinition } from '#jobs';
import type { Task } from '#platform/telemetry';
import { instrumentTask } from './periodic-task.js';
import type { Drainable } from './graceful-shutdown.js';

export interface FailedJobFacts {
  queue: string;
  jobId: string | undefined;
  attempt: number | undefined;
  err: Error;
}

export abstract class JobProcessor<Payload> extends WorkerHost implements Drainable {
  protected readonly logger = new Logger(this.constructor.name);
  private isDown = false;

  constructor(
    private readonly definition: JobDefinition<Payload>,
    private readonly task: Task,
  ) {
    super();
  }

  /** Must be idempotent. BullMQ keeps the result with the finished job, for operators. */
  protected abstract run(payload: Payload): Promise<unknown>;

  /** @param willBeRetried by BullMQ */
  protected abstract logFailure(failure: FailedJobFacts, willBeRetried: boolean): void;

  override async process(job: Job): Promise<unknown> {
    const result = await instrumentTask(this.task, () => this.run(this.payloadOf(job)));
    this.isDown = false;
    return result;
  }

  /** Abandons running jobs after `late`: their locks expire and other workers repeat them. */
  async stop(late: AbortSignal): Promise<void> {
    const { worker } = this;
    const abandon = () => void worker.close(true);
    late.addEventListener('abort', abandon, { once: true });
    try {
      await worker.close();
    } finally {
      late.removeEventListener('abort', abandon);
    }
  }

  @OnWorkerEvent('failed')
  onFailed(job: Job | undefined, error: Error): void {
    const facts = { queue: this.definition.queue, jobId: job?.id, attempt: job?.attemptsMade, err: error };
    this.logFailure(facts, job !== undefined && job.finishedOn === undefined);
  }

  /** BullMQ reconnects by itself. */
  @OnWorkerEvent('error')
  onError(error: Error): void {
    const { queue } = this.definition;
    if (!this.isDown) this.logger.warn({ msg: 'queue unavailable', queue, err: error });
    this.isDown = true;
  }

  private payloadOf(job: Job): Payload {
    try {
      return this.definition.parse(job.data);
    } catch (error) {
      if (error instanceof InvalidJobPayload) throw new UnrecoverableError(error.message);
      throw error;
    }
  }
}
