import { Injectable, Optional } from '@nestjs/common';
import { OperatorDeliveryQueries, type AttemptBucket } from '#domain/operator';
import { CalendarProviders } from '#domain/providers';
import {
  Clock,
  OverviewStats,
  QueueMonitor,
  type AccountCount,
  type DeliveryBacklog,
  type ProviderBucket,
  type QueueDepth,
  type RequestBucket,
} from '#domain/system';
import { MinuteBuckets, withoutGaps, type Bucketed, type Counts } from './buckets.js';
import { CachedSection, providerState, type CachedSectionOptions, type ProviderHealth } from './overview-sections.js';

/** A section is null while it cannot be read. */
export interface Overview {
  at: Date;
  accounts: AccountCount[] | null;
  /** Last hour, per minute. */
  requests: Bucketed<RequestBucket> | null;
  deliveries: (Bucketed<AttemptBucket> & DeliveryBacklog) | null;
  providers: ProviderHealth[] | null;
  queues: QueueDepth[] | null;
}

const MINUTE_SECONDS = 60;
const RECENT_MINUTES = 10;

@Injectable()
export class OverviewService {
  private readonly accounts: CachedSection<AccountCount[]>;
  private readonly requests: CachedSection<Bucketed<RequestBucket>>;
  private readonly deliveries: CachedSection<Bucketed<AttemptBucket> & DeliveryBacklog>;
  private readonly providers: CachedSection<ProviderHealth[]>;
  private readonly queues: CachedSection<QueueDepth[]>;
  private readonly requestMinutes: MinuteBuckets<RequestBucket>;
  private readonly attemptMinutes: MinuteBuckets<AttemptBucket>;
  private readonly providerMinutes: MinuteBuckets<ProviderBucket>;

  constructor(
    private readonly stats: OverviewStats,
    queries: OperatorDeliveryQueries,
    board: QueueMonitor,
    private readonly clock: Clock,
    private readonly calendarProviders: CalendarProviders,
    @Optional() options: CachedSectionOptions = {},
  ) {
    this.accounts = new CachedSection('accounts', () => stats.accounts(), options);
    this.requests = new CachedSection('requests', () => this.readRequests(), options);
    this.deliveries = new CachedSection('deliveries', () => this.readDeliveries(), options);
    this.providers = new CachedSection('providers', () => this.readProviders(), options);
    this.queues = new CachedSection('queues', () => board.depths(), options);
    const everything = { applicationId: null, endpointId: null };
    this.requestMinutes = new MinuteBuckets((range) => stats.requests(range));
    this.attemptMinutes = new MinuteBuckets((range) => queries.attempts(everything, range));
    this.providerMinutes = new MinuteBuckets((range) => stats.providers(range));
  }

  async read(): Promise<Overview> {
    const [accounts, requests, deliveries, providers, queues] = await Promise.all([
      this.accounts.read(),
      this.requests.read(),
      this.deliveries.read(),
      this.providers.read(),
      this.queues.read(),
    ]);
    return { at: new Date(this.clock.nowMs()), accounts, requests, deliveries, providers, queues };
  }

  private async readRequests(): Promise<Bucketed<RequestBucket>> {
    const { range, rows } = await this.requestMinutes.read(this.clock.nowMs());
    return {
      bucketSeconds: MINUTE_SECONDS,
      buckets: withoutGaps<Counts<RequestBucket>>(range, rows, { successes: 0, clientErrors: 0, serverErrors: 0 }),
    };
  }

  private async readDeliveries(): Promise<Bucketed<AttemptBucket> & DeliveryBacklog> {
    const [{ range, rows }, { lagSeconds, ...backlog }] = await Promise.all([
      this.attemptMinutes.read(this.clock.nowMs()),
      this.stats.backlog(),
    ]);
    return {
      bucketSeconds: MINUTE_SECONDS,
      buckets: withoutGaps<Counts<AttemptBucket>>(range, rows, { delivered: 0, failed: 0 }),
      lagSeconds: lagSeconds === null ? null : Math.floor(lagSeconds),
      ...backlog,
    };
  }

  private async readProviders(): Promise<ProviderHealth[]> {
    const [{ range, rows }, tripped] = await Promise.all([
      this.providerMinutes.read(this.clock.nowMs()),
      this.stats.providersWithTrippedBreaker(),
    ]);
    const recentFrom = (range.to.getTime() - range.from.getTime()) / (MINUTE_SECONDS * 1_000) - RECENT_MINUTES;
    return this.calendarProviders.all().map(({ type: providerType }) => {
      const all = rows.filter((row) => row.providerType === providerType);
      const recent = all.filter(({ index }) => index >= recentFrom);
      const [requests, failures] = [sum(all, 'requests'), sum(all, 'failures')];
      const seen = {
        requests,
        failures,
        recentRequests: sum(recent, 'requests'),
        recentFailures: sum(recent, 'failures'),
      };
      return {
        providerType,
        state: providerState(seen, tripped.includes(providerType)),
        requests,
        failures,
        lastFailureAt: lastFailure(all),
      };
    });
  }
}

function sum(buckets: readonly ProviderBucket[], count: 'requests' | 'failures'): number {
  return buckets.reduce((total, bucket) => total + bucket[count], 0);
}

function lastFailure(buckets: readonly ProviderBucket[]): Date | null {
  const times = buckets.flatMap(({ lastFailureAt }) => lastFailureAt?.getTime() ?? []);
  return times.length === 0 ? null : new Date(Math.max(...times));
}
