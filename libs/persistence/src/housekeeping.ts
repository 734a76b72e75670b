import { Clock } from '#domain';
import { Database } from './database/database.js';
import { SYSTEM } from './database/scope.js';
import { SNAPSHOT_DAYS } from './repositories/sync-snapshot.store.js';

export interface DeletedRows {
  idempotencyRecords: number;
  syncSnapshots: number;
  auditEntries: number;
  providerBudgets: number;
}

/** Rows per statement: each stays far below the statement timeout and holds its locks briefly. */
const BATCH = 2_000;
const DAY_MS = 86_400_000;

/** Deletes what has outlived its purpose, in small bites. Safe to run anywhere, any time, twice at once. */
export class Housekeeping {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly auditRetentionDays: number,
  ) {}

  async deleteExpired(): Promise<DeletedRows> {
    const daysAgo = (days: number) => new Date(this.clock.nowMs() - days * DAY_MS);
    return {
      idempotencyRecords: await this.sweep('idempotency_record', 'id', 'expires_at <= clock_timestamp()', []),
      syncSnapshots: await this.sweep('sync_snapshot', 'id', 'used_at <= $1', [daysAgo(SNAPSHOT_DAYS)]),
      auditEntries: await this.sweep('audit_entry', 'id', 'recorded_at <= $1', [daysAgo(this.auditRetentionDays)]),
      // An arrival in the past is the same as no row.
      providerBudgets: await this.sweep(
        'provider_budget',
        'application_id, account_id',
        'arrival_ms < (extract(epoch from clock_timestamp()) - 3600) * 1000',
        [],
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
