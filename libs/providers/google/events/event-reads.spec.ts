import type { EventItem } from '#domain/events';
import { WHOLE_CALENDAR, type EventQuery, type ListEvents, type ListOccurrences, type Page } from '#domain/providers';
import { DomainError, type JsonValue } from '#domain/system';
import { MemorySnapshots } from '#domain/testing/memory-stores';
import { readEvent, readEvents, readOccurrences } from './event-reads.js';
import { KeptReads } from '#providers/kit/sync';
import { fault, openScripted, scriptedGoogle, type Script, type ScriptedGoogle } from '../testing/scripted-google.js';

const WINDOW: EventQuery = {
  ...WHOLE_CALENDAR,
  window: { startMs: Date.UTC(2027, 2, 10), endMs: Date.UTC(2027, 2, 11) },
};
const ids = ({ items }: { items: EventItem[] }) => items.map(({ id }) => id);

const event = (id: string, more: object = {}) => ({
  id,
  etag: `"${id}-1"`,
  status: 'confirmed',
  iCalUID: `${id}@google.com`,
  start: { dateTime: '2027-03-10T09:00:00Z', timeZone: 'UTC' },
  end: { dateTime: '2027-03-10T10:00:00Z', timeZone: 'UTC' },
  ...more,
});
const exception = (id: string, series: string, more: object = {}) =>
  event(id, { recurringEventId: series, originalStartTime: { dateTime: '2027-03-10T09:00:00Z' }, ...more });
const isTokenWalk = ({ fields }: { fields?: unknown }) => fields === 'nextPageToken,nextSyncToken';

/** The next page is asked of another process. */
function continueElsewhere({ connection }: ScriptedGoogle): void {
  Object.assign(connection, { reads: new KeptReads() });
}

async function opened(script: Script, snapshots = new MemorySnapshots()) {
  const google = scriptedGoogle(script, {}, undefined, snapshots);
  const calendar = await openScripted(google);
  return {
    google,
    snapshots,
    list: (list: Partial<ListEvents>): Promise<Page<EventItem>> =>
      readEvents(calendar, { query: WHOLE_CALENDAR, pageSize: 100, page: null, sync: null, ...list }),
    occurrences: (id: string, list: Partial<ListOccurrences>): Promise<Page<EventItem>> =>
      readOccurrences(calendar, id, {
        query: { ...WINDOW, expandRecurrences: true } as ListOccurrences['query'],
        pageSize: 100,
        page: null,
        sync: null,
        ...list,
      }),
    get: (id: string, calendarId = 'work') => readEvent(google.connection, calendarId, id),
  };
}

