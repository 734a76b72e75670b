import type { EventItem } from '#domain/events';
import { WHOLE_CALENDAR, type EventQuery } from '#domain/providers';
import type { JsonValue } from '#domain/system';
import { EVENTS as events } from '../adapter.js';
import { GraphApiError } from '../errors.js';
import type { GraphCall } from '../graph-transport.js';
import { SmallGraph } from '../testing/small-graph.js';

const WEEK = { startMs: Date.UTC(2027, 2, 22), endMs: Date.UTC(2027, 2, 29) };
const time = (dateTime: string) => ({ dateTime, timeZone: 'UTC' });
const hour = (day: number, at: number) => ({
  start: time(`2027-03-${day}T${String(at).padStart(2, '0')}:00:00`),
  end: time(`2027-03-${day}T${String(at + 1).padStart(2, '0')}:00:00`),
});
const DAILY = {
  ...hour(22, 8),
  subject: 'Daily',
  recurrence: {
    pattern: { type: 'daily' as const, interval: 1 },
    range: { type: 'numbered' as const, numberOfOccurrences: 4, startDate: '2027-03-22', recurrenceTimeZone: 'UTC' },
  },
};

function opened() {
  const graph = new SmallGraph();
  return {
    graph,
    list: (query: EventQuery, page: JsonValue | null = null, sync: JsonValue | null = null, pageSize = 100) =>
      events.list(graph.connection, 'work', { query, pageSize, page, sync }),
    occurrences: (id: string, sync: JsonValue | null = null, window = WEEK) =>
      events.occurrences(graph.connection, 'work', id, {
        query: { ...WHOLE_CALENDAR, expandRecurrences: true, window },
        pageSize: 100,
        page: null,
        sync,
      }),
  };
}

const asked = (calls: readonly GraphCall[], path: RegExp) => calls.filter((call) => path.test(call.path));
const titles = ({ items }: { items: EventItem[] }) => items.map((item) => ('title' in item ? item.title : ''));
const ids = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);

