import {
  CalendarProvider,
  type AccountSession,
  type AuthorizationServer,
  type Calendar,
  type CalendarEvent,
  type CalendarInput,
  type CalendarPush,
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
  type ResponseStatus,
  type WriteOptions,
} from '#domain';
import { ConnectedPush, type PushOperations } from './connected-push.js';
import { sendableEventId } from './resource-id.js';

/** What was being done, for refusals that mean different things to a reader and a writer. */
export interface Operation {
  kind: 'read' | 'write';
  /** What the user has to allow for it, after "permission to". */
  permission: string;
}

/** The calendar half of an adapter, and free/busy. Arguments and errors as in `CalendarProvider`. */
export interface CalendarOperations<Connection> {
  /** The cheapest call that shows whether the credentials still work. */
  verify(connection: Connection): Promise<void>;
  list(connection: Connection, list: ListCalendars): Promise<Page<Calendar | DeletedCalendar>>;
  get(connection: Connection, calendarId: string): Promise<Calendar>;
  create(
    connection: Connection,
    input: CalendarInput & { name: string },
    options: WriteOptions,
  ): Promise<CalendarWritten>;
  update(connection: Connection, calendarId: string, input: CalendarInput): Promise<CalendarWritten>;
  delete(connection: Connection, calendarId: string): Promise<void>;
  /** @param told what a caller is told of an error, for calendars that fail by themselves */
  freeBusy(
    connection: Connection,
    request: FreeBusyRequest,
    told: (error: unknown) => unknown,
  ): Promise<FreeBusyOutcome[]>;
}

/** The event half of an adapter. Arguments and errors as in `CalendarProvider`; event ids can be sent. */
export interface EventOperations<Connection> {
  listEvents(connection: Connection, calendarId: string, list: ListEvents): Promise<Page<EventItem>>;
  listOccurrences(
    connection: Connection,
    calendarId: string,
    eventId: string,
    list: ListOccurrences,
  ): Promise<Page<EventItem>>;
  getEvent(connection: Connection, calendarId: string, eventId: string): Promise<CalendarEvent>;
  createEvent(
    connection: Connection,
    calendarId: string,
    input: NewEventInput,
    options: WriteOptions,
  ): Promise<EventWritten>;
  updateEvent(
    connection: Connection,
    calendarId: string,
    eventId: string,
    input: EventInput,
    options: EditOptions,
  ): Promise<EventWritten>;
  deleteEvent(
    connection: Connection,
    calendarId: string,
    eventId: string,
    options: EditOptions,
  ): Promise<{ ignoredFields: string[] }>;
  respond(
    connection: Connection,
    calendarId: string,
    eventId: string,
    responseStatus: ResponseStatus,
    options: WriteOptions,
  ): Promise<{ ignoredFields: string[] }>;
}

export interface ConnectedProviderParts<Connection> {
  authorization: AuthorizationServer;
  events: EventOperations<Connection>;
  channels: PushOperations<Connection>;
  requestsPerMinute: number;
  defaultEventPageSize: number;
  syncExtent: ProviderCapabilities['syncExtent'];
  refusedTokenEndsGrant: boolean;
}

const SEE_CALENDARS: Operation = { kind: 'read', permission: 'see the calendars' };
const CHANGE_CALENDARS: Operation = { kind: 'write', permission: 'create, change and delete calendars' };
const SEE_EVENTS: Operation = { kind: 'read', permission: 'see the events' };
const CHANGE_EVENTS: Operation = { kind: 'write', permission: 'create, change and delete events' };
const BE_TOLD: Operation = { kind: 'read', permission: 'be told of changes' };
const SEE_BUSY_TIME: Operation = { kind: 'read', permission: 'see when the calendars are busy' };

/**
 * A provider with OAuth that is spoken to through one connection per operation. What it refuses becomes what a caller is told in one
 * place, here.
 */
export abstract class ConnectedProvider<Connection> extends CalendarProvider {
  override readonly authorization: AuthorizationServer;
  override readonly capabilities: ProviderCapabilities;
  override readonly push: CalendarPush;
  protected abstract readonly calendars: CalendarOperations<Connection>;
  private readonly events: EventOperations<Connection>;

  constructor({ authorization, events, channels, ...capabilities }: ConnectedProviderParts<Connection>) {
    super();
    this.authorization = authorization;
    this.events = events;
    this.push = new ConnectedPush(channels, (session, work) => this.with(session, BE_TOLD, work));
    const { requestsPerMinute, defaultEventPageSize, syncExtent, refusedTokenEndsGrant } = capabilities;
    this.capabilities = {
      authentication: 'oauth',
      needsServerUrl: false,
      defaultEventPageSize,
      syncExtent,
      requestsPerMinute,
      refusedTokenEndsGrant,
    };
  }