describe('a whole calendar', () => {
  it('takes the sync token before the first of several pages, so that nothing is missed in between', async () => {
    const order: string[] = [];
    const { list } = await opened({
      list: (parameters) => {
        order.push(isTokenWalk(parameters) ? 'token' : 'page');
        if (isTokenWalk(parameters)) return { nextSyncToken: 'BEFORE' };
        const isFirst = parameters['pageToken'] === undefined;
        // Changed before the token was taken: the page of before the token must not be given out.
        if (isFirst) return { items: [event(order.includes('token') ? 'new' : 'old')], nextPageToken: 'second' };
        return { items: [event('two')], nextSyncToken: 'AFTER' };
      },
    });
    const first = await list({});
    expect(ids(first)).toEqual(['new']);
    expect(order.slice(0, 3)).toEqual(['page', 'token', 'page']);
    expect(await list({ page: first.nextPage })).toMatchObject({ nextPage: null, nextSync: { token: 'BEFORE' } });
  });

  it('asks once for what is on one page, whose token is of the same moment', async () => {
    const { list, google } = await opened({ list: () => ({ items: [event('one')], nextSyncToken: 'T' }) });
    const response = await list({});
    expect(ids(response)).toEqual(['one']);
    expect(response).toMatchObject({ nextPage: null, nextSync: { token: 'T' } });
    expect(google.calls).toHaveLength(1);
  });

  it('syncs under the parameters that its token was given out under, whatever the size of our pages', async () => {
    const { list, google } = await opened({
      list: () => ({ items: [event('one'), event('two')], nextSyncToken: 'T' }),
    });
    const first = await list({ pageSize: 1 });
    const { nextSync } = await list({ pageSize: 1, page: first.nextPage });
    await list({ pageSize: 1, sync: nextSync });
    const sizes = google.calls.map(({ parameters }) => parameters['maxResults']);
    expect(google.calls.at(-1)?.parameters).toMatchObject({ syncToken: 'T', maxResults: sizes[0] });
  });

  it('passes over pages without events, and ends without an empty one', async () => {
    const pages: Record<string, object> = {
      first: { items: [], nextPageToken: 'b' },
      b: { items: [event('one')], nextPageToken: 'c' },
      c: { nextPageToken: 'd' },
      d: { items: [event('two')], nextPageToken: 'e' },
      e: { items: [] },
    };
    const { list, google } = await opened({
      list: (parameters) =>
        isTokenWalk(parameters)
          ? { nextSyncToken: 'T' }
          : pages[(parameters['pageToken'] as string | undefined) ?? 'first'],
    });
    const first = await list({ pageSize: 7 });
    expect(ids(first)).toEqual(['one']);
    const second = await list({ page: first.nextPage, pageSize: 50 });
    expect(ids(second)).toEqual(['two']);
    expect(second).toMatchObject({ nextPage: null, nextSync: { token: 'T' } });
    // Pages of one read are asked for with one page size.
    const sizes = google.calls
      .filter(({ parameters }) => !isTokenWalk(parameters))
      .map(({ parameters }) => parameters['maxResults']);
    expect(new Set(sizes)).toEqual(new Set([2_500]));
  });

  it('gives out no more than a later page asks for', async () => {
    const { list } = await opened({
      list: (parameters) =>
        isTokenWalk(parameters)
          ? { nextSyncToken: 'T' }
          : parameters['pageToken'] === undefined
            ? { items: [event('a')], nextPageToken: 'b' }
            : { items: [event('b1'), event('b2'), event('b3')] },
    });
    const first = await list({ pageSize: 3 });
    const second = await list({ page: first.nextPage, pageSize: 2 });
    const third = await list({ page: second.nextPage, pageSize: 2 });
    expect([first, second, third].map(ids)).toEqual([['a'], ['b1', 'b2'], ['b3']]);
    expect(third.nextSync).toMatchObject({ token: 'T' });
  });

  describe('of several pages of ours', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const pages = (first: JsonValue, list: (list: Partial<ListEvents>) => Promise<Page<EventItem>>) =>
      list({ pageSize: 2, page: first });

    it('asks Google once, because the page of Google holds them all', async () => {
      const { list, google } = await opened({
        list: () => ({ items: names.map((name) => event(name)), nextSyncToken: 'T' }),
      });
      const first = await list({ pageSize: 2 });
      const second = await pages(first.nextPage, list);
      const third = await pages(second.nextPage, list);
      expect([first, second, third].map(ids)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
      expect(third).toMatchObject({ nextPage: null, nextSync: { token: 'T' } });
      expect(google.calls).toHaveLength(1);
    });

    it('asks for each page of Google once after the token', async () => {
      const { list, google } = await opened({
        list: (parameters) =>
          isTokenWalk(parameters)
            ? { nextSyncToken: 'T' }
            : parameters['pageToken'] === undefined
              ? { items: [event('a'), event('b')], nextPageToken: 'more' }
              : { items: [event('c'), event('d')] },
      });
      const given: string[] = [];
      let page: JsonValue | null = null;
      do {
        const read: Page<EventItem> = await list({ pageSize: 1, page });
        given.push(...ids(read));
        page = read.nextPage;
      } while (page !== null);
      expect(given).toEqual(['a', 'b', 'c', 'd']);
      // The first one says that there are several, the second brings the token.
      expect(google.calls.map(({ parameters }) => parameters['pageToken'])).toEqual([
        undefined,
        undefined,
        undefined,
        'more',
      ]);
    });

    it('goes on behind the last event where another process reads the page again', async () => {
      let items = names;
      const { list, google } = await opened({
        list: () => ({ items: items.map((name) => event(name)), nextSyncToken: 'T' }),
      });
      const first = await list({ pageSize: 2 });
      continueElsewhere(google);
      items = ['new', ...names];
      const second = await pages(first.nextPage, list);
      const third = await pages(second.nextPage, list);
      expect([second, third].map(ids)).toEqual([['c', 'd'], ['e']]);
      expect(google.calls).toHaveLength(2);
    });

    it('gives events again rather than leaving one out where the last event is gone from the page', async () => {
      let items = names;
      const { list, google } = await opened({
        list: () => ({ items: items.map((name) => event(name)), nextSyncToken: 'T' }),
      });
      const first = await list({ pageSize: 2 });
      continueElsewhere(google);
      items = ['a', 'c', 'd', 'e'];
      expect(ids(await pages(first.nextPage, list))).toEqual(['a', 'c']);
    });
  });

  it('compares where Google gives no sync token', async () => {
    const { list } = await opened({
      list: (parameters) => (isTokenWalk(parameters) ? {} : { items: [event('a'), event('b')] }),
    });
    const first = await list({ pageSize: 1 });
    const second = await list({ pageSize: 1, page: first.nextPage });
    expect([...ids(first), ...ids(second)]).toEqual(['a', 'b']);
    expect(await list({ sync: second.nextSync })).toMatchObject({ items: [], nextSync: second.nextSync });
  });

  it.each([
    ['410', fault(410, 'fullSyncRequired')],
    ['400', fault(400, 'invalid')],
  ])('has to be read again when Google answers a sync token with %s', async (_status, rejection) => {
    const { list } = await opened({
      list: () => {
        throw rejection;
      },
    });
    const sync = { kind: 'token', token: 'OLD', memory: null };
    await expect(list({ sync })).rejects.toMatchObject({ code: 'SyncTokenExpired' });
  });

  it('says that a page token is dead, and leaves other refusals what they are', async () => {
    const page = {
      kind: 'whole',
      read: 'forgotten',
      pageToken: 'dead',
      following: null,
      after: null,
      basis: { kind: 'token', token: 'T', memory: null },
    };
    const refusing = (error: unknown) =>
      opened({
        list: () => {
          throw error;
        },
      });
    await expect((await refusing(fault(400, 'invalid'))).list({ page })).rejects.toMatchObject({
      code: 'PageTokenInvalid',
    });
    await expect((await refusing(fault(403, 'rateLimitExceeded'))).list({ page })).rejects.toMatchObject({
      status: 403,
    });
    await expect(
      (await refusing(fault(503))).list({ sync: { kind: 'token', token: 'T', memory: null } }),
    ).rejects.toMatchObject({ status: 503 });
  });

  it('tells each changed event once, deleted ones as stubs, page by page under one token', async () => {
    let syncs = 0;
    const { list, google } = await opened({
      list: ({ pageToken }) =>
        pageToken === 'more'
          ? { items: [event('c'), event('a', { etag: '"a-2"' })], nextSyncToken: `N${(syncs += 1)}` }
          : { items: [event('a'), { id: 'b', status: 'cancelled' }], nextPageToken: 'more' },
    });
    const sync = { kind: 'token', token: 'T', memory: null };
    const first = await list({ sync, pageSize: 2 });
    expect(first.items).toMatchObject([
      { id: 'a', etag: 'a-2' },
      { id: 'b', isCancelled: true },
    ]);
    const second = await list({ sync, page: first.nextPage, pageSize: 2 });
    expect(ids(second)).toEqual(['c']);
    expect(second.nextSync).toEqual({ kind: 'token', token: 'N1', memory: null });
    // Later pages are of the same read.
    expect(syncs).toBe(1);
    continueElsewhere(google);
    const elsewhere = await list({ sync, page: first.nextPage, pageSize: 2 });
    expect(ids(elsewhere)).toEqual(['c']);
    expect(elsewhere.nextSync).toEqual(second.nextSync);
    expect(syncs).toBe(2);
  });

  describe('with changed instances that Google forgets to mention', () => {
    const start = async (left: object[], master: object) => {
      const fixture = await opened({
        list: (parameters) => {
          if (parameters['syncToken'] !== undefined) return { items: [master], nextSyncToken: 'N' };
          if (parameters['iCalUID'] !== undefined) return { items: [master, ...left] };
          const items = [event('series'), exception('series_1', 'series'), exception('series_2', 'series')];
          return { items, nextSyncToken: 'T' };
        },
      });
      return { ...fixture, sync: (await fixture.list({})).nextSync! };
    };
    const stub = (id: string) => ({ id, isCancelled: true, recurringEventId: 'series' });

    it('tells of those that are gone since the series was changed', async () => {
      const { list, sync } = await start([exception('series_2', 'series')], event('series', { summary: 'New' }));
      const page = await list({ sync });
      expect(page.items).toMatchObject([{ id: 'series', title: 'New' }, stub('series_1')]);
      // It is forgotten by then.
      expect(ids(await list({ sync: page.nextSync }))).toEqual(['series']);
      expect(ids(await list({ sync }))).toEqual(['series', 'series_1']);
    });

    it('tells of all of them when the series is deleted', async () => {
      const { list, sync } = await start([], { id: 'series', status: 'cancelled' });
      expect((await list({ sync })).items).toMatchObject([{ id: 'series' }, stub('series_1'), stub('series_2')]);
    });

    it('has expired when its memory was dropped: nobody could tell what is gone', async () => {
      const { list, sync, snapshots } = await start([], event('series'));
      snapshots.snapshots.clear();
      await expect(list({ sync })).rejects.toMatchObject({ code: 'SyncTokenExpired' });
    });
  });
});

