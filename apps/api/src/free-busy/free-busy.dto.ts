import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsString, MaxLength } from 'class-validator';
import { ERROR_CODES } from '#domain/system';
import { OmittableBoolean } from '../validation/field-decorators.js';

const MAX_CALENDARS = 100;

/** Calendars and period of a free/busy query. */
export class FreeBusyQueryDto {
  /** Start of the period, ISO 8601. Without an offset it is read in `timeZone`. */
  @ApiProperty({ format: 'date-time', example: '2026-11-23T00:00:00Z' })
  @IsString()
  @MaxLength(64)
  startDateTime!: string;

  /** End of the period, exclusive, ISO 8601. */
  @ApiProperty({ format: 'date-time', example: '2026-11-30T00:00:00Z' })
  @IsString()
  @MaxLength(64)
  endDateTime!: string;

  /**
   * Time zone in which the answer shows its times, an IANA name.
   * @example 'Europe/Berlin'
   */
  @IsString()
  @MaxLength(255)
  timeZone!: string;

  /** The calendars, 1 to 100. */
  @ApiProperty({ type: [String], minItems: 1, maxItems: MAX_CALENDARS, example: ['aG9tZQ'] })
  @IsArray()
  @ArrayMaxSize(MAX_CALENDARS)
  @IsString({ each: true })
  calendarIds!: string[];

  /** true: a calendar that cannot be read carries its error. Otherwise the whole request fails with it. */
  @OmittableBoolean({ default: false })
  allowPartial?: boolean;
}

/** A moment, shown in the zone that was asked for. */
export class ZonedDateTimeDto {
  /** The moment, with the offset of its zone. */
  @ApiProperty({ format: 'date-time', example: '2026-11-23T09:00:00+01:00' })
  dateTime!: string;

  /**
   * The zone.
   * @example 'Europe/Berlin'
   */
  timeZone!: string;
}

/** Time that is taken. */
export class BusySlotDto {
  /** When it begins. */
  start!: ZonedDateTimeDto;

  /** When it ends, exclusive. */
  end!: ZonedDateTimeDto;
}

/** Why a calendar could not be read. */
export class FreeBusyErrorDto {
  /** One of the error codes. */
  @ApiProperty({ enum: ERROR_CODES, enumName: 'ErrorCode', example: 'NotFound' })
  code!: string;

  /**
   * A sentence for people, naming the calendar.
   * @example 'Calendar aG9tZQ: There is no calendar with this id.'
   */
  message!: string;
}

/** Busy time of one calendar. */
export class FreeBusyCalendarDto {
  /**
   * The calendar.
   * @example 'aG9tZQ'
   */
  calendarId!: string;

  /** Its busy time: sorted, merged, clipped to the period. Absent when the calendar could not be read. */
  @ApiPropertyOptional({ type: () => [BusySlotDto] })
  busySlots?: BusySlotDto[];

  /** Only with `allowPartial`: why the calendar could not be read. */
  @ApiPropertyOptional({ type: () => FreeBusyErrorDto })
  error?: FreeBusyErrorDto;
}
