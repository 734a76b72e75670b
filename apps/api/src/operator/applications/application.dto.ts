import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import type { CountedApplicationView } from '#application/applications';
import { ENVIRONMENTS, type Environment } from '#domain/applications';
import {
  Clearable,
  ClearableText,
  NotBlank,
  Omittable,
  OmittableOneOf,
  OneOf,
} from '../../validation/field-decorators.js';

const MAX_NAME = 100;
const MAX_RATE = 2_147_483_647;

/** How much an application has. */
export class ApplicationCountsDto {
  @ApiProperty({ type: 'integer', example: 42 })
  accounts!: number;

  /** The ones that work. */
  @ApiProperty({ type: 'integer', example: 2 })
  apiKeys!: number;

  /** Of calendars. */
  @ApiProperty({ type: 'integer', example: 17 })
  subscriptions!: number;
}

/** An application that uses this installation. */
export class ApplicationDto {
  /**
   * The APP_ID.
   * @example '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5'
   */
  id!: string;

  /** @example 'Scheduler' */
  name!: string;

  /** `development` lets users be sent back to http URLs of their own machine. */
  @ApiProperty({ enum: ENVIRONMENTS, enumName: 'Environment', example: 'production' })
  environment!: Environment;

  /** Requests a second per key; null: that of the server. */
  @ApiProperty({ type: 'integer', nullable: true, example: null })
  rateLimitRps!: number | null;

  /** Webhooks about its calendars say whose calendar it is. */
  enrichedWebhooks!: boolean;

  /** It may subscribe to calendars whose provider does not push. */
  polledWebhooks!: boolean;

  /** An `externalId` has to come by an address that the application made with its key. */
  signedLinks!: boolean;

  /** Color of the page where users connect accounts; null: that of the service. */
  @ApiProperty({ type: String, nullable: true, example: '#0b57d0' })
  accentColor!: string | null;

  /** Creation time. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  createdAt!: string;

  counts!: ApplicationCountsDto;

  static from({ applicationId, ...view }: CountedApplicationView): ApplicationDto {
    return { id: applicationId, ...view };
  }
}

/** All of them, oldest first. */
export class ApplicationListDto {
  data!: ApplicationDto[];
}

/** A new application. */
export class CreateApplicationDto {
  /** @example 'Scheduler' */
  @MaxLength(MAX_NAME)
  @NotBlank()
  @IsString()
  name!: string;

  /** `production` refuses http and localhost as redirect URLs. */
  @OneOf(ENVIRONMENTS, { enumName: 'Environment', example: 'production' })
  environment!: Environment;

  /** Requests a second per key; null or left out: that of the server. */
  @ApiPropertyOptional({ type: 'integer', nullable: true, minimum: 1, maximum: MAX_RATE, example: 50 })
  @Clearable()
  @IsInt()
  @Min(1)
  @Max(MAX_RATE)
  rateLimitRps?: number | null;
}

/** What is to change of an application; what is left out stays. */
export class UpdateApplicationDto {
  /** @example 'Scheduler' */
  @Omittable()
  @MaxLength(MAX_NAME)
  @NotBlank()
  @IsString()
  name?: string;

  /** `production` is refused while there are redirect URLs that it does not allow. */
  @OmittableOneOf(ENVIRONMENTS, { enumName: 'Environment', example: 'production' })
  environment?: Environment;

  /** Requests a second per key; null: that of the server. */
  @ApiPropertyOptional({ type: 'integer', nullable: true, minimum: 1, maximum: MAX_RATE, example: 50 })
  @Clearable()
  @IsInt()
  @Min(1)
  @Max(MAX_RATE)
  rateLimitRps?: number | null;

  /** Webhooks about its calendars say whose calendar it is. */
  @Omittable()
  @IsBoolean()
  enrichedWebhooks?: boolean;

  /** It may subscribe to calendars whose provider does not push. */
  @Omittable()
  @IsBoolean()
  polledWebhooks?: boolean;

  /** An `externalId` has to come by an address that the application made with its key. */
  @Omittable()
  @IsBoolean()
  signedLinks?: boolean;

  /** Color of the page where users connect accounts; null: that of the service. */
  @ClearableText({ maxLength: 7, example: '#0b57d0' })
  accentColor?: string | null;
}

/** Says that it is meant. */
export class DeleteApplicationDto {
  /**
   * The name of the application, typed.
   * @example 'Scheduler'
   */
  @IsString()
  confirmation!: string;
}