describe('a list without bounds', () => {
  it('takes one request for a page, the last one included', async () => {
    const { graph, list } = opened();
    for (let at = 0; at < 4; at += 1) graph.seed({ ...hour(22, at), subject: `At ${at}` });
    const first = await list(WHOLE_CALENDAR, null, null, 2);
    const second = await list(WHOLE_CALENDAR, first.nextPage, null, 2);
    expect([first, second].map(titles)).toEqual([
      ['At 0', 'At 1'],
      ['At 2', 'At 3'],
    ]);
    expect(second.nextPage).toBeNull();
    expect(asked(graph.calls, /events$/).map(({ query }) => query)).toEqual([
      expect.objectContaining({ $skip: '0', $top: '3' }),
      expect.objectContaining({ $skip: '0', $top: '19' }),
    ]);
  });

  it('goes on behind a series in the middle of its changed instances', async () => {
    const { graph, list } = opened();
    graph.seed({ ...hour(22, 1), subject: 'Before' });
    const series = graph.seed(DAILY);
    for (const day of [22, 23]) {
      const path = `/me/calendars/work/events/${encodeURIComponent(`${series}-2027-03-${day}`)}`;
      await graph.connection.call('idempotent', { method: 'PATCH', path, body: { subject: `Changed ${day}` } });
    }
    graph.seed({ ...hour(22, 2), subject: 'After' });
    const pages: string[][] = [];
    let page: JsonValue | null = null;
    do {
      const response = await list(WHOLE_CALENDAR, page, null, 3);
      pages.push(titles(response));
      page = response.nextPage;
    } while (page !== null);
    expect(pages).toEqual([
      ['Before', 'Daily', 'Changed 22'],
      ['Changed 23', 'After'],
    ]);
  });

  it.each([
    ['some of those given out', (seen: string[]) => seen.slice(2, 7)],
    ['all that were given out', (seen: string[]) => seen],
    ['the first of them', (seen: string[]) => seen.slice(0, 1)],
  ])('misses nothing when %s are deleted between pages', async (_name, deleted) => {
    const { graph, list } = opened();
    const all = Array.from({ length: 60 }, (_, at) => graph.seed({ ...hour(22, 1), subject: `At ${at}` }));
    const first = await list(WHOLE_CALENDAR, null, null, 30);
    for (const id of deleted(ids(first))) graph.events.delete(id);
    const seen = [...ids(first)];
    for (let page = first.nextPage; page !== null;) {
      const next = await list(WHOLE_CALENDAR, page, null, 30);
      seen.push(...ids(next));
      page = next.nextPage;
    }
    expect(seen).toEqual(all);
  });

  it('misses nothing that is changed between pages, and shows what is new at the end', async () => {
    const { graph, list } = opened();
    const all = Array.from({ length: 60 }, (_, at) => graph.seed({ ...hour(22, 1), subject: `At ${at}` }));
    const first = await list(WHOLE_CALENDAR, null, null, 30);
    for (const id of [all[3], all[40], all[59]]) {
      const path = `/me/calendars/work/events/${encodeURIComponent(id!)}`;
      await graph.connection.call('once', { method: 'PATCH', path, body: { subject: 'Changed' } });
    }
    const added = graph.seed({ ...hour(22, 1), subject: 'New' });
    const second = await list(WHOLE_CALENDAR, first.nextPage, null, 100);
    expect([...ids(first), ...ids(second)]).toEqual([...all, added]);
  });

  it('begins anew rather than miss an event', async () => {
    const { graph, list } = opened();
    const all = Array.from({ length: 60 }, (_, at) => graph.seed({ ...hour(22, 1), subject: `At ${at}` }));
    const first = await list(WHOLE_CALENDAR, null, null, 30);
    for (const id of ids(first).slice(5)) graph.events.delete(id);
    const second = await list(WHOLE_CALENDAR, first.nextPage, null, 100);
    expect(ids(second)).toEqual([...all.slice(0, 5), ...all.slice(30)]);
    expect(second.nextPage).toBeNull();
  });

  it('misses no changed instance of a series when those before it are deleted between pages', async () => {
    const { graph, list } = opened();
    const series = graph.seed(DAILY);
    const write = (date: string, method: 'PATCH' | 'DELETE', body?: object) => {
      const path = `/me/calendars/work/events/${encodeURIComponent(`${series}-${date}`)}`;
      return graph.connection.call('once', { method, path, ...(body !== undefined && { body }) });
    };
    for (const day of [22, 23, 24]) await write(`2027-03-${day}`, 'PATCH', { subject: `Changed ${day}` });
    const first = await list(WHOLE_CALENDAR, null, null, 2);
    expect(titles(first)).toEqual(['Daily', 'Changed 22']);
    await write('2027-03-22', 'DELETE');
    expect(titles(await list(WHOLE_CALENDAR, first.nextPage, null, 2))).toEqual(['Changed 23', 'Changed 24']);
  });

  it('looks through large pages of Graph for what a filter lets pass', async () => {
    const { graph, list } = opened();
    for (let at = 0; at <= 1_000; at += 1) graph.seed({ ...hour(22, 1), subject: at === 1_000 ? 'Needle' : 'Hay' });
    const found = await list({ ...WHOLE_CALENDAR, search: 'needle' }, null, null, 2);
    expect(titles(found)).toEqual(['Needle']);
    expect(found.nextPage).toBeNull();
    expect(asked(graph.calls, /events$/).map(({ query }) => query)).toEqual([
      expect.objectContaining({ $skip: '0', $top: '1000' }),
      expect.objectContaining({ $skip: '984', $top: '1000' }),
    ]);
  });

  it('refuses more instances of a series than it can look at', async () => {
    const { graph, occurrences } = opened();
    const series = graph.seed(DAILY);
    const { call } = graph.connection;
    let minutes = 0;
    const row = () => {
      const at = new Date(Date.UTC(2027, 0, 1) + (minutes += 1) * 60_000).toISOString().slice(0, 19);
      const [start, end] = [time(at), time(at)];
      return { id: `i${minutes}`, type: 'occurrence', seriesMasterId: series, originalStart: `${at}Z`, start, end };
    };
    const response: typeof call = async (repeat, one) =>
      one.path.endsWith('/instances') ? { value: Array.from({ length: 9_000 }, row) } : call(repeat, one);
    Object.assign(graph.connection, { call: response });
    const years = { startMs: Date.UTC(2027, 0, 1), endMs: Date.UTC(2040, 0, 1) };
    await expect(occurrences(series, null, years)).rejects.toMatchObject({
      code: 'ValidationFailed',
      details: [{ path: 'endDateTime', message: expect.stringContaining('too many') }],
    });
  });

  it('asks for the series of a page together', async () => {
    const { graph, list } = opened();
    for (let at = 0; at < 3; at += 1) graph.seed(DAILY);
    const { items } = await list(WHOLE_CALENDAR);
    expect(items).toHaveLength(3);
    expect(asked(graph.calls, /events$/)).toHaveLength(1);
  });

  it('refuses a cursor of another kind of read', async () => {
    const { list } = opened();
    const { nextSync } = await list({ ...WHOLE_CALENDAR, window: WEEK });
    for (const cursor of [
      nextSync,
      'x',
      7,
      { kind: 'plain', skip: -1, done: [], open: null },
      { kind: 'plain', skip: 1, done: [1], open: null },
      { kind: 'plain', skip: 1, done: [], open: { event: 'x', after: 1 } },
    ] as JsonValue[]) {
      await expect(list(WHOLE_CALENDAR, cursor)).rejects.toMatchObject({ code: 'PageTokenInvalid' });
    }
    for (const cursor of ['x', { kind: 'window', deltas: [5], at: null }, { kind: 'window' }] as JsonValue[]) {
      await expect(list({ ...WHOLE_CALENDAR, window: WEEK }, null, cursor)).rejects.toMatchObject({
        code: 'PageTokenInvalid',
      });
    }
    await expect(list(WHOLE_CALENDAR, null, nextSync)).rejects.toMatchObject({ code: 'PageTokenInvalid' });
  });
});

