import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MAX_USAGE_DAYS } from '#application/usage';
import type { ProviderType } from '#domain/accounts';
import { REQUEST_CAUSES, type RequestCause } from '#domain/providers';
import { Omittable, QueryCount } from '../validation/field-decorators.js';
import { ProviderTypeField } from '../validation/provider-fields.js';

/** Period of the usage. */
export class UsageQueryDto {
  /**
   * Number of days, today included; larger is clamped to 35.
   * @example 30
   */
  @ApiPropertyOptional({ type: 'integer', minimum: 1, default: 30 })
  @Omittable()
  @QueryCount(MAX_USAGE_DAYS)
  days?: number;
}

/** Requests that were sent to one provider on one day for one reason. */
export class DailyRequestsDto {
  /** The day, in UTC. */
  @ApiProperty({ format: 'date', example: '2026-11-28' })
  date!: string;

  /** The provider. */
  @ProviderTypeField()
  providerType!: ProviderType;

  /**
   * Why they were sent. `call`: by a request of the application. `connect`: an account was connected. `sync`: a calendar
   * with subscriptions was read for changes. `channel`: notifications of the provider were set up. `check`: the
   * credentials were checked. Others may be added.
   */
  @ApiProperty({ enum: REQUEST_CAUSES, enumName: 'RequestCause', example: 'call' })
  cause!: RequestCause;

  /** How many, as the provider counts them; each retry counts. */
  @ApiProperty({ type: 'integer', example: 4210 })
  requests!: number;
}

/** Usage of an application. */
export class UsageDto {
  /** One element for each day, provider and cause with requests, newest day first. */
  data!: DailyRequestsDto[];
}
