import {
  CalendarProvider,
  type AccountSession,
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
import { createCalendar, deleteCalendar, getCalendar, listCalendars, updateCalendar } from './calendars.js';
import { openConnection, type ConnectionDeps } from './connection.js';
import { translated, type DavOperation } from './dav/dav-errors.js';
import { connectAccount, type CalDavFlavor } from './discovery.js';
import { EventChanges } from './operations/event-changes.js';
import { EventLists } from './operations/event-lists.js';
import { EventOccurrences } from './operations/event-occurrences.js';
import { EventOperations } from './operations/event-operations.js';
import type { EventOperationsDeps, OpenCalendar } from './operations/event-source.js';
import { FreeBusy } from './operations/free-busy.js';
import { ListingCache } from './operations/listing-cache.js';
import { RangeCandidates } from './operations/range-candidates.js';

/** Everything an adapter of this family is made with. */
export interface CalDavProviderDeps extends ConnectionDeps, EventOperationsDeps {
  requestsPerMinute: number;
}

const DEFAULT_EVENT_PAGE_SIZE = 400;

/** A CalDAV server, or a service that speaks CalDAV with traps of its own (the flavor says which). */
export class CalDavProvider extends CalendarProvider {
  override readonly type: ProviderType;
  override readonly capabilities: ProviderCapabilities;
  override readonly authorization = null;

  private readonly lists: EventLists;
  private readonly changes: EventChanges;
  private readonly occurrences: EventOccurrences;
  private readonly operations: EventOperations;
  private readonly busy: FreeBusy;

  constructor(
    private readonly flavor: CalDavFlavor,
    private readonly deps: CalDavProviderDeps,
  ) {
    super();
    this.type = flavor.type;
    this.capabilities = {
      authentication: 'password',
      needsServerUrl: flavor.fixedRoot === null,
      defaultEventPageSize: DEFAULT_EVENT_PAGE_SIZE,
      syncExtent: 'calendar',
      requestsPerMinute: deps.requestsPerMinute,
      refusedTokenEndsGrant: false,
    };
    const candidates = new RangeCandidates(deps.reader, () => deps.nowMs());
    this.lists = new EventLists(deps, candidates, new ListingCache(() => deps.nowMs()));
    this.changes = new EventChanges(deps, candidates);
    this.occurrences = new EventOccurrences(deps);
    this.operations = new EventOperations(deps);
    this.busy = new FreeBusy(deps, candidates);
  }

  override connect(request: ConnectRequest): Promise<ConnectedAccount> {
    return connectAccount(this.flavor, this.deps, request);
  }

  override verify(session: AccountSession): Promise<void> {
    return this.with(session, 'read', ({ client }) => client.verify());
  }

  override listCalendars(session: AccountSession, list: ListCalendars): Promise<Page<Calendar | DeletedCalendar>> {
    return this.with(session, 'read', (connection) => listCalendars(connection, list));
  }

  override getCalendar(session: AccountSession, calendarId: string): Promise<Calendar> {
    return this.with(session, 'read', (connection) => getCalendar(connection, calendarId));
  }

  override createCalendar(
    session: AccountSession,
    input: CalendarInput & { name: string },
    options: WriteOptions,
  ): Promise<CalendarWritten> {
    return this.with(session, 'write', (connection) => createCalendar(connection, input, options));
  }

  override updateCalendar(session: AccountSession, calendarId: string, input: CalendarInput): Promise<CalendarWritten> {
    return this.with(session, 'write', (connection) => updateCalendar(connection, calendarId, input));
  }

  override deleteCalendar(session: AccountSession, calendarId: string): Promise<void> {
    return this.with(session, 'write', (connection) => deleteCalendar(connection, calendarId));
  }

  override listEvents(session: AccountSession, calendarId: string, list: ListEvents): Promise<Page<EventItem>> {
    const { sync } = list;
    return this.in(session, calendarId, 'read', (calendar) =>
      sync === null ? this.lists.page(calendar, list) : this.changes.page(calendar, { ...list, sync }),
    );
  }

  override listOccurrences(
    session: AccountSession,
    calendarId: string,
    eventId: string,
    list: ListOccurrences,
  ): Promise<Page<EventItem>> {
    return this.in(session, calendarId, 'read', (calendar) => this.occurrences.page(calendar, eventId, list));
  }

  override getEvent(session: AccountSession, calendarId: string, eventId: string): Promise<CalendarEvent> {
    return this.in(session, calendarId, 'read', (calendar) => this.operations.get(calendar, eventId));
  }

  override createEvent(
    session: AccountSession,
    calendarId: string,
    input: NewEventInput,
    options: WriteOptions,
  ): Promise<EventWritten> {
    return this.in(session, calendarId, 'write', (calendar) => this.operations.create(calendar, input, options));
  }

  override updateEvent(
    session: AccountSession,
    calendarId: string,
    eventId: string,
    input: EventInput,
    options: EditOptions,
  ): Promise<EventWritten> {
    return this.in(session, calendarId, 'write', (calendar) =>
      this.operations.update(calendar, eventId, input, options),
    );
  }

  override deleteEvent(
    session: AccountSession,
    calendarId: string,
    eventId: string,
    options: EditOptions,
  ): Promise<{ ignoredFields: string[] }> {
    return this.in(session, calendarId, 'write', (calendar) => this.operations.delete(calendar, eventId, options));
  }

  override respond(
    session: AccountSession,
    calendarId: string,
    eventId: string,
    responseStatus: ResponseStatus,
    options: WriteOptions,
  ): Promise<{ ignoredFields: string[] }> {
    return this.in(session, calendarId, 'write', (calendar) =>
      this.operations.respond(calendar, eventId, responseStatus, options),
    );
  }

  override freeBusy(session: AccountSession, request: FreeBusyRequest): Promise<FreeBusyOutcome[]> {
    return this.with(session, 'read', (connection) => this.busy.query(connection, request));
  }

  private with<T>(
    session: AccountSession,
    operation: DavOperation,
    work: (connection: OpenCalendar['connection']) => Promise<T>,
  ): Promise<T> {
    return translated(operation, async () => work(await openConnection(this.flavor, this.deps, session)));
  }

  private in<T>(
    session: AccountSession,
    calendarId: string,
    operation: DavOperation,
    work: (calendar: OpenCalendar) => Promise<T>,
  ): Promise<T> {
    return this.with(session, operation, async (connection) =>
      work({ connection, collection: await connection.collection(calendarId) }),
    );
  }
}