describe('any other read', () => {
  it('asks Google for a wider window and judges what overlaps itself', async () => {
    const at = (id: string, from: string, to: string) =>
      event(id, { start: { dateTime: from, timeZone: 'UTC' }, end: { dateTime: to, timeZone: 'UTC' } });
    const { list, google } = await opened({
      list: () => ({
        items: [
          at('before', '2027-03-09T23:00:00Z', '2027-03-10T00:00:00Z'),
          at('into', '2027-03-09T23:00:00Z', '2027-03-10T00:00:01Z'),
          at('nothing long', '2027-03-10T00:00:00Z', '2027-03-10T00:00:00Z'),
          at('after', '2027-03-11T00:00:00Z', '2027-03-11T01:00:00Z'),
          event('day', { start: { date: '2027-03-10' }, end: { date: '2027-03-11' } }),
          event('day before', { start: { date: '2027-03-09' }, end: { date: '2027-03-10' } }),
          event('series', {
            recurrence: ['RRULE:FREQ=DAILY'],
            start: { dateTime: '2027-01-01T09:00:00Z', timeZone: 'UTC' },
          }),
          event('ended', {
            recurrence: ['RRULE:FREQ=DAILY;COUNT=2'],
            start: { dateTime: '2027-01-01T09:00:00Z', timeZone: 'UTC' },
            end: { dateTime: '2027-01-01T10:00:00Z', timeZone: 'UTC' },
          }),
          event('unreadable rule', { recurrence: ['RRULE:FREQ=LUNAR'] }),
          event('broken', { start: null, end: null }),
          {
            id: 'cancelled',
            status: 'cancelled',
            recurringEventId: 'series',
            originalStartTime: { dateTime: '2027-03-10T09:00:00Z' },
          },
          {
            id: 'cancelled later',
            status: 'cancelled',
            recurringEventId: 'series',
            originalStartTime: { dateTime: '2027-03-12T09:00:00Z' },
          },
        ],
      }),
    });
    expect(ids(await list({ query: WINDOW }))).toEqual([
      'cancelled',
      'day',
      'into',
      'nothing long',
      'series',
      'unreadable rule',
    ]);
    expect(google.calls[0]?.parameters).toMatchObject({
      timeMin: '2027-03-09T00:00:00Z',
      timeMax: '2027-03-12T00:00:00Z',
      singleEvents: false,
    });
  });

  it('narrows by what Google can be trusted with, and by nothing else', async () => {
    const { list, google } = await opened({ list: () => ({ items: [] }) });
    const metadataFilters = { any: { a: '1' }, private: { b: '2', 'c=d': '3' }, public: { e: '4' } };
    await list({
      query: { ...WHOLE_CALENDAR, search: 'x', metadataFilters, updatedAfterMs: 1, isAllDay: true, iCalUid: 'uid' },
    });
    const { calendarId: _calendarId, pageToken: _pageToken, ...parameters } = google.calls[0]!.parameters;
    expect(parameters).toEqual({
      iCalUID: 'uid',
      privateExtendedProperty: ['b=2'],
      sharedExtendedProperty: ['e=4'],
      singleEvents: false,
      maxResults: 2_500,
    });
  });

  it.each<[string, Partial<EventQuery>, string[]]>([
    ['titles by part, whatever the case', { search: 'STRASSE' }, ['a']],
    [
      'private properties before public ones',
      { metadataFilters: { any: { kind: 'x' }, private: {}, public: {} } },
      ['a'],
    ],
    ['public properties alone', { metadataFilters: { any: {}, private: {}, public: { kind: 'x' } } }, ['a', 'b']],
    ['no inherited names', { metadataFilters: { any: { toString: 'x' }, private: {}, public: {} } }, []],
    ['changes', { updatedAfterMs: Date.UTC(2027, 0, 2) }, ['b']],
    ['days', { isAllDay: true }, ['b']],
    ['what does not take place as well', { isCancelled: true }, ['a', 'b', 'c']],
    ['what takes place', { isCancelled: false }, ['a', 'b']],
    ['one iCalUid', { iCalUid: 'b@google.com' }, ['b']],
  ])('finds %s', async (_name, filter, found) => {
    const { list } = await opened({
      list: () => ({
        items: [
          event('a', {
            summary: 'Große Straße',
            updated: '2027-01-01T00:00:00.000Z',
            extendedProperties: { shared: { kind: 'x' } },
          }),
          event('b', {
            updated: '2027-01-03T00:00:00.000Z',
            start: { date: '2027-03-10' },
            end: { date: '2027-03-11' },
            extendedProperties: { shared: { kind: 'x' }, private: { kind: 'y' } },
          }),
          { id: 'c', status: 'cancelled', recurringEventId: 'a', originalStartTime: { date: '2027-03-10' } },
        ],
      }),
    });
    expect(ids(await list({ query: { ...WHOLE_CALENDAR, ...filter } }))).toEqual(found);
  });

  it('orders with the id as tie-break, over pages', async () => {
    const { list } = await opened({
      list: () => ({ items: [event('b'), event('c', { start: { dateTime: '2027-03-10T08:00:00Z' } }), event('a')] }),
    });
    const query: EventQuery = { ...WINDOW, expandRecurrences: true, orderBy: 'startDateTime' };
    const seen: string[] = [];
    let page: JsonValue | null = null;
    do {
      const response: Page<EventItem> = await list({ query, pageSize: 1, page });
      seen.push(...ids(response));
      page = response.nextPage;
    } while (page !== null);
    expect(seen).toEqual(['c', 'a', 'b']);
  });

  it('looks at an outline first, and fetches all of it only when something changed', async () => {
    let etag = '"1"';
    const { list, google } = await opened({ list: () => ({ items: [event('a', { etag })] }) });
    const { nextSync } = await list({ query: WINDOW });
    google.calls.length = 0;
    expect(await list({ query: WINDOW, sync: nextSync })).toEqual({ items: [], nextPage: null, nextSync });
    expect(google.calls.map(({ parameters }) => typeof parameters['fields'])).toEqual(['string']);
    etag = '"2"';
    expect(ids(await list({ query: WINDOW, sync: nextSync }))).toEqual(['a']);
  });

  it('cannot go on from a memory that was dropped', async () => {
    const { list, snapshots } = await opened({ list: () => ({ items: [event('a'), event('b')] }) });
    const first = await list({ query: WINDOW, pageSize: 1 });
    snapshots.snapshots.clear();
    const second = await list({ query: WINDOW, pageSize: 1, page: first.nextPage });
    expect(ids(second)).toEqual(['b']);
    await expect(list({ query: WINDOW, sync: second.nextSync })).rejects.toMatchObject({ code: 'SyncTokenExpired' });
  });

  it('forgets nothing that was told on a later page of changes', async () => {
    let items = [event('b'), event('d')];
    const { list, google } = await opened({ list: () => ({ items }) });
    const { nextSync } = await list({ query: WINDOW });
    items = [event('b', { etag: '"b-2"' }), event('d', { etag: '"d-2"' })];
    const first = await list({ query: WINDOW, sync: nextSync, pageSize: 1 });
    items = [...items, event('c')];
    continueElsewhere(google);
    const rest = await list({ query: WINDOW, sync: nextSync, page: first.nextPage });
    expect(ids(rest)).toEqual(['c', 'd']);
    items = items.filter(({ id }) => id !== 'c');
    const last = await list({ query: WINDOW, sync: rest.nextSync });
    expect(last.items).toEqual([{ id: 'c', isCancelled: true }]);
  });

  it('tells nothing again, neither what stayed nor what went away between pages', async () => {
    let items = [event('a'), event('b'), event('c')];
    const { list, google } = await opened({ list: () => ({ items }) });
    const { nextSync } = await list({ query: WINDOW });
    items = [event('a', { etag: '"a-2"' }), event('b'), event('c', { etag: '"c-2"' })];
    const first = await list({ query: WINDOW, sync: nextSync, pageSize: 1 });
    items = items.slice(0, 2);
    continueElsewhere(google);
    const rest = await list({ query: WINDOW, sync: nextSync, page: first.nextPage });
    expect(rest.items).toEqual([{ id: 'c', isCancelled: true }]);
    expect((await list({ query: WINDOW, sync: rest.nextSync })).items).toEqual([]);
  });

  it('is read once for all its pages, and the first sync tells what changed between them', async () => {
    let items = ['a', 'b', 'c', 'd', 'e'].map((id) => event(id));
    const { list, google } = await opened({ list: () => ({ items }) });
    const first = await list({ query: WINDOW, pageSize: 2 });
    items = [event('b', { etag: '"b-2"' }), event('c', { etag: '"c-2"' }), event('d'), event('f')];
    const second = await list({ query: WINDOW, pageSize: 2, page: first.nextPage });
    const third = await list({ query: WINDOW, pageSize: 2, page: second.nextPage });
    expect([first, second, third].flatMap(ids)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(google.calls).toHaveLength(1);
    const changes = await list({ query: WINDOW, sync: third.nextSync });
    expect(ids(changes)).toEqual(['a', 'b', 'c', 'e', 'f']);
    expect((await list({ query: WINDOW, sync: changes.nextSync })).items).toEqual([]);
  });

  it('pages through changes that were read once', async () => {
    let items = ['a', 'b', 'c', 'd'].map((id) => event(id));
    const { list, google } = await opened({ list: () => ({ items }) });
    const { nextSync: sync } = await list({ query: WINDOW });
    items = ['a', 'b', 'c'].map((id) => event(id, { etag: `"${id}-2"` }));
    const first = await list({ query: WINDOW, sync, pageSize: 2 });
    const calls = google.calls.length;
    items = items.slice(0, 2);
    const second = await list({ query: WINDOW, sync, pageSize: 2, page: first.nextPage });
    expect(google.calls).toHaveLength(calls);
    expect([first, second].flatMap(ids)).toEqual(['a', 'b', 'c', 'd']);
    expect(second.items.at(-1)).toEqual({ id: 'd', isCancelled: true });
    expect((await list({ query: WINDOW, sync: second.nextSync })).items).toEqual([{ id: 'c', isCancelled: true }]);
  });

  it('is refused when it holds more than one read can see', async () => {
    const items = Array.from({ length: 2_500 }, (_, at) => event(`e${at}`));
    const { list } = await opened({ list: () => ({ items, nextPageToken: 'more' }) });
    await expect(list({ query: WINDOW })).rejects.toMatchObject({
      code: 'ValidationFailed',
      details: [{ path: 'endDateTime' }],
    });
  });

  it.each([
    { items: {} },
    { items: 'x' },
    { items: [null] },
    { items: [{ summary: 'no id' }] },
    { items: [], nextPageToken: 7 },
    { items: [], nextSyncToken: {} },
  ])('N51 does not take %j for an empty list', async (response) => {
    const { list } = await opened({ list: () => response });
    await expect(list({})).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    await expect(list({ query: WINDOW })).rejects.toMatchObject({ code: 'ProviderUnavailable' });
  });

  it.each([400, 410])('F33 begins anew when Google says %s to a page token of its own', async (status) => {
    const { list, google } = await opened({
      list: ({ pageToken }, call) => {
        if (pageToken !== undefined) throw fault(status);
        return call === 0 ? { items: [event('gone')], nextPageToken: 'forgotten' } : { items: [event('kept')] };
      },
    });
    expect((await list({ query: WINDOW })).items.map(({ id }) => id)).toEqual(['kept']);
    expect(google.calls.map(({ parameters }) => parameters['pageToken'])).toEqual([undefined, 'forgotten', undefined]);
  });

  it('F33 tells that the provider is at fault when it says so to all of them', async () => {
    const { list } = await opened({
      list: ({ pageToken }) => {
        if (pageToken !== undefined) throw fault(400);
        return { items: [], nextPageToken: 'forgotten' };
      },
    });
    await expect(list({ query: WINDOW })).rejects.toMatchObject({ code: 'ProviderUnavailable' });
  });

  it('does not follow empty pages for ever', async () => {
    const { list, google } = await opened({ list: () => ({ items: [], nextPageToken: 'more' }) });
    await expect(list({ query: WINDOW })).rejects.toMatchObject({ code: 'ValidationFailed' });
    expect(google.calls.length).toBeLessThan(100);
  });

  it.each<[string, Partial<ListEvents>]>([
    [
      'a page of another kind',
      { page: { kind: 'keyed', after: 'x', basis: { kind: 'token', token: 'T', memory: null } }, query: WINDOW },
    ],
    ['a basis of another kind', { sync: { kind: 'token', token: 'T', memory: null }, query: WINDOW }],
    ['a token that is none', { sync: ['x'] }],
    ['a page that is none', { page: 7 }],
    [
      'a page without its read',
      { page: { kind: 'whole', pageToken: 'p', after: null, basis: { kind: 'token', token: 'T', memory: null } } },
    ],
  ])('N16 refuses %s', async (_name, read) => {
    const { list } = await opened({ list: () => ({ items: [] }) });
    await expect(list(read)).rejects.toMatchObject({ code: 'PageTokenInvalid' });
  });
});

describe('occurrences', () => {
  const instances = (...dates: string[]) =>
    dates.map((date) =>
      exception(`series_${date}`, 'series', {
        start: { dateTime: `2027-03-10T${date}:00:00Z` },
        end: { dateTime: `2027-03-10T${date}:30:00Z` },
      }),
    );
  const series = event('series', { recurrence: ['RRULE:FREQ=DAILY'] });

  it('are the instances that Google makes, ordered by start', async () => {
    const { occurrences, google } = await opened({
      get: () => series,
      instances: () => ({ items: instances('11', '09') }),
    });
    expect(ids(await occurrences('series', {}))).toEqual(['series_09', 'series_11']);
    expect(google.calls).toHaveLength(1);
    expect(google.calls.at(-1)?.parameters).toMatchObject({ eventId: 'series', timeMin: '2027-03-09T00:00:00Z' });
  });

  it('of an instance are those of its series, of a single event that event', async () => {
    const { occurrences, google } = await opened({
      get: ({ eventId }) =>
        eventId === 'series' ? series : eventId === 'single' ? event('single') : instances('09')[0],
      instances: () => ({ items: instances('09') }),
    });
    await occurrences('series_09', {});
    expect(google.calls.at(-1)?.parameters).toMatchObject({ eventId: 'series' });
    expect(ids(await occurrences('single', {}))).toEqual(['single']);
  });

  it('are gone with their series, which is an error only to a fresh read', async () => {
    let isGone = false;
    const { occurrences } = await opened({
      get: () => (isGone ? { id: 'series', status: 'cancelled' } : series),
      instances: () => ({ items: isGone ? [] : instances('09', '11') }),
    });
    const { nextSync } = await occurrences('series', {});
    isGone = true;
    expect((await occurrences('series', { sync: nextSync })).items).toEqual([
      { id: 'series_09', isCancelled: true, recurringEventId: 'series' },
      { id: 'series_11', isCancelled: true, recurringEventId: 'series' },
    ]);
    await expect(occurrences('series', {})).rejects.toMatchObject({ code: 'NotFound' });
  });
});

describe('one event', () => {
  const missing = () => {
    throw fault(404, 'notFound');
  };

  it.each([
    ['unknown', missing],
    ['deleted', () => ({ id: 'x', status: 'cancelled' })],
    [
      'gone',
      () => {
        throw fault(410, 'deleted');
      },
    ],
  ])('is not found when it is %s', async (_name, get) => {
    await expect((await opened({ get })).get('x1')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('is not asked for under an id that is none', async () => {
    const { get, google } = await opened({});
    await expect(get('../x')).rejects.toMatchObject({ code: 'NotFound' });
    expect(google.calls).toEqual([]);
  });

  it('is asked for once more in upper case', async () => {
    const get = ({ eventId }: { eventId?: unknown }) =>
      eventId === 'abc_20270310T090000Z' ? exception('abc_20270310T090000Z', 'abc') : missing();
    const { get: read } = await opened({ get });
    expect((await read('abc_20270310t090000z')).id).toBe('abc_20270310T090000Z');
  });

  it('may be named by its day, when its series has one instance on it', async () => {
    const responses = (rule: string, exceptions: object[] = []): Script => ({
      get: ({ eventId }) => {
        if (eventId === 'abc') return event('abc', { recurrence: [rule] });
        return eventId === 'abc_20270311T090000Z' ? exception('abc_20270311T090000Z', 'abc') : missing();
      },
      list: () => ({ items: exceptions }),
    });
    const daily = await opened(responses('RRULE:FREQ=DAILY'));
    expect((await daily.get('abc_20270311')).id).toBe('abc_20270311T090000Z');
    const twice = 'RDATE:20270311T090000Z,20270311T180000Z';
    await expect((await opened(responses(twice))).get('abc_20270311')).rejects.toMatchObject({ code: 'NotFound' });
    const other = exception('abc_20270311T180000Z', 'abc', {
      status: 'cancelled',
      originalStartTime: { dateTime: '2027-03-11T18:00:00Z' },
    });
    const left = await opened(responses(twice, [other, { ...other, recurringEventId: 'another' }]));
    expect((await left.get('abc_20270311')).id).toBe('abc_20270311T090000Z');
    const hourly = await opened(responses('RRULE:FREQ=HOURLY'));
    await expect(hourly.get('abc_20270311')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('is asked for together with its calendar', async () => {
    const { get, google } = await opened({ get: () => event('x1') });
    const entry = await google.connection.calendar('work');
    const { promise, resolve } = Promise.withResolvers<typeof entry>();
    google.connection.calendar = () => promise;
    const read = get('x1');
    await new Promise(setImmediate);
    expect(google.calls.map(({ parameters }) => parameters)).toEqual([{ calendarId: 'work', eventId: 'x1' }]);
    resolve(entry);
    expect((await read).id).toBe('x1');
  });

  it('is not found with its calendar, whatever became of it', async () => {
    const { get, google } = await opened({
      get: () => {
        throw fault(500);
      },
    });
    google.connection.calendar = () => Promise.reject(new DomainError('NotFound', 'no calendar'));
    await expect(get('x1')).rejects.toThrow('no calendar');
  });

  it.each(['', '.', '..', 'a\u0000'])('N19 is not asked for in the calendar %j', async (calendarId) => {
    const { get, google } = await opened({});
    await expect(get('x1', calendarId)).rejects.toMatchObject({ code: 'NotFound' });
    expect(google.calls).toEqual([]);
  });

  it('that is no event is an answer that nobody can use', async () => {
    await expect((await opened({ get: () => 'x' })).get('x1')).rejects.toMatchObject({ code: 'ProviderUnavailable' });
  });
});
