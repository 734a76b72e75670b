import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { buildMessage, IsArray, isEmail, IsInt, IsString, Max, Min, ValidateBy, ValidateNested } from 'class-validator';
import { RESPONSE_STATUSES, type ResponseStatus } from '#domain/events';
import {
  Clearable,
  ClearableText,
  Omittable,
  OmittableBoolean,
  OmittableOneOf,
  OneOf,
  OpenObject,
} from '../validation/field-decorators.js';
import { ReadOnlyField } from '../validation/body-decorators.js';

/** Longest date-time, offset and fraction included. */
const MAX_TIME = 64;
/** A year. */
const MAX_MINUTES_BEFORE = 525_600;
/** Four weeks. */
const MAX_MINUTES_AFTER = 40_320;
const MIN_MINUTES_BEFORE = -MAX_MINUTES_AFTER;
/** Of new ones: an event that has more can be sent back, so that the service counts them. */
const MAX_REMINDERS = 20;
const MAX_NAME = 255;

/** A date, or a date-time with an offset, a time zone, both or none. */
export class EventDateTimeDto {
  /** Date of an all-day event, `YYYY-MM-DD`. The end is exclusive. */
  @ClearableText({ maxLength: MAX_TIME, format: 'date', example: null })
  date?: string | null;

  /** ISO 8601 date-time; may carry an offset or none. */
  @ClearableText({ maxLength: MAX_TIME, example: '2026-11-23T09:00:00' })
  dateTime?: string | null;

  /** Time zone, an IANA name; Windows names are understood too. */
  @ClearableText({ maxLength: 255, example: 'Europe/Berlin' })
  timeZone?: string | null;
}

/** Whether somebody comes with an id, as an answer of this service showed them. */
function isShown(attendee: object | undefined): boolean {
  const { id } = (attendee ?? {}) as { id?: unknown };
  return typeof id === 'string' && id !== '';
}

/** An email address, with or without `mailto:`; whatever it is of somebody who was shown. */
function GuestAddress(): PropertyDecorator {
  return ValidateBy({
    name: 'guestAddress',
    validator: {
      validate: (value, context) =>
        typeof value === 'string' &&
        (isShown(context?.object) ||
          isEmail(value.replace(/^mailto:/i, ''), { require_tld: false, allow_utf8_local_part: true })),
      defaultMessage: buildMessage(() => '$property must be an email address'),
    },
  });
}

/** A name of at most 255 characters; of any length of somebody who was shown. */
function GuestName(): PropertyDecorator {
  return ValidateBy({
    name: 'guestName',
    validator: {
      validate: (value, context) => typeof value === 'string' && (isShown(context?.object) || value.length <= MAX_NAME),
      defaultMessage: buildMessage(() => `$property must be a text of at most ${MAX_NAME} characters`),
    },
  });
}

/** Somebody who is invited. */
export class EventAttendeeInputDto {
  /** Set by the provider: ignored, and named in `x-ignored-fields`. */
  @ReadOnlyField()
  id?: unknown;

  /** Full name. */
  @ApiPropertyOptional({ type: String, nullable: true, maxLength: MAX_NAME, example: 'Grace Hopper' })
  @Clearable()
  @GuestName()
  name?: string | null;

  /** Email address. */
  @ApiProperty({ type: String, format: 'email', example: 'grace@example.com' })
  @GuestAddress()
  email!: string;

  /** Answer to the invitation; `needsAction` when left out. */
  @OmittableOneOf(RESPONSE_STATUSES, { enumName: 'ResponseStatus', example: 'needsAction' })
  responseStatus?: ResponseStatus;
}

/** Somebody who is to be on the list: somebody new, or somebody whom the event shows, sent back. */
export class EventAttendeeChangeDto extends OmitType(EventAttendeeInputDto, ['id', 'name', 'email'] as const) {
  /** Of somebody whom the event shows; it tells who that is where there is no email address. */
  @ClearableText({ example: 'grace@example.com' })
  id?: string | null;

  /** Full name, of at most 255 characters where it is a new one. */
  @ApiPropertyOptional({ type: String, nullable: true, example: 'Grace Hopper' })
  @Clearable()
  @GuestName()
  name?: string | null;

  /** Email address; with an `id` it may be whatever the event shows, nothing included. */
  @ApiProperty({ type: String, example: 'grace@example.com' })
  @GuestAddress()
  email!: string;
}

/** When and how to remind. */
export class EventReminderInputDto {
  /** How. */
  @OneOf(['popup', 'email'], { enumName: 'ReminderMethod', example: 'popup' })
  method!: string;

  /** Minutes before the start; below 0 after it, for APPLE and CALDAV only. */
  @ApiProperty({ type: 'integer', minimum: MIN_MINUTES_BEFORE, maximum: MAX_MINUTES_BEFORE, example: 15 })
  @IsInt()
  @Min(MIN_MINUTES_BEFORE)
  @Max(MAX_MINUTES_BEFORE)
  minutes!: number;
}

/** The reminders that an event is to have. */
export class EventRemindersInputDto {
  /** Whether the calendar's own reminders apply. Left out: true, or false beside `overrides` or `isReminderOn: false`. */
  @OmittableBoolean({ example: false })
  useDefault?: boolean;

  /** Whether there is a reminder at all. */
  @OmittableBoolean({ example: true })
  isReminderOn?: boolean;

  /** Reminders of this event's own. */
  @ApiPropertyOptional({ type: () => [EventReminderInputDto], maxItems: MAX_REMINDERS })
  @Omittable()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => EventReminderInputDto)
  overrides?: EventReminderInputDto[];
}

/** An online meeting. Not available for APPLE and CALDAV. */
export class ConferenceDataDto {
  /** Id of the meeting at its provider. */
  @ApiPropertyOptional({ type: String, example: 'abc-defg-hij' })
  @Omittable()
  @IsString()
  conferenceId?: string;

  /** Kind of meeting. */
  @ApiPropertyOptional({ type: String, example: 'hangoutsMeet' })
  @Omittable()
  @IsString()
  conferenceType?: string;

  /** Address to join at. */
  @ApiPropertyOptional({ type: String, example: 'https://meet.example.com/abc-defg-hij' })
  @Omittable()
  @IsString()
  joinUrl?: string;

  /** What else the provider tells about the meeting, in its own words. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, example: { entryPoints: [] } })
  @Omittable()
  @OpenObject()
  conferenceDetails?: Record<string, unknown>;
}