  /** @throws DomainError CredentialsRejected */
  protected abstract open(session: AccountSession): Connection;
  protected abstract connectAccount(request: ConnectRequest): Promise<ConnectedAccount>;
  /** What a caller is told; errors that are no refusals of the provider pass unchanged. */
  protected abstract told(error: unknown, operation: Operation): unknown;
  /** A better reason why a write to a calendar was refused, where there is one; else the error itself. */
  protected abstract explained(error: unknown, connection: Connection, calendarId: string): Promise<unknown>;

  override connect(request: ConnectRequest): Promise<ConnectedAccount> {
    return this.translated(SEE_CALENDARS, () => this.connectAccount(request));
  }

  override verify(session: AccountSession): Promise<void> {
    return this.with(session, SEE_CALENDARS, (connection) => this.calendars.verify(connection));
  }

  override listCalendars(session: AccountSession, list: ListCalendars): Promise<Page<Calendar | DeletedCalendar>> {
    return this.with(session, SEE_CALENDARS, (connection) => this.calendars.list(connection, list));
  }

  override getCalendar(session: AccountSession, calendarId: string): Promise<Calendar> {
    return this.with(session, SEE_CALENDARS, (connection) => this.calendars.get(connection, calendarId));
  }

  override createCalendar(
    session: AccountSession,
    input: CalendarInput & { name: string },
    options: WriteOptions,
  ): Promise<CalendarWritten> {
    return this.with(session, CHANGE_CALENDARS, (connection) => this.calendars.create(connection, input, options));
  }

  override updateCalendar(session: AccountSession, calendarId: string, input: CalendarInput): Promise<CalendarWritten> {
    return this.with(session, CHANGE_CALENDARS, (connection) => this.calendars.update(connection, calendarId, input));
  }

  override deleteCalendar(session: AccountSession, calendarId: string): Promise<void> {
    return this.with(session, CHANGE_CALENDARS, (connection) => this.calendars.delete(connection, calendarId));
  }

  override listEvents(session: AccountSession, calendarId: string, list: ListEvents): Promise<Page<EventItem>> {
    return this.with(session, SEE_EVENTS, (connection) => this.events.listEvents(connection, calendarId, list));
  }

  override listOccurrences(
    session: AccountSession,
    calendarId: string,
    eventId: string,
    list: ListOccurrences,
  ): Promise<Page<EventItem>> {
    return this.with(session, SEE_EVENTS, (connection) =>
      this.events.listOccurrences(connection, calendarId, sendableEventId(eventId), list),
    );
  }

  override getEvent(session: AccountSession, calendarId: string, eventId: string): Promise<CalendarEvent> {
    return this.with(session, SEE_EVENTS, (connection) =>
      this.events.getEvent(connection, calendarId, sendableEventId(eventId)),
    );
  }

  override createEvent(
    session: AccountSession,
    calendarId: string,
    input: NewEventInput,
    options: WriteOptions,
  ): Promise<EventWritten> {
    return this.writingIn(session, calendarId, (connection) =>
      this.events.createEvent(connection, calendarId, input, options),
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
      this.events.updateEvent(connection, calendarId, sendableEventId(eventId), input, options),
    );
  }

  override deleteEvent(
    session: AccountSession,
    calendarId: string,
    eventId: string,
    options: EditOptions,
  ): Promise<{ ignoredFields: string[] }> {
    return this.writingIn(session, calendarId, (connection) =>
      this.events.deleteEvent(connection, calendarId, sendableEventId(eventId), options),
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
      this.events.respond(connection, calendarId, sendableEventId(eventId), responseStatus, options),
    );
  }

  override freeBusy(session: AccountSession, request: FreeBusyRequest): Promise<FreeBusyOutcome[]> {
    const told = (error: unknown) => this.told(error, SEE_BUSY_TIME);
    return this.with(session, SEE_BUSY_TIME, (connection) => this.calendars.freeBusy(connection, request, told));
  }

  private with<T>(
    session: AccountSession,
    operation: Operation,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    return this.translated(operation, () => work(this.open(session)));
  }

  private writingIn<T>(
    session: AccountSession,
    calendarId: string,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    return this.with(session, CHANGE_EVENTS, async (connection) => {
      try {
        return await work(connection);
      } catch (error) {
        throw await this.explained(error, connection, calendarId);
      }
    });
  }

  private async translated<T>(operation: Operation, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.told(error, operation);
    }
  }
}
