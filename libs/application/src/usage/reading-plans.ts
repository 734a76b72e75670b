import { Injectable, Logger } from '@nestjs/common';
import type { ClaimedSync } from '#domain/sync';
import { Clock, DomainError } from '#domain/system';
import { isNear, ReadingPlanRepository, type Interval, type StoredPlan } from '#domain/usage';

const KNOWN_FOR_MS = 30_000;
/** A plan that nobody has renewed for that long does not hold any more. */
const OUTDATED_MS = 60 * 60_000;
const STRAINED: ReadonlySet<number | null> = new Set([429, 503]);

/** Says when an unchanged calendar is read next, by the plan of its project or server. */
@Injectable()
export class ReadingPlans {
  private readonly logger = new Logger(ReadingPlans.name);
  private plans = new Map<string, StoredPlan>();
  private readAtMs = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | null = null;

  constructor(
    private readonly repository: ReadingPlanRepository,
    private readonly clock: Clock,
  ) {}

  /** @param usual without a plan, and for a calendar that is near */
  async intervalOf(sync: ClaimedSync, usual: Interval): Promise<Interval> {
    const plan = await this.find(sync);
    if (plan === undefined) return usual;
    const { readingPriority } = sync;
    if (readingPriority === null) return plan.polled !== null && plan.polled.min > usual.min ? plan.polled : usual;
    return isNear(plan, readingPriority) ? usual : plan.others;
  }

  /** Gives the reads of a server that is overloaded half of their requests for ten minutes. */
  async recordFailure(sync: ClaimedSync, error: unknown): Promise<void> {
    const status = error instanceof DomainError ? (error.provider?.status ?? null) : null;
    if (!STRAINED.has(status) || (await this.find(sync)) === undefined) return;
    try {
      await this.repository.strain(sync);
    } catch (writeError) {
      this.logger.warn({ msg: 'overload of a server could not be noted', err: writeError });
    }
  }

  private async find({ providerType, quotaOwner }: ClaimedSync): Promise<StoredPlan | undefined> {
    if (performance.now() - this.readAtMs >= KNOWN_FOR_MS) {
      this.reading ??= this.read().finally(() => {
        this.reading = null;
      });
      await this.reading;
    }
    const plan = this.plans.get(`${providerType} ${quotaOwner}`);
    const isOutdated = plan !== undefined && this.clock.nowMs() - plan.plannedAt.getTime() > OUTDATED_MS;
    return isOutdated ? undefined : plan;
  }

  private async read(): Promise<void> {
    try {
      const plans = await this.repository.all();
      this.plans = new Map(plans.map((plan) => [`${plan.providerType} ${plan.quotaOwner}`, plan]));
      this.readAtMs = performance.now();
    } catch (error) {
      this.logger.warn({ msg: 'reading plans could not be read', err: error });
    }
  }
}
