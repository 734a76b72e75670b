import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '#domain';
import { Database } from './database/database.js';
import { SYSTEM } from './database/scope.js';
import { BATCH, EXPIRED } from './housekeeping.statements.js';
import { SNAPSHOT_DAYS } from './repositories/sync-snapshot.store.js';

export type DeletedRows = Awaited<ReturnType<Housekeeping['deleteExpired']>>;

const DAY_MS = 86_400_000;
/** A page that shows the test may stay open over a weekend. */
const SIGN_IN_TEST_DAYS = 7;
const STATUS_CHANGES_KEPT_DAYS = 400;

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
      idempotencyRecords: await this.sweep(EXPIRED.idempotencyRecords),
      syncSnapshots: await this.sweep(EXPIRED.syncSnapshots, daysAgo(SNAPSHOT_DAYS)),
      auditEntries: await this.sweep(EXPIRED.auditEntries, daysAgo(this.retention.auditDays)),
      providerBudgets: await this.sweep(EXPIRED.providerBudgets),
      providerSlots: await this.sweep(EXPIRED.providerSlots),
      oauthAttempts: await this.sweep(EXPIRED.oauthAttempts, daysAgo(0)),
      outboxMessages: (await this.sweep(EXPIRED.relayedMessages)) + (await this.sweep(EXPIRED.unrelayedMessages)),
      grantTallies: await this.sweep(EXPIRED.grantTallies),
      connectRefusals: await this.sweep(EXPIRED.connectRefusals),
      webhookMessages: await this.sweep(EXPIRED.webhookMessages),
      statusChanges: await this.sweep(EXPIRED.statusChanges, daysAgo(STATUS_CHANGES_KEPT_DAYS)),
      signInTests: await this.sweep(EXPIRED.signInTests, daysAgo(SIGN_IN_TEST_DAYS)),
      requestRecords: await this.sweep(EXPIRED.requestRecords, daysAgo(this.retention.requestHistoryDays)),
      operatorSessions: await this.sweep(EXPIRED.operatorSessions, daysAgo(0)),
      operatorInvitations: await this.sweep(EXPIRED.operatorInvitations, daysAgo(0)),
      operatorSsoRequests: await this.sweep(EXPIRED.operatorSsoRequests, daysAgo(0)),
      operatorSignInFailures: await this.sweep(EXPIRED.operatorSignInFailures, daysAgo(0)),
    };
  }

  private async sweep(text: string, ...values: Date[]): Promise<number> {
    for (let total = 0; ;) {
      const { count } = await this.database.write(SYSTEM, { text, values });
      total += count;
      if (count < BATCH) return total;
    }
  }
}
