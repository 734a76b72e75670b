import { ApiProperty } from '@nestjs/swagger';
import { IsUUID } from 'class-validator';
import type { MessageDetailWithAttempts } from '#application/operator';
import type { MessageSummary } from '#domain/operator';
import type { MessageState } from '#domain/webhooks';
import { messageIdOf } from '#webhooks';
import { Omittable, OmittableOneOf, PageLimit, PageToken } from '../../validation/field-decorators.js';
import { PageDto } from '../../validation/page.dto.js';
import { DeliveryAttemptDto } from '../../webhook-endpoints/webhook-message.dto.js';

const STATES: MessageState[] = ['pending', 'delivered', 'failed'];

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
  @ApiProperty({ enum: STATES, enumName: 'MessageState', example: 'delivered' })
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

/** Filters and paging of the list of messages. */
export class ListMessagesQueryDto {
  /** Those of one application. */
  @Omittable()
  @IsUUID()
  applicationId?: string;

  /** Those to one endpoint or subscription. */
  @Omittable()
  @IsUUID()
  endpointId?: string;

  /** Those in one state. */
  @OmittableOneOf(STATES, { enumName: 'MessageState' })
  state?: MessageState;

  /** Messages on a page; larger is clamped to 200. */
  @PageLimit()
  limit?: number;

  /** `nextPageToken` of the page before. */
  @PageToken()
  pageToken?: string;
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
