import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '#domain';
import { Database } from './database/database.js';
import { SYSTEM } from './database/scope.js';
import { REFUSAL_WINDOW } from './repositories/connect-guard.js';
import { TALLY_WINDOW } from './repositories/grants.statements.js';
import { FAILURES_KEPT } from './repositories/operator-login-failures.statements.js';
import { SNAPSHOT_DAYS } from './repositories/sync-snapshot.store.js';

export interface DeletedRows {
  idempotencyRecords: number;
  syncSnapshots: number;
  auditEntries: number;
  providerBudgets: number;
  providerSlots: number;
  oauthAttempts: number;
  outboxMessages: number;
  grantTallies: number;
  connectRefusals: number;
  /** With their attempts. */
  webhookMessages: number;
  statusChanges: number;
  signInTests: number;
  requestRecords: number;
  operatorSessions: number;
  operatorInvitations: number;
  operatorSignOns: number;
  operatorLoginFailures: number;
}

/** Rows per statement: each stays far below the statement timeout and holds its locks briefly. */
const BATCH = 2_000;
const DAY_MS = 86_400_000;
/** A page that shows one may stay open over a weekend. */
const SIGN_IN_TEST_DAYS = 7;
const RELAYED_KEPT = "interval '7 days'";
/** What nobody fetched in this time is of no use to anybody any more. */
const UNRELAYED_KEPT = "interval '30 days'";
/** How long the log of deliveries reaches back, and what failed can be recovered. */
const DONE_MESSAGES_KEPT = "interval '30 days'";
const STATUS_CHANGES_KEPT_DAYS = 400;

/** How long it is of interest what was done, days. */
export interface Retention {
  auditDays: number;
  /** 0: not at all. */
  requestLogDays: number;
}

export const RETENTION = Symbol('Retention');

/** Deletes what has outlived its purpose, in small bites. Safe to run anywhere, any time, twice at once. */
@Injectable()
export class Housekeeping {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    @Inject(RETENTION) private readonly retention: Retention,
  ) {}

  async deleteExpired(): Promise<DeletedRows> {
    const daysAgo = (days: number) => new Date(this.clock.nowMs() - days * DAY_MS);
    return {
      idempotencyRecords: await this.sweep('idempotency_record', 'id', 'expires_at <= clock_timestamp()', []),
      syncSnapshots: await this.sweep('sync_snapshot', 'id', 'used_at <= $1', [daysAgo(SNAPSHOT_DAYS)]),
      auditEntries: await this.sweep('audit_entry', 'id', 'recorded_at <= $1', [daysAgo(this.retention.auditDays)]),
      // An arrival in the past is the same as no row.
      providerBudgets: await this.sweep(
        'provider_budget',
        'application_id, account_id',
        'arrival_ms < (extract(epoch from clock_timestamp()) - 3600) * 1000',
        [],
      ),
      providerSlots: await this.sweep(
        'provider_slot',
        'application_id, account_id, slot',
        "leased_until < clock_timestamp() - interval '1 hour'",
        [],
      ),
      oauthAttempts: await this.sweep('oauth_attempt', 'id', 'expires_at <= $1', [daysAgo(0)]),
      outboxMessages:
        (await this.sweep('outbox', 'id', `relayed_at <= clock_timestamp() - ${RELAYED_KEPT}`, [])) +
        (await this.sweep(
          'outbox',
          'id',
          `relayed_at is null and created_at <= clock_timestamp() - ${UNRELAYED_KEPT}`,
          [],
        )),
      grantTallies: await this.sweep(
        'grant_tally',
        'provider_type, client_id, account_id',
        // As long as a client is held, its suspects are known by theirs.
        `judged_at <= coalesce((select held_since from grant_hold h where h.provider_type = grant_tally.provider_type ` +
          `and h.client_id = grant_tally.client_id), clock_timestamp()) - ${TALLY_WINDOW}`,
        [],
      ),
      connectRefusals: await this.sweep(
        'connect_refusal',
        'id',
        `refused_at <= clock_timestamp() - ${REFUSAL_WINDOW}`,
        [],
      ),
      webhookMessages: await this.sweep(
        'webhook_message',
        'id',
        `wake_at is null and created_at <= clock_timestamp() - ${DONE_MESSAGES_KEPT}`,
        [],
      ),
      statusChanges: await this.sweep(
        'account_status_change',
        'id',
        // The last one says since when the account has been what it is.
        'changed_at <= $1 and exists (select from account_status_change later where ' +
          'later.account_id = account_status_change.account_id and later.changed_at > account_status_change.changed_at)',
        [daysAgo(STATUS_CHANGES_KEPT_DAYS)],
      ),
      signInTests: await this.sweep('sign_in_test', 'id', 'created_at <= $1', [daysAgo(SIGN_IN_TEST_DAYS)]),
      requestRecords: await this.sweep('request_record', 'id', 'started_at <= $1', [
        daysAgo(this.retention.requestLogDays),
      ]),
      operatorSessions: await this.sweep('operator_session', 'secret_hash', 'least(idle_until, ends_at) <= $1', [
        daysAgo(0),
      ]),
      operatorInvitations: await this.sweep('operator_invitation', 'id', 'expires_at <= $1', [daysAgo(0)]),
      operatorSignOns: await this.sweep('operator_sign_on', 'id', 'expires_at <= $1', [daysAgo(0)]),
      operatorLoginFailures: await this.sweep(
        'operator_login_failure',
        'subject_hash',
        `last_at <= $1::timestamptz - ${FAILURES_KEPT}`,
        [daysAgo(0)],
      ),
    };
  }

  private async sweep(table: string, key: string, condition: string, values: unknown[]): Promise<number> {
    for (let total = 0; ;) {
      const { count } = await this.database.write(SYSTEM, {
        text:
          `delete from ${table} where (${key}) in ` +
          `(select ${key} from ${table} where ${condition} limit ${BATCH} for update skip locked)`,
        values,
      });
      total += count;
      if (count < BATCH) return total;
    }
  }
}
