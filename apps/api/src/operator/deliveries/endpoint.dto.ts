import { ApiProperty } from '@nestjs/swagger';
import { IsUUID } from 'class-validator';
import type { EndpointState, EndpointSummary } from '#domain/operator';
import { Omittable, OmittableOneOf, PageLimit, PageToken } from '../../validation/field-decorators.js';
import { PageDto } from '../../validation/page.dto.js';
import {
  RecoveredMessagesDto,
  RecoverMessagesDto,
  RotatedEndpointSecretDto,
  UpdateWebhookEndpointDto,
} from '../../webhook-endpoints/webhook-endpoint.dto.js';

const KINDS = ['subscription', 'application'] as const;
type EndpointKind = (typeof KINDS)[number];
const STATES: EndpointState[] = ['active', 'failing', 'disabled'];

/** Where messages go: an endpoint of an application, or a subscription of one calendar. */
export class EndpointSummaryDto {
  /**
   * Of a subscription, its id.
   * @example '019a9b2e-8b20-7e15-9d26-6e3a7b8c9d01'
   */
  id!: string;

  /** `subscription`: to changes of one calendar. `application`: to account events. */
  @ApiProperty({ enum: KINDS, enumName: 'EndpointKind', example: 'subscription' })
  kind!: EndpointKind;

  /** Whose it is. */
  applicationId!: string;

  /** @example 'Rooms' */
  applicationName!: string;

  /** @example 'https://app.example.com/webhooks/calendars' */
  url!: string;

  /** Event types that the endpoint receives. */
  @ApiProperty({ type: [String], example: ['calendar.event.changed'] })
  eventTypes!: string[];

  /** `failing`: the last attempts failed. `disabled`: nothing is sent any more. */
  @ApiProperty({ enum: STATES, enumName: 'EndpointState', example: 'active' })
  state!: EndpointState;

  /** Why it is disabled; null: it is not. */
  @ApiProperty({ type: String, nullable: true, enum: ['gone', 'failing', 'requested', null], example: null })
  disabledReason!: string | null;

  /** Since when every attempt has failed; null: the last one succeeded, or there was none. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  failingSince!: Date | null;

  /** Messages per second at most; null: no limit. */
  @ApiProperty({ type: Number, nullable: true, example: null })
  rateLimit!: number | null;

  /** Of a subscription, whose calendar it is. */
  @ApiProperty({ type: String, nullable: true, example: '019a9b2e-8b20-7e15-9d26-6e3a7b8c9d02' })
  accountId!: string | null;

  /** Of a subscription, the calendar. */
  @ApiProperty({ type: String, nullable: true, example: 'primary' })
  calendarId!: string | null;

  /** Creation time. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  createdAt!: Date;

  /** Of its latest 1,000 messages, those that are still to be delivered. */
  @ApiProperty({ type: 'integer', example: 0 })
  pending!: number;

  /** Of its latest 1,000 messages, those that failed for good. */
  @ApiProperty({ type: 'integer', example: 0 })
  failed!: number;

  static from(endpoint: EndpointSummary): EndpointSummaryDto {
    const { id, applicationId, applicationName, url, eventTypes, disabledReason, failingSince } = endpoint;
    const { rateLimit, accountId, calendarId, createdAt, pending, failed } = endpoint;
    return {
      ...{ id, kind: endpoint.syncedCalendarId === null ? 'application' : 'subscription' },
      ...{ applicationId, applicationName, url, eventTypes, state: stateOf(endpoint), disabledReason, failingSince },
      ...{ rateLimit, accountId, calendarId, createdAt, pending, failed },
    };
  }
}

function stateOf({ disabledAt, failingSince }: EndpointSummary): EndpointState {
  if (disabledAt !== null) return 'disabled';
  return failingSince === null ? 'active' : 'failing';
}

/** A page of endpoints, newest first. */
export class EndpointPageDto extends PageDto {
  /** The endpoints. */
  data!: EndpointSummaryDto[];

  /** Pass it back as `pageToken` to read on, with the same filters; null on the last page. */
  declare nextPageToken: string | null;
}

/** Filters and paging of the list of endpoints. */
export class ListEndpointsQueryDto {
  /** Those of one application. */
  @Omittable()
  @IsUUID()
  applicationId?: string;

  /** Subscriptions of the calendars of one account. */
  @Omittable()
  @IsUUID()
  accountId?: string;

  /** One kind of them. */
  @OmittableOneOf(KINDS, { enumName: 'EndpointKind' })
  kind?: EndpointKind;

  /** Those in one state. */
  @OmittableOneOf(STATES, { enumName: 'EndpointState' })
  state?: EndpointState;

  /** Endpoints on a page; larger is clamped to 200. */
  @PageLimit()
  limit?: number;

  /** `nextPageToken` of the page before. */
  @PageToken()
  pageToken?: string;
}

export class UpdateEndpointDto extends UpdateWebhookEndpointDto {}

export class RecoverDto extends RecoverMessagesDto {}

export class RecoveredDto extends RecoveredMessagesDto {}

/** A secret that has just been replaced. */
export class RotatedSecretDto extends RotatedEndpointSecretDto {
  /** Until when the replaced one signs as well. */
  @ApiProperty({ format: 'date-time', example: '2026-11-22T09:30:00.000Z' })
  previousUntil!: Date;
}
