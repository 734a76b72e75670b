import { Injectable } from '@nestjs/common';
import {
  type ApplicationRef,
  type EditOptions,
  type EventItem,
  type ListOccurrences,
  type Page,
  type ResponseStatus,
  type WriteOptions,
} from '#domain';
import { AccountAccess, type OpenAccount } from '../accounts/account-access.js';
import { SealedTokens } from '../tokens/sealed-tokens.js';
import { ChangeHints } from '../webhooks/change-hints.js';
import { readEventPatch, readNewEvent, type EventBody } from './event-input.js';
import { readEventQuery, readOccurrencesQuery, readPageSize, type EventQueryParameters } from './event-query.js';
import { EventTokens, type EventRead } from './event-tokens.js';
import { toEventItemView, toEventView, type CancelledEventView, type EventView } from './event-view.js';
import { readTimeZone } from './time-zone-input.js';

export interface EventPage {
  data: (EventView | CancelledEventView)[];
  nextPageToken?: string;
  nextSyncToken?: string;
}

/** Where the answer's times are shown. */
export interface ShowOptions {
  timeZone?: string;
}

export interface WriteResult<T> {
  result: T;
  /** Names of the public interface: fields that the provider cannot hold. */
  ignoredFields: string[];
}

/** Events of one calendar, section 4.4 of the interface specification. Every method throws the provider's codes too. */
@Injectable()
export class EventsService {
  private readonly eventTokens: EventTokens;

  constructor(
    private readonly access: AccountAccess,
    private readonly hints: ChangeHints,
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

  /** Instances of one series in a window; `expandRecurrences` goes without saying. @throws as {@link list} */
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
    body: EventBody,
    { timeZone, ...options }: WriteOptions & ShowOptions,
    signal: AbortSignal,
  ): Promise<WriteResult<EventView>> {
    const zone = readShownZone(timeZone);
    await this.access.getActive(application, accountId);
    const input = readNewEvent(body);
    const written = await this.write(application, accountId, calendarId, signal, ({ provider, session }) =>
      provider.createEvent(session, calendarId, input, options),
    );
    return { result: toEventView(written.event, zone), ignoredFields: written.ignoredFields };
  }

  /** @throws as {@link create}, and PreconditionFailed, Conflict */
  async update(
    application: ApplicationRef,
    accountId: string,
    calendarId: string,
    eventId: string,
    body: EventBody,
    { timeZone, ...options }: EditOptions & ShowOptions,
    signal: AbortSignal,
  ): Promise<WriteResult<EventView>> {
    const zone = readShownZone(timeZone);
    await this.access.getActive(application, accountId);
    const input = readEventPatch(body);
    const written = await this.write(application, accountId, calendarId, signal, ({ provider, session }) =>
      provider.updateEvent(session, calendarId, eventId, input, options),
    );
    return { result: toEventView(written.event, zone), ignoredFields: written.ignoredFields };
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

  /** @throws DomainError NotFound, EndUserAccountExpired, ValidationFailed (organizer, not invited), NotSupportedByProvider */
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

  /** What the provider has taken is a change to tell of, as anybody's is. */
  private async write<T>(
    application: ApplicationRef,
    accountId: string,
    calendarId: string,
    signal: AbortSignal,
    work: (open: OpenAccount) => Promise<T>,
  ): Promise<T> {
    const written = await this.access.use(application, accountId, signal, work);
    await this.hints.calendar(application, accountId, calendarId);
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

function readShownZone(timeZone: string | undefined): string | null {
  return timeZone === undefined ? null : readTimeZone('timeZone', timeZone);
}
