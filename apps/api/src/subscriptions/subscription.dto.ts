import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import type { ProviderType } from '#domain/accounts';
import { SUBSCRIPTION_DELIVERIES, type SubscriptionDelivery } from '#domain/webhooks';
import {
  Clearable,
  MessagesPerSecond,
  NotBlank,
  Omittable,
  OmittableOneOf,
  PageLimit,
  PageToken,
} from '../validation/field-decorators.js';
import { PageDto } from '../validation/page.dto.js';
import { OptionalBody } from '../validation/body-decorators.js';
import { ProviderTypeField } from '../validation/provider-fields.js';

const MAX_ID = 2_048;

/** A subscription to the events of a calendar. */
export class CalendarSubscriptionDto {
  /**
   * Unique identifier: the `webhookSubscriptionId` that its creation answered.
   * @example '019a9b2e-7a10-7d04-8c15-5d2f6a7b8c90'
   */
  id!: string;

  /** The provider of the account. */
  @ProviderTypeField()
  provider!: ProviderType;

  /**
   * Where messages are sent.
   * @example 'https://app.example.com/webhooks/calendar'
   */
  url!: string;

  /**
   * The calendar.
   * @example 'ada@example.com'
   */
  calendarId!: string;

  /** How changes are detected now: by notifications of the provider, or by a sync every minute. */
  @ApiProperty({ enum: SUBSCRIPTION_DELIVERIES, enumName: 'SubscriptionDelivery', example: 'push' })
  delivery!: SubscriptionDelivery;

  /** End of the provider's channel, which is renewed in time; null where there is none: the calendar is polled. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: '2026-11-28T09:30:00.000Z' })
  expiration!: string | null;

  /** The provider's own id of its channel; null where there is none. */
  @ApiProperty({ type: String, nullable: true, example: '019a9b2e-7a12-7a3c-9a50-0f8e7d6c5b4a' })
  subscriptionId!: string | null;

  /** The provider's id of what its channel watches, for MICROSOFT that of the subscription; null without a channel. */
  @ApiProperty({ type: String, nullable: true, example: 'o3hgv1538sdjfh' })
  resourceId!: string | null;

  /**
   * The account that the calendar belongs to.
   * @example '019a9b2e-5f0c-7cc1-9d1e-3a8f0b6f2a11'
   */
  endUserAccountId!: string;

  /** Creation time. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  createdAt!: string;

  /** Time of the last change. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  updatedAt!: string;
}

/** A page of subscriptions, oldest first. */
export class CalendarSubscriptionPageDto extends PageDto {
  /** The subscriptions. */
  data!: CalendarSubscriptionDto[];
}

/** Paging of the list of subscriptions. */
export class ListCalendarSubscriptionsQueryDto {
  /**
   * Subscriptions on a page; larger is clamped to 200.
   * @example 50
   */
  @PageLimit()
  limit?: number;

  /** `nextPageToken` of the page before. */
  @PageToken()
  pageToken?: string;
}

/** A calendar to subscribe to, and where to send messages. */
export class CreateCalendarSubscriptionDto {
  /**
   * The calendar, an id from the calendar list.
   * @example 'ada@example.com'
   */
  @IsString()
  @NotBlank()
  @MaxLength(MAX_ID)
  calendarId!: string;

  /**
   * Where messages are sent: https, a public address. The service checks it now and before every message.
   * @example 'https://app.example.com/webhooks/calendar'
   */
  @IsString()
  @NotBlank()
  webhookUrl!: string;

  /** Messages per second at most, 1 or more; without it there is no limit. */
  @ApiPropertyOptional({ type: Number, nullable: true, minimum: 1, example: 10 })
  @Clearable()
  @MessagesPerSecond()
  rateLimit?: number | null;

  /** What is subscribed to: the events of the calendar. Changes of the calendar itself cannot be. */
  @OmittableOneOf(['event'], { example: 'event' })
  subscriptionType?: 'event';
}

/** What a new subscription is called, and what its messages are signed with. */
export class CreatedCalendarSubscriptionDto {
  /**
   * Unique identifier of the subscription.
   * @example '019a9b2e-7a10-7d04-8c15-5d2f6a7b8c90'
   */
  webhookSubscriptionId!: string;

  /**
   * What messages are signed with (Standard Webhooks). It is shown now and never again.
   * @example 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
   */
  endpointSecret!: string;

  /**
   * How changes are detected: by notifications of the provider, or by a sync every minute, because the provider does
   * not push or cannot reach this installation.
   */
  @ApiProperty({ enum: SUBSCRIPTION_DELIVERIES, enumName: 'SubscriptionDelivery', example: 'push' })
  delivery!: SubscriptionDelivery;
}

/** Which subscription to delete, in the body. */
@OptionalBody()
export class DeleteCalendarSubscriptionDto {
  /** The subscription; required unless it is a query parameter. */
  @ApiPropertyOptional({ type: String, example: '019a9b2e-7a10-7d04-8c15-5d2f6a7b8c90' })
  @Omittable()
  @IsString()
  @MaxLength(MAX_ID)
  subscriptionId?: string;
}

/** Which subscription to delete, as a query parameter. */
export class DeleteCalendarSubscriptionQueryDto {
  /**
   * The subscription; required unless it is in the body.
   * @example '019a9b2e-7a10-7d04-8c15-5d2f6a7b8c90'
   */
  @Omittable()
  @IsString()
  @MaxLength(MAX_ID)
  subscriptionId?: string;
}
