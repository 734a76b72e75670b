import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, IsString, Matches, ValidateNested } from 'class-validator';
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
import {
  Clearable,
  ClearableNested,
  ClearableOneOf,
  ClearableText,
  Nested,
  Omittable,
  OmittableBoolean,
  OmittableOneOf,
  OneOf,
  StringRecord,
} from '../validation/field-decorators.js';
import {
  HoldsReadOnlyFields,
  InheritsReadOnlyFields,
  ReadOnlyField,
  ReadOnlyFields,
} from '../validation/body-decorators.js';
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

function ExtendedProperties(example: Record<string, string>): PropertyDecorator {
  return applyDecorators(
    StringRecord(),
    Clearable(),
    ApiPropertyOptional({ type: 'object', additionalProperties: { type: 'string' }, nullable: true, example }),
  );
}

const SET_BY_PROVIDER = 'Set by the provider: ignored, and named in `x-ignored-fields`.';

/** The fields of an event to change. What is left out stays as it is; null clears a field that can be empty. */
@ReadOnlyFields({
  id: SET_BY_PROVIDER,
  etag: 'Set by the provider: ignored, and named in `x-ignored-fields`; send it as `If-Match` instead.',
  createdAt: SET_BY_PROVIDER,
  updatedAt: SET_BY_PROVIDER,
  isRecurring: 'Follows from `recurrence`: ignored, and named in `x-ignored-fields`.',
  isException: SET_BY_PROVIDER,
  originalStart: 'An instance stays the one that it is: ignored, and named in `x-ignored-fields`.',
  recurringEventId: 'An instance stays in its series: ignored, and named in `x-ignored-fields`.',
  webLink: SET_BY_PROVIDER,
  iCalUid: SET_BY_PROVIDER,
  organizer: SET_BY_PROVIDER,
  creator: SET_BY_PROVIDER,
})
export class UpdateEventDto {
  /**
   * Title.
   * @example 'Planning'
   */
  @Omittable()
  @IsString()
  title?: string;

  /** Description, plain text. */
  @ClearableText({ example: 'Agenda follows.' })
  description?: string | null;

  /** Start. */
  @Omittable()
  @Nested(() => EventDateTimeDto)
  start?: EventDateTimeDto;

  /** End, exclusive. On create: one hour after the start, or one day when all-day, when left out. */
  @ClearableNested(() => EventDateTimeDto)
  end?: EventDateTimeDto | null;

  /** Whether the event lasts all day. */
  @OmittableBoolean({ example: false })
  isAllDay?: boolean;

  /** Properties of the application's own, visible to others. */
  @ExtendedProperties({ project: 'apollo' })
  publicExtendedProperties?: Record<string, string> | null;

  /** Properties of the application's own, visible only to the authenticated user. */
  @ExtendedProperties({ crmId: '4711' })
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
  @OmittableOneOf(RESPONSE_STATUSES, { enumName: 'ResponseStatus', example: 'accepted' })
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
  @ClearableOneOf(VISIBILITIES, { enumName: 'Visibility', example: 'default' })
  visibility?: Visibility | null;

  /** Place, physical or virtual. */
  @ClearableText({ example: 'Room 1' })
  location?: string | null;

  /** An online meeting of a third party. Written for GOOGLE alone; 400 for others, unless it comes back as it was read. */
  @ClearableNested(() => ConferenceDataDto)
  conferenceData?: ConferenceDataDto | null;

  /** Whether the event blocks time: `opaque` does. */
  @ClearableOneOf(TRANSPARENCIES, { enumName: 'Transparency', example: 'opaque' })
  transparency?: Transparency | null;

  /** Kind of event. */
  @ClearableOneOf(EVENT_TYPES, { enumName: 'EventType', example: 'default' })
  eventType?: EventType | null;

  /** Reminders. */
  @ClearableNested(() => EventRemindersInputDto)
  reminders?: EventRemindersInputDto | null;

  /** Provider at which a meeting is made for the event. Not available for APPLE and CALDAV. */
  @ClearableText({ maxLength: 64, example: null })
  generateMeetingUrlProvider?: string | null;

  /**
   * true cancels the event, the series or the instance, as deleting it does: nothing else is applied then, and the answer
   * is the event as it was, with `isCancelled` true. false is what every event says that can be changed.
   */
  @ApiPropertyOptional({ type: Boolean, nullable: true, example: false })
  @Clearable()
  @IsBoolean()
  isCancelled?: boolean | null;

  // OmitType takes these from what an event is made of, which has them as fields that are accepted.
  originalStart?: unknown;
  recurringEventId?: unknown;
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
  @Nested(() => EventDateTimeDto)
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
  @ClearableText({ example: null })
  recurringEventId?: string | null;

  /** With `recurringEventId`: where the series puts the instance. */
  @ClearableNested(() => EventDateTimeDto)
  originalStart?: EventDateTimeDto | null;

  /** No event begins cancelled: ignored, and named in `x-ignored-fields`. */
  @ReadOnlyField()
  isCancelled?: unknown;
}

/** The user's answer to an invitation. */
export class RsvpDto {
  /** The answer. */
  @OneOf(RESPONSE_STATUSES, { enumName: 'ResponseStatus', example: 'accepted' })
  responseStatus!: ResponseStatus;
}
