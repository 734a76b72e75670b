import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsObject,
  IsString,
  Matches,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import {
  EVENT_TYPES,
  RESPONSE_STATUSES,
  TRANSPARENCIES,
  VISIBILITIES,
  type EventType,
  type ResponseStatus,
  type Transparency,
  type Visibility,
} from '#domain';
import { Clearable, Omittable, StringRecord } from '../validation/field-decorators.js';
import { HoldsReadOnlyFields, InheritsReadOnlyFields, ReadOnlyField } from '../validation/body-decorators.js';
import {
  ConferenceDataDto,
  EventAttendeeChangeDto,
  EventAttendeeInputDto,
  EventDateTimeDto,
  EventRemindersInputDto,
} from './event-parts.dto.js';

const MAX_ATTENDEES = 2_000;
/** Of new ones: an event that has more can be sent back, so that the service counts them. */
const MAX_RECURRENCE_LINES = 100;

/** The fields of an event to change. What is left out stays as it is; null clears a field that can be empty. */
export class UpdateEventDto {
  /**
   * Title.
   * @example 'Planning'
   */
  @Omittable()
  @IsString()
  title?: string;

  /** Description, plain text. */
  @ApiPropertyOptional({ type: String, nullable: true, example: 'Agenda follows.' })
  @Clearable()
  @IsString()
  description?: string | null;

  /** Start. */
  @Omittable()
  @IsObject()
  @ValidateNested()
  @Type(() => EventDateTimeDto)
  start?: EventDateTimeDto;

  /** End, exclusive. On create: one hour after the start, or one day when all-day, when left out. */
  @ApiPropertyOptional({ type: () => EventDateTimeDto, nullable: true })
  @Clearable()
  @IsObject()
  @ValidateNested()
  @Type(() => EventDateTimeDto)
  end?: EventDateTimeDto | null;

  /** Whether the event lasts all day. */
  @ApiPropertyOptional({ type: Boolean, example: false })
  @Omittable()
  @IsBoolean()
  isAllDay?: boolean;

  /** Properties of the application's own, visible to others. */
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    nullable: true,
    example: { project: 'apollo' },
  })
  @Clearable()
  @StringRecord()
  publicExtendedProperties?: Record<string, string> | null;

  /** Properties of the application's own, visible only to the authenticated user. */
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    nullable: true,
    example: { crmId: '4711' },
  })
  @Clearable()
  @StringRecord()
  privateExtendedProperties?: Record<string, string> | null;

  /** Recurrence: RRULE, RDATE, EXDATE, EXRULE lines of RFC 5545. null makes a series a single event. */
  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    maxItems: MAX_RECURRENCE_LINES,
    example: ['RRULE:FREQ=WEEKLY;BYDAY=MO'],
  })
  @Clearable()
  @IsArray()
  @IsString({ each: true })
  recurrence?: string[] | null;

  /** Colour from the palette, "1" to "11". */
  @ApiPropertyOptional({ type: String, nullable: true, pattern: '^([1-9]|1[01])$', example: '7' })
  @Clearable()
  @Matches(/^([1-9]|1[01])$/, { message: '$property must be "1" to "11"' })
  colorId?: string | null;

  /** Colour, `#rrggbb`. */
  @ApiPropertyOptional({ type: String, nullable: true, pattern: '^#[0-9a-fA-F]{6}$', example: '#1a73e8' })
  @Clearable()
  @Matches(/^#[0-9a-fA-F]{6}$/, { message: '$property must be a colour, #rrggbb' })
  customColor?: string | null;

  /** The user's own answer to the invitation, given as by an RSVP. Of the organizer 400 for MICROSOFT. */
  @ApiPropertyOptional({ enum: RESPONSE_STATUSES, enumName: 'ResponseStatus', example: 'accepted' })
  @Omittable()
  @IsIn(RESPONSE_STATUSES)
  myResponseStatus?: ResponseStatus;

  /** Everybody who is invited; replaces the list. */
  @ApiPropertyOptional({ type: () => [EventAttendeeChangeDto], nullable: true, maxItems: MAX_ATTENDEES })
  @Clearable()
  @IsArray()
  @ArrayMaxSize(MAX_ATTENDEES)
  @ValidateNested({ each: true })
  @Type(() => EventAttendeeChangeDto)
  attendees?: EventAttendeeChangeDto[] | null;

  /** Who may see the event. */
  @ApiPropertyOptional({ enum: VISIBILITIES, enumName: 'Visibility', nullable: true, example: 'default' })
  @Clearable()
  @IsIn(VISIBILITIES)
  visibility?: Visibility | null;

  /** Place, physical or virtual. */
  @ApiPropertyOptional({ type: String, nullable: true, example: 'Room 1' })
  @Clearable()
  @IsString()
  location?: string | null;

  /** An online meeting of a third party. Written for GOOGLE alone; 400 for others, unless it comes back as it was read. */
  @ApiPropertyOptional({ type: () => ConferenceDataDto, nullable: true })
  @Clearable()
  @IsObject()
  @ValidateNested()
  @Type(() => ConferenceDataDto)
  conferenceData?: ConferenceDataDto | null;

  /** Whether the event blocks time: `opaque` does. */
  @ApiPropertyOptional({ enum: TRANSPARENCIES, enumName: 'Transparency', nullable: true, example: 'opaque' })
  @Clearable()
  @IsIn(TRANSPARENCIES)
  transparency?: Transparency | null;

  /** Kind of event. */
  @ApiPropertyOptional({ enum: EVENT_TYPES, enumName: 'EventType', nullable: true, example: 'default' })
  @Clearable()
  @IsIn(EVENT_TYPES)
  eventType?: EventType | null;

  /** Reminders. */
  @ApiPropertyOptional({ type: () => EventRemindersInputDto, nullable: true })
  @Clearable()
  @IsObject()
  @ValidateNested()
  @Type(() => EventRemindersInputDto)
  reminders?: EventRemindersInputDto | null;

  /** Provider at which a meeting is made for the event. Not available for APPLE and CALDAV. */
  @ApiPropertyOptional({ type: String, nullable: true, example: null })
  @Clearable()
  @IsString()
  @MaxLength(64)
  generateMeetingUrlProvider?: string | null;

  /**
   * true cancels the event, the series or the instance, as deleting it does: nothing else is applied then, and the answer
   * is the event as it was, with `isCancelled` true. false is what every event says that can be changed.
   */
  @ApiPropertyOptional({ type: Boolean, nullable: true, example: false })
  @Clearable()
  @IsBoolean()
  isCancelled?: boolean | null;

  /** Set by the provider: ignored, and named in `x-ignored-fields`. */
  @ReadOnlyField()
  id?: unknown;

  /** Set by the provider: ignored, and named in `x-ignored-fields`; send it as `If-Match` instead. */
  @ReadOnlyField()
  etag?: unknown;

  /** Set by the provider: ignored, and named in `x-ignored-fields`. */
  @ReadOnlyField()
  createdAt?: unknown;

  /** Set by the provider: ignored, and named in `x-ignored-fields`. */
  @ReadOnlyField()
  updatedAt?: unknown;

  /** Follows from `recurrence`: ignored, and named in `x-ignored-fields`. */
  @ReadOnlyField()
  isRecurring?: unknown;

  /** Set by the provider: ignored, and named in `x-ignored-fields`. */
  @ReadOnlyField()
  isException?: unknown;

  /** An instance stays the one that it is: ignored, and named in `x-ignored-fields`. */
  @ReadOnlyField()
  originalStart?: unknown;

  /** An instance stays in its series: ignored, and named in `x-ignored-fields`. */
  @ReadOnlyField()
  recurringEventId?: unknown;

  /** Set by the provider: ignored, and named in `x-ignored-fields`. */
  @ReadOnlyField()
  webLink?: unknown;

  /** Set by the provider: ignored, and named in `x-ignored-fields`. */
  @ReadOnlyField()
  iCalUid?: unknown;

  /** Set by the provider: ignored, and named in `x-ignored-fields`. */
  @ReadOnlyField()
  organizer?: unknown;

  /** Set by the provider: ignored, and named in `x-ignored-fields`. */
  @ReadOnlyField()
  creator?: unknown;
}

