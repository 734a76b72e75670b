import type { ApplicationRef } from '#domain/applications';
import {
  ReadingPlanRepository,
  RequestLedgerRepository,
  type DailyRequests,
  type QuotaOwner,
  type ReadingPriority,
  type RequestCount,
  type StoredPlan,
} from '#domain/usage';

export class MemoryRequestLedger extends RequestLedgerRepository {
  readonly counts: (RequestCount & ApplicationRef)[] = [];

  override async add({ applicationId }: ApplicationRef, counts: readonly RequestCount[]): Promise<void> {
    this.counts.push(...counts.map((count) => ({ applicationId, ...count })));
  }

  override async daily(): Promise<DailyRequests[]> {
    return [];
  }

  override async dailyByProject(): Promise<(DailyRequests & { project: string })[]> {
    return [];
  }
}

export class MemoryReadingPlans extends ReadingPlanRepository {
  found: QuotaOwner[] = [];
  plans: StoredPlan[] = [];
  /** By count. */
  readonly priorities = new Map<number, ReadingPriority>();
  readonly hurried: string[] = [];
  readonly strained: string[] = [];
  readonly broughtForward: string[] = [];

  override async owners(): Promise<QuotaOwner[]> {
    return this.found;
  }

  override async priorityOf(_owner: unknown, count: number): Promise<ReadingPriority | null> {
    return this.priorities.get(count) ?? null;
  }

  override async replace(plans: readonly Omit<StoredPlan, 'plannedAt'>[]): Promise<void> {
    this.plans = plans.map((plan) => ({ ...plan, plannedAt: new Date() }));
  }

  override async all(): Promise<StoredPlan[]> {
    return this.plans;
  }

  override async strain({ quotaOwner }: Pick<QuotaOwner, 'quotaOwner'>): Promise<void> {
    this.strained.push(quotaOwner);
  }

  override async hurry({ quotaOwner, pushed }: QuotaOwner): Promise<number> {
    this.hurried.push(quotaOwner);
    return pushed;
  }
  override async bringForward({ quotaOwner }: Pick<QuotaOwner, 'quotaOwner'>): Promise<number> {
    this.broughtForward.push(quotaOwner);
    return 0;
  }
}
