import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { CalendarDto, DeletedCalendarDto } from './calendar.dto.js';

/** A page of calendars, or of what changed. */
@ApiExtraModels(CalendarDto, DeletedCalendarDto)
export class CalendarPageDto {
  /** The calendars; with a `syncToken` also those that are gone. */
  @ApiProperty({
    type: 'array',
    items: { anyOf: [{ $ref: getSchemaPath(CalendarDto) }, { $ref: getSchemaPath(DeletedCalendarDto) }] },
  })
  data!: (CalendarDto | DeletedCalendarDto)[];

  /** Pass it back as `pageToken` to read on; left out on the last page. */
  @ApiPropertyOptional({ type: String })
  nextPageToken?: string;

  /** Pass it back later as `syncToken` to learn what has changed; on the last page. */
  @ApiPropertyOptional({ type: String })
  nextSyncToken?: string;
}

/** It is done. */
export class SuccessDto {
  /**
   * Always true.
   * @example true
   */
  success!: boolean;
}
