import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Logger } from '@nestjs/common';
import { UnrecoverableError, type Job } from 'bullmq';
import { housekeeping, InvalidJobPayload, WORKER_OPTIONS } from '#jobs';
import { Housekeeping, type DeletedRows } from '#persistence';
import { measuredTask } from './measured-task.js';

/** Deletes what has expired. Safe to run twice, and at once with another worker. */
@Processor(housekeeping.queue, { ...WORKER_OPTIONS, concurrency: 1 })
export class HousekeepingProcessor extends WorkerHost {
  private readonly logger = new Logger(HousekeepingProcessor.name);

  constructor(private readonly housekeeping: Housekeeping) {
    super();
  }

  /** @returns how many rows went, for the operator who looks at the finished job */
  override async process(job: Job): Promise<DeletedRows> {
    try {
      housekeeping.parse(job.data);
    } catch (error) {
      if (error instanceof InvalidJobPayload) throw new UnrecoverableError(error.message);
      throw error;
    }
    const deleted = await measuredTask('delete-expired', () => this.housekeeping.deleteExpired());
    this.logger.log({ msg: 'housekeeping done', jobId: job.id, ...deleted });
    return deleted;
  }

  @OnWorkerEvent('failed')
  onFailed(job: Job | undefined, error: Error): void {
    this.logger.error({ msg: 'housekeeping failed', jobId: job?.id, attempt: job?.attemptsMade, err: error });
  }

  /** The queue's store is away or came back broken: BullMQ tries again by itself. */
  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.logger.warn({ msg: 'the queue does not answer', queue: housekeeping.queue, err: error });
  }
}
