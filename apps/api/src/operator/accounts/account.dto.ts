import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, IsUUID, MaxLength } from 'class-validator';
import type { AccountDetailWithFailure } from '#application/operator';
import { ACCOUNT_STATUSES, type AccountStatus, type ProviderType } from '#domain/accounts';
import { TIMELINE_KINDS, type AccountSummary, type TimelineEntry, type TimelineKind } from '#domain/operator';
import type { MessageState } from '#domain/webhooks';
import { messageIdOf } from '#webhooks';
import { Omittable, OmittableOneOf, PageLimit, PageToken } from '../../validation/field-decorators.js';
import { PageDto } from '../../validation/page.dto.js';
import { OAuthProviderField, ProviderTypeField, ProviderTypeFilter } from '../../validation/provider-fields.js';
import { MESSAGE_STATES } from '../deliveries/message.dto.js';

/** The longest address (RFC 5321 §4.5.3.1). */
const MAX_SEARCH = 320;
const HISTORY_STATUSES = [...ACCOUNT_STATUSES, 'CONNECTED'] as const;
const CHANGE_DETECTION = ['none', 'pushed', 'polled'] as const;

/** Filters and paging of the accounts of all applications. */
export class ListAccountsQueryDto {
  /** Of one application. */
  @ApiPropertyOptional({ format: 'uuid' })
  @Omittable()
  @IsUUID()
  applicationId?: string;

  /** Of one provider. */
  @ProviderTypeFilter()
  providerType?: ProviderType;

  /** In one status. */
  @OmittableOneOf(ACCOUNT_STATUSES, { enumName: 'AccountStatus' })
  status?: AccountStatus;

  /**
   * Part of an address in whatever case, taken literally; or a whole account id or externalId.
   * @example 'ada@'
   */
  @Omittable()
  @IsString()
  @MaxLength(MAX_SEARCH)
  search?: string;

  /**
   * Accounts on a page; larger is clamped to 200.
   * @example 50
   */
  @PageLimit()
  limit?: number;

  /** `nextPageToken` of the page before. */
  @PageToken()
  pageToken?: string;
}

/** An account of some application. */
export class AccountSummaryDto {
  /** @example '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5' */
  id!: string;

  /** @example '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f6' */
  applicationId!: string;

  /** @example 'Acme CRM' */
  applicationName!: string;

  /** Whose calendars they are. */
  @ProviderTypeField()
  providerType!: ProviderType;

  /** @example 'ada@example.com' */
  email!: string;

  /** Id of the user in the application's own system. */
  @ApiProperty({ type: String, nullable: true, example: 'user-42' })
  externalId!: string | null;

  /** `EXPIRED`: its credentials do not work any more. */
  @ApiProperty({ enum: ACCOUNT_STATUSES, enumName: 'AccountStatus', example: 'ACTIVE' })
  status!: AccountStatus;

  /** Creation time. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  createdAt!: Date;

  /** Since when it has its status. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  changedAt!: Date;

  static from(account: AccountSummary): AccountSummaryDto {
    const { id, applicationId, applicationName, providerType, email, externalId, status, createdAt } = account;
    return {
      ...{ id, applicationId, applicationName, providerType, email, externalId, status, createdAt },
      changedAt: account.statusSince,
    };
  }
}

/** A page of accounts, newest first. */
export class AccountPageDto extends PageDto {
  /** The accounts. */
  data!: AccountSummaryDto[];
}

/** Why an account does not work. */
export class AccountFailureDto {
  /** When it was noticed. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  at!: Date;

  /** @example 'invalid_grant' */
  reason!: string;

  /**
   * In words: what happened, and what helps.
   * @example 'The user has to sign in again.'
   */
  explanation!: string;
}

/** How the credentials of an account do. */
export class AccountHealthDto {
  /** When they were tried last without a request of the application; null: not yet. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  checkedAt!: Date | null;

  /** null: while the account is EXPIRED, or has no turn yet. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: '2026-11-21T09:38:00.000Z' })
  nextCheckAt!: Date | null;

  /** The last failure since it worked; null: it works, as far as is known. */
  @ApiProperty({ type: AccountFailureDto, nullable: true })
  lastFailure!: AccountFailureDto | null;
}

/** What an account became, and when. */
export class AccountChangeDto {
  /** When. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  at!: Date;

  /** `CONNECTED`: made, or connected anew. */
  @ApiProperty({ enum: HISTORY_STATUSES, example: 'CONNECTED' })
  status!: AccountStatus | 'CONNECTED';

