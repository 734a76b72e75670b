import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '#domain/system';
import { Database } from './database/database.js';
import { SYSTEM } from './database/scope.js';
import { BATCH, EXPIRED } from './housekeeping.statements.js';
import { SNAPSHOT_DAYS } from './repositories/sync-snapshot.store.js';

export type DeletedRows = Awaited<ReturnType<Housekeeping['deleteExpired']>>;

const DAY_MS = 86_400_000;
/** A page that shows the test may stay open over a weekend. */
const SIGN_IN_TEST_DAYS = 7;
const STATUS_CHANGES_KEPT_DAYS = 400;
const REQUEST_COUNTS_KEPT_DAYS = 35;

export interface Retention {
  auditDays: number;
  /** 0 stores none. */
  requestHistoryDays: number;
}

export const RETENTION = Symbol('Retention');

/** Deletes expired rows in small batches. Safe to run concurrently and repeatedly. */
@Injectable()
export class Housekeeping {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    @Inject(RETENTION) private readonly retention: Retention,
  ) {}

  async deleteExpired() {
    const daysAgo = (days: number) => new Date(this.clock.nowMs() - days * DAY_MS);
    return {
      idempotencyRecords: await this.deleteInBatches(EXPIRED.idempotencyRecords),
      syncSnapshots: await this.deleteInBatches(EXPIRED.syncSnapshots, daysAgo(SNAPSHOT_DAYS)),
      auditEntries: await this.deleteInBatches(EXPIRED.auditEntries, daysAgo(this.retention.auditDays)),
      providerRates: await this.deleteInBatches(EXPIRED.providerRates),
      providerPermits: await this.deleteInBatches(EXPIRED.providerPermits),
      authorizationRequests: await this.deleteInBatches(EXPIRED.authorizationRequests, daysAgo(0)),
      connectLinks: await this.deleteInBatches(EXPIRED.connectLinks, daysAgo(0)),
      outboxMessages:
        (await this.deleteInBatches(EXPIRED.relayedMessages)) + (await this.deleteInBatches(EXPIRED.unrelayedMessages)),
      refreshStats: await this.deleteInBatches(EXPIRED.refreshStats),
      failedConnects: await this.deleteInBatches(EXPIRED.failedConnects),
      webhookMessages: await this.deleteInBatches(EXPIRED.webhookMessages),
      statusChanges: await this.deleteInBatches(EXPIRED.statusChanges, daysAgo(STATUS_CHANGES_KEPT_DAYS)),
      signInTests: await this.deleteInBatches(EXPIRED.signInTests, daysAgo(SIGN_IN_TEST_DAYS)),
      requestRecords: await this.deleteInBatches(EXPIRED.requestRecords, daysAgo(this.retention.requestHistoryDays)),
      requestCounts: await this.deleteInBatches(EXPIRED.requestCounts, daysAgo(REQUEST_COUNTS_KEPT_DAYS)),
      operatorSessions: await this.deleteInBatches(EXPIRED.operatorSessions, daysAgo(0)),
      operatorInvitations: await this.deleteInBatches(EXPIRED.operatorInvitations, daysAgo(0)),
      operatorSsoRequests: await this.deleteInBatches(EXPIRED.operatorSsoRequests, daysAgo(0)),
      operatorSignInFailures: await this.deleteInBatches(EXPIRED.operatorSignInFailures, daysAgo(0)),
    };
  }

  private async deleteInBatches(text: string, ...values: Date[]): Promise<number> {
    for (let total = 0; ;) {
      const { count } = await this.database.write(SYSTEM, { text, values });
      total += count;
      if (count < BATCH) return total;
    }
  }
}
