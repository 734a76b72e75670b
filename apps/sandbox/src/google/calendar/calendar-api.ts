import {
  type CalendarApi,
  type CalendarApiAnswer,
  type CalendarApiHost,
  type CalendarApiRequest,
  type GoogleUser,
} from '../contract.js';
import { CalendarLists } from './calendar-list.js';
import { Calendars, grantOwner } from './calendars.js';
import { Channels, type ChannelsSnapshot } from './channels.js';
import { COLORS } from './colors.js';
import { EventReader } from './event-reader.js';
import { EventWriter } from './event-writer.js';
import { FreeBusy } from './free-busy.js';
import { addHolidays, HOLIDAYS_ID } from './holidays.js';
import { Invitations } from './invitations.js';
import { PageTokens } from './page-tokens.js';
import { PendingConferences, type PendingConference } from './pending-conferences.js';
import { notOffered } from './refusals.js';
import { Sharing } from './sharing.js';
import { Store, type StoreSnapshot } from './store.js';
import { SyncTokens, type SyncTokenSnapshot } from './sync-tokens.js';

type Handler = (request: CalendarApiRequest) => CalendarApiAnswer;

interface WorldSnapshot {
  store: StoreSnapshot;
  syncTokens: SyncTokenSnapshot[];
  channels: ChannelsSnapshot;
  conferences: PendingConference[];
}

/** One life of the sandbox's calendars, from reset to reset. */
class World {
  readonly store = new Store();
  readonly syncTokens: SyncTokens;
  readonly pageTokens = new PageTokens(this.store.ids);
  readonly channels: Channels;
  readonly conferences: PendingConferences;
  readonly lists: CalendarLists;
  readonly handlers: ReadonlyMap<string, Handler>;

  constructor(host: CalendarApiHost) {
    const { store, pageTokens } = this;
    this.syncTokens = new SyncTokens(store.ids, (message) => host.violation(message));
    this.channels = new Channels(store, host);
    const invitations = new Invitations(store, host);
    this.conferences = new PendingConferences(store, host, invitations);
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

  snapshot(): WorldSnapshot {
    return {
      store: this.store.snapshot(),
      syncTokens: this.syncTokens.snapshot(),
      channels: this.channels.snapshot(),
      conferences: this.conferences.snapshot(),
    };
  }

  restore({ store, syncTokens, channels, conferences }: WorldSnapshot): void {
    this.store.restore(store);
    this.syncTokens.restore(syncTokens);
    this.channels.restore(channels);
    this.conferences.restore(conferences);
  }
}

/** Everything behind `/calendar/v3`: see `CalendarApi`. */
export class SandboxCalendarApi implements CalendarApi {
  private world: World;

  constructor(private readonly host: CalendarApiHost) {
    this.world = new World(host);
  }

  addUser(user: GoogleUser): void {
    const { store, lists } = this.world;
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

  handle(request: CalendarApiRequest): CalendarApiAnswer {
    const { handlers, conferences } = this.world;
    const handler = handlers.get(request.methodId);
    if (handler === undefined) throw notOffered(request.methodId);
    conferences.settle();
    try {
      return handler(request);
    } finally {
      this.announce();
    }
  }

  expireSyncTokens(match: { email?: string; calendarId?: string }): number {
    return this.world.syncTokens.expire(match);
  }

  expirePageTokens(): void {
    this.world.pageTokens.expireAll();
  }

  setConference(behaviour: { pendingMs: number; fail: boolean }): void {
    this.world.conferences.behaviour = behaviour;
  }

  channels(): ReturnType<CalendarApi['channels']> {
    return this.world.channels
      .list()
      .map(({ id, address, calendarId, email, expirationMs }) => ({ id, address, calendarId, email, expirationMs }));
  }

  dropChannel(id: string): boolean {
    return this.world.channels.drop(id);
  }

  snapshot(): unknown {
    return this.world.snapshot();
  }

  restore(snapshot: unknown): void {
    this.reset();
    this.world.restore(snapshot as WorldSnapshot);
  }

  skipAhead(): void {
    this.world.store.skipAhead();
  }

  reset(): void {
    this.world = new World(this.host);
  }

  private announce(): void {
    const { store, channels } = this.world;
    channels.announce(store.takeChanged());
  }
}
