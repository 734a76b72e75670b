import { Inject, Injectable } from '@nestjs/common';
import { Database } from './database/database.js';
import { SYSTEM } from './database/scope.js';
import { BATCH, EXPIRED } from './housekeeping.statements.js';
import { SNAPSHOT_DAYS } from './repositories/sync-snapshot.store.js';

export type DeletedRows = Awaited<ReturnType<Housekeeping['deleteExpired']>>;

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
    @Inject(RETENTION) private readonly retention: Retention,
  ) {}

  async deleteExpired() {
    return {
      idempotencyRecords: await this.deleteInBatches(EXPIRED.idempotencyRecords),
      syncSnapshots: await this.deleteInBatches(EXPIRED.syncSnapshots, SNAPSHOT_DAYS),
      auditEntries: await this.deleteInBatches(EXPIRED.auditEntries, this.retention.auditDays),
      providerRates: await this.deleteInBatches(EXPIRED.providerRates),
      providerPermits: await this.deleteInBatches(EXPIRED.providerPermits),
      authorizationRequests: await this.deleteInBatches(EXPIRED.authorizationRequests),
      connectLinks: await this.deleteInBatches(EXPIRED.connectLinks),
      outboxMessages:
        (await this.deleteInBatches(EXPIRED.relayedMessages)) + (await this.deleteInBatches(EXPIRED.unrelayedMessages)),
      refreshStats: await this.deleteInBatches(EXPIRED.refreshStats),
      failedConnects: await this.deleteInBatches(EXPIRED.failedConnects),
      webhookMessages: await this.deleteInBatches(EXPIRED.webhookMessages),
      statusChanges: await this.deleteInBatches(EXPIRED.statusChanges, STATUS_CHANGES_KEPT_DAYS),
      signInTests: await this.deleteInBatches(EXPIRED.signInTests, SIGN_IN_TEST_DAYS),
      requestRecords: await this.deleteInBatches(EXPIRED.requestRecords, this.retention.requestHistoryDays),
      requestCounts: await this.deleteInBatches(EXPIRED.requestCounts, REQUEST_COUNTS_KEPT_DAYS),
      operatorSessions: await this.deleteInBatches(EXPIRED.operatorSessions),
      operatorInvitations: await this.deleteInBatches(EXPIRED.operatorInvitations),
      operatorSsoRequests: await this.deleteInBatches(EXPIRED.operatorSsoRequests),
      operatorSignInFailures: await this.deleteInBatches(EXPIRED.operatorSignInFailures),
    };
  }

  private async deleteInBatches(text: string, ...values: number[]): Promise<number> {
    for (let total = 0; ;) {
      const { count } = await this.database.write(SYSTEM, { text, values });
      total += count;
      if (count < BATCH) return total;
    }
  }
}
