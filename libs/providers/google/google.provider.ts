import {
  CalendarProvider,
  DomainError,
  type AccountSession,
  type AuthorizationServer,
  type Calendar,
  type CalendarEvent,
  type CalendarInput,
  type CalendarWritten,
  type ConnectedAccount,
  type ConnectRequest,
  type DeletedCalendar,
  type EditOptions,
  type EventInput,
  type EventItem,
  type EventWritten,
  type FreeBusyOutcome,
  type FreeBusyRequest,
  type ListCalendars,
  type ListEvents,
  type ListOccurrences,
  type NewEventInput,
  type Page,
  type ProviderCapabilities,
  type ProviderType,
  type ResponseStatus,
  type WriteOptions,
} from '#domain';
import { isReadOnly } from './calendar-entry.js';
import { listCalendars } from './calendar-list.js';
import { deleteCalendar, getCalendar, updateCalendar } from './calendars.js';
import { connectAccount } from './connect-account.js';
import { AccountConnection, isSendable, type ConnectionDeps } from './connection.js';
import { GoogleFault, type GoogleEventOperations } from './contract.js';
import { createCalendar } from './create-calendar.js';
import { googleFailure, readOnlyCalendar, type Operation } from './errors.js';
import { queryFreeBusy } from './free-busy.js';

export interface GoogleAdapterParts extends ConnectionDeps {
  authorization: AuthorizationServer;
  events: GoogleEventOperations;
}

const DEFAULT_EVENT_PAGE_SIZE = 400;

const SEE_CALENDARS: Operation = { kind: 'read', permission: 'see the calendars' };
const CHANGE_CALENDARS: Operation = { kind: 'write', permission: 'create, change and delete calendars' };
const SEE_EVENTS: Operation = { kind: 'read', permission: 'see the events' };
const CHANGE_EVENTS: Operation = { kind: 'write', permission: 'create, change and delete events' };
const SEE_BUSY_TIME: Operation = { kind: 'read', permission: 'see when the calendars are busy' };

/** Google Calendar API v3. */
export class GoogleProvider extends CalendarProvider {
  override readonly type: ProviderType = 'GOOGLE';
  override readonly capabilities: ProviderCapabilities;
  override readonly authorization: AuthorizationServer;

  constructor(private readonly parts: GoogleAdapterParts) {
    super();
    this.authorization = parts.authorization;
    this.capabilities = {
      authentication: 'oauth',
      needsServerUrl: false,
      defaultEventPageSize: DEFAULT_EVENT_PAGE_SIZE,
      requestsPerMinute: parts.requestsPerMinute,
    };
  }

  override connect(request: ConnectRequest): Promise<ConnectedAccount> {
    return translated(SEE_CALENDARS, () => connectAccount(this.parts, request));
  }

  override verify(session: AccountSession): Promise<void> {
    return this.with(session, SEE_CALENDARS, async (connection) => {
      await connection.call('read', () => connection.api.calendarList.list({ maxResults: 1, fields: 'kind' }));
    });
  }

  override listCalendars(session: AccountSession, list: ListCalendars): Promise<Page<Calendar | DeletedCalendar>> {
    return this.with(session, SEE_CALENDARS, (connection) => listCalendars(connection, list));
  }

  override getCalendar(session: AccountSession, calendarId: string): Promise<Calendar> {
    return this.with(session, SEE_CALENDARS, (connection) => getCalendar(connection, calendarId));
  }

  override createCalendar(
    session: AccountSession,
    input: CalendarInput & { name: string },
    options: WriteOptions,
  ): Promise<CalendarWritten> {
    return this.with(session, CHANGE_CALENDARS, (connection) => createCalendar(connection, input, options));
  }

  override updateCalendar(session: AccountSession, calendarId: string, input: CalendarInput): Promise<CalendarWritten> {
    return this.with(session, CHANGE_CALENDARS, (connection) => updateCalendar(connection, calendarId, input));
  }

