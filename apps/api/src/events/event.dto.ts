import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import {
  EVENT_TYPES,
  RESPONSE_STATUSES,
  TRANSPARENCIES,
  VISIBILITIES,
  type EventType,
  type ResponseStatus,
  type Transparency,
  type Visibility,
} from '#domain/events';
import { ConferenceDataDto } from './event-parts.dto.js';

/** When something is. An all-day event carries `date`; the other two then serve clients that read nothing else. */
export class EventTimeDto {
  /** Date of an all-day event, `YYYY-MM-DD`; as an end it is exclusive. */
  @ApiPropertyOptional({ type: String, format: 'date', example: '2026-11-23' })
  date?: string;

  /** Date-time, with the offset of its zone unless nobody knows that. */
  @ApiPropertyOptional({ type: String, example: '2026-11-23T09:00:00+01:00' })
  dateTime?: string;

  /** The zone it is shown in; a name that nobody knows is passed through. */
  @ApiPropertyOptional({ type: String, example: 'Europe/Berlin' })
  timeZone?: string;
}

/** Somebody who is invited. */
export class EventAttendeeDto {
  /**
   * Identifier within the event.
   * @example 'grace@example.com'
   */
  id!: string;

  /** Full name. */
  @ApiPropertyOptional({ type: String, example: 'Grace Hopper' })
  name?: string;

  /**
   * Email address.
   * @example 'grace@example.com'
   */
  email!: string;

  /** Answer to the invitation. */
  @ApiProperty({ enum: RESPONSE_STATUSES, enumName: 'ResponseStatus', example: 'accepted' })
  responseStatus!: ResponseStatus;
}

/** Who organises the event. */
export class EventOrganizerDto {
  /** Full name. */
  @ApiPropertyOptional({ type: String, example: 'Ada Lovelace' })
  name?: string;

  /**
   * Email address.
   * @example 'ada@example.com'
   */
  email!: string;

  /**
   * Whether it is the user of the account.
   * @example true
   */
  isSelf!: boolean;
}

/** Who created the event. */
export class EventCreatorDto {
  /**
   * Email address.
   * @example 'ada@example.com'
   */
  email!: string;
}

/** When and how the user is reminded. */
export class EventReminderDto {
  /** How. */
  @ApiProperty({ enum: ['popup', 'email'], enumName: 'ReminderMethod', example: 'popup' })
  method!: string;

  /** Minutes before the start; below 0 after it. */
  @ApiProperty({ type: 'integer', example: 15 })
  minutes!: number;
}

/** The reminders of an event. */
export class EventRemindersDto {
  /**
   * Whether the calendar's own reminders apply.
   * @example false
   */
  useDefault!: boolean;

  /** Whether there is a reminder at all. */
  @ApiPropertyOptional({ type: Boolean, example: true })
  isReminderOn?: boolean;

  /** Reminders of this event's own. */
  @ApiPropertyOptional({ type: () => [EventReminderDto] })
  overrides?: EventReminderDto[];
}

const EVENT_DESCRIPTION =
  'An event, a series, or one instance of a series. A removed event, which only answers to a `syncToken` name, has `id` ' +
  'and `isCancelled`, and where they are known `iCalUid`, `recurringEventId` and `originalStart`. Every other event has ' +
  'also `title`, `start`, `end`, `isAllDay`, `isRecurring`, `isException`, `recurrence`, `attendees`, `visibility`, ' +
  '`transparency`, `eventType`, `reminders`, `publicExtendedProperties` and `privateExtendedProperties`.';

@ApiSchema({ description: EVENT_DESCRIPTION })
export class EventDto {
  /**
   * Identifier. That of an instance is the id of its series, an underscore and a date.
   * @example 'cGxhbm5pbmc'
   */
  id!: string;

  /**
   * Title.
   * @example 'Planning'
   */
  title?: string;

  /** Description, plain text. */
  @ApiPropertyOptional({ type: String, example: 'Agenda follows.' })
  description?: string;

  /** Version tag; send it as `If-Match` to change exactly this version. */
  @ApiPropertyOptional({ type: String, example: '"63-4f1c"' })
  etag?: string;

  /** Creation time. */
  @ApiPropertyOptional({ type: String, format: 'date-time', example: '2026-11-20T08:00:00Z' })
  createdAt?: string;

  /** Time of the last change. */
  @ApiPropertyOptional({ type: String, format: 'date-time', example: '2026-11-20T08:00:00Z' })
  updatedAt?: string;