  /** null: it needs none. */
  @ApiProperty({ type: String, nullable: true, example: 'reconnected' })
  reason!: string | null;
}

/** An account with all that is known of it. */
export class AccountDetailDto extends AccountSummaryDto {
  /** What the user granted; empty for APPLE and CALDAV. */
  @ApiProperty({ type: [String], example: ['https://www.googleapis.com/auth/calendar'] })
  scopes!: string[];

  /** CALDAV: where its server is. */
  @ApiProperty({ type: String, nullable: true, example: null })
  serverUrl!: string | null;

  /** How its credentials do. */
  health!: AccountHealthDto;

  /** Of its status, newest first, at most 50. */
  history!: AccountChangeDto[];

  /**
   * Subscriptions to its calendars.
   * @example 2
   */
  @ApiProperty({ type: 'integer', example: 2 })
  subscriptions!: number;

  static override from(account: AccountDetailWithFailure): AccountDetailDto {
    const { authorizedScopes: scopes, serverUrl, checkedAt, nextCheckAt, lastFailure, subscriptions } = account;
    const history = account.history.map(({ at, status, reason }) => ({ at, status, reason }));
    return {
      ...super.from(account),
      ...{ scopes, serverUrl, health: { checkedAt, nextCheckAt, lastFailure }, history, subscriptions },
    };
  }
}

/** A message to an endpoint of the application. */
export class TimelineMessageDto {
  /** @example '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f7' */
  id!: string;

  /** @example 'calendar.event.changed' */
  eventType!: string;

  @ApiProperty({ enum: MESSAGE_STATES, enumName: 'MessageState', example: 'delivered' })
  state!: MessageState;
}

/** Something that happened with an account. */
export class TimelineEntryDto {
  /** When. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  at!: Date;

  /**
   * `connected`: connected or reconnected. `recovered`: ACTIVE again without a reconnect. `expired`: the user has to
   * reconnect it. `refreshed`: its access token was refreshed. `checked`: its credentials were checked. `rejected`: the
   * provider rejected its password for the first time. `notified`: the provider reported a change of a calendar. `synced`:
   * a calendar was synced. `message`: a message for its application was created.
   */
  @ApiProperty({ enum: TIMELINE_KINDS, example: 'message' })
  kind!: TimelineKind;

  /** Why the status changed. */
  @ApiProperty({ type: String, nullable: true, example: null })
  reason!: string | null;

  /** The calendar that was reported or synced. */
  @ApiProperty({ type: String, nullable: true, example: 'primary' })
  calendarId!: string | null;

  /** Only of `message`. */
  @ApiProperty({ type: TimelineMessageDto, nullable: true })
  message!: TimelineMessageDto | null;

  static from({ message, ...entry }: TimelineEntry): TimelineEntryDto {
    return { ...entry, message: message && { ...message, id: messageIdOf(message.id) } };
  }
}

/** What happened with an account. */
export class AccountTimelineDto {
  /** Newest first, at most 100. */
  data!: TimelineEntryDto[];
}

/** A calendar of an account, as its provider has it now. */
export class AccountCalendarDto {
  /** @example 'primary' */
  id!: string;

  /** @example 'Work' */
  title!: string;

  /** Whether it is the main one. */
  isPrimary!: boolean;

  /** Whether it cannot be written to. */
  isReadOnly!: boolean;

  /** IANA id. */
  @ApiProperty({ type: String, nullable: true, example: 'Europe/Berlin' })
  timeZone!: string | null;

  /** How changes are noticed, where somebody subscribed to it. */
  @ApiProperty({ enum: CHANGE_DETECTION, example: 'pushed' })
  changeDetection!: (typeof CHANGE_DETECTION)[number];
}

/** The calendars of an account. */
export class AccountCalendarsDto {
  /** All of them. */
  data!: AccountCalendarDto[];
}

/** Where the user of an account gives it new credentials. */
export class ReconnectLinkDto {
  /** Where they sign in. */
  @OAuthProviderField()
  provider!: string;

  /** @example 'https://calendar.example.com/api/v1/oauth/authorize/…/google?loginHint=ada%40example.com' */
  url!: string;
}
