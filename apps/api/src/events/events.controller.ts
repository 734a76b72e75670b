import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { EventsService } from '#application/events';
import type { ApplicationRef } from '#domain/applications';
import { CurrentApplication, IfMatch, RequestSignal, IdempotencyKey } from '../http/request.decorators.js';
import { SuccessDto } from '../calendars/calendar-page.dto.js';
import { withIgnoredFields } from '../http/api-context.js';
import { Fails } from '../openapi/operation.decorators.js';
import { CreateEventDto, RsvpDto, UpdateEventDto } from './event-input.dto.js';
import {
  EditQueryDto,
  EventZoneQueryDto,
  ListEventsQueryDto,
  ListOccurrencesQueryDto,
  NotifyQueryDto,
} from './event-query.dto.js';
import { EventDto, EventPageDto } from './event.dto.js';

@ApiTags('Events')
@Controller('v1/events/:endUserAccountId/:calendarId')
export class EventsController {
  constructor(private readonly events: EventsService) {}

  /** List the events of a calendar, or the changes since a `syncToken`. */
  @Get()
  @Fails('ValidationFailed', 'PageTokenInvalid', 'SyncTokenExpired')
  listEvents(
    @CurrentApplication() application: ApplicationRef,
    @Param('endUserAccountId') accountId: string,
    @Param('calendarId') calendarId: string,
    @Query() query: ListEventsQueryDto,
    @RequestSignal() signal: AbortSignal,
  ): Promise<EventPageDto> {
    return this.events.list(application, accountId, calendarId, query, signal);
  }

  /** Read one event, series or instance. */
  @Get(':eventId')
  @Fails('ValidationFailed')
  getEvent(
    @CurrentApplication() application: ApplicationRef,
    @Param('endUserAccountId') accountId: string,
    @Param('calendarId') calendarId: string,
    @Param('eventId') eventId: string,
    @Query() query: EventZoneQueryDto,
    @RequestSignal() signal: AbortSignal,
  ): Promise<EventDto> {
    return this.events.get(application, accountId, calendarId, eventId, query, signal);
  }

  /** List the occurrences of a series. `startDateTime` and `endDateTime` are required, unless a token is sent. */
  @Get(':eventId/occurrences')
  @Fails('ValidationFailed', 'PageTokenInvalid', 'SyncTokenExpired')
  listEventOccurrences(
    @CurrentApplication() application: ApplicationRef,
    @Param('endUserAccountId') accountId: string,
    @Param('calendarId') calendarId: string,
    @Param('eventId') eventId: string,
    @Query() query: ListOccurrencesQueryDto,
    @RequestSignal() signal: AbortSignal,
  ): Promise<EventPageDto> {
    return this.events.occurrences(application, accountId, calendarId, eventId, query, signal);
  }

  /** Create an event. The answer is what the provider now holds. */
  @Post()
  @HttpCode(200)
  @Fails('ValidationFailed', 'ReadOnlyCalendar', 'Conflict')
  async createEvent(
    @CurrentApplication() application: ApplicationRef,
    @Param('endUserAccountId') accountId: string,
    @Param('calendarId') calendarId: string,
    @Body() body: CreateEventDto,
    @Query() query: NotifyQueryDto,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @RequestSignal() signal: AbortSignal,
  ): Promise<EventDto> {
    const options = { ...query, idempotencyKey };
    return withIgnoredFields(await this.events.create(application, accountId, calendarId, body, options, signal));
  }

  /** Change an event, a series or an instance: only the fields that are sent. */
  @Put(':eventId')
  @Fails('ValidationFailed', 'ReadOnlyCalendar', 'Conflict', 'PreconditionFailed')
  async updateEvent(
    @CurrentApplication() application: ApplicationRef,
    @Param('endUserAccountId') accountId: string,
    @Param('calendarId') calendarId: string,
    @Param('eventId') eventId: string,
    @Body() body: UpdateEventDto,
    @Query() query: EditQueryDto,
    @IfMatch() ifMatch: string | undefined,
    @RequestSignal() signal: AbortSignal,
  ): Promise<EventDto> {
    const options = { ...query, ifMatch };
    return withIgnoredFields(
      await this.events.update(application, accountId, calendarId, eventId, body, options, signal),
    );
  }

  /** Answer an invitation. */
  @Post(':eventId/rsvp')
  @HttpCode(200)
  @Fails('ValidationFailed', 'ReadOnlyCalendar', 'Conflict')
  async rsvpEvent(
    @CurrentApplication() application: ApplicationRef,
    @Param('endUserAccountId') accountId: string,
    @Param('calendarId') calendarId: string,
    @Param('eventId') eventId: string,
    @Body() body: RsvpDto,
    @Query() { notifyParticipants }: NotifyQueryDto,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @RequestSignal() signal: AbortSignal,
  ): Promise<SuccessDto> {
    const options = { notifyParticipants, idempotencyKey };
    return withIgnoredFields(
      await this.events.rsvp(application, accountId, calendarId, eventId, body, options, signal),
    );
  }

  /** Delete an event, a series or an instance. */
  @Delete(':eventId')
  @Fails('ValidationFailed', 'ReadOnlyCalendar', 'Conflict', 'PreconditionFailed')
  async deleteEvent(
    @CurrentApplication() application: ApplicationRef,
    @Param('endUserAccountId') accountId: string,
    @Param('calendarId') calendarId: string,
    @Param('eventId') eventId: string,
    @Query() { scope, notifyParticipants }: EditQueryDto,
    @IfMatch() ifMatch: string | undefined,
    @RequestSignal() signal: AbortSignal,
  ): Promise<SuccessDto> {
    const options = { scope, notifyParticipants, ifMatch };
    return withIgnoredFields(await this.events.delete(application, accountId, calendarId, eventId, options, signal));
  }
}
