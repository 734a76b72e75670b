import { Injectable } from '@nestjs/common';
import {
  OverviewFigures,
  type AccountCount,
  type AccountStatus,
  type BucketedRange,
  type DeliveryBacklog,
  type ProviderBucket,
  type ProviderType,
  type RequestBucket,
} from '#domain';
import { Database } from '../database/database.js';
import { SYSTEM } from '../database/scope.js';
import { ACCOUNT_COUNTS, OLDEST_DUE_SECONDS } from './counted.statements.js';
import { BUCKET, DURATIONS } from './delivery-oversight.statements.js';

interface AccountRow {
  provider_type: ProviderType;
  status: AccountStatus;
  count: number;
}

interface RequestBucketRow {
  index: number;
  ok: number;
  refused: number;
  failed: number;
  durations: [number, number];
}

interface BacklogRow {
  lag_seconds: number | null;
  pending: number;
  failed_last_day: number;
}

interface ProviderRow {
  index: number;
  provider_type: ProviderType;
  requests: number;
  failures: number;
  last_failure_at: Date | null;
}

const REQUEST_BUCKETS = `
  select ${BUCKET}, count(*) filter (where status < 400)::int as ok,
         count(*) filter (where status between 400 and 499)::int as refused,
         count(*) filter (where status >= 500)::int as failed, ${DURATIONS}
    from request_record where started_at >= $1 and started_at < $2 group by 1`;

/** Pending messages that are counted, failed ones that are looked at. */
const MOST_PENDING = 10_000;
const MOST_FAILED = 5_000;

/** A message may fail for good a day after it was made, or later: when it did is known by its attempts. */
const BACKLOG = `
  select (${OLDEST_DUE_SECONDS}) as lag_seconds,
         (select count(*)::int from (
            select from webhook_message where wake_at is not null and state = 'pending' limit ${MOST_PENDING}
          ) pending) as pending,
         (select count(*)::int from (
            select id, created_at from webhook_message where state = 'failed' order by id desc limit ${MOST_FAILED}
          ) m where created_at > now() - interval '1 day' or
            (select max(started_at) from delivery_attempt a where a.message_id = m.id) > now() - interval '1 day') as failed_last_day`;

const isFailure = 'status in (502, 503, 504)';

const PROVIDER_BUCKETS = `
  select ${BUCKET}, provider_type, count(*)::int as requests, count(*) filter (where ${isFailure})::int as failures,
         max(started_at) filter (where ${isFailure}) as last_failure_at
    from request_record where started_at >= $1 and started_at < $2 and provider_type is not null
   group by 1, provider_type`;

@Injectable()
export class SqlOverviewFigures extends OverviewFigures {
  constructor(private readonly database: Database) {
    super();
  }

  override async accounts(): Promise<AccountCount[]> {
    const rows = await this.database.read<AccountRow>(SYSTEM, {
      text: `${ACCOUNT_COUNTS} order by provider_type, status`,
    });
    return rows.map(({ provider_type: providerType, ...row }) => ({ providerType, ...row }));
  }

  override async requests({ from, to, bucketSeconds }: BucketedRange): Promise<RequestBucket[]> {
    const rows = await this.database.read<RequestBucketRow>(SYSTEM, {
      text: REQUEST_BUCKETS,
      values: [from, to, bucketSeconds],
    });
    return rows.map(({ durations: [p50Ms, p95Ms], ...bucket }) => ({ ...bucket, p50Ms, p95Ms }));
  }

  override async backlog(): Promise<DeliveryBacklog> {
    const [row] = await this.database.read<BacklogRow>(SYSTEM, { text: BACKLOG });
    return {
      lagSeconds: row?.lag_seconds ?? null,
      pending: row?.pending ?? 0,
      failedLastDay: row?.failed_last_day ?? 0,
    };
  }

  override async providers({ from, to, bucketSeconds }: BucketedRange): Promise<ProviderBucket[]> {
    const rows = await this.database.read<ProviderRow>(SYSTEM, {
      text: PROVIDER_BUCKETS,
      values: [from, to, bucketSeconds],
    });
    return rows.map(({ provider_type: providerType, last_failure_at: lastFailureAt, ...counts }) => ({
      ...counts,
      providerType,
      lastFailureAt,
    }));
  }

  override async holdingProviders(): Promise<ProviderType[]> {
    const rows = await this.database.read<{ provider_type: ProviderType }>(SYSTEM, {
      text: 'select distinct provider_type from grant_hold',
    });
    return rows.map(({ provider_type: providerType }) => providerType);
  }
}