describe('a window', () => {
  it('shows days that only touch it in the zone of the calendar', async () => {
    const { graph, list } = opened();
    graph.mailboxZone = 'Pacific/Auckland';
    const id = graph.seed({
      isAllDay: true,
      start: time('2027-03-22T00:00:00'),
      end: time('2027-03-23T00:00:00'),
    });
    const at = (startMs: number) => list({ ...WHOLE_CALENDAR, window: { startMs, endMs: startMs + 3_600_000 } });
    // The day begins in Auckland at 11:00 UTC of the day before.
    expect(ids(await at(Date.UTC(2027, 2, 21, 12)))).toEqual([id]);
    expect(ids(await at(Date.UTC(2027, 2, 22, 12)))).toEqual([]);
  });

  it('asks for large pages of everything, and for the zone that the calendar was given', async () => {
    const { graph, list } = opened();
    const own = 'String {6f1d2c3b-4a59-4e68-8777-8695a4b3c2d1} Name ucTimeZone';
    graph.calendar = { singleValueExtendedProperties: [{ id: own, value: 'Asia/Tokyo' }] };
    graph.seed({ ...hour(22, 8), originalStartTimeZone: 'tzone://Microsoft/Custom' });
    const { items, nextSync } = await list({ ...WHOLE_CALENDAR, window: WEEK });
    expect(asked(graph.calls, /delta$/)).toEqual([]);
    await list({ ...WHOLE_CALENDAR, window: WEEK }, null, nextSync);
    expect(items).toMatchObject([{ start: { timeZone: 'Asia/Tokyo', local: '2027-03-22T17:00:00' } }]);
    expect(asked(graph.calls, /calendarView$/)[0]?.query).toMatchObject({
      startDateTime: '2027-03-21T00:00:00Z',
      endDateTime: '2027-03-30T00:00:00Z',
      $top: '1000',
      $expand: expect.stringContaining('ucPublic'),
    });
    const [delta] = asked(graph.calls, /delta$/);
    expect(delta?.headers).toEqual({ prefer: 'odata.maxpagesize=1000' });
    expect(Object.keys(delta?.query ?? {})).toEqual(['startDateTime', 'endDateTime']);
  });

  it('leaves out instances of a series that is gone since', async () => {
    const { graph, list } = opened();
    const id = graph.seed(DAILY);
    graph.fault = {
      method: 'GET',
      path: new RegExp(`${encodeURIComponent(id)}$`),
      fault: new GraphApiError(404, 'ErrorItemNotFound', '', null),
    };
    expect(await list({ ...WHOLE_CALENDAR, expandRecurrences: true, window: WEEK })).toMatchObject({ items: [] });
  });

  it('does not take a failure for an empty list', async () => {
    const { graph, list } = opened();
    graph.seed(DAILY);
    const query = { ...WHOLE_CALENDAR, window: WEEK };
    graph.fault = { method: 'GET', path: /AAMk/, fault: new GraphApiError(429, 'ApplicationThrottled', '', 7_000) };
    await expect(list(query)).rejects.toMatchObject({ status: 429 });
    graph.fault = { method: 'GET', path: /calendarView$/, fault: new GraphApiError(503, null, '', null) };
    await expect(list(query)).rejects.toMatchObject({ status: 503 });
    const { nextSync } = await list(query, null, (await list(query)).nextSync);
    const { follow } = graph.connection;
    graph.connection.follow = async () => ({ value: 'no list' });
    await expect(list(query, null, nextSync)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    for (const code of ['resyncRequired', 'SYNCSTATEINVALID', null]) {
      graph.connection.follow = () => Promise.reject(new GraphApiError(code === null ? 410 : 400, code, '', null));
      await expect(list(query, null, nextSync)).rejects.toMatchObject({ code: 'SyncTokenExpired' });
    }
    graph.connection.follow = () => Promise.reject(new GraphApiError(503, null, '', null));
    await expect(list(query, null, nextSync)).rejects.toMatchObject({ status: 503 });
    graph.connection.follow = follow;
    expect(await list(query, null, nextSync)).toMatchObject({ items: [] });
  });
});

describe('a round of changes that ends without a link', () => {
  it('is no success, and no token that has expired either', async () => {
    const { graph, list } = opened();
    const { call } = graph.connection;
    graph.connection.call = async (repeat, request) =>
      request.path.endsWith('/delta') ? { value: [] } : call(repeat, request);
    const query = { ...WHOLE_CALENDAR, window: WEEK };
    const { nextSync } = await list(query);
    await expect(list(query, null, nextSync)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
  });
});

describe('occurrences', () => {
  it('are those of the series, by its id or by that of an instance, and of a single event itself', async () => {
    const { graph, occurrences } = opened();
    const id = graph.seed(DAILY);
    const dates = ['20270322', '20270323', '20270324', '20270325'].map((date) => `${id}_${date}T080000Z`);
    expect(ids(await occurrences(id))).toEqual(dates);
    expect(ids(await occurrences(`${id}_20270323`))).toEqual(dates);
    const single = graph.seed(hour(23, 10));
    expect(ids(await occurrences(single))).toEqual([single]);
    await expect(occurrences('unknown')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('end with their series, which is news to a sync', async () => {
    const { graph, occurrences } = opened();
    const id = graph.seed(DAILY);
    const { nextSync } = await occurrences(id);
    expect((await occurrences(id, nextSync)).items).toEqual([]);
    graph.events.clear();
    const page = await occurrences(id, nextSync);
    expect(page.items).toHaveLength(4);
    expect(page.items[0]).toEqual({ id: `${id}_20270322T080000Z`, isCancelled: true, recurringEventId: id });
  });
});
