import type {
  CalendarApiResponse,
  CalendarApiHost,
  CalendarApiRequest,
  GoogleUser,
  Notification,
} from '../src/google/contract.js';
import { GoogleErrorResponse } from '../src/google/contract.js';
import { CalendarApi } from '../src/google/calendar/calendar-api.js';
import { Memory } from '../src/state/memory.js';

export const MARA: GoogleUser = {
  sub: '108000000000000000001',
  email: 'mara.field@example.com',
  name: 'Mara Field',
  timeZone: 'Europe/Lisbon',
  workspace: true,
};
export const RAVI: GoogleUser = {
  sub: '108000000000000000002',
  email: 'ravi.stone@example.com',
  name: 'Ravi Stone',
  timeZone: 'Europe/Berlin',
  workspace: false,
};
export const KIM: GoogleUser = {
  sub: '108000000000000000003',
  email: 'kim@partner.example',
  name: 'Kim',
  timeZone: 'America/New_York',
  workspace: false,
};

type Query = { readonly [name: string]: string | number | boolean | readonly string[] | undefined };

interface Parts {
  path?: Record<string, string>;
  query?: Query;
  body?: object | null;
  headers?: Record<string, string>;
}

/** The house around the calendars: a clock that stands still, and everything that they say to it. */
export class FakeHost implements CalendarApiHost {
  now = Date.parse('2026-11-21T09:00:00.000Z');
  readonly notifications: Notification[] = [];
  readonly violations: string[] = [];
  readonly memory = new Memory();
  readonly api: CalendarApi;
  private readonly users: readonly GoogleUser[];

  constructor(...users: GoogleUser[]) {
    this.users = users.length === 0 ? [MARA, RAVI, KIM] : users;
    this.api = new CalendarApi(this, this.memory);
    for (const user of this.users) this.api.addUser(user);
  }

  /** The same house after a restart: a clock that goes on, and calendars that come from their snapshot's text. */
  restarted(): FakeHost {
    const state = new FakeHost(...this.users);
    state.now = this.now;
    state.memory.restore(JSON.parse(JSON.stringify(this.memory.snapshot())));
    return state;
  }

  nowMs(): number {
    return this.now;
  }

  findUser(email: string): GoogleUser | undefined {
    return this.users.find((user) => user.email === email.toLowerCase());
  }

  notify(notification: Notification): void {
    this.notifications.push(notification);
  }

  violation(message: string): void {
    this.violations.push(message);
  }

  call(user: GoogleUser, method: string, parts: Parts = {}): any {
    return this.answer(user, method, parts).body;
  }

  answer(user: GoogleUser, method: string, parts: Parts = {}): CalendarApiResponse {
    return JSON.parse(JSON.stringify(this.api.handle(requestOf(user, method, parts))));
  }

  /** `400 invalid Invalid start time.`; fails when nothing is refused. */
  refusal(user: GoogleUser, method: string, parts: Parts = {}): string {
    try {
      this.api.handle(requestOf(user, method, parts));
    } catch (error) {
      if (error instanceof GoogleErrorResponse) return `${error.status} ${error.item.reason} ${error.item.message}`;
      throw error;
    }
    throw new Error(`${method} was not refused`);
  }

  /** The events of one calendar, as one user uses them. */
  events(user: GoogleUser, calendarId = 'primary') {
    const path = { calendarId };
    const of = (eventId: string) => ({ calendarId, eventId });
    return {
      insert: (body: object, query: Query = {}) => this.call(user, 'events.insert', { path, query, body }),
      import: (body: object) => this.call(user, 'events.import', { path, body }),
      get: (id: string, query: Query = {}) => this.call(user, 'events.get', { path: of(id), query }),
      patch: (id: string, body: object, query: Query = {}, headers = {}) =>
        this.call(user, 'events.patch', { path: of(id), query, body, headers }),
      delete: (id: string) => this.call(user, 'events.delete', { path: of(id) }),
      list: (query: Query = {}) => this.call(user, 'events.list', { path, query }),
      instances: (id: string, query: Query = {}) => this.call(user, 'events.instances', { path: of(id), query }),
      ids: (query: Query = {}): string[] =>
        this.call(user, 'events.list', { path, query }).items.map(({ id }: { id: string }) => id),
      refusal: (verb: string, id: string, body: object | null = null, query: Query = {}, headers = {}) =>
        this.refusal(user, `events.${verb}`, { path: of(id), query, body, headers }),
    };
  }

  newCalendar(user: GoogleUser, body: object = { summary: 'Boat rota', timeZone: 'Europe/Lisbon' }): string {
    return this.call(user, 'calendars.insert', { body }).id;
  }

  share(owner: GoogleUser, calendarId: string, email: string, role: string): void {
    const body = { role, scope: { type: 'user', value: email } };
    this.call(owner, 'acl.insert', { path: { calendarId }, body });
  }
}

/** An hour on a day of December 2026, Lisbon time. */
export function hour(day: number, from = 9): { start: object; end: object } {
  const at = (hours: number) => ({
    dateTime: `2026-12-${two(day)}T${two(hours)}:00:00`,
    timeZone: 'Europe/Lisbon',
  });
  return { start: at(from), end: at(from + 1) };
}

/** A weekly series on Mondays, 09:00 in Berlin, from 30 November 2026 on. */
export function mondays(more: object = {}): object {
  return {
    summary: 'Weekly sync',
    start: { dateTime: '2026-11-30T09:00:00+01:00', timeZone: 'Europe/Berlin' },
    end: { dateTime: '2026-11-30T09:30:00+01:00', timeZone: 'Europe/Berlin' },
    recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=4'],
    ...more,
  };
}

function requestOf(user: GoogleUser, method: string, parts: Parts): CalendarApiRequest {
  const query = Object.fromEntries(Object.entries(parts.query ?? {}).filter(([, value]) => value !== undefined));
  return {
    methodId: `calendar.${method}`,
    user,
    scopes: ['https://www.googleapis.com/auth/calendar'],
    path: parts.path ?? {},
    query: query as CalendarApiRequest['query'],
    body: (parts.body ?? null) as Record<string, unknown> | null,
    headers: parts.headers ?? {},
  };
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
