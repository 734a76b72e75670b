import { ApiProperty } from '@nestjs/swagger';
import type { MessageState } from '#domain/webhooks';
import { OmittableOneOf, PageLimit, PageToken } from '../validation/field-decorators.js';
import { PageDto } from '../validation/page.dto.js';

const STATES: MessageState[] = ['pending', 'delivered', 'failed'];

/** A message to an endpoint. */
export class WebhookMessageDto {
  /**
   * Unique identifier: the header `webhook-id` of every attempt.
   * @example 'msg_02rGcPNhvPq8RlzqIaJzXk'
   */
  id!: string;

  /**
   * What it tells.
   * @example 'calendar.event.changed'
   */
  eventType!: string;

  /** `pending`: there is another attempt. `failed`: it was given up. */
  @ApiProperty({ enum: STATES, enumName: 'WebhookMessageState', example: 'delivered' })
  state!: MessageState;

  /** Why it was given up: `exhausted`, `gone`, `endpoint-disabled`, or why its URL is not allowed; null unless it was. */
  @ApiProperty({ type: String, nullable: true, example: null })
  failureReason!: string | null;

  /** When it is tried next, at the earliest; null unless it is pending. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  nextAttemptAt!: string | null;

  /** Creation time. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  createdAt!: string;
}

/** A page of messages, newest first. */
export class WebhookMessagePageDto extends PageDto {
  /** The messages. */
  data!: WebhookMessageDto[];
}

/** Filter and paging of the list of messages. */
export class ListWebhookMessagesQueryDto {
  /** Messages in one state; without it all of them. */
  @OmittableOneOf(STATES, { enumName: 'WebhookMessageState' })
  state?: MessageState;

  /**
   * Messages on a page; larger is clamped to 200.
   * @example 50
   */
  @PageLimit()
  limit?: number;

  /** `nextPageToken` of the page before. */
  @PageToken()
  pageToken?: string;
}

/** One attempt to deliver a message. */
export class DeliveryAttemptDto {
  /** From 1 upwards by the schedule; from -1 downwards by hand. */
  @ApiProperty({ type: 'integer', example: 1 })
  number!: number;

  /** When it started. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  startedAt!: Date;

  /** How long it took, milliseconds; null: it is under way, or the process that made it died. */
  @ApiProperty({ type: 'integer', nullable: true, example: 84 })
  durationMs!: number | null;

  /** Status of the receiver's answer; null: there was none. */
  @ApiProperty({ type: 'integer', nullable: true, example: 200 })
  status!: number | null;

  /** What went wrong on the way; null: nothing did. */
  @ApiProperty({ type: String, nullable: true, example: null })
  failure!: string | null;

  /** The beginning of the receiver's answer, at most 1 KiB; null: there was none. */
  @ApiProperty({ type: String, nullable: true, example: 'ok' })
  responseText!: string | null;

  /** When the schedule tries again; null: it does not. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  nextAttemptAt!: Date | null;
}

/** All attempts to deliver a message, in the order in which they started. */
export class DeliveryAttemptListDto {
  /** The attempts. */
  data!: DeliveryAttemptDto[];
}

/** A test message. */
export class SentTestMessageDto {
  /**
   * The message: the header `webhook-id` that the receiver sees.
   * @example 'msg_02rGcPNhvPq8RlzqIaJzXk'
   */
  messageId!: string;
}
