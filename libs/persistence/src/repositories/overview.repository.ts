import { Injectable } from '@nestjs/common';
import type { ProviderType } from '#domain/accounts';
import type { BucketedRange } from '#domain/operator';
import {
  OverviewStats,
  type AccountCount,
  type DeliveryBacklog,
  type ProviderBucket,
  type RequestBucket,
} from '#domain/system';
import { Database } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM } from '../database/scope.js';
import { ACCOUNTS, BACKLOG, PROVIDER_BUCKETS, REQUEST_BUCKETS } from './overview.statements.js';

interface RequestBucketRow {
  index: number;
  successes: number;
  clientErrors: number;
  serverErrors: number;
  durations: [number, number];
}

@Injectable()
export class SqlOverviewStats extends OverviewStats {
  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
  ) {
    super();
  }

  override async accounts(): Promise<AccountCount[]> {
    return this.database.read<AccountCount>(SYSTEM, { text: ACCOUNTS });
  }

  override async requests({ from, to, bucketSeconds }: BucketedRange): Promise<RequestBucket[]> {
    const rows = await this.database.read<RequestBucketRow>(SYSTEM, {
      text: REQUEST_BUCKETS,
      values: [from, to, bucketSeconds],
    });
    return rows.map(({ durations: [p50Ms, p95Ms], ...bucket }) => ({ ...bucket, p50Ms, p95Ms }));
  }

  override async backlog(): Promise<DeliveryBacklog> {
    const [backlog] = await this.database.read<DeliveryBacklog>(SYSTEM, { text: BACKLOG });
    return backlog as DeliveryBacklog; // a select without a table has one row
  }

  override async providers({ from, to, bucketSeconds }: BucketedRange): Promise<ProviderBucket[]> {
    return this.database.read<ProviderBucket>(SYSTEM, {
      text: PROVIDER_BUCKETS,
      values: [from, to, bucketSeconds],
    });
  }

  override async providersWithTrippedBreaker(): Promise<ProviderType[]> {
    const rows = await this.entities.query(SYSTEM, (tables) =>
      tables.selectFrom('MassExpiryBreaker').select('providerType').distinct().execute(),
    );
    return rows.map(({ providerType }) => providerType);
  }
}
