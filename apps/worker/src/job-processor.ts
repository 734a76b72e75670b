import { OnWorkerEvent, WorkerHost } from '@nestjs/bullmq';
import { Logger } from '@nestjs/common';
import { UnrecoverableError, type Job } from 'bullmq';
import { InvalidJobPayload, type JobDefinition } from '#jobs';
import type { Task } from '#platform/telemetry';
import { measuredTask } from './measured-task.js';
import type { Stoppable } from './queue-drain.js';

/** Fields of the log line of a failed job. */
export interface FailedJobFacts {
  queue: string;
  jobId: string | undefined;
  attempt: number | undefined;
  err: Error;
}

/** What all jobs have in common: a payload that is checked, a figure, a log line for what fails, and an end. */
export abstract class JobProcessor<Payload> extends WorkerHost implements Stoppable {
  protected readonly logger = new Logger(this.constructor.name);
  private isAway = false;

  constructor(
    private readonly definition: JobDefinition<Payload>,
    private readonly task: Task,
  ) {
    super();
  }

  /** Safe to run twice. What it returns is kept with the finished job, for the operator who looks at it. */
  protected abstract run(payload: Payload): Promise<unknown>;

  /** Writes the log line of a job that failed. @param willBeRetried by BullMQ */
  protected abstract logFailure(failure: FailedJobFacts, willBeRetried: boolean): void;

  override async process(job: Job): Promise<unknown> {
    const result = await measuredTask(this.task, () => this.run(this.payloadOf(job)));
    this.isAway = false;
    return result;
  }

  /** Takes no new job and waits for those that run. After `late` their locks run out, and other workers do them again. */
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

  /** The queue's store is away or came back broken: BullMQ tries again by itself. */
  @OnWorkerEvent('error')
  onError(error: Error): void {
    const { queue } = this.definition;
    if (!this.isAway) this.logger.warn({ msg: 'the queue does not answer', queue, err: error });
    this.isAway = true;
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
