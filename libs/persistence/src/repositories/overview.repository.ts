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
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM } from '../database/scope.js';
import { ACCOUNTS, BACKLOG, PROVIDER_BUCKETS, REQUEST_BUCKETS } from './overview.statements.js';

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

@Injectable()
export class SqlOverviewFigures extends OverviewFigures {
  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
  ) {
    super();
  }

  override async accounts(): Promise<AccountCount[]> {
    const rows = await this.database.read<AccountRow>(SYSTEM, {
      text: ACCOUNTS,
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
    const rows = await this.entities.query(SYSTEM, (tables) =>
      tables.selectFrom('GrantHold').select('providerType').distinct().execute(),
    );
    return rows.map(({ providerType }) => providerType);
  }
}
