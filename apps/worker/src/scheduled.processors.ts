import { InjectQueue, Processor } from '@nestjs/bullmq';
import type { Queue } from 'bullmq';
import { ProviderChannelRepository, RevocationRepository } from '#domain';
import {
  accountCheck,
  channelRenewal,
  housekeeping,
  reconcile,
  tokenRevocation,
  WORKER_OPTIONS,
  type RowJob,
  type RowPayload,
} from '#jobs';
import { Housekeeping, type DeletedRows } from '#persistence';
import { AccountChecks } from './account-checks.js';
import { JobProcessor, type FailedJobFacts } from './job-processor.js';

const REVOCATIONS_AT_ONCE = 100;
/** A run enqueues these many rows of a kind, unless enough wait to keep the workers busy until the next run. */
const ENQUEUED_AT_ONCE = 1_000;
const ENOUGH_WAITING = 200;

@Processor(reconcile.queue, { ...WORKER_OPTIONS, concurrency: 1 })
export class ReconcileProcessor extends JobProcessor<Record<string, never>> {
  constructor(
    private readonly revocations: RevocationRepository,
    private readonly checks: AccountChecks,
    private readonly channels: ProviderChannelRepository,
    @InjectQueue(tokenRevocation.queue) private readonly revocationJobs: Queue,
    @InjectQueue(accountCheck.queue) private readonly checkJobs: Queue,
    @InjectQueue(channelRenewal.queue) private readonly renewalJobs: Queue,
  ) {
    super(reconcile, 'reconcile');
    // Without a listener an error event ends the process.
    for (const queue of [revocationJobs, checkJobs, renewalJobs]) queue.on('error', (error) => this.onError(error));
  }

  protected override async run(): Promise<void> {
    await Promise.all([
      this.enqueueRevocations(),
      this.enqueue(accountCheck, this.checkJobs, (limit) => this.checks.due(limit)),
      this.enqueue(channelRenewal, this.renewalJobs, (limit) => this.channels.dueUpkeeps(limit)),
    ]);
  }

  private async enqueueRevocations(): Promise<void> {
    for (;;) {
      const due = await this.revocations.claimDue(REVOCATIONS_AT_ONCE);
      if (due.length === 0) return;
      await this.revocationJobs.addBulk(
        due.map(({ id, applicationId }) => tokenRevocation.toBulk({ applicationId, revocationId: id })),
      );
    }
  }

  /** Rows stay due until their jobs claim them, so that gauges and alerts see those that wait. */
  private async enqueue<Id extends string>(
    job: RowJob<Id>,
    queue: Queue,
    dueRows: (limit: number) => Promise<RowPayload<Id>[]>,
  ): Promise<void> {
    if ((await queue.getWaitingCount()) > ENOUGH_WAITING) return;
    const due = await dueRows(ENQUEUED_AT_ONCE);
    if (due.length > 0) await queue.addBulk(due.map((row) => job.toBulk(row)));
  }

  protected override logFailure(failure: FailedJobFacts): void {
    this.logger.error({ msg: 'what is due could not be enqueued', ...failure });
  }
}

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
