import { isFullEvent, type EventItem } from '#domain/events';
import { WHOLE_CALENDAR, type AccountSession, type EventQuery } from '#domain/providers';
import type { JsonObject, JsonValue } from '#domain/system';
import { MemorySnapshots } from '#domain/testing/memory-stores';
import { UnreadableObjects } from '#providers/kit/definition';
import { ScriptedEgress, type Scripted } from '#providers/kit/testing/scripted-egress';
import { icsAdapter } from './adapter.js';

const URL_OF_FEED = 'https://feeds.example.test/secretpath/a.ics';
const MINUTE_MS = 60_000;

class Unreadable extends UnreadableObjects {
  readonly reasons: string[] = [];

  override report({ reason }: { reason: string }): void {
    this.reasons.push(reason);
  }
}

const calendar = (...lines: (string | string[])[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines.flat(), 'END:VCALENDAR', ''].join('\r\n');
const event = (uid: string, title: string, day: string, ...more: string[]) => [
  'BEGIN:VEVENT',
  `UID:${uid}`,
  'DTSTAMP:20260101T000000Z',
  `DTSTART:202703${day}T090000Z`,
  `DTEND:202703${day}T100000Z`,
  `SUMMARY:${title}`,
  ...more,
  'END:VEVENT',
];
const MARCH = { startMs: Date.UTC(2027, 2, 1), endMs: Date.UTC(2027, 3, 1) };

/** One account, connected in one process; {@link process} begins another one. */
function fixture() {
  let nowMs = Date.UTC(2027, 0, 1);
  const egress = new ScriptedEgress();
  const unreadable = new Unreadable();
  const snapshots = new MemorySnapshots();
  const process = () => icsAdapter({ egress, snapshots, unreadable, nowMs: () => nowMs });
  let adapter = process();
  let providerState: JsonObject | null = null;
  let calendarId = '';
  const credentials = { kind: 'url', url: URL_OF_FEED } as const;
  const session = (): AccountSession => ({
    applicationId: 'application',
    accountId: 'account',
    email: 'feeds.example.test',
    serverUrl: null,
    credentials,
    providerState,
    signal: new AbortController().signal,
    saveProviderState: async (state) => void (providerState = state),
  });
  const connection = () => adapter.open(session());
  return {
    egress,
    unreadable,
    answers: (...responses: [Scripted, ...Scripted[]]) => egress.on('GET /secretpath/a.ics', ...responses),
    feed: (text: string, headers: Record<string, string> = {}) => egress.on('GET /secretpath/a.ics', { text, headers }),
    pass: (minutes: number) => void (nowMs += minutes * MINUTE_MS),
    restart: () => void (adapter = process()),
    state: () => providerState,
    calendarId: () => calendarId,
    async connect(name?: string) {
      const { signal } = session();
      const account = await adapter.connect({
        applicationId: 'application',
        email: '',
        serverUrl: null,
        credentials,
        signal,
        ...(name !== undefined && { name }),
      });
      providerState = account.providerState;
      calendarId = account.providerAccountId ?? '';
      return account;
    },
    calendars: () => adapter.calendars.list(connection(), { pageSize: 10, page: null, sync: null }),
    verify: () => adapter.verify(connection()),
    get: (id: string) => adapter.events.get(connection(), calendarId, id),
    busy: (window = MARCH) =>
      adapter.freeBusy(connection(), { window, timeZone: 'UTC', calendarIds: [calendarId] }, (error) => error),
    adapter: () => adapter,
    connection,
    occurrences: (id: string, sync: JsonValue | null = null) =>
      adapter.events.occurrences(connection(), calendarId, id, {
        query: { ...WHOLE_CALENDAR, window: MARCH },
        pageSize: 100,
        page: null,
        sync,
      }),
    async list(query: Partial<EventQuery> = {}, sync: JsonValue | null = null, pageSize = 100) {
      const items: EventItem[] = [];
      for (let page: JsonValue | null = null, pages = 1; ; pages += 1) {
        const response = await adapter.events.list(connection(), calendarId, {
          query: { ...WHOLE_CALENDAR, ...query },
          pageSize,
          page,
          sync,
        });
        items.push(...response.items);
        if (pages > 1) expect(response.items.length).toBeGreaterThan(0);
        if (response.nextSync !== null) return { items, pages, sync: JSON.parse(JSON.stringify(response.nextSync)) };
        page = JSON.parse(JSON.stringify(response.nextPage)) as JsonValue;
      }
    },
  };
}
const titles = (items: EventItem[]) => items.map((item) => (isFullEvent(item) ? item.title : `-${item.id}`)).toSorted();

describe('connecting a feed', () => {
  it('makes an account of it that is the same one the next time', async () => {
    const { connect, feed } = fixture();
    feed(calendar(event('a', 'One', '22')));
    const account = await connect();
    expect(account).toEqual({
      email: 'feeds.example.test',
      serverUrl: null,
      providerAccountId: expect.stringMatching(/^[\w~-]{32}$/),
      authorizedScopes: [],
      providerState: expect.anything(),
    });
    expect(JSON.stringify(account)).not.toContain('secretpath');
    expect((await connect()).providerAccountId).toBe(account.providerAccountId);
  });

  it.each([
    [
      { text: '<!doctype html><html>Sign in</html>', headers: { 'content-type': 'text/html' } },
      'ValidationFailed',
      /web page/,
    ],
    [{ text: '' }, 'ValidationFailed', /empty/],
    [{ text: '{}' }, 'ValidationFailed', /not a calendar/],
    [{ text: calendar(event('a', 'One', '22')).slice(0, -18) }, 'ProviderUnavailable', /half-way/],
    [{ status: 404 }, 'CredentialsRejected', /mistyped/],
    [{ status: 401 }, 'CredentialsRejected', /mistyped/],
    [{ status: 500 }, 'ProviderUnavailable', /failed/],
    [{ status: 429, headers: { 'retry-after': '120' } }, 'ProviderRateLimited', /fewer/],
    [{ status: 304 }, 'ProviderUnavailable', /failed/],
    [{ status: 302, headers: { location: '/secretpath/a.ics' } }, 'ProviderUnavailable', /redirects/],
    ['address-blocked', 'ServerNotAllowed', /public/],
    ['bad-url', 'ServerNotAllowed', /public/],
    ['dns', 'ProviderUnavailable', /reached/],
    ['timeout', 'ProviderTimeout', /in time/],
    ['too-large', 'ValidationFailed', /20 MB/],
  ] as const)('says of %j: %s', async (response, code, message) => {
    const { answers, connect } = fixture();
    answers(response);
    await expect(connect()).rejects.toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
    await expect(connect()).rejects.not.toThrow(/secretpath/);
  });

  it('follows redirects, and says so when they lead to a login page', async () => {
    const { egress, connect, answers } = fixture();
    answers({ status: 302, headers: { location: 'https://login.example.test/sign-in?next=x#form' } });
    egress.on('GET /sign-in', { text: '\n<html>' });
    await expect(connect()).rejects.toThrow(/web page/);
    expect(egress.requests.map(({ url }) => url)).toEqual([URL_OF_FEED, 'https://login.example.test/sign-in?next=x']);
  });

  it('does not care what a calendar is called by its Content-Type', async () => {
    const { feed, connect, calendars } = fixture();
    feed(calendar('X-WR-CALNAME:Club'), { 'content-type': 'text/html; charset=utf-8' });
    await connect();
    expect((await calendars()).items).toEqual([
      expect.objectContaining({ name: 'Club', readOnly: true, isPrimary: false }),
    ]);
  });

  it('calls the calendar as it is asked to, else as the feed does, else as its host', async () => {
    const named = fixture();
    named.feed(calendar('NAME:Own'));
    await named.connect(' Mine ');
    expect((await named.calendars()).items).toEqual([expect.objectContaining({ name: 'Mine' })]);
    await named.connect();
    expect((await named.calendars()).items).toEqual([expect.objectContaining({ name: 'Own' })]);
    named.feed(calendar());
    await named.connect();
    expect((await named.calendars()).items).toEqual([expect.objectContaining({ name: 'feeds.example.test' })]);
  });
});

describe('a feed is asked for', () => {
  it.each([
    ['nothing', [], 15],
    ['a minute', ['REFRESH-INTERVAL;VALUE=DURATION:PT1M'], 5],
    ['ten minutes', ['X-PUBLISHED-TTL:PT10M'], 10],
    ['a day', ['X-PUBLISHED-TTL:P1D'], 60],
  ] as const)('as often as it says, from five minutes to an hour: %s', async (_, lines, minutes) => {
    const { egress, feed, connect, list, verify, pass } = fixture();
    feed(calendar(...lines));
    await connect();
    pass(minutes - 1);
    await list();
    await verify();
    expect(egress.requests).toHaveLength(1);
    pass(1);
    await Promise.all([list(), list(), verify()]);
    expect(egress.requests).toHaveLength(2);
  });

  it('only if it has changed', async () => {
    const { egress, answers, connect, list, pass } = fixture();
    const headers = { etag: 'W/"1"', 'last-modified': 'Fri, 01 Jan 2027 00:00:00 GMT' };
    answers({ text: calendar(event('a', 'One', '22')), headers }, { status: 304 });
    await connect();
    const { sync } = await list();
    pass(15);
    expect(titles((await list()).items)).toEqual(['One']);
    expect((await list({}, sync)).items).toEqual([]);
    expect(egress.requests.map(({ headers: sent }) => sent)).toEqual([
      { accept: expect.anything() },
      { accept: expect.anything(), 'if-none-match': 'W/"1"', 'if-modified-since': headers['last-modified'] },
    ]);
  });

  it('without its tags at another place than they came from', async () => {
    const { egress, answers, connect, list, pass } = fixture();
    const text = calendar(event('a', 'One', '22'));
    answers({ text, headers: { etag: '"1"' } }, { status: 307, headers: { location: '/moved' } });
    egress.on('GET /moved', { text });
    await connect();
    pass(15);
    await list();
    expect(egress.requests.map(({ headers }) => headers?.['if-none-match'])).toEqual([undefined, '"1"', undefined]);
  });
});

describe('a feed that cannot be used any more', () => {
  it.each([
    ['ends half-way', { text: calendar(event('a', 'One', '22')).slice(0, -18) }],
    ['is empty', { text: '' }],
    ['is a web page', { text: '<html>' }],
    ['fails', { status: 503 }],
    ['is not there', 'dns' as const],
    ['is refused', { status: 403 }],
  ])('stays as it was when it %s, and says since when', async (_, broken) => {
    const good = { text: calendar(event('a', 'One', '22'), event('b', 'Two', '23')) };
    const { answers, connect, list, pass, state, verify } = fixture();
    answers(good);
    await connect();
    const { items, sync } = await list();
    answers(broken);
    pass(15);
    expect((await list()).items).toEqual(items);
    expect((await list({}, sync)).items).toEqual([]);
    expect(state()?.['staleSince']).toBe('2027-01-01T00:15:00.000Z');
    pass(10);
    await list();
    expect(state()?.['staleSince']).toBe('2027-01-01T00:15:00.000Z');
    answers(good);
    pass(10);
    await verify();
    expect(state()?.['staleSince']).toBeNull();
  });

  it('is an error where nothing of it is kept, and says since when', async () => {
    const { answers, feed, connect, list, restart, pass, state, egress } = fixture();
    feed(calendar(event('a', 'One', '22')));
    await connect();
    const { sync } = await list();
    restart();
    answers({ text: 'BEGIN:VCALENDAR\r\n' });
    await expect(list({}, sync)).rejects.toThrow(expect.objectContaining({ code: 'ProviderUnavailable' }));
    expect(state()?.['staleSince']).toBe('2027-01-01T00:00:00.000Z');
    const asked = egress.requests.length;
    await expect(list()).rejects.toThrow(/half-way/);
    expect(egress.requests).toHaveLength(asked);
    feed(calendar(event('a', 'One', '22')));
    pass(1);
    expect((await list({}, sync)).items).toEqual([]);
  });

  it('is taken for withdrawn when its server has refused it for an hour', async () => {
    const { answers, feed, connect, list, pass, restart } = fixture();
    feed(calendar());
    await connect();
    answers({ status: 404 });
    pass(15);
    await list();
    pass(59);
    await list();
    pass(10);
    await expect(list()).rejects.toThrow(expect.objectContaining({ code: 'CredentialsRejected' }));
    restart();
    await expect(list()).rejects.toThrow(expect.objectContaining({ code: 'CredentialsRejected' }));
  });
});

describe('events of a feed', () => {
  const SERIES = [
    event('s', 'Series', '22', 'RRULE:FREQ=DAILY;COUNT=4', 'EXDATE:20270323T090000Z'),
    [
      'BEGIN:VEVENT',
      'UID:s',
      'RECURRENCE-ID:20270324T090000Z',
      'DTSTART:20270324T120000Z',
      'DTEND:20270324T130000Z',
      'SUMMARY:Moved',
      'END:VEVENT',
    ],
  ];

  it('are listed page by page, nothing twice and nothing missing', async () => {
    const { feed, connect, list } = fixture();
    feed(calendar(...SERIES, ...Array.from({ length: 9 }, (_, n) => event(`e${n}`, `Event ${n}`, `1${n}`))));
    await connect();
    const whole = await list();
    expect(whole.items).toHaveLength(11);
    for (const pageSize of [1, 2, 3, 11]) {
      const paged = await list({}, null, pageSize);
      expect(paged.items).toEqual(whole.items);
      expect(paged.pages).toBe(Math.ceil(11 / pageSize));
    }
    const query = { window: MARCH, expandRecurrences: true };
    const expanded = await list(query);
    expect(titles(expanded.items).filter((title) => !title.startsWith('Event'))).toEqual(['Moved', 'Series', 'Series']);
    for (const pageSize of [1, 4]) expect((await list(query, null, pageSize)).items).toEqual(expanded.items);
    const ordered = await list({ ...query, orderBy: 'startDateTime' }, null, 2);
    expect(ordered.items).toHaveLength(12);
    const starts = ordered.items.map((item) => (isFullEvent(item) ? JSON.stringify(item.start) : ''));
    expect(starts).toEqual(starts.toSorted());
  });

  it('are read one by one, instances too', async () => {
    const { feed, connect, list, get, occurrences } = fixture();
    feed(calendar(...SERIES));
    await connect();
    const series = (await list()).items.find((item) => isFullEvent(item) && item.isRecurring)!;
    expect(await get(series.id)).toEqual(series);
    const all = await occurrences(series.id);
    expect(all.items.map((item) => isFullEvent(item) && item.title)).toEqual(['Series', 'Moved', 'Series']);
    for (const item of all.items) expect(await get(item.id)).toEqual(item);
    for (const id of ['x', `${series.id}_20270323T090000Z`, 'a'.repeat(22), `${'a'.repeat(22)}_20270322T090000Z`]) {
      await expect(get(id)).rejects.toThrow(expect.objectContaining({ code: 'NotFound' }));
    }
    await expect(occurrences('x')).rejects.toThrow(expect.objectContaining({ code: 'NotFound' }));
  });

  it('of all kinds are understood: without end, cancelled, in Windows zones, in Latin-1', async () => {
    const { egress, connect, list } = fixture();
    const text = calendar(
      ['BEGIN:VEVENT', 'UID:1', 'DTSTART:20270322T090000Z', 'SUMMARY:No end', 'END:VEVENT'],
      ['BEGIN:VEVENT', 'UID:2', 'DTSTART;VALUE=DATE:20270322', 'SUMMARY:Day', 'END:VEVENT'],
      event('3', 'Gone', '22', 'STATUS:CANCELLED'),
      ['BEGIN:VEVENT', 'UID:4', 'DTSTART;TZID=W. Europe Standard Time:20270322T090000', 'SUMMARY:Zone', 'END:VEVENT'],
      ['BEGIN:VEVENT', 'UID:5', 'DTSTART;TZID=Nowhere:20270322T090000', 'SUMMARY:Nowhere', 'END:VEVENT'],
      ['BEGIN:VEVENT', 'UID:6', 'SUMMARY:No start', 'END:VEVENT'],
      event('7', 'Gr\xf6\xdfe', '22'),
    );
    egress.request = async () => ({ status: 200, headers: {}, body: Buffer.from(text, 'latin1') });
    await connect();
    const { items } = await list({ window: MARCH });
    expect(titles(items)).toEqual(['Day', 'Größe', 'No end', 'Nowhere', 'Zone']);
    const of = (title: string) => items.filter(isFullEvent).find((item) => item.title === title);
    expect(of('No end')?.end).toEqual(of('No end')?.start);
    expect(of('Day')).toMatchObject({ end: { kind: 'date', date: '2027-03-23' } });
    expect(JSON.stringify(of('Zone'))).toContain('Europe/Berlin');
  });

  it('of one object that cannot be read do not spoil the others', async () => {
    const { feed, connect, list, unreadable, busy } = fixture();
    feed(calendar(event('a', 'Good', '22'), event('b', 'Huge', '23', `DESCRIPTION:${'x'.repeat(1_100_000)}`)));
    await connect();
    expect(titles((await list()).items)).toEqual(['Good']);
    expect(unreadable.reasons).toHaveLength(1);
    const [outcome] = await busy();
    expect(outcome).toMatchObject({ error: expect.objectContaining({ code: 'ProviderUnavailable' }) });
  });

  it('say when the calendar is busy', async () => {
    const { feed, connect, busy } = fixture();
    feed(
      calendar(...SERIES, event('t', 'Free', '20', 'TRANSP:TRANSPARENT'), event('c', 'Gone', '21', 'STATUS:CANCELLED')),
    );
    await connect();
    const hours = (day: number, from: number) => ({
      startMs: Date.UTC(2027, 2, day, from),
      endMs: Date.UTC(2027, 2, day, from + 1),
    });
    expect(await busy()).toEqual([
      { calendarId: expect.any(String), busySlots: [hours(22, 9), hours(24, 12), hours(25, 9)] },
    ]);
  });

  it('cannot be written', async () => {
    const { feed, connect, adapter, connection, calendarId } = fixture();
    feed(calendar());
    await connect();
    const { calendars, events } = adapter();
    const rejected = expect.objectContaining({ code: 'ReadOnlyCalendar' });
    for (const write of [
      calendars.update,
      calendars.delete,
      events.create,
      events.update,
      events.delete,
      events.respond,
    ]) {
      await expect(write(connection(), calendarId())).rejects.toThrow(rejected);
      await expect(write(connection(), 'other')).rejects.toThrow(expect.objectContaining({ code: 'NotFound' }));
    }
    await expect(calendars.create()).rejects.toThrow(rejected);
  });
});

describe('changes of a feed', () => {
  it('are told once: what is new, changed and gone', async () => {
    const { feed, connect, list, pass } = fixture();
    feed(calendar(event('a', 'Kept', '22'), event('b', 'Old', '23'), event('c', 'Doomed', '24')));
    await connect();
    const first = await list({}, null, 2);
    const doomed = first.items.find((item) => isFullEvent(item) && item.title === 'Doomed')!;
    const renewed = event('a', 'Kept', '22').map((line) => line.replace('DTSTAMP:2026', 'DTSTAMP:2027'));
    feed(calendar(event('d', 'Fresh', '25'), event('b', 'New', '23'), renewed));
    pass(15);
    const page = await list({}, first.sync, 1);
    expect(titles(page.items)).toEqual([`-${doomed.id}`, 'Fresh', 'New']);
    expect(page.pages).toBe(3);
    expect((await list({}, page.sync)).items).toEqual([]);
    expect(titles((await list({}, first.sync)).items)).toEqual([`-${doomed.id}`, 'Fresh', 'New']);
  });

  it('are known by another process, which has seen nothing of it', async () => {
    const { feed, connect, list, restart } = fixture();
    feed(calendar(event('a', 'One', '22')));
    await connect();
    const { sync } = await list();
    restart();
    expect((await list({}, sync)).items).toEqual([]);
    restart();
    feed(calendar(event('a', 'Two', '22')));
    expect(titles((await list({}, sync)).items)).toEqual(['Two']);
  });

  it('of a window and of filters are told by what they show', async () => {
    const { feed, connect, list, pass } = fixture();
    const query = { window: { startMs: Date.UTC(2027, 2, 20), endMs: Date.UTC(2027, 2, 25) }, search: 'stay' };
    feed(
      calendar(
        event('a', 'Stays', '22'),
        event('b', 'Stays too', '23'),
        event('c', 'Other', '22'),
        event('d', 'Stay away', '10'),
      ),
    );
    await connect();
    const { items, sync } = await list(query);
    expect(titles(items)).toEqual(['Stays', 'Stays too']);
    feed(
      calendar(
        event('a', 'Goes', '22'),
        event('b', 'Stays too', '27'),
        event('c', 'Staying', '22'),
        event('d', 'Stay far', '11'),
      ),
    );
    pass(15);
    const gone = items.map(({ id }) => `-${id}`).toSorted();
    expect(titles((await list(query, sync)).items)).toEqual([...gone, 'Staying']);
  });

  it('of instances are told, and what is plain again is not cancelled', async () => {
    const { feed, connect, list, pass } = fixture();
    const moved = (hour: string) => [
      'BEGIN:VEVENT',
      'UID:s',
      'RECURRENCE-ID:20270323T090000Z',
      `DTSTART:20270323T${hour}0000Z`,
      'SUMMARY:Moved',
      'END:VEVENT',
    ];
    const series = (...more: string[]) => event('s', 'Series', '22', 'RRULE:FREQ=DAILY;COUNT=3', ...more);
    feed(calendar(series(), moved('12')));
    await connect();
    const first = await list();
    const expanded = await list({ window: MARCH, expandRecurrences: true });
    feed(calendar(series()));
    pass(15);
    const plain = await list({}, first.sync);
    expect(titles(plain.items)).toEqual(['Series', 'Series']);
    feed(calendar(series('LOCATION:Room 5')));
    pass(15);
    expect(titles((await list({}, plain.sync)).items)).toEqual(['Series', 'Series']);
    feed(calendar(series('EXDATE:20270323T090000Z')));
    pass(15);
    expect(titles((await list({}, plain.sync)).items)).toEqual([
      expect.stringMatching(/^-.*_20270323T090000Z$/),
      'Series',
    ]);
    const query = { window: MARCH, expandRecurrences: true };
    const page = await list(query, expanded.sync);
    expect(titles(page.items)).toEqual([expect.stringMatching(/^-.*_20270323T090000Z$/), 'Series', 'Series']);
  });

  it('of an instance whose series gets times end the instance of the day', async () => {
    const { feed, connect, list, pass } = fixture();
    const days = (title: string, ...more: string[]) => [
      'BEGIN:VEVENT',
      'UID:s',
      `SUMMARY:${title}`,
      ...more,
      'END:VEVENT',
    ];
    feed(
      calendar(
        days('Series', 'DTSTART;VALUE=DATE:20270322', 'RRULE:FREQ=DAILY;COUNT=3'),
        days('Changed', 'DTSTART;VALUE=DATE:20270323', 'RECURRENCE-ID;VALUE=DATE:20270323'),
      ),
    );
    await connect();
    const first = await list();
    expect(titles(first.items)).toEqual(['Changed', 'Series']);
    feed(calendar(event('s', 'Series', '22', 'RRULE:FREQ=DAILY;COUNT=3')));
    pass(15);
    const { items } = await list({}, first.sync);
    expect(titles(items)).toEqual([expect.stringMatching(/^-.*_20270323$/), 'Series']);
  });

  it('of one series are told by its occurrences, its end too', async () => {
    const { feed, connect, list, occurrences, pass } = fixture();
    feed(calendar(event('s', 'Series', '22', 'RRULE:FREQ=DAILY;COUNT=2'), event('o', 'Other', '22')));
    await connect();
    const series = (await list({ search: 'series' })).items[0]!;
    const { nextSync } = await occurrences(series.id);
    feed(calendar(event('s', 'Series', '22', 'RRULE:FREQ=DAILY;COUNT=1'), event('o', 'Changed', '22')));
    pass(15);
    const shorter = await occurrences(series.id, nextSync);
    expect(shorter.items).toEqual([
      expect.objectContaining({ title: 'Series' }),
      { id: `${series.id}_20270323T090000Z`, isCancelled: true, recurringEventId: series.id },
    ]);
    feed(calendar(event('o', 'Changed', '22')));
    pass(15);
    const ended = await occurrences(series.id, shorter.nextSync);
    expect(ended.items).toEqual([expect.objectContaining({ isCancelled: true })]);
  });

  it('are not told of UIDs that are new with every download', async () => {
    const { feed, connect, list, pass, restart, state } = fixture();
    const download = (run: string, title = 'Three') =>
      feed(calendar(event(`${run}1`, 'One', '22'), event(`${run}2`, 'Two', '23'), event(`${run}3`, title, '24')));
    download('a');
    await connect();
    const first = await list();
    download('b');
    pass(15);
    // Only now it is known that its UIDs say nothing: this once all of them are others.
    const second = await list({}, first.sync);
    expect(titles(second.items).filter((title) => !title.startsWith('-'))).toEqual(['One', 'Three', 'Two']);
    download('c');
    pass(15);
    expect((await list({}, second.sync)).items).toEqual([]);
    const stored = JSON.stringify(state());
    download('d', 'Four');
    restart();
    const page = (await list({}, second.sync)).items;
    expect(titles(page)).toEqual([expect.stringMatching(/^-/), 'Four']);
    expect(JSON.stringify(state())).toBe(stored);
  });

  it('tokens of others are refused', async () => {
    const { feed, connect, list } = fixture();
    feed(calendar());
    await connect();
    await expect(list({}, { kind: 'token' })).rejects.toThrow(expect.objectContaining({ code: 'PageTokenInvalid' }));
    await expect(list({}, { kind: 'snapshot', id: 'x' })).rejects.toThrow(
      expect.objectContaining({ code: 'SyncTokenExpired' }),
    );
  });
});

describe('what is kept of feeds', () => {
  it('in memory is bounded, in the store it is hashes', async () => {
    let downloads = 0;
    const egress = new ScriptedEgress();
    const filler = event(
      'a',
      'Contentcanary',
      '22',
      ...Array.from({ length: 900 }, () => `X-FILLER:${'x'.repeat(1_000)}`),
    );
    const text = calendar(
      ...Array.from({ length: 18 }, (_, n) => filler.map((line) => line.replace('UID:a', `UID:${n}`))),
    );
    egress.request = async () => {
      downloads += 1;
      return { status: 200, headers: {}, body: Buffer.from(text) };
    };
    const snapshots = new MemorySnapshots();
    const adapter = icsAdapter({ egress, snapshots, unreadable: new Unreadable(), nowMs: () => 0 });
    const connect = (n: number) =>
      adapter.connect({
        applicationId: 'a',
        email: '',
        serverUrl: null,
        credentials: { kind: 'url', url: `https://h.example/${n}` },
        signal: new AbortController().signal,
      });
    const state = async (n: number) => JSON.stringify(await connect(n));
    for (let n = 0; n < 6; n += 1) expect(await state(n)).not.toContain('Contentcanary');
    const list = async (n: number) => {
      const connection = adapter.open({
        applicationId: 'a',
        accountId: `account ${n}`,
        email: '',
        serverUrl: null,
        credentials: { kind: 'url', url: `https://h.example/${n}` },
        providerState: null,
        signal: new AbortController().signal,
        saveProviderState: async () => undefined,
      });
      const { calendar: own } = await connection.only();
      return adapter.events.list(connection, own.id, { query: WHOLE_CALENDAR, pageSize: 5, page: null, sync: null });
    };
    expect(downloads).toBe(6);
    await list(5);
    expect(downloads).toBe(6);
    await list(0);
    expect(downloads).toBe(7);
    expect([...snapshots.snapshots.values()].join()).not.toContain('Contentcanary');
  });
});
