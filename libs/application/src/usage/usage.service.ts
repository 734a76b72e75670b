import { Injectable } from '@nestjs/common';
import type { ApplicationRef } from '#domain/applications';
import { Clock } from '#domain/system';
import {
  isOfServer,
  ReadingPlanRepository,
  RequestLedgerRepository,
  type DailyRequests,
  type StoredPlan,
} from '#domain/usage';

const DAY_MS = 86_400_000;
export const MAX_USAGE_DAYS = 35;

export interface InstallationUsage {
  /** Of projects, the ones with the most used requests first, then of servers. */
  plans: StoredPlan[];
  requests: (DailyRequests & { project: string })[];
}

/** Tells of the requests that were sent to providers. Counts of the last ten seconds may be missing. */
@Injectable()
export class UsageService {
  constructor(
    private readonly ledger: RequestLedgerRepository,
    private readonly plans: ReadingPlanRepository,
    private readonly clock: Clock,
  ) {}

  /** @param days UTC days, today included, at most {@link MAX_USAGE_DAYS} */
  ofApplication(application: ApplicationRef, days: number): Promise<DailyRequests[]> {
    return this.ledger.daily(application, this.since(days));
  }

  /** @param days as for {@link ofApplication} */
  async ofInstallation(days: number): Promise<InstallationUsage> {
    const [plans, requests] = await Promise.all([this.plans.all(), this.ledger.dailyByProject(this.since(days))]);
    const isFirst = (one: StoredPlan, other: StoredPlan) =>
      Number(isOfServer(one)) - Number(isOfServer(other)) || other.requestsUsed - one.requestsUsed;
    return { plans: plans.toSorted(isFirst), requests };
  }

  private since(days: number): Date {
    const today = Math.floor(this.clock.nowMs() / DAY_MS) * DAY_MS;
    return new Date(today - (days - 1) * DAY_MS);
  }
}
