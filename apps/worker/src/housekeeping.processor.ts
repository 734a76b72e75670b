import { Processor } from '@nestjs/bullmq';
import { housekeeping, WORKER_OPTIONS } from '#jobs';
import { Housekeeping, type DeletedRows } from '#persistence';
import { JobProcessor, type FailedJobFacts } from './job-processor.js';

/** Deletes what has expired, also while another worker does. */
@Processor(housekeeping.queue, { ...WORKER_OPTIONS, concurrency: 1 })
export class HousekeepingProcessor extends JobProcessor<Record<string, never>> {
  constructor(private readonly expired: Housekeeping) {
    super(housekeeping, 'delete-expired');
  }

  protected override async run(): Promise<DeletedRows> {
    const deleted = await this.expired.deleteExpired();
    this.logger.log({ msg: 'housekeeping done', ...deleted });
    return deleted;
  }

  protected override logFailure(failure: FailedJobFacts): void {
    this.logger.error({ msg: 'housekeeping failed', ...failure });
  }
}
