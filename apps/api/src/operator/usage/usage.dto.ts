import { ApiProperty } from '@nestjs/swagger';
import type { ProviderType } from '#domain/accounts';
import { DailyRequestsDto } from '../../usage/usage.dto.js';
import { ProviderTypeField } from '../../validation/provider-fields.js';

/** How often unchanged calendars of a project or at a server are read. */
export class ReadingPlanDto {
  /** The provider. */
  @ProviderTypeField()
  providerType!: ProviderType;

  /**
   * Number of the Google project, OAuth client or address of the server that the requests count against.
   * @example '123456789012'
   */
  quotaOwner!: string;

  /** When the plan was made. */
  @ApiProperty({ format: 'date-time', example: '2026-11-28T09:30:00.000Z' })
  plannedAt!: Date;

  /** Requests that may be sent in 24 hours; null without a daily limit. */
  @ApiProperty({ type: 'integer', nullable: true, example: 900_000 })
  requestsPerDay!: number | null;

  /** Requests of the last 24 hours. */
  @ApiProperty({ type: 'integer', example: 612_000 })
  requestsUsed!: number;

  /** Calendars that the plan is about: with a live channel, or those at the server. */
  @ApiProperty({ type: 'integer', example: 10_000 })
  calendars!: number;

  /** How many of them are read at least every nine minutes. */
  @ApiProperty({ type: 'integer', example: 2_000 })
  near!: number;

  /** Longest time between two reads of the others, in seconds. */
  @ApiProperty({ type: 'integer', example: 1_800 })
  othersEverySeconds!: number;

  /** Longest time between two reads of calendars without a live channel, in seconds; null for less than a minute. */
  @ApiProperty({ type: 'integer', nullable: true, example: null })
  polledEverySeconds!: number | null;
}

/** Requests of one project on one day. */
export class ProjectRequestsDto extends DailyRequestsDto {
  /**
   * Number of the Google project, or OAuth client; empty for accounts with a password.
   * @example '123456789012'
   */
  project!: string;
}

/** Where the requests to providers go. */
export class InstallationUsageDto {
  /** Of projects first, the most used one first. */
  plans!: ReadingPlanDto[];

  /** One element for each day, provider, project and cause with requests, newest day first. */
  requests!: ProjectRequestsDto[];
}
