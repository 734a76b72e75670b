import { Injectable } from '@nestjs/common';
import {
  Clock,
  DeliveryOversight,
  OverviewFigures,
  PROVIDER_TYPES,
  QueueBoard,
  type AccountCount,
  type AttemptBucket,
  type DeliveryBacklog,
  type ProviderType,
  type QueueDepth,
  type RequestBucket,
} from '#domain';
import { rangeUntil, withoutGaps, type ShownBucket } from './deliveries-buckets.js';
import { OverviewPart, type OverviewPartOptions } from './overview-part.js';
import { providerState, type ProviderState } from './overview-provider-health.js';

export interface ProviderHealthView {
  providerType: ProviderType;
  state: ProviderState;
  /** Of the last hour. */
  requests: number;
  failures: number;
  lastFailureAt: string | null;
}

type Counts<Bucket> = Omit<Bucket, 'index' | 'p50Ms' | 'p95Ms'>;

export interface Bucketed<Bucket> {
  bucketSeconds: number;
  buckets: ShownBucket<Counts<Bucket>>[];
}

/** A part is null while it cannot be read. */
export interface OverviewView {
  at: string;
  accounts: AccountCount[] | null;
  requests: Bucketed<RequestBucket> | null;
  deliveries: (Bucketed<AttemptBucket> & DeliveryBacklog) | null;
  providers: ProviderHealthView[] | null;
  queues: QueueDepth[] | null;
}

const MINUTE_SECONDS = 60;
const MINUTES = 60;
const HOUR_MS = 3_600_000;
const RECENT_MS = 600_000;

/** How the installation does, in one look. */
@Injectable()
export class OverviewService {
  private readonly accounts: OverviewPart<AccountCount[]>;
  private readonly requests: OverviewPart<Bucketed<RequestBucket>>;
  private readonly deliveries: OverviewPart<Bucketed<AttemptBucket> & DeliveryBacklog>;
  private readonly providers: OverviewPart<ProviderHealthView[]>;
  private readonly queues: OverviewPart<QueueDepth[]>;

  constructor(
    private readonly figures: OverviewFigures,
    private readonly oversight: DeliveryOversight,
    board: QueueBoard,
    private readonly clock: Clock,
    options: OverviewPartOptions = {},
  ) {
    this.accounts = new OverviewPart('accounts', () => figures.accounts(), options);
    this.requests = new OverviewPart('requests', () => this.readRequests(), options);
    this.deliveries = new OverviewPart('deliveries', () => this.readDeliveries(), options);
    this.providers = new OverviewPart('providers', () => this.readProviders(), options);
    this.queues = new OverviewPart('queues', () => board.depths(), options);
  }

  async read(): Promise<OverviewView> {
    const [accounts, requests, deliveries, providers, queues] = await Promise.all([
      this.accounts.read(),
      this.requests.read(),
      this.deliveries.read(),
      this.providers.read(),
      this.queues.read(),
    ]);
    const at = new Date(this.clock.nowMs()).toISOString();
    return { at, accounts, requests, deliveries, providers, queues };
  }

  private async readRequests(): Promise<Bucketed<RequestBucket>> {
    const range = this.lastHour();
    const buckets = await this.figures.requests(range);
    return {
      bucketSeconds: MINUTE_SECONDS,
      buckets: withoutGaps<Counts<RequestBucket>>(range, buckets, { ok: 0, refused: 0, failed: 0 }),
    };
  }

  private async readDeliveries(): Promise<Bucketed<AttemptBucket> & DeliveryBacklog> {
    const range = this.lastHour();
    const [buckets, { lagSeconds, ...backlog }] = await Promise.all([
      this.oversight.attempts({ applicationId: null, endpointId: null }, range),
      this.figures.backlog(),
    ]);
    return {
      bucketSeconds: MINUTE_SECONDS,
      buckets: withoutGaps<Counts<AttemptBucket>>(range, buckets, { delivered: 0, failed: 0 }),
      lagSeconds: lagSeconds === null ? null : Math.floor(lagSeconds),
      ...backlog,
    };
  }

  private async readProviders(): Promise<ProviderHealthView[]> {
    const nowMs = this.clock.nowMs();
    const [seen, holding] = await Promise.all([
      this.figures.providers(new Date(nowMs - HOUR_MS), new Date(nowMs - RECENT_MS)),
      this.figures.holdingProviders(),
    ]);
    return PROVIDER_TYPES.map((providerType) => {
      const one = seen.find((provider) => provider.providerType === providerType);
      return {
        providerType,
        state: providerState(one, holding.includes(providerType)),
        requests: one?.requests ?? 0,
        failures: one?.failures ?? 0,
        lastFailureAt: one?.lastFailureAt?.toISOString() ?? null,
      };
    });
  }

  private lastHour() {
    return rangeUntil(this.clock.nowMs(), MINUTE_SECONDS, MINUTES);
  }
}
