import type { Answer, CallOptions, Service } from '../support/service.js';
import type { PushSubject } from './notification-subject.js';

/** A provider under test. The suite asks nothing else of it, and nothing about which one it is. */
export interface ConformanceSubject {
  /** `CALDAV on Radicale` */
  name: string;
  providerType: 'GOOGLE' | 'MICROSOFT' | 'APPLE' | 'CALDAV' | 'ICS';
  /** Connects the test user and returns the account as answered. */
  connect(service: Service): Promise<Answer>;
  /** The same with credentials that the provider refuses. */
  connectWrongly(service: Service): Promise<Answer>;
  /** What the provider holds of the user's calendars, changed without the service: as another client or party would. */
  elsewhere: Elsewhere;
  /** How the provider tells of changes; null: it has to be asked. */
  push: PushSubject | null;
  /** Named divergences, each documented in docs/guides/provider-differences.md. */
  differs: {
    /** `isPrimary` is omitted on calendars that are not primary; false is given by the others. */
    givesIsPrimaryFalse: boolean;
    /** Events may be longer than no time at all. */
    holdsZeroLength: boolean;
    /** Every read can be followed by its changes, not only one of a window with both bounds. */
    syncsEveryRead: boolean;
    /** Private properties belong to the version of an event; at the others, a change of them alone is not told. */
    versionsPrivateProperties: boolean;
    /** A monthly rule on the 29th to 31st skips the months without that day; it is refused by the others. */
    skipsShortMonths: boolean;
    /** A series may have rules beside each other; a second one is refused by the others. */
    holdsManyRules: boolean;
    /** The provider's own ids hold no `_`, which stands between the id of a series and the date of an instance. */
    idsWithoutUnderscore: boolean;
    /** Holds the conference of a third party; it is refused by the others. */
    holdsConferences: boolean;
    /** An invitation that was declined stays in the calendar; it is put away by the others. */
    keepsDeclined: boolean;
  };
}

export interface Elsewhere {
  /** An invitation to the test user, from somebody else. Resolves with the iCalUid. */
  invite(calendarId: string, invitation: { title: string; startUtc: string; endUtc: string }): Promise<string>;
  /** An event of the user's that says what the interface lets nobody write, as far as the provider holds it. Resolves with the iCalUid. */
  strange(calendarId: string, title: string): Promise<string>;
  /** Changes the title of an event. */
  retitle(calendarId: string, eventId: string, title: string): Promise<void>;
  /** Deletes an event. */
  remove(calendarId: string, eventId: string): Promise<void>;
}

/** A connected account and one fresh calendar of it. */
export interface Fixture {
  subject: ConformanceSubject;
  service: Service;
  accountId: string;
  calendarId: string;
  /** Calls with the account's id in front of the rest: `call('GET', 'events', calendarId)`. */
  call<T = any>(method: string, resource: string, path?: string, options?: CallOptions): Promise<Answer<T>>;
  /** Creates an event in the world's calendar; fails the test when it is not answered with one. */
  create(event: Record<string, unknown>, options?: CallOptions): Promise<any>;
  /** Reads a list to its end and checks the paging rules on the way. */
  readAll(path: string, query?: CallOptions['query']): Promise<{ items: any[]; pages: number; nextSyncToken: string }>;
}

export async function openFixture(subject: ConformanceSubject, service: Service): Promise<Fixture> {
  const connected = await subject.connect(service);
  if (connected.status !== 200) throw new Error(`cannot connect: ${JSON.stringify(connected.body)}`);
  const accountId = connected.body.id as string;
  const call: Fixture['call'] = (method, resource, path = '', options = {}) =>
    service.call(method, `/v1/${resource}/${accountId}${path}`, options);
  const made = await call('POST', 'calendars', '', {
    body: { name: `Conformance ${Date.now()}`, timeZone: 'Europe/Berlin' },
  });
  if (made.status !== 200) throw new Error(`cannot make a calendar: ${JSON.stringify(made.body)}`);
  const calendarId = made.body.id as string;
  return {
    subject,
    service,
    accountId,
    calendarId,
    call,
    async create(event, options = {}) {
      const response = await call('POST', 'events', `/${calendarId}`, { body: event, ...options });
      if (response.status !== 200)
        throw new Error(`cannot create: ${response.status} ${JSON.stringify(response.body)}`);
      return response.body;
    },
    async readAll(path, query = {}) {
      const items: any[] = [];
      let pageToken: string | undefined;
      for (let pages = 1; ; pages += 1) {
        const response = await call('GET', 'events', path, { query: { ...query, pageToken } });
        if (response.status !== 200)
          throw new Error(`cannot list: ${response.status} ${JSON.stringify(response.body)}`);
        if (pages > 1) expect(response.body.data.length).toBeGreaterThan(0); // no empty extra page
        items.push(...response.body.data);
        pageToken = response.body.nextPageToken ?? undefined;
        if (pageToken === undefined) {
          const isWindow = query['startDateTime'] !== undefined && query['endDateTime'] !== undefined;
          const isSynced = subject.differs.syncsEveryRead || isWindow || query['syncToken'] !== undefined;
          expect(typeof (response.body.nextSyncToken ?? undefined)).toBe(isSynced ? 'string' : 'undefined');
          return { items, pages, nextSyncToken: response.body.nextSyncToken };
        }
        expect(response.body.nextSyncToken ?? null).toBeNull();
      }
    },
  };
}
