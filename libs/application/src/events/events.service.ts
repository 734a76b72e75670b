import { Injectable } from '@nestjs/common';
import type { ApplicationRef } from '#domain/applications';
import type { CalendarEvent, EventItem, ResponseStatus } from '#domain/events';
import type { EditOptions, EventWritten, ListOccurrences, Page, WriteOptions } from '#domain/providers';
import { DomainError } from '#domain/system';
import { AccountAccess, type OpenAccount } from '../accounts/account-access.js';
import { SealedTokens } from '../tokens/sealed-tokens.js';
import { SyncRequests } from '../sync/sync-requests.js';
import {
  namedInstances,
  readEventPatch,
  readNewEvent,
  type EventChangeBody,
  type NewEventBody,
} from './event-input.js';
import { readEventQuery, readOccurrencesQuery, readPageSize, type EventQueryParameters } from './event-query.js';
import { EventTokens, type EventRead } from './event-tokens.js';
import { toEventItemView, toEventView, withoutShown, type CancelledEventView, type EventView } from './event-view.js';
import { readTimeZone } from './iso-time.js';

export interface EventPage {
  data: (EventView | CancelledEventView)[];
  nextPageToken?: string;
  nextSyncToken?: string;
}

export interface ShowOptions {
  timeZone?: string;
}

export interface WriteResult<T> {
  result: T;
  /** Public names of fields that the provider cannot store. */
  ignoredFields: string[];
}

/** Events of one calendar, section 4.4 of the interface specification. Methods also throw the provider's codes. */
@Injectable()
export class EventsService {
  private readonly eventTokens: EventTokens;

  constructor(
    private readonly access: AccountAccess,
    private readonly syncRequests: SyncRequests,
    tokens: SealedTokens,
  ) {
    this.eventTokens = new EventTokens(tokens);
  }

  /** @throws DomainError NotFound, EndUserAccountExpired, ValidationFailed, PageTokenInvalid, SyncTokenExpired */
  async list(
    application: ApplicationRef,
    accountId: string,
    calendarId: string,
    parameters: EventQueryParameters,
    signal: AbortSignal,
  ): Promise<EventPage> {
    return this.readPage(
      { application, accountId, calendarId, eventId: null },
      parameters,
      readEventQuery,
      signal,
      (open, read, pageSize) => open.provider.listEvents(open.session, calendarId, { ...read, pageSize }),
    );
  }

  /** Instances of one series in a window, always expanded. @throws as {@link list} */
  async occurrences(
    application: ApplicationRef,
    accountId: string,
    calendarId: string,
    eventId: string,
    { expandRecurrences: _, ...parameters }: EventQueryParameters,
    signal: AbortSignal,
  ): Promise<EventPage> {
    return this.readPage(
      { application, accountId, calendarId, eventId },
      parameters,
      readOccurrencesQuery,
      signal,
      (open, read, pageSize) =>
        open.provider.listOccurrences(open.session, calendarId, eventId, {
          ...(read as Pick<ListOccurrences, 'query' | 'page' | 'sync'>),
          pageSize,
        }),
    );
  }

  /** @throws DomainError NotFound, EndUserAccountExpired, ValidationFailed */
  async get(
    application: ApplicationRef,
    accountId: string,
    calendarId: string,
    eventId: string,
    { timeZone }: ShowOptions,
    signal: AbortSignal,
  ): Promise<EventView> {
    const zone = readShownZone(timeZone);
    const event = await this.access.use(application, accountId, signal, ({ provider, session }) =>
      provider.getEvent(session, calendarId, eventId),
    );
    return toEventView(event, zone);
  }

  /** @throws DomainError NotFound, EndUserAccountExpired, ValidationFailed, ReadOnlyCalendar, NotSupportedByProvider */
  async create(
    application: ApplicationRef,
    accountId: string,
    calendarId: string,
    body: NewEventBody,
    { timeZone, ...options }: WriteOptions & ShowOptions,
    signal: AbortSignal,
  ): Promise<WriteResult<EventView>> {
    const zone = readShownZone(timeZone);
    await this.access.getActive(application, accountId);
    const input = readNewEvent(body);
    const instances = namedInstances(body);
    const written = await this.write(application, accountId, calendarId, signal, async (open) => {
      const { provider, session } = open;
      const instance = await firstInstance(open, calendarId, instances);
      if (instance === null) {
        const single = await provider.createEvent(session, calendarId, input, options);
        return {
          ...single,
          ignoredFields: [...INSTANCE_FIELDS.filter((name) => body[name] != null), ...single.ignoredFields],
        };
      }
      // null sets the default length of a new event instead of keeping that of the series.
      const change = { ...input, end: input.end ?? null };
      return provider.updateEvent(session, calendarId, instance.id, change, { ...options, scope: 'this' });
    });
    return { result: toEventView(written.event, zone), ignoredFields: written.ignoredFields };
  }

  /** @throws as {@link create}, and PreconditionFailed, Conflict */
  async update(
    application: ApplicationRef,
    accountId: string,
    calendarId: string,
    eventId: string,
    { isCancelled, ...body }: EventChangeBody,
    { timeZone, ...options }: EditOptions & ShowOptions,
    signal: AbortSignal,
  ): Promise<WriteResult<EventView>> {
    const zone = readShownZone(timeZone);
    await this.access.getActive(application, accountId);
    const { event, ignoredFields } = await this.write(application, accountId, calendarId, signal, (open) => {
      const change = { calendarId, eventId, body, options, zone };
      return isCancelled === true ? cancelled(open, change) : changed(open, change);
    });
    return { result: toEventView(event, zone), ignoredFields };
  }

