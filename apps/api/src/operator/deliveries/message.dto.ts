import { ApiProperty } from '@nestjs/swagger';
import { IsString, IsUUID, MaxLength } from 'class-validator';
import type { MessageDetailWithAttempts } from '#application/operator';
import type { MessageSummary } from '#domain/operator';
import type { MessageState } from '#domain/webhooks';
import { messageIdOf } from '#webhooks';
import { Omittable, OmittableOneOf, OneOf, PageLimit, PageToken } from '../../validation/field-decorators.js';
import { PageDto } from '../../validation/page.dto.js';
import { DeliveryAttemptDto } from '../../webhook-endpoints/webhook-message.dto.js';

export const MESSAGE_STATES: MessageState[] = ['pending', 'delivered', 'failed'];
const FINISHED = ['failed', 'delivered'] as const;
const MAX_TEXT = 200;

/** A message to an endpoint. */
export class MessageSummaryDto {
  /**
   * The header `webhook-id` of every attempt.
   * @example 'msg_02rGcPNhvPq8RlzqIaJzXk'
   */
  id!: string;

  /** Whose it is. */
  applicationId!: string;

  /** @example 'Rooms' */
  applicationName!: string;

  /** Where it goes. */
  endpointId!: string;

  /** null: the endpoint was removed. */
  @ApiProperty({ type: String, nullable: true, example: 'https://app.example.com/webhooks/calendars' })
  url!: string | null;

  /** @example 'calendar.event.changed' */
  eventType!: string;

  /** `pending`: there is another attempt. `failed`: it was given up. */
  @ApiProperty({ enum: MESSAGE_STATES, enumName: 'MessageState', example: 'delivered' })
  state!: MessageState;

  /** Why it was given up: `exhausted`, `gone`, `endpoint-disabled`, or why its URL is not allowed; null unless it was. */
  @ApiProperty({ type: String, nullable: true, example: null })
  failureReason!: string | null;

  /** How many were made, those by hand among them. */
  @ApiProperty({ type: 'integer', example: 1 })
  attempts!: number;

  /** When it is tried next, at the earliest; null unless it is pending. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  nextAttemptAt!: Date | null;

  /** Creation time. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  createdAt!: Date;

  static from(message: MessageSummary): MessageSummaryDto {
    const { applicationId, applicationName, endpointId, url, eventType, state } = message;
    const { failureReason, attempts, nextAttemptAt, createdAt } = message;
    return {
      ...{ id: messageIdOf(message.id), applicationId, applicationName, endpointId, url, eventType, state },
      ...{ failureReason, attempts, nextAttemptAt, createdAt },
    };
  }
}

/** A page of messages, newest first. */
export class MessagePageDto extends PageDto {
  /** The messages. */
  data!: MessageSummaryDto[];

  /** Pass it back as `pageToken` to read on, with the same filters; null on the last page. */
  declare nextPageToken: string | null;
}

/** What messages are found by. */
export class MessageFilterDto {
  /** Those of one application. */
  @Omittable()
  @IsUUID()
  applicationId?: string;

  /** Those to one endpoint or subscription. */
  @Omittable()
  @IsUUID()
  endpointId?: string;

  /** Those about one account. */
  @Omittable()
  @IsUUID()
  accountId?: string;

  /**
   * Those of one type.
   * @example 'calendar.event.changed'
   */
  @Omittable()
  @IsString()
  @MaxLength(MAX_TEXT)
  eventType?: string;

  /**
   * Those created before, ISO 8601.
   * @example '2026-11-22T00:00:00Z'
   */
  @Omittable()
  @IsString()
  @MaxLength(MAX_TEXT)
  to?: string;
}

/** Filters and paging of the list of messages. */
export class ListMessagesQueryDto extends MessageFilterDto {
  /**
   * Those created then or later, ISO 8601.
   * @example '2026-11-21T00:00:00Z'
   */
  @Omittable()
  @IsString()
  @MaxLength(MAX_TEXT)
  from?: string;

  /** Those in one state. */
  @OmittableOneOf(MESSAGE_STATES, { enumName: 'MessageState' })
  state?: MessageState;

  /** Messages on a page; larger is clamped to 200. */
  @PageLimit()
  limit?: number;

  /** `nextPageToken` of the page before. */
  @PageToken()
  pageToken?: string;
}

/** Which messages to send again. */
export class ResendMessagesDto extends MessageFilterDto {
  /** Messages that wait for an attempt are not sent again. */
  @OneOf(FINISHED, { enumName: 'FinishedMessageState', example: 'failed' })
  state!: (typeof FINISHED)[number];

  /**
   * Those created then or later, ISO 8601.
   * @example '2026-11-21T00:00:00Z'
   */
  @IsString()
  @MaxLength(MAX_TEXT)
  from!: string;

  /**
   * `after` of the response before, to go on where it stopped.
   * @example 'msg_02rGcPNhvPq8RlzqIaJzXk'
   */
  @Omittable()
  @IsString()
  @MaxLength(MAX_TEXT)
  after?: string;
}

/** How many messages get another attempt. */
export class ResentMessagesDto {
  /** At most 1,000. */
  @ApiProperty({ type: 'integer', example: 12 })
  resent!: number;

  /** Send it with the next request, which goes on with later messages. null: no message is left. */
  @ApiProperty({ type: String, nullable: true, example: null })
  after!: string | null;
}

/** One attempt to deliver a message, with what was sent. */
export class AttemptDto extends DeliveryAttemptDto {
  /**
   * The headers that were sent, without timestamp and signature, which are made for each attempt and not kept. Empty: another
   * service delivers, and makes its own.
   */
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { 'content-type': 'application/json', 'webhook-id': 'msg_02rGcPNhvPq8RlzqIaJzXk' },
  })
  requestHeaders!: Record<string, string>;
}

/** A message with its body and its attempts. */
export class MessageDetailDto extends MessageSummaryDto {
  /**
   * What is sent, as it is sent.
   * @example '{"eventType":"calendar.event.changed","timestamp":"2026-11-21T09:30:00.000Z"}'
   */
  body!: string;

  /** The attempts, in the order in which they started. */
  log!: AttemptDto[];

  static override from(message: MessageDetailWithAttempts): MessageDetailDto {
    return { ...super.from(message), body: message.body, log: message.log };
  }
}
