import type { Memory } from '../../state/memory.js';
import type { CalendarApiResponse, CalendarApiHost, CalendarApiRequest, GoogleUser } from '../contract.js';
import { CalendarLists } from './calendar-list.js';
import { Calendars, grantOwner } from './calendars.js';
import { Channels, type Channel } from './channels.js';
import { COLORS } from './colors.js';
import { EventReader } from './event-reader.js';
import { EventWriter } from './event-writer.js';
import { FreeBusy } from './free-busy.js';
import { addHolidays, HOLIDAYS_ID } from './holidays.js';
import { Invitations } from './invitations.js';
import { PageTokens } from './page-tokens.js';
import { PendingConferences } from './pending-conferences.js';
import { notOffered } from './errors.js';
import { Sharing } from './sharing.js';
import { Store } from './store.js';
import { SyncTokens } from './sync-tokens.js';

type Handler = (request: CalendarApiRequest) => CalendarApiResponse;

/** State between two resets. Everything outside the memory ends with a reset. */
class Fixture {
  readonly store: Store;
  readonly syncTokens: SyncTokens;
  readonly pageTokens: PageTokens;
  readonly channels: Channels;
  readonly conferences: PendingConferences;
  readonly lists: CalendarLists;
  readonly handlers: ReadonlyMap<string, Handler>;

  constructor(host: CalendarApiHost, memory: Memory) {
    const store = new Store(memory);
    const pageTokens = new PageTokens(store.ids);
    this.store = store;
    this.pageTokens = pageTokens;
    this.syncTokens = new SyncTokens(memory, store.ids, (message) => host.violation(message));
    this.channels = new Channels(memory, store, host);
    const invitations = new Invitations(store, host);
    this.conferences = new PendingConferences(memory, store, host, invitations);
    this.lists = new CalendarLists(store, host, this.syncTokens, pageTokens);
    const calendars = new Calendars(store, host, this.lists, invitations);
    const sharing = new Sharing(store, this.syncTokens);
    const reader = new EventReader(store, host, this.syncTokens, pageTokens);
    const writer = new EventWriter(store, host, invitations, this.conferences);
    const freeBusy = new FreeBusy(store, host);
    const { channels, lists } = this;
    this.handlers = new Map<string, Handler>([
      ['calendar.acl.insert', (request) => sharing.insert(request)],
      ['calendar.calendarList.list', (request) => lists.list(request)],
      ['calendar.calendarList.get', (request) => lists.get(request)],
      ['calendar.calendarList.insert', (request) => lists.insert(request)],
      ['calendar.calendarList.patch', (request) => lists.patch(request)],
      ['calendar.calendarList.delete', (request) => lists.delete(request)],
      ['calendar.calendars.get', (request) => calendars.get(request)],
      ['calendar.calendars.insert', (request) => calendars.insert(request)],
      ['calendar.calendars.patch', (request) => calendars.patch(request)],
      ['calendar.calendars.delete', (request) => calendars.delete(request)],
      ['calendar.channels.stop', (request) => channels.stop(request)],
      ['calendar.colors.get', () => ({ status: 200, body: COLORS })],
      ['calendar.events.list', (request) => reader.list(request)],
      ['calendar.events.get', (request) => reader.get(request)],
      ['calendar.events.instances', (request) => reader.instances(request)],
      ['calendar.events.insert', (request) => writer.insert(request)],
      ['calendar.events.import', (request) => writer.import(request)],
      ['calendar.events.patch', (request) => writer.patch(request)],
      ['calendar.events.delete', (request) => writer.delete(request)],
      ['calendar.events.watch', (request) => channels.watchEvents(request)],
      ['calendar.freebusy.query', (request) => freeBusy.query(request)],
    ]);
  }
}

/** The calendars of all users, behind `/calendar/v3`. Deterministic. */
export class CalendarApi {
  private fixture: Fixture;

  constructor(
    private readonly host: CalendarApiHost,
    private readonly memory: Memory,
  ) {
    this.fixture = new Fixture(host, memory);
  }

  /** Gives a new user a primary calendar. */
  addUser(user: GoogleUser): void {
    const { store, lists } = this.fixture;
    if (store.account(user.email) !== undefined) return;
    const account = store.addAccount(user);
    const primary = store.addCalendar({
      id: user.email,
      kind: 'primary',
      dataOwner: user.email,
      summary: user.email,
      timeZone: user.timeZone,
      updatedMs: this.host.nowMs(),
    });
    grantOwner(store, primary, user.email);
    lists.add(account, primary, { selected: true, defaultReminders: [{ method: 'popup', minutes: 10 }] });
    const holidays = store.calendar(HOLIDAYS_ID) ?? addHolidays(store, this.host.nowMs());
    lists.add(account, holidays, { selected: true });
    this.announce();
  }

  /** @throws GoogleErrorResponse */
  handle(request: CalendarApiRequest): CalendarApiResponse {
    const { handlers, conferences } = this.fixture;
    const handler = handlers.get(request.methodId);
    if (handler === undefined) throw notOffered(request.methodId);
    conferences.settle();
    try {
      return handler(request);
    } finally {
      this.announce();
    }
  }

  /** Makes all issued sync tokens of the matching calendars return 410. */
  expireSyncTokens(match: { email?: string; calendarId?: string }): number {
    return this.fixture.syncTokens.expire(match);
  }

  /** Makes all issued page tokens invalid. */
  expirePageTokens(): void {
    this.fixture.pageTokens.expireAll();
  }

  /** Delay of conference links of new events, in milliseconds; with `fail`, none is created. */
  setConference(behaviour: { pendingMs: number; fail: boolean }): void {
    this.fixture.conferences.behaviour = behaviour;
  }

  /** Returns live channels. */
  channels(): Pick<Channel, 'id' | 'address' | 'calendarId' | 'email' | 'expirationMs'>[] {
    return this.fixture.channels
      .list()
      .map(({ id, address, calendarId, email, expirationMs }) => ({ id, address, calendarId, email, expirationMs }));
  }

  /** Ends a channel without notice, as Google sometimes does. */
  dropChannel(id: string): boolean {
    return this.fixture.channels.drop(id);
  }

  /** Discards the state outside the memory: page tokens and the behaviour of conferences. */
  reset(): void {
    this.fixture = new Fixture(this.host, this.memory);
  }

  private announce(): void {
    const { store, channels } = this.fixture;
    channels.announce(store.takeChanged());
  }
}
