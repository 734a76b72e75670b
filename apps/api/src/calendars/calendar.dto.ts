import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { Omittable, QueryCount, PageToken } from '../validation/field-decorators.js';
import { ReadOnlyFields } from '../validation/body-decorators.js';

const MAX_PAGE_SIZE = 250;
const SET_BY_PROVIDER = 'Set by the provider.';

/** A calendar of an account. */
export class CalendarDto {
  /**
   * Unique identifier within the account.
   * @example 'aG9tZQ'
   */
  id!: string;

  /**
   * Display name.
   * @example 'Home'
   */
  name!: string;

  /**
   * Colour, `#RRGGBB`.
   * @example '#1A73E8'
   */
  hexColor!: string;

  /**
   * Whether the calendar cannot be written to. For APPLE and CALDAV it may not reflect the real permissions.
   * @example false
   */
  readOnly!: boolean;

  /** Whether this is the primary calendar of the account. GOOGLE, MICROSOFT: left out when not; APPLE, CALDAV: false. */
  @ApiPropertyOptional({ type: Boolean, example: false })
  isPrimary?: boolean;

  /**
   * Whether somebody else shares the calendar with this account.
   * @example false
   */
  isShared!: boolean;

  /**
   * Time zone of the calendar.
   * @example 'Europe/Berlin'
   */
  timeZone!: string;

  /**
   * Address used for invitations to and from the calendar; empty when the provider knows none.
   * @example 'ada@example.com'
   */
  inviteEmail!: string;

  /** Providers of online meetings that the calendar allows. */
  @ApiProperty({ type: [String], example: [] })
  allowedOnlineMeetingProviders!: string[];

  /** Provider of online meetings that is used when none is named. */
  @ApiPropertyOptional({ type: String, example: 'hangoutsMeet' })
  defaultOnlineMeetingProvider?: string;
}

/** A calendar that is gone since the sync token was given out. */
export class DeletedCalendarDto {
  /**
   * Identifier that the calendar had.
   * @example 'aG9tZQ'
   */
  id!: string;

  /** Always true. */
  @ApiProperty({ enum: [true], type: Boolean, example: true })
  isDeleted!: true;
}

@ReadOnlyFields({
  id: SET_BY_PROVIDER,
  readOnly: SET_BY_PROVIDER,
  isPrimary: SET_BY_PROVIDER,
  isShared: SET_BY_PROVIDER,
  inviteEmail: SET_BY_PROVIDER,
  allowedOnlineMeetingProviders: SET_BY_PROVIDER,
  defaultOnlineMeetingProvider: SET_BY_PROVIDER,
})
class CalendarInputDto {
  /**
   * Colour, `#RRGGBB`; the `#` may be left out.
   * @example '#1A73E8'
   */
  @Omittable()
  @IsString()
  @MaxLength(9)
  hexColor?: string;

  /**
   * Time zone, an IANA name.
   * @example 'Europe/Berlin'
   */
  @Omittable()
  @IsString()
  @MaxLength(255)
  timeZone?: string;
}

/** The fields of a calendar to change. */
export class UpdateCalendarDto extends CalendarInputDto {
  /**
   * Display name, 1 to 255 characters.
   * @example 'Home'
   */
  @Omittable()
  @IsString()
  @MaxLength(255)
  name?: string;
}

/** A calendar to create. */
export class CreateCalendarDto extends CalendarInputDto {
  /**
   * Display name, 1 to 255 characters.
   * @example 'Home'
   */
  @IsString()
  @MaxLength(255)
  name!: string;
}

/** Paging of the calendar list. */
export class ListCalendarsQueryDto {
  /**
   * Calendars on a page; larger is clamped to 250.
   * @example 100
   */
  @ApiPropertyOptional({ type: 'integer', minimum: 1, default: 100 })
  @Omittable()
  @QueryCount(MAX_PAGE_SIZE)
  pageSize?: number;

  /** `nextPageToken` of the page before. */
  @PageToken()
  pageToken?: string;

  /** `nextSyncToken` of an earlier read: only what has changed since comes back. */
  @Omittable()
  @IsString()
  syncToken?: string;
}