  /** Start. */
  start?: EventTimeDto;

  /** End, exclusive. */
  end?: EventTimeDto;

  /**
   * Whether the event lasts all day.
   * @example false
   */
  isAllDay?: boolean;

  /** Properties of the application's own, visible to others. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: { type: 'string' }, example: { project: 'apollo' } })
  publicExtendedProperties?: Record<string, string>;

  /** Properties of the application's own, visible only to the authenticated user. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: { type: 'string' }, example: { crmId: '4711' } })
  privateExtendedProperties?: Record<string, string>;

  /**
   * Whether this is a series.
   * @example false
   */
  isRecurring?: boolean;

  /**
   * Whether this is an instance of a series.
   * @example false
   */
  isException?: boolean;

  /**
   * Whether the event is cancelled. True for a removed one.
   * @example false
   */
  isCancelled!: boolean;

  /** RRULE, RDATE, EXDATE, EXRULE lines of RFC 5545; null for what is no series. */
  @ApiPropertyOptional({ type: [String], nullable: true, example: null })
  recurrence?: string[] | null;

  /** Start of an instance before it was moved. For an all-day one it is `date` alone. */
  @ApiPropertyOptional({ type: () => EventTimeDto })
  originalStart?: EventTimeDto;

  /** The series that this instance belongs to. */
  @ApiPropertyOptional({ type: String, example: 'c3RhbmR1cA' })
  recurringEventId?: string;

  /** Colour from the palette, "1" to "11". */
  @ApiPropertyOptional({ type: String, example: '7' })
  colorId?: string;

  /** Colour, `#rrggbb`. */
  @ApiPropertyOptional({ type: String, example: '#1a73e8' })
  customColor?: string;

  /** The user's own answer to the invitation. */
  @ApiPropertyOptional({ enum: RESPONSE_STATUSES, enumName: 'ResponseStatus', example: 'accepted' })
  myResponseStatus?: ResponseStatus;

  /** Everybody who is invited. */
  attendees?: EventAttendeeDto[];

  /** Who may see the event. */
  @ApiPropertyOptional({ enum: VISIBILITIES, enumName: 'Visibility', example: 'default' })
  visibility?: Visibility;

  /** Place, physical or virtual. */
  @ApiPropertyOptional({ type: String, example: 'Room 1' })
  location?: string;

  /** An online meeting. Not available for APPLE and CALDAV. */
  @ApiPropertyOptional({ type: () => ConferenceDataDto })
  conferenceData?: ConferenceDataDto;

  /** Only while this provider is still making the meeting of the event: a later read has its `joinUrl`. */
  @ApiPropertyOptional({ type: String, example: 'hangoutsMeet' })
  generateMeetingUrlProvider?: string;

  /** Address of the event in the provider's own pages. Not available for APPLE and CALDAV. */
  @ApiPropertyOptional({ type: String, example: '' })
  webLink?: string;

  /** UID in iCalendar terms: the same event has it everywhere. */
  @ApiPropertyOptional({ type: String, example: '4f1c9a6e-0b1d-4a52-8b6f-9d3f6a1c2b7e' })
  iCalUid?: string;

  /** Whether the event blocks time: `opaque` does. */
  @ApiPropertyOptional({ enum: TRANSPARENCIES, enumName: 'Transparency', example: 'opaque' })
  transparency?: Transparency;

  /** Kind of event. */
  @ApiPropertyOptional({ enum: EVENT_TYPES, enumName: 'EventType', example: 'default' })
  eventType?: EventType;

  /** Who organises the event. */
  @ApiPropertyOptional({ type: () => EventOrganizerDto })
  organizer?: EventOrganizerDto;

  /** Who created the event. */
  @ApiPropertyOptional({ type: () => EventCreatorDto })
  creator?: EventCreatorDto;

  /** Reminders. */
  reminders?: EventRemindersDto;
}

/** A page of events, or of what changed. */
export class EventPageDto {
  /** The events; with a `syncToken` also those that are removed. */
  data!: EventDto[];

  /** Pass it back as `pageToken` to read on; left out on the last page. */
  @ApiPropertyOptional({ type: String })
  nextPageToken?: string;

  /** Pass it back later as `syncToken` to learn what has changed; on the last page. */
  @ApiPropertyOptional({ type: String })
  nextSyncToken?: string;
}