  override deleteCalendar(session: AccountSession, calendarId: string): Promise<void> {
    return this.with(session, CHANGE_CALENDARS, (connection) => deleteCalendar(connection, calendarId));
  }

  override listEvents(session: AccountSession, calendarId: string, list: ListEvents): Promise<Page<EventItem>> {
    return this.with(session, SEE_EVENTS, (connection) => this.parts.events.listEvents(connection, calendarId, list));
  }

  override listOccurrences(
    session: AccountSession,
    calendarId: string,
    eventId: string,
    list: ListOccurrences,
  ): Promise<Page<EventItem>> {
    return this.with(session, SEE_EVENTS, (connection) =>
      this.parts.events.listOccurrences(connection, calendarId, known(eventId), list),
    );
  }

  override getEvent(session: AccountSession, calendarId: string, eventId: string): Promise<CalendarEvent> {
    return this.with(session, SEE_EVENTS, (connection) =>
      this.parts.events.getEvent(connection, calendarId, known(eventId)),
    );
  }

  override createEvent(
    session: AccountSession,
    calendarId: string,
    input: NewEventInput,
    options: WriteOptions,
  ): Promise<EventWritten> {
    return this.writingIn(session, calendarId, (connection) =>
      this.parts.events.createEvent(connection, calendarId, input, options),
    );
  }

  override updateEvent(
    session: AccountSession,
    calendarId: string,
    eventId: string,
    input: EventInput,
    options: EditOptions,
  ): Promise<EventWritten> {
    return this.writingIn(session, calendarId, (connection) =>
      this.parts.events.updateEvent(connection, calendarId, known(eventId), input, options),
    );
  }

  override deleteEvent(
    session: AccountSession,
    calendarId: string,
    eventId: string,
    options: EditOptions,
  ): Promise<{ ignoredFields: string[] }> {
    return this.writingIn(session, calendarId, (connection) =>
      this.parts.events.deleteEvent(connection, calendarId, known(eventId), options),
    );
  }

  override respond(
    session: AccountSession,
    calendarId: string,
    eventId: string,
    responseStatus: ResponseStatus,
    options: WriteOptions,
  ): Promise<{ ignoredFields: string[] }> {
    return this.writingIn(session, calendarId, (connection) =>
      this.parts.events.respond(connection, calendarId, known(eventId), responseStatus, options),
    );
  }

  override freeBusy(session: AccountSession, request: FreeBusyRequest): Promise<FreeBusyOutcome[]> {
    return this.with(session, SEE_BUSY_TIME, (connection) => queryFreeBusy(connection, request));
  }

  private with<T>(
    session: AccountSession,
    operation: Operation,
    work: (connection: AccountConnection) => Promise<T>,
  ): Promise<T> {
    return translated(operation, () => work(new AccountConnection(this.parts, session)));
  }

  /** Google says `forbidden` to many things; when the role in the calendar is the reason, the caller is told so. */
  private writingIn<T>(
    session: AccountSession,
    calendarId: string,
    work: (connection: AccountConnection) => Promise<T>,
  ): Promise<T> {
    return this.with(session, CHANGE_EVENTS, async (connection) => {
      try {
        return await work(connection);
      } catch (error) {
        if (!(error instanceof GoogleFault) || error.status !== 403 || error.code !== 'forbidden') throw error;
        throw isReadOnly(await connection.calendar(calendarId)) ? readOnlyCalendar(error) : error;
      }
    });
  }
}

/** The one place where what Google answered becomes what a caller is told. */
async function translated<T>(operation: Operation, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof GoogleFault ? googleFailure(error, operation) : error;
  }
}

/** @throws DomainError NotFound, for an id that no event can have */
function known(eventId: string): string {
  if (isSendable(eventId)) return eventId;
  throw new DomainError('NotFound', 'There is no event with this id in the calendar.');
}