/** Fields that mean something else on an event that is new. */
const OWN_OF_NEW = ['title', 'start', 'attendees', 'isCancelled', 'originalStart', 'recurringEventId'] as const;

/** An event to create. */
@InheritsReadOnlyFields(() => UpdateEventDto, OWN_OF_NEW)
export class CreateEventDto extends OmitType(UpdateEventDto, OWN_OF_NEW) {
  /**
   * Title.
   * @example 'Planning'
   */
  @IsString()
  title!: string;

  /** Start. */
  @ApiProperty({ type: () => EventDateTimeDto })
  @IsObject()
  @ValidateNested()
  @Type(() => EventDateTimeDto)
  start!: EventDateTimeDto;

  /** Everybody who is invited. */
  @ApiPropertyOptional({ type: () => [EventAttendeeInputDto], nullable: true, maxItems: MAX_ATTENDEES })
  @Clearable()
  @IsArray()
  @ArrayMaxSize(MAX_ATTENDEES)
  @ValidateNested({ each: true })
  @Type(() => EventAttendeeInputDto)
  @HoldsReadOnlyFields(() => EventAttendeeInputDto)
  attendees?: EventAttendeeInputDto[] | null;

  /**
   * With `originalStart`: the series of this calendar that one instance is to be changed of, to what the body says. Where
   * the two name no such instance, the event is a single one, and they are named in `x-ignored-fields`.
   */
  @ApiPropertyOptional({ type: String, nullable: true, example: null })
  @Clearable()
  @IsString()
  recurringEventId?: string | null;

  /** With `recurringEventId`: where the series puts the instance. */
  @ApiPropertyOptional({ type: () => EventDateTimeDto, nullable: true })
  @Clearable()
  @IsObject()
  @ValidateNested()
  @Type(() => EventDateTimeDto)
  originalStart?: EventDateTimeDto | null;

  /** No event begins cancelled: ignored, and named in `x-ignored-fields`. */
  @ReadOnlyField()
  isCancelled?: unknown;
}

/** The user's answer to an invitation. */
export class RsvpDto {
  /** The answer. */
  @ApiProperty({ enum: RESPONSE_STATUSES, enumName: 'ResponseStatus', example: 'accepted' })
  @IsIn(RESPONSE_STATUSES)
  responseStatus!: ResponseStatus;
}
