import { Processor } from '@nestjs/bullmq';
import { accountCheck, WORKER_OPTIONS, type RowPayload } from '#jobs';
import { AccountChecks } from './account-checks.js';
import { JobProcessor, type FailedJobFacts } from './job-processor.js';

/** Tries the credentials of an account. */
@Processor(accountCheck.queue, { ...WORKER_OPTIONS, concurrency: 10 })
export class AccountCheckProcessor extends JobProcessor<RowPayload<'accountId'>> {
  constructor(private readonly checks: AccountChecks) {
    super(accountCheck, 'check-account');
  }

  protected override async run(due: RowPayload<'accountId'>, stopping: AbortSignal): Promise<void> {
    await this.checks.check(due, stopping);
  }

  protected override logFailure(failure: FailedJobFacts): void {
    this.logger.warn({ msg: 'an account could not be checked', ...failure });
  }
}
