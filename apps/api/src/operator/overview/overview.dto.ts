import { ApiProperty } from '@nestjs/swagger';
import type { ProviderHealth } from '#application/operator';
import { ACCOUNT_STATUSES, type AccountStatus, type ProviderType } from '#domain/accounts';
import { DeliveryStatsDto } from '../deliveries/delivery-stats.dto.js';
import { ProviderTypeField } from '../../validation/provider-fields.js';

const PROVIDER_STATES: ProviderHealth['state'][] = ['ok', 'troubled', 'down', 'unknown'];

/** Accounts of one provider in one status. */
export class AccountCountDto {
  @ProviderTypeField()
  providerType!: ProviderType;

  @ApiProperty({ enum: ACCOUNT_STATUSES, enumName: 'AccountStatus', example: 'ACTIVE' })
  status!: AccountStatus;

  /** How many there are. */
  @ApiProperty({ type: 'integer', example: 1200 })
  count!: number;
}

/** Requests of applications that were answered in a minute. */
export class RequestBucketDto {
  /** Its beginning. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  at!: Date;

  /** Answered below 400. */
  @ApiProperty({ type: 'integer', example: 340 })
  successes!: number;

  /** Answered with 4xx. */
  @ApiProperty({ type: 'integer', example: 3 })
  clientErrors!: number;

  /** Answered with 5xx. */
  @ApiProperty({ type: 'integer', example: 0 })
  serverErrors!: number;

  /** Half of them took no longer, milliseconds; null: there was none. */
  @ApiProperty({ type: 'integer', nullable: true, example: 41 })
  p50Ms!: number | null;

  /** All but a twentieth of them took no longer, milliseconds; null: there was none. */
  @ApiProperty({ type: 'integer', nullable: true, example: 260 })
  p95Ms!: number | null;
}

/** Requests over time. */
export class RequestStatsDto {
  /** Length of a bucket, seconds. */
  @ApiProperty({ type: 'integer', example: 60 })
  bucketSeconds!: number;

  /** Without gaps, oldest first. */
  buckets!: RequestBucketDto[];
}

/** Deliveries over time, and what is left to do. */
export class DeliveryStateDto extends DeliveryStatsDto {
  /** Of messages that are due: how long the oldest waits, seconds; null: none waits. */
  @ApiProperty({ type: 'integer', nullable: true, example: null })
  lagSeconds!: number | null;

  /** Messages that are to be delivered; counted up to 10,000. */
  @ApiProperty({ type: 'integer', example: 4 })
  pending!: number;

  /** Messages that failed for good; counted up to 5,000. */
  @ApiProperty({ type: 'integer', example: 0 })
  failedLastDay!: number;
}

/** How a provider answers. */
export class ProviderHealthDto {
  @ProviderTypeField()
  providerType!: ProviderType;

  /** `troubled`: some requests fail, or it refuses grants in masses. `unknown`: nothing was asked of it. */
  @ApiProperty({ enum: PROVIDER_STATES, enumName: 'ProviderState', example: 'ok' })
  state!: ProviderHealth['state'];

  /** Requests of the last hour that led there. */
  @ApiProperty({ type: 'integer', example: 812 })
  requests!: number;

  /** Those that it failed: 502, 503, 504. */
  @ApiProperty({ type: 'integer', example: 1 })
  failures!: number;

  /** null: there was none in the last hour. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: '2026-11-21T09:12:00.000Z' })
  lastFailureAt!: Date | null;
}

/** What is in a queue. */
export class QueueDto {
  /** @example 'webhook-deliveries' */
  name!: string;

  @ApiProperty({ type: 'integer', example: 0 })
  waiting!: number;

  @ApiProperty({ type: 'integer', example: 2 })
  active!: number;

  @ApiProperty({ type: 'integer', example: 0 })
  delayed!: number;

  /** Failed for good. */
  @ApiProperty({ type: 'integer', example: 0 })
  failed!: number;
}

/** How the installation does. A part is null while it cannot be read. */
export class OverviewDto {
  /** When it was read; parts are up to two seconds older. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  at!: Date;

  /** Accounts by provider and status; what there is none of is left out. */
  @ApiProperty({ type: [AccountCountDto], nullable: true })
  accounts!: AccountCountDto[] | null;

  /** The last hour, by minutes. */
  @ApiProperty({ type: RequestStatsDto, nullable: true })
  requests!: RequestStatsDto | null;

  /** The last hour, by minutes. */
  @ApiProperty({ type: DeliveryStateDto, nullable: true })
  deliveries!: DeliveryStateDto | null;

  /** Every provider. */
  @ApiProperty({ type: [ProviderHealthDto], nullable: true })
  providers!: ProviderHealthDto[] | null;

  /** Every queue. */
  @ApiProperty({ type: [QueueDto], nullable: true })
  queues!: QueueDto[] | null;
}
