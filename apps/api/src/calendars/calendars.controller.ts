import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CalendarsService } from '#application/calendars';
import type { ApplicationRef } from '#domain/applications';
import { CurrentApplication, RequestSignal, IdempotencyKey } from '../http/request.decorators.js';
import { withIgnoredFields } from '../http/api-context.js';
import { Fails } from '../openapi/operation.decorators.js';
import { NoQuery } from '../validation/request-validation.pipe.js';
import { CalendarPageDto, SuccessDto } from './calendar-page.dto.js';
import { CalendarDto, CreateCalendarDto, ListCalendarsQueryDto, UpdateCalendarDto } from './calendar.dto.js';

@ApiTags('Calendars')
@Controller('v1/calendars/:endUserAccountId')
export class CalendarsController {
  constructor(private readonly calendars: CalendarsService) {}

  /** List the calendars of an account, or the changes since a `syncToken`. */
  @Get()
  @Fails('ValidationFailed', 'PageTokenInvalid', 'SyncTokenExpired')
  listCalendars(
    @CurrentApplication() application: ApplicationRef,
    @Param('endUserAccountId') accountId: string,
    @Query() query: ListCalendarsQueryDto,
    @RequestSignal() signal: AbortSignal,
  ): Promise<CalendarPageDto> {
    return this.calendars.list(application, accountId, query, signal);
  }

  /** Read one calendar. */
  @Get(':calendarId')
  @Fails()
  getCalendar(
    @CurrentApplication() application: ApplicationRef,
    @Param('endUserAccountId') accountId: string,
    @Param('calendarId') calendarId: string,
    @Query() _: NoQuery,
    @RequestSignal() signal: AbortSignal,
  ): Promise<CalendarDto> {
    return this.calendars.get(application, accountId, calendarId, signal);
  }

  /** Create a calendar. */
  @Post()
  @HttpCode(200)
  @Fails('ValidationFailed', 'ReadOnlyCalendar', 'Conflict')
  async createCalendar(
    @CurrentApplication() application: ApplicationRef,
    @Param('endUserAccountId') accountId: string,
    @Body() body: CreateCalendarDto,
    @Query() _: NoQuery,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @RequestSignal() signal: AbortSignal,
  ): Promise<CalendarDto> {
    return withIgnoredFields(await this.calendars.create(application, accountId, body, { idempotencyKey }, signal));
  }

  /** Change a calendar: only the fields that are sent. */
  @Put(':calendarId')
  @Fails('ValidationFailed', 'ReadOnlyCalendar', 'Conflict')
  async updateCalendar(
    @CurrentApplication() application: ApplicationRef,
    @Param('endUserAccountId') accountId: string,
    @Param('calendarId') calendarId: string,
    @Body() body: UpdateCalendarDto,
    @Query() _: NoQuery,
    @RequestSignal() signal: AbortSignal,
  ): Promise<CalendarDto> {
    return withIgnoredFields(await this.calendars.update(application, accountId, calendarId, body, signal));
  }

  /** Delete a calendar and every event in it. */
  @Delete(':calendarId')
  @Fails('ReadOnlyCalendar', 'Conflict')
  deleteCalendar(
    @CurrentApplication() application: ApplicationRef,
    @Param('endUserAccountId') accountId: string,
    @Param('calendarId') calendarId: string,
    @Query() _: NoQuery,
    @RequestSignal() signal: AbortSignal,
  ): Promise<SuccessDto> {
    return this.calendars.delete(application, accountId, calendarId, signal);
  }
}
