import { applyDecorators } from '@nestjs/common';
import { ApiHideProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import type { EditScope, EventOrder, NotifyParticipants } from '#domain/providers';
import { EVENT_ORDERS } from '#domain/providers';
import { Omittable, OmittableOneOf, PageToken, QueryBoolean, QueryCount } from '../validation/field-decorators.js';

const MAX_PAGE_SIZE = 1_000;
const MAX_TIME = 64;

/** A date or a time, which the service reads. */
function QueryTime(example: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: String, format: 'date-time', maxLength: MAX_TIME, example }),
    Omittable(),
    IsString(),
    MaxLength(MAX_TIME),
  );
}

/** Time zone of the answer. */
export class EventZoneQueryDto {
  /**
   * Show every time in this zone, an IANA name; without it each event's own.
   * @example 'Europe/Berlin'
   */
  @Omittable()
  @IsString()
  @MaxLength(255)
  timeZone?: string;
}

/** Filters and paging of an event list. */
export class ListEventsQueryDto extends EventZoneQueryDto {
  /** Events on a page; larger is clamped to 1,000. The default varies by provider (400; MICROSOFT 100). A page may be short. */
  @ApiPropertyOptional({ type: 'integer', minimum: 1, example: 100 })
  @Omittable()
  @QueryCount(MAX_PAGE_SIZE)
  pageSize?: number;

  /** `nextPageToken` of the page before. */
  @PageToken()
  pageToken?: string;

  /**
   * `nextSyncToken` of an earlier read: only what has changed since comes back, deleted events with `isCancelled` true.
   * Only `pageSize`, `pageToken` and `timeZone` may come along.
   */
  @Omittable()
  @IsString()
  syncToken?: string;

  /** Events that end after this, ISO 8601. */
  @QueryTime('2026-11-01T00:00:00Z')
  startDateTime?: string;

  /** Events that start before this, ISO 8601. */
  @QueryTime('2026-12-01T00:00:00Z')
  endDateTime?: string;

  /**
   * JSON object of extended properties that must all match: `{"key":"value"}` (private first, then public), or
   * `{"private":{…},"public":{…}}`. At most 10 keys.
   * @example '{"project":"apollo"}'
   */
  @Omittable()
  @IsString()
  metadataFilters?: string;

  /** Show the occurrences of series instead of the series. Needs `startDateTime` and `endDateTime`. */
  // Without a default: clients in Go would send it along with a `syncToken`, which admits no filters.
  @ApiPropertyOptional({ type: Boolean })
  @Omittable()
  @QueryBoolean()
  expandRecurrences?: boolean;

  /**
   * Part of the title, taken literally.
   * @example 'Planning'
   */
  @Omittable()
  @IsString()
  @MaxLength(1_024)
  search?: string;

  /** Order, ascending. Only with `expandRecurrences`; without it events are unordered. */
  @OmittableOneOf(EVENT_ORDERS, { enumName: 'EventOrder' })
  orderBy?: EventOrder;

  /** Events that were changed after this, ISO 8601. */
  @QueryTime('2026-11-20T00:00:00Z')
  updatedAfter?: string;

  /** All-day events only, or none of them. */
  @ApiPropertyOptional({ type: Boolean })
  @Omittable()
  @QueryBoolean()
  isAllDay?: boolean;

  /** true: cancelled events are listed as well, with those deleted that the provider still knows; false: none is. */
  @ApiPropertyOptional({ type: Boolean })
  @Omittable()
  @QueryBoolean()
  isCancelled?: boolean;

  /** The event, or series, with this iCalendar UID. */
  @Omittable()
  @IsString()
  @MaxLength(1_024)
  iCalUid?: string;
}

/** Filters and paging of the occurrences of a series. */
export class ListOccurrencesQueryDto extends OmitType(ListEventsQueryDto, [
  'startDateTime',
  'endDateTime',
  'expandRecurrences',
  'orderBy',
  'syncToken',
] as const) {
  /**
   * `nextSyncToken` of an earlier read: only what has changed since comes back, deleted events with `isCancelled` true.
   * The other parameters may come along as in that read, or be left out.
   */
  @Omittable()
  @IsString()
  syncToken?: string;

  /** Occurrences that end after this, ISO 8601. Needed without a token. */
  @QueryTime('2026-11-01T00:00:00Z')
  startDateTime?: string;

  /** Occurrences that start before this, ISO 8601. Needed without a token. */
  @QueryTime('2026-12-01T00:00:00Z')
  endDateTime?: string;

  /** Of no effect: clients that read lists and occurrences in one way send it. */
  @ApiHideProperty()
  @Omittable()
  @QueryBoolean()
  expandRecurrences?: boolean;

  /** Order, ascending; without it occurrences are unordered. */
  @OmittableOneOf(EVENT_ORDERS, { enumName: 'EventOrder' })
  orderBy?: EventOrder;
}

/** Whom the provider notifies of a change. */
export class NotifyQueryDto extends EventZoneQueryDto {
  /** Whom the provider notifies by e-mail. Named in `x-ignored-fields` where the provider decides that itself. */
  @OmittableOneOf(['all', 'external', 'none'], { enumName: 'NotifyParticipants', default: 'all' })
  notifyParticipants?: NotifyParticipants;
}

/** Which part of a series a change is for. */
export class EditQueryDto extends NotifyQueryDto {
  /** This instance, this and the following ones, or the series. Default: `this` on an instance id, `all` on a series id. */
  @OmittableOneOf(['this', 'following', 'all'], { enumName: 'EditScope' })
  scope?: EditScope;
}
