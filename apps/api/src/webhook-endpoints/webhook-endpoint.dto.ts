import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateIf,
} from 'class-validator';
import { ACCOUNT_EVENT_TYPES, type AccountEventType } from '#domain/accounts';
import type { DisabledReason } from '#domain/webhooks';
import {
  Clearable,
  NotBlank,
  Omittable,
  PageLimit,
  PageToken,
  MessagesPerSecond,
} from '../validation/field-decorators.js';
import { PageDto } from '../validation/page.dto.js';
import { OptionalBody } from '../validation/body-decorators.js';

const MAX_TIME = 64;
const DAY_SECONDS = 86_400;
const MAX_OVERLAP_SECONDS = 7 * DAY_SECONDS;

/** Where messages go: an endpoint of the application, or a subscription. */
export class WebhookEndpointDto {
  /**
   * Unique identifier; of a subscription, its id.
   * @example '019a9b2e-8b20-7e15-9d26-6e3a7b8c9d01'
   */
  id!: string;

  /**
   * Where messages are sent.
   * @example 'https://app.example.com/webhooks/accounts'
   */
  url!: string;

  /** Event types that the endpoint receives. */
  @ApiProperty({ type: [String], example: ['enduseraccount.updated'] })
  eventTypes!: string[];

  /** Messages per second at most; null: no limit. */
  @ApiProperty({ type: Number, nullable: true, example: 10 })
  rateLimit!: number | null;

  /** Since when every attempt has failed; null: the last one succeeded, or there was none. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  failingSince!: string | null;

  /** Since when nothing is sent; null: messages are sent. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  disabledAt!: string | null;

  /** `gone`: it answered 410. `failing`: every attempt failed for five days. `requested`: by hand. */
  @ApiProperty({ type: String, nullable: true, enum: ['gone', 'failing', 'requested', null], example: null })
  disabledReason!: DisabledReason | null;

  /** Creation time. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  createdAt!: string;

  /** Time of the last change. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  updatedAt!: string;
}

/** A new endpoint, with its secret. */
export class CreatedWebhookEndpointDto extends WebhookEndpointDto {
  /**
   * What messages are signed with (Standard Webhooks). It is shown now and never again.
   * @example 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
   */
  endpointSecret!: string;
}

/** A page of endpoints, oldest first. */
export class WebhookEndpointPageDto extends PageDto {
  /** The endpoints. */
  data!: WebhookEndpointDto[];
}

/** Paging of the list of endpoints. */
export class ListWebhookEndpointsQueryDto {
  /**
   * Endpoints on a page; larger is clamped to 200.
   * @example 50
   */
  @PageLimit()
  limit?: number;

  /** `nextPageToken` of the page before. */
  @PageToken()
  pageToken?: string;
}

/** URL and event types of a new endpoint. */
export class CreateWebhookEndpointDto {
  /**
   * Where messages are sent: https, a public address. The service checks it now and before every message.
   * @example 'https://app.example.com/webhooks/accounts'
   */
  @IsString()
  @NotBlank()
  url!: string;

  /** Events of the application's accounts, each named once. */
  @ApiProperty({
    isArray: true,
    enum: ACCOUNT_EVENT_TYPES,
    enumName: 'AccountEventType',
    minItems: 1,
    uniqueItems: true,
    example: ['enduseraccount.updated'],
  })
  @IsIn(ACCOUNT_EVENT_TYPES, { each: true })
  @ArrayUnique()
  @ArrayNotEmpty()
  @IsArray()
  eventTypes!: AccountEventType[];

  /** Messages per second at most, 1 or more; without it there is no limit. */
  @ApiPropertyOptional({ type: Number, nullable: true, minimum: 1, example: 10 })
  @Clearable()
  @MessagesPerSecond()
  rateLimit?: number | null;
}

/** What can be changed of an endpoint. */
export class UpdateWebhookEndpointDto {
  /** Messages per second at most, 1 or more; null lifts the limit. */
  @ApiProperty({ type: Number, nullable: true, minimum: 1, example: 10 })
  @ValidateIf((_, value) => value !== null)
  @MessagesPerSecond()
  rateLimit!: number | null;
}

/** How a secret is replaced. */
@OptionalBody()
export class RotateEndpointSecretDto {
  /** How long the replaced secret signs beside the new one; 0 when it became known to others. */
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: MAX_OVERLAP_SECONDS,
    default: DAY_SECONDS,
    example: 3600,
  })
  @Omittable()
  @IsInt()
  @Min(0)
  @Max(MAX_OVERLAP_SECONDS)
  overlapSeconds?: number;
}

/** The new secret of an endpoint. */
export class RotatedEndpointSecretDto {
  /**
   * What messages are signed with from now on. It is shown now and never again.
   * @example 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
   */
  endpointSecret!: string;
}

/** Which failed messages are to be sent again. */
export class RecoverMessagesDto {
  /**
   * Those that were made since then, ISO 8601.
   * @example '2026-11-20T00:00:00Z'
   */
  @IsString()
  @MaxLength(MAX_TIME)
  since!: string;
}

/** How many messages are sent again. */
export class RecoveredMessagesDto {
  /** Messages that had failed and are pending now. */
  @ApiProperty({ type: 'integer', example: 3 })
  recovered!: number;
}
