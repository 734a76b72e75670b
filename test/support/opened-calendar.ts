import { isFullEvent, type EventItem } from '#domain/events';
import { WHOLE_CALENDAR } from '#domain/providers';
import type { AccountSession, CalendarProvider, ListOccurrences } from '#domain/providers';
import type { JsonValue } from '#domain/system';
import { GuardedEgress } from '#egress';
import { createCalDavProvider } from '#providers/caldav';
import { UnreadableObjects } from '#providers/kit/definition';
import { FakeCalDav, type FakeCalDavOptions, type FakeCalendar } from './fake-caldav.js';
import { CountedPermits, MemoryPrivateProperties, MemorySnapshots, UnlimitedRate } from '#domain/testing/memory-stores';
import { readEvents } from '#domain/testing/read-events';

export const JUNE: ListOccurrences['query'] = {
  ...WHOLE_CALENDAR,
  window: { startMs: Date.UTC(2027, 5, 1), endMs: Date.UTC(2027, 6, 1) },
};

class Reported extends UnreadableObjects {
  readonly objects: { href: string; reason: string }[] = [];
  override report(object: { href: string; reason: string }) {
    this.objects.push(object);
  }
}

/** A connected account on a fake server that behaves as the options say. */
export async function openCalendar(options: FakeCalDavOptions = {}) {
  const fake = await FakeCalDav.start(options);
  const work = fake.addCalendar('work', 'Work');
  const egress = new GuardedEgress({ allow: fake.egressAllow });
  const unreadable = new Reported();
  const snapshots = new MemorySnapshots();
  const privateProperties = new MemoryPrivateProperties();
  const clock = { aheadMs: 0 };
  const createProvider = (): CalendarProvider =>
    createCalDavProvider({
      egress,
      budget: new UnlimitedRate(),
      slots: new CountedPermits(),
      privateProperties,
      snapshots,
      unreadable,
      requestsPerMinute: 240,
      nowMs: () => Date.now() + clock.aheadMs,
    });
  const provider = createProvider();
  const { username, password } = fake.login;
  const credentials = { kind: 'password' as const, password };
  const connected = await provider.connect({
    applicationId: 'app',
    email: username,
    serverUrl: fake.url,
    credentials,
    signal: AbortSignal.timeout(20_000),
  });
  const session: AccountSession = {
    applicationId: 'app',
    accountId: 'account',
    email: username,
    serverUrl: connected.serverUrl,
    credentials,
    providerState: connected.providerState,
    signal: AbortSignal.timeout(60_000),
    saveProviderState: async () => undefined,
  };
  const [calendar] = (await provider.listCalendars(session, { pageSize: 100, page: null, sync: null })).items;
  return {
    fake,
    work,
    provider,
    session,
    snapshots,
    privateProperties,
    unreadable,
    clock,
    calendarId: calendar!.id,
    /** The provider of another process, which shares the snapshots alone. */
    otherProcess: createProvider,
    /** Reads to the end. */
    list(query = WHOLE_CALENDAR, sync: JsonValue | null = null, pageSize = 100) {
      return readEvents((list) => provider.listEvents(session, calendar!.id, list), { query, pageSize, sync });
    },
    async close() {
      await egress.close();
      await fake.close();
    },
  };
}

export type OpenedCalendar = Awaited<ReturnType<typeof openCalendar>>;

/** One event of 10 June 2027, 9 to 10 UTC. */
export function object(uid: string, title: string, more: string[] = []): string {
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Example//Client//EN',
    'BEGIN:VEVENT',
    `UID:${uid}`,
    'DTSTAMP:20260101T000000Z',
    'DTSTART:20270610T090000Z',
    'DTEND:20270610T100000Z',
    `SUMMARY:${title}`,
    ...more,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');
}

/** As another client would. */
export async function put(fake: FakeCalDav, calendar: FakeCalendar, name: string, body: string): Promise<void> {
  const { username, password } = fake.login;
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const url = new URL(calendar.path + name, fake.url);
  const response = await fetch(url, {
    method: 'PUT',
    body,
    headers: { authorization, 'content-type': 'text/calendar' },
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`PUT ${name}: ${response.status}`);
}

export const titles = (items: EventItem[]) =>
  items.map((item) => (isFullEvent(item) ? item.title : `gone ${item.id}`)).sort();
