import { Injectable } from '@nestjs/common';
import {
  ReadingPlanRepository,
  type Interval,
  type QuotaOwner,
  type QuotaOwnerRef,
  type ReadingPriority,
  type StoredPlan,
} from '#domain/usage';
import { Database } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM } from '../database/scope.js';
import { ReadingPlanEntity } from '../entities/providers.entities.js';
import { BRING_FORWARD, HURRY, OWNERS, PRIORITY_OF, STRAIN } from './usage.statements.js';

/** Not part of a plan. */
const KEPT = ['strainedUntil' as const, 'hurriedAt' as const];

@Injectable()
export class SqlReadingPlanRepository extends ReadingPlanRepository {
  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
  ) {
    super();
  }

  override owners(): Promise<QuotaOwner[]> {
    return this.database.read<QuotaOwner>(SYSTEM, { text: OWNERS, values: [] });
  }

  override async priorityOf(
    { providerType, quotaOwner }: QuotaOwnerRef,
    count: number,
  ): Promise<ReadingPriority | null> {
    const [row] = await this.database.read<ReadingPriority>(SYSTEM, {
      text: PRIORITY_OF,
      values: [providerType, quotaOwner, Math.max(0, count - 1)],
    });
    return row ?? null;
  }

  override async replace(plans: readonly Omit<StoredPlan, 'plannedAt'>[]): Promise<void> {
    const plannedAt = new Date();
    const rows = plans.map(({ lastNear, others, polled, requestsPerDay, requestsUsed, ...plan }) => ({
      ...plan,
      plannedAt,
      requestsPerDay: requestsPerDay === null ? null : BigInt(requestsPerDay),
      requestsUsed: BigInt(requestsUsed),
      nearPriority: lastNear?.priority ?? null,
      nearChangedAt: lastNear?.changedAt ?? null,
      minIntervalMs: Math.round(others.min),
      maxIntervalMs: Math.round(others.max),
      minPolledMs: polled?.min ?? null,
      maxPolledMs: polled?.max ?? null,
      strainedUntil: null,
      hurriedAt: null,
    }));
    await this.entities.within(SYSTEM, async (em) => {
      if (rows.length > 0) await em.upsertMany(ReadingPlanEntity, rows, { onConflictExcludeFields: KEPT });
      await em.nativeDelete(ReadingPlanEntity, { plannedAt: { $lt: plannedAt } });
    });
  }

  override async all(): Promise<StoredPlan[]> {
    const rows = await this.entities.query(SYSTEM, (tables) => tables.selectFrom('ReadingPlan').selectAll().execute());
    return rows.map((row) => ({
      providerType: row.providerType,
      quotaOwner: row.quotaOwner,
      plannedAt: row.plannedAt,
      requestsPerDay: row.requestsPerDay === null ? null : Number(row.requestsPerDay),
      requestsUsed: Number(row.requestsUsed),
      calendars: row.calendars,
      near: row.near,
      others: { min: row.minIntervalMs, max: row.maxIntervalMs },
      polled:
        row.minPolledMs === null || row.maxPolledMs === null ? null : { min: row.minPolledMs, max: row.maxPolledMs },
      lastNear:
        row.nearPriority === null || row.nearChangedAt === null
          ? null
          : { priority: row.nearPriority, changedAt: row.nearChangedAt },
    }));
  }

  override async strain({ providerType, quotaOwner }: QuotaOwnerRef): Promise<void> {
    await this.database.write(SYSTEM, {
      name: 'reading-plan-strain',
      text: STRAIN,
      values: [providerType, quotaOwner],
    });
  }

  override async hurry({ providerType, quotaOwner }: QuotaOwnerRef): Promise<number> {
    const { count } = await this.database.write(SYSTEM, { text: HURRY, values: [providerType, quotaOwner] });
    return count;
  }

  override async bringForward({ providerType, quotaOwner }: QuotaOwnerRef, { min, max }: Interval): Promise<number> {
    const values = [providerType, quotaOwner, min, max];
    const { count } = await this.database.write(SYSTEM, { text: BRING_FORWARD, values });
    return count;
  }
}
