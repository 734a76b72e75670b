import { Injectable, Logger } from '@nestjs/common';
import { CalendarProviders, type ProviderCapabilities } from '#domain/providers';
import {
  areNotificationsMissing,
  planReads,
  planServer,
  READS,
  ReadingPlanRepository,
  type QuotaOwner,
  type StoredPlan,
} from '#domain/usage';

type NewPlan = Omit<StoredPlan, 'plannedAt'>;

/** Plans every minute how often unchanged calendars are read, so that providers' daily and server's limits hold. */
@Injectable()
export class ReadingPlanner {
  private readonly logger = new Logger(ReadingPlanner.name);

  constructor(
    private readonly repository: ReadingPlanRepository,
    private readonly providers: CalendarProviders,
  ) {}

  async plan(): Promise<void> {
    const owners = await this.repository.owners();
    const plans: NewPlan[] = [];
    for (const owner of owners) {
      // A sync that ended with the plan of before may have put its calendar off further.
      if (owner.isHurried) await this.repository.bringForward(owner, READS.hurried);
      const isHurried = owner.isHurried || (await this.hurry(owner));
      const { capabilities } = this.providers.for(owner.providerType);
      const plan = await this.planOf({ ...owner, isHurried }, capabilities);
      if (plan !== null) plans.push(plan);
    }
    await this.repository.replace(plans);
  }

  private async hurry(owner: QuotaOwner): Promise<boolean> {
    if (!areNotificationsMissing(owner)) return false;
    const calendars = await this.repository.hurry(owner);
    if (calendars === 0) return false;
    const { providerType, quotaOwner, notifiedLately, notifiedBefore } = owner;
    const facts = { providerType, quotaOwner, notifiedLately, notifiedBefore, calendars };
    this.logger.warn({ msg: 'notifications are missing: all calendars are read within ten minutes', ...facts });
    return true;
  }

  private async planOf(owner: QuotaOwner, capabilities: ProviderCapabilities): Promise<NewPlan | null> {
    const { providerType, quotaOwner, pushed, polled, requests } = owner;
    const { requestsPerDay = null, backgroundRequestsPerMinute } = capabilities;
    const of = { providerType, quotaOwner, requestsPerDay, requestsUsed: requests };
    if (backgroundRequestsPerMinute !== undefined) {
      // Half of the limit counts while the server is overloaded. A smaller server has no plan.
      const half = backgroundRequestsPerMinute / 2;
      const interval = planServer(owner.isStrained ? half : backgroundRequestsPerMinute, polled);
      const mayStretch = planServer(half, polled).max > planServer(half, 0).max;
      return mayStretch
        ? { ...of, calendars: polled, near: 0, lastNear: null, others: interval, polled: interval }
        : null;
    }
    if (requestsPerDay === null && pushed === 0) return null;
    const plan = planReads({ ...owner, requestsPerDay });
    const lastNear = plan.near > 0 && plan.near < pushed ? await this.repository.priorityOf(owner, plan.near) : null;
    return { ...of, calendars: pushed, ...plan, lastNear };
  }
}
