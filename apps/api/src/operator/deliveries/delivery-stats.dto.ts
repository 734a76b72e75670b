import { ApiProperty } from '@nestjs/swagger';
import { IsUUID } from 'class-validator';
import type { StatsRange } from '#application/operator';
import { Omittable, OneOf } from '../../validation/field-decorators.js';

const RANGES = ['1h', '24h', '7d'] as const satisfies readonly StatsRange[];

/** Which attempts are counted. */
export class StatsQueryDto {
  /** Those of one application. */
  @Omittable()
  @IsUUID()
  applicationId?: string;

  /** Those to one endpoint or subscription. */
  @Omittable()
  @IsUUID()
  endpointId?: string;

  /** Until now. */
  @OneOf(RANGES, { enumName: 'StatsRange', example: '24h' })
  range!: StatsRange;
}

/** Attempts that started in a span of time. */
export class DeliveryBucketDto {
  /** Its beginning. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  at!: Date;

  /** Attempts that delivered their message. */
  @ApiProperty({ type: 'integer', example: 120 })
  delivered!: number;

  /** Attempts that failed. */
  @ApiProperty({ type: 'integer', example: 2 })
  failed!: number;

  /** Half of them took no longer, milliseconds; null: there was none. */
  @ApiProperty({ type: 'integer', nullable: true, example: 84 })
  p50Ms!: number | null;

  /** All but a twentieth of them took no longer, milliseconds; null: there was none. */
  @ApiProperty({ type: 'integer', nullable: true, example: 310 })
  p95Ms!: number | null;
}

/** How deliveries went. */
export class DeliveryStatsDto {
  /** Length of a bucket, seconds. */
  @ApiProperty({ type: 'integer', example: 1800 })
  bucketSeconds!: number;

  /** Without gaps, oldest first. */
  buckets!: DeliveryBucketDto[];
}