  /** @throws DomainError NotFound, EndUserAccountExpired, PreconditionFailed, ReadOnlyCalendar */
  async delete(
    application: ApplicationRef,
    accountId: string,
    calendarId: string,
    eventId: string,
    options: EditOptions,
    signal: AbortSignal,
  ): Promise<WriteResult<{ success: true }>> {
    const { ignoredFields } = await this.write(application, accountId, calendarId, signal, ({ provider, session }) =>
      provider.deleteEvent(session, calendarId, eventId, options),
    );
    return { result: { success: true }, ignoredFields };
  }

  /** @throws DomainError NotFound, EndUserAccountExpired, ValidationFailed (not invited), NotSupportedByProvider */
  async rsvp(
    application: ApplicationRef,
    accountId: string,
    calendarId: string,
    eventId: string,
    { responseStatus }: { responseStatus: ResponseStatus },
    options: WriteOptions,
    signal: AbortSignal,
  ): Promise<WriteResult<{ success: true }>> {
    const { ignoredFields } = await this.write(application, accountId, calendarId, signal, ({ provider, session }) =>
      provider.respond(session, calendarId, eventId, responseStatus, options),
    );
    return { result: { success: true }, ignoredFields };
  }

  private async write<T>(
    application: ApplicationRef,
    accountId: string,
    calendarId: string,
    signal: AbortSignal,
    work: (open: OpenAccount) => Promise<T>,
  ): Promise<T> {
    const written = await this.access.use(application, accountId, signal, work);
    await this.syncRequests.calendar(application, accountId, calendarId);
    return written;
  }

  private async readPage(
    target: { application: ApplicationRef; accountId: string; calendarId: string; eventId: string | null },
    parameters: EventQueryParameters,
    readQuery: typeof readEventQuery,
    signal: AbortSignal,
    fetchPage: (open: OpenAccount, read: EventRead, pageSize: number) => Promise<Page<EventItem>>,
  ): Promise<EventPage> {
    const { application, accountId } = target;
    return this.access.use(application, accountId, signal, async (open) => {
      const zone = readShownZone(parameters.timeZone);
      const pageSize = readPageSize(parameters.pageSize, open.provider.capabilities.defaultEventPageSize);
      const scope = {
        ...application,
        accountId: open.account.id,
        calendarId: target.calendarId,
        eventId: target.eventId,
      };
      const read = this.eventTokens.read(scope, parameters, zone, readQuery);
      const page = await fetchPage(open, read, pageSize);
      return {
        data: page.items.map((item) => toEventItemView(item, zone)),
        ...this.eventTokens.after(scope, read, page),
      };
    });
  }
}

const INSTANCE_FIELDS = ['recurringEventId', 'originalStart'] as const;

/** Returns the first id that is an instance of a series, or null. */
async function firstInstance(
  { provider, session }: OpenAccount,
  calendarId: string,
  instanceIds: readonly string[],
): Promise<CalendarEvent | null> {
  for (const id of instanceIds) {
    try {
      const event = await provider.getEvent(session, calendarId, id);
      if (event.recurringEventId !== undefined) return event;
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'NotFound') throw error;
    }
  }
  return null;
}

interface AskedChange {
  calendarId: string;
  eventId: string;
  body: EventChangeBody;
  options: EditOptions;
  zone: string | null;
}

/** Retries without the fields that equal the shown event, because callers send back what they read. */
async function changed({ provider, session }: OpenAccount, asked: AskedChange): Promise<EventWritten> {
  const { calendarId, eventId, body, options } = asked;
  const change = async (fields: EventChangeBody) =>
    provider.updateEvent(session, calendarId, eventId, readEventPatch(fields), options);
  try {
    return await change(body);
  } catch (error) {
    if (!(error instanceof DomainError) || !ABOUT_VALUES.has(error.code)) throw error;
    const rest = beyond(await provider.getEvent(session, calendarId, eventId), asked);
    if (Object.keys(rest).length === Object.keys(body).length) throw error;
    return change(rest);
  }
}

const ABOUT_VALUES: ReadonlySet<string> = new Set(['ValidationFailed', 'NotSupportedByProvider']);

/** Reports other changes in the body as ignored. */
async function cancelled({ provider, session }: OpenAccount, asked: AskedChange): Promise<EventWritten> {
  const { calendarId, eventId, options } = asked;
  const event = await provider.getEvent(session, calendarId, eventId);
  const notApplied = Object.keys(beyond(event, asked));
  const { ignoredFields } = await provider.deleteEvent(session, calendarId, eventId, options);
  return { event: { ...event, isCancelled: true }, ignoredFields: [...notApplied, ...ignoredFields] };
}

function beyond(event: CalendarEvent, { body, zone }: AskedChange): EventChangeBody {
  return withoutShown(body, [toEventView(event, zone), toEventView(event, null)]);
}

function readShownZone(timeZone: string | undefined): string | null {
  return timeZone === undefined ? null : readTimeZone('timeZone', timeZone);
}
