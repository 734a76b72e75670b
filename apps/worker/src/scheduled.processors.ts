import { InjectQueue, Processor } from '@nestjs/bullmq';
import type { Queue } from 'bullmq';
import { RevocationRepository } from '#domain/accounts';
import { ReadingPlanner } from '#application/usage';
import { housekeeping, readingPlans, reconcile, tokenRevocation, WORKER_OPTIONS, type RevocationPayload } from '#jobs';
import { Housekeeping, type DeletedRows } from '#persistence';
import { JobProcessor, type FailedJobFacts } from './job-processor.js';

const ENQUEUED_AT_ONCE = 100;

@Processor(reconcile.queue, { ...WORKER_OPTIONS, concurrency: 1 })
export class ReconcileProcessor extends JobProcessor<Record<string, never>> {
  constructor(
    private readonly revocations: RevocationRepository,
    @InjectQueue(tokenRevocation.queue) private readonly revocationJobs: Queue<RevocationPayload>,
  ) {
    super(reconcile, 'reconcile');
    // Without a listener an error event ends the process.
    revocationJobs.on('error', (error) => this.onError(error));
  }

  protected override async run(): Promise<void> {
    for (;;) {
      const due = await this.revocations.claimDue(ENQUEUED_AT_ONCE);
      await this.revocationJobs.addBulk(
        due.map(({ id, applicationId }) => ({
          name: tokenRevocation.name,
          data: { applicationId, revocationId: id },
          // A late revocation may still have its job.
          opts: { ...tokenRevocation.options, deduplication: { id } },
        })),
      );
      if (due.length < ENQUEUED_AT_ONCE) return;
    }
  }

  protected override logFailure(failure: FailedJobFacts): void {
    this.logger.error({ msg: 'scheduled work could not be enqueued', ...failure });
  }
}

@Processor(housekeeping.queue, { ...WORKER_OPTIONS, concurrency: 1 })
export class HousekeepingProcessor extends JobProcessor<Record<string, never>> {
  constructor(private readonly expired: Housekeeping) {
    super(housekeeping, 'delete_expired');
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

@Processor(readingPlans.queue, { ...WORKER_OPTIONS, concurrency: 1 })
export class ReadingPlansProcessor extends JobProcessor<Record<string, never>> {
  constructor(private readonly planner: ReadingPlanner) {
    super(readingPlans, 'plan_reads');
  }

  protected override run(): Promise<void> {
    return this.planner.plan();
  }

  /** The plans of the run before hold until the next one. */
  protected override logFailure({ err }: FailedJobFacts): void {
    this.logger.warn({ msg: 'reads of unchanged calendars could not be planned', err });
  }
}
