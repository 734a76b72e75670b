// 25 s: a hundred cases, each with a server, a connection and calendars of its own.
import { isFullEvent, type CalendarEvent, type EventItem } from '#domain/events';
import { WHOLE_CALENDAR, type CalendarProvider, type EventQuery } from '#domain/providers';
import type { JsonValue } from '#domain/system';
import type { FakeCalDavOptions } from '../../support/fake-caldav.js';
import type { FakeResponse } from '../../support/fake-caldav/switches.js';
import { JUNE, object, openCalendar, put, titles, type OpenedCalendar } from '../../support/opened-calendar.js';

const EXPANDED = { ...JUNE, expandRecurrences: true };
const HOUR_MS = 3_600_000;
const DAILY = ['RRULE:FREQ=DAILY;COUNT=5'];

/** An override of the series that `object` makes: its tenth of June and so on. */
function override(uid: string, day: string, title: string, more: string[] = []): string[] {
  return [
    'END:VEVENT',
    'BEGIN:VEVENT',
    `UID:${uid}`,
    'DTSTAMP:20260101T000000Z',
    `RECURRENCE-ID:${day}T090000Z`,
    `DTSTART:${day}T140000Z`,
    `DTEND:${day}T150000Z`,
    `SUMMARY:${title}`,
    ...more,
  ];
}

const byId = (items: EventItem[]) => new Map(items.map((item) => [item.id, item]));
const find = (items: EventItem[], title: string) => items.find((item) => isFullEvent(item) && item.title === title)!;
/** What of the items counts for somebody who mirrors the calendar. */
const summaryOf = (items: EventItem[]) =>
  items
    .map((item) => (item.isCancelled ? `- ${item.id}` : `+ ${item.id} ${isFullEvent(item) ? item.title : ''}`))
    .sort();

describe('CalDAV cases', () => {
  let opened: OpenedCalendar | undefined;
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });
  const given = async (options: FakeCalDavOptions = {}) => (opened = await openCalendar(options));
  const meeting = (title: string, more = {}) => ({
    title,
    start: { kind: 'dateTime' as const, local: '2027-06-10T09:00:00', offsetMinutes: 0, timeZone: null },
    ...more,
  });

  describe.each<[string, FakeCalDavOptions]>([
    ['sync-collection', {}],
    ['snapshots', { syncCollection: 501 }],
  ])('since a sync token (%s)', (_name, options) => {
    it('an instance that was excluded: the series, and its instance as gone', async () => {
      const { fake, work, list } = await given(options);
      await put(fake, work, 's.ics', object('s', 'series', DAILY));
      const full = await list();
      const { id } = full.items[0]!;
      await put(fake, work, 's.ics', object('s', 'series', [...DAILY, 'EXDATE:20270611T090000Z']));
      const changed = await list(WHOLE_CALENDAR, full.nextSync);
      expect(summaryOf(changed.items)).toEqual([`+ ${id} series`, `- ${id}_20270611T090000Z`].sort());
      expect(byId(changed.items).get(`${id}_20270611T090000Z`)).toMatchObject({
        recurringEventId: id,
        iCalUid: 's',
        originalStart: { local: '2027-06-11T09:00:00' },
      });
      // It is told again with the next change: a repeated removal harms nobody.
      await put(fake, work, 's.ics', object('s', 'renamed', [...DAILY, 'EXDATE:20270611T090000Z']));
      const again = await list(WHOLE_CALENDAR, changed.nextSync);
      expect(summaryOf(again.items)).toEqual([`+ ${id} renamed`, `- ${id}_20270611T090000Z`].sort());
    });

    it('an override that was cancelled: the instance as gone', async () => {
      const { fake, work, list } = await given(options);
      await put(fake, work, 's.ics', object('s', 'series', [...DAILY, ...override('s', '20270611', 'moved')]));
      const full = await list();
      const { id } = find(full.items, 'series');
      expect(summaryOf(full.items)).toEqual([`+ ${id} series`, `+ ${id}_20270611T090000Z moved`]);
      const cancelled = override('s', '20270611', 'moved', ['STATUS:CANCELLED']);
      await put(fake, work, 's.ics', object('s', 'series', [...DAILY, ...cancelled]));
      const { items } = await list(WHOLE_CALENDAR, full.nextSync);
      expect(summaryOf(items)).toEqual([`+ ${id} series`, `- ${id}_20270611T090000Z`]);
    });

    it('a series that was cancelled as a whole: the series as gone', async () => {
      const { fake, work, list } = await given(options);
      await put(fake, work, 's.ics', object('s', 'series', DAILY));
      const full = await list();
      const { id } = full.items[0]!;
      await put(fake, work, 's.ics', object('s', 'series', [...DAILY, 'STATUS:CANCELLED']));
      const { items } = await list(WHOLE_CALENDAR, full.nextSync);
      expect(summaryOf(items)).toContain(`- ${id}`);
      expect(items.every(({ isCancelled }) => isCancelled)).toBe(true);
    });

    it('an object that another client renamed: the old id as gone, a new one with the same iCalUid', async () => {
      const { fake, work, list } = await given(options);
      await put(fake, work, 'before.ics', object('s', 'event'));
      const full = await list();
      work.remove('before.ics');
      await put(fake, work, 'after.ics', object('s', 'event'));
      const { items } = await list(WHOLE_CALENDAR, full.nextSync);
      const now = find(items, 'event');
      expect(now.id).not.toBe(full.items[0]!.id);
      expect(now).toMatchObject({ iCalUid: 's' });
      expect(summaryOf(items)).toEqual([`+ ${now.id} event`, `- ${full.items[0]!.id}`].sort());
    });

    it('several hundred changes come in full pages, each once', async () => {
      const { fake, work, list, provider, session, calendarId } = await given(options);
      for (let index = 0; index < 330; index += 1) work.put(`e${index}.ics`, object(`e${index}`, `old ${index}`));
      const full = await list(WHOLE_CALENDAR, null, 1000);
      expect(full.items).toHaveLength(330);
      for (let index = 0; index < 310; index += 1) work.put(`e${index}.ics`, object(`e${index}`, `new ${index}`));
      for (let index = 310; index < 330; index += 1) work.remove(`e${index}.ics`);
      for (let index = 330; index < 350; index += 1) work.put(`e${index}.ics`, object(`e${index}`, `new ${index}`));
      const sizes: number[] = [];
      const items: EventItem[] = [];
      for (let page: JsonValue | null = null; ;) {
        const response = await provider.listEvents(session, calendarId, {
          query: WHOLE_CALENDAR,
          pageSize: 100,
          page,
          sync: full.nextSync,
        });
        sizes.push(response.items.length);
        items.push(...response.items);
        if (response.nextPage === null) break;
        page = response.nextPage;
      }
      expect(sizes).toEqual([100, 100, 100, 50]);
      expect(new Set(items.map(({ id }) => id)).size).toBe(350);
      expect(items.filter(({ isCancelled }) => isCancelled)).toHaveLength(20);
      expect(fake.requestsOf('PUT')).toEqual([]);
    });

    it('an override that was removed: what is told of its instance is kept true until it is gone', async () => {
      const { fake, work, list } = await given(options);
      await put(fake, work, 's.ics', object('s', 'series', [...DAILY, ...override('s', '20270611', 'moved')]));
      const full = await list();
      const { id } = find(full.items, 'series');
      const instance = `${id}_20270611T090000Z`;
      let sync = full.nextSync;
      const changed = async (title: string, ...more: string[]) => {
        await put(fake, work, 's.ics', object('s', title, more));
        const { items, nextSync } = await list(WHOLE_CALENDAR, sync);
        sync = nextSync;
        return summaryOf(items);
      };
      expect(await changed('plain', ...DAILY)).toEqual([`+ ${id} plain`, `+ ${instance} plain`]);
      expect(await changed('renamed', ...DAILY)).toEqual([`+ ${id} renamed`, `+ ${instance} renamed`]);
      expect(await changed('ended', 'RRULE:FREQ=DAILY;COUNT=1')).toEqual([`+ ${id} ended`, `- ${instance}`]);
      expect(await changed('short', 'RRULE:FREQ=DAILY;COUNT=1')).toEqual([`+ ${id} short`]);
    });

    it('what was made and deleted in between harms nobody', async () => {
      const { fake, work, list } = await given(options);
      const full = await list();
      await put(fake, work, 'brief.ics', object('brief', 'brief'));
      work.remove('brief.ics');
      const { items, nextSync } = await list(WHOLE_CALENDAR, full.nextSync);
      expect(items.filter(({ isCancelled }) => !isCancelled)).toEqual([]);
      expect((await list(WHOLE_CALENDAR, nextSync)).items).toEqual([]);
    });

    it('a calendar that was deleted is NotFound, for a full read too', async () => {
      const { fake, work, list } = await given(options);
      await put(fake, work, 'a.ics', object('a', 'a'));
      const { nextSync } = await list();
      fake.store.calendars.delete(work.path);
      await expect(list(WHOLE_CALENDAR, nextSync)).rejects.toMatchObject({ code: 'NotFound' });
      await expect(list()).rejects.toMatchObject({ code: 'NotFound' });
    });
  });

  describe('since a sync token of a window', () => {
    it('an override that was removed: its id is told again as the instance, or as gone', async () => {
      const { fake, work, list } = await given();
      await put(fake, work, 's.ics', object('s', 'series', [...DAILY, ...override('s', '20270611', 'moved')]));
      const expanded = await list(EXPANDED);
      const unexpanded = await list(JUNE);
      const { id } = find(unexpanded.items, 'series');
      const instance = `${id}_20270611T090000Z`;
      await put(fake, work, 's.ics', object('s', 'series', DAILY));
      expect(byId((await list(EXPANDED, expanded.nextSync)).items).get(instance)).toMatchObject({
        title: 'series',
        start: { local: '2027-06-11T09:00:00' },
      });
      expect(summaryOf((await list(JUNE, unexpanded.nextSync)).items)).toEqual([
        `+ ${id} series`,
        `+ ${instance} series`,
      ]);
    });

    it('a series that was cancelled as a whole: every instance as gone, and none listed', async () => {
      const { fake, work, list } = await given();
      await put(fake, work, 's.ics', object('s', 'series', DAILY));
      const full = await list(EXPANDED);
      expect(full.items).toHaveLength(5);
      await put(fake, work, 's.ics', object('s', 'series', [...DAILY, 'STATUS:CANCELLED']));
      const { items } = await list(EXPANDED, full.nextSync);
      expect(items.filter(({ isCancelled }) => isCancelled).map(({ id }) => id)).toEqual(
        full.items.map(({ id }) => id),
      );
      expect(items).toHaveLength(5);
      expect((await list(EXPANDED)).items).toEqual([]);
      expect((await list(JUNE)).items).toEqual([]);
    });
  });

  describe('sync-collection answers', () => {
    const responding = (responses: string, token = 'data:,next') =>
      `<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">${responses}<D:sync-token>${token}</D:sync-token></D:multistatus>`;
    const status = (href: string, code: number) =>
      `<D:response><D:href>${href}</D:href><D:status>HTTP/1.1 ${code} X</D:status></D:response>`;

    it('removals in an initial answer (Radicale), and a status that is neither change nor removal: ignored', async () => {
      const { fake, work, list } = await given();
      work.put('a.ics', object('a', 'a'));
      fake.switches.intercept = ({ body }) =>
        body.includes('sync-collection')
          ? {
              status: 207,
              body: responding(
                `<D:response><D:href>${work.path}a.ics</D:href><D:propstat><D:prop><D:getetag>"1"</D:getetag></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>` +
                  status(`${work.path}gone.ics`, 404) +
                  status(`${work.path}secret.ics`, 403),
              ),
            }
          : undefined;
      const full = await list();
      expect(titles(full.items)).toEqual(['a']);
      const { items } = await list(WHOLE_CALENDAR, full.nextSync);
      expect(items.filter(({ isCancelled }) => isCancelled)).toHaveLength(1);
    });

    it('with every resource for any token: pages of changes tell of all of them', async () => {
      const { fake, work, list } = await given();
      const names = ['a', 'b', 'c', 'd', 'e'];
      for (const name of names) work.put(`${name}.ics`, object(name, name));
      const full = await list();
      const one = (name: string) =>
        `<D:response><D:href>${work.path}${name}.ics</D:href><D:propstat><D:prop><D:getetag>"2"</D:getetag></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>`;
      fake.switches.intercept = ({ body }) =>
        body.includes('sync-collection') ? { status: 207, body: responding(names.map(one).join('')) } : undefined;
      expect(titles((await list(WHOLE_CALENDAR, full.nextSync, 2)).items)).toEqual(names);
    });

    it('refused for Depth 0: asked once more with 1', async () => {
      const { fake, work, list } = await given();
      work.put('a.ics', object('a', 'a'));
      fake.switches.intercept = ({ body, headers }) =>
        body.includes('sync-collection') && headers.depth === '0' ? { status: 400 } : undefined;
      const full = await list();
      expect(full.nextSync).toMatchObject({ kind: 'token' });
      work.put('b.ics', object('b', 'b'));
      expect(titles((await list(WHOLE_CALENDAR, full.nextSync)).items)).toEqual(['b']);
    });

    it('that are cut without end: ended after a hundred rounds', async () => {
      const { fake, work, list } = await given();
      work.put('a.ics', object('a', 'a'));
      let round = 0;
      fake.switches.intercept = ({ body }) => {
        if (!body.includes('sync-collection')) return undefined;
        round += 1;
        return { status: 207, body: responding(status(work.path, 507), `data:,${round}`) };
      };
      await list();
      expect(round).toBeLessThanOrEqual(100);
    });
  });

  describe('lists', () => {
    it('expanded, with pages cut inside of a series: nothing twice, nothing missing', async () => {
      const { work, list } = await given();
      work.put('a.ics', object('a', 'daily', ['RRULE:FREQ=DAILY;COUNT=10']));
      work.put('b.ics', object('b', 'single'));
      work.put('c.ics', object('c', 'weekly', ['RRULE:FREQ=WEEKLY;COUNT=3']));
      const whole = (await list(EXPANDED)).items.map(({ id }) => id);
      expect(whole).toHaveLength(14);
      for (const pageSize of [1, 3, 4, 7, 13, 14]) {
        const { items, nextSync } = await list(EXPANDED, null, pageSize);
        expect(items.map(({ id }) => id)).toEqual(whole);
        expect((await list(EXPANDED, nextSync)).items).toEqual([]);
      }
    });

    it.each([
      ['in any order', null],
      ['by their starts', 'startDateTime'],
    ] as const)(
      'what another process lists on a later page, and is deleted before the first sync (%s): told as gone',
      async (_name, orderBy) => {
        const { work, provider, session, calendarId, otherProcess, list } = await given({ omitsShortLived: true });
        for (const name of ['a', 'b', 'm', 'z']) work.put(`${name}.ics`, object(name, name));
        const query: EventQuery = { ...WHOLE_CALENDAR, orderBy };
        const read = (by: CalendarProvider, page: JsonValue | null) =>
          by.listEvents(session, calendarId, { query, pageSize: 2, page, sync: null });
        const pages = [await read(provider, null)];
        work.put('s.ics', object('s', 'brief'));
        work.put('t.ics', object('t', 'series', [...DAILY, ...override('t', '20270611', 'changed')]));
        work.put('u.ics', object('u', 'stays'));
        const other = otherProcess();
        for (let page = pages[0]!.nextPage; page !== null; page = pages.at(-1)!.nextPage)
          pages.push(await read(other, page));
        const shown = pages.flatMap(({ items }) => items);
        expect(titles(shown)).toEqual(['a', 'b', 'brief', 'changed', 'm', 'series', 'stays', 'z']);
        for (const name of ['s', 't', 'z']) work.remove(`${name}.ics`);
        const changed = await list(WHOLE_CALENDAR, pages.at(-1)!.nextSync, 1);
        const gone = ['brief', 'changed', 'series', 'z'].map((title) => `- ${find(shown, title).id}`);
        expect(summaryOf(changed.items)).toEqual([...gone, `+ ${find(shown, 'stays').id} stays`].sort());
        expect((await list(WHOLE_CALENDAR, changed.nextSync)).items).toEqual([]);
      },
    );

    it('stay readable in another process when the server has forgotten the sync token meanwhile', async () => {
      const { work, provider, session, calendarId, otherProcess, list } = await given();
      for (const name of ['a', 'b', 'c']) work.put(`${name}.ics`, object(name, name));
      const query = WHOLE_CALENDAR;
      const first = await provider.listEvents(session, calendarId, { query, pageSize: 2, page: null, sync: null });
      work.put('d.ics', object('d', 'd'));
      work.oldestRevision = work.revision;
      const rest = { query, pageSize: 2, page: first.nextPage, sync: null };
      const second = await otherProcess().listEvents(session, calendarId, rest);
      expect(titles(second.items)).toEqual(['c', 'd']);
      await expect(list(query, second.nextSync)).rejects.toMatchObject({ code: 'SyncTokenExpired' });
    });

    it('a series that changes while its instances are paged: the next sync tells it', async () => {
      const { work, provider, session, calendarId, list } = await given();
      work.put('a.ics', object('a', 'before', ['RRULE:FREQ=DAILY;COUNT=6']));
      const read = (page: JsonValue | null) =>
        provider.listEvents(session, calendarId, { query: EXPANDED, pageSize: 4, page, sync: null });
      const first = await read(null);
      work.put('a.ics', object('a', 'after', ['RRULE:FREQ=DAILY;COUNT=6']));
      const second = await read(first.nextPage);
      const { items } = await list(EXPANDED, second.nextSync);
      expect(titles(items)).toEqual(Array.from({ length: 6 }, () => 'after'));
    });

    describe('with limits of time that the server tells', () => {
      const limits = { min: '19011213T204552Z', max: '20380119T031407Z' };
      const at = (uid: string, year: number) => object(uid, uid).replaceAll('20270610', `${year}0610`);
      const window = (from: number | null, to: number | null) => ({
        ...WHOLE_CALENDAR,
        window: { startMs: from && Date.UTC(from, 0, 1), endMs: to && Date.UTC(to, 0, 1) },
      });

      it('which do not hold (Cyrus): events beyond them are found', async () => {
        const { work, list } = await given({ timeLimits: { ...limits, beyond: 'answered' } });
        for (const year of [1901, 2027, 2045, 2190]) work.put(`${year}.ics`, at(`in ${year}`, year));
        expect(titles((await list(window(2040, 2050))).items)).toEqual(['in 2045']);
        expect(titles((await list(window(2020, 2050))).items)).toEqual(['in 2027', 'in 2045']);
        expect(titles((await list(window(2027, null))).items)).toEqual(['in 2027', 'in 2045', 'in 2190']);
        expect(titles((await list(window(1850, 1902))).items)).toEqual(['in 1901']);
      });

      it('which hold: asked for what lies beyond them once, and lists go on', async () => {
        const { fake, work, list } = await given({ timeLimits: { ...limits, beyond: 403 } });
        work.put('a.ics', at('in 2027', 2027));
        // A small calendar is read without a range.
        for (let number = 0; number <= 500; number += 1) work.put(`${number}.ics`, at(`old ${number}`, 2001));
        const asked = () =>
          fake.requestsOf('REPORT').filter(({ body }) => body.includes(`start="${limits.max}"`)).length;
        for (let read = 0; read < 2; read += 1) {
          expect(titles((await list(window(2020, 2050))).items)).toEqual(['in 2027']);
        }
        expect(titles((await list(window(2040, 2050))).items)).toEqual([]);
        expect(asked()).toBe(1);
      });

      it('which begin before the year 100: nothing lies beyond them', async () => {
        const { fake, work, list } = await given({
          timeLimits: { min: '00010101T000000Z', max: '99991231T235959Z', beyond: 403 },
        });
        for (let number = 0; number <= 500; number += 1) work.put(`${number}.ics`, at(`old ${number}`, 2001));
        await list(window(1880, 1950));
        const ranges = fake.requestsOf('REPORT').flatMap(({ body }) => body.match(/<c:time-range[^>]*>/g) ?? []);
        expect(ranges).toEqual(['<c:time-range start="19000101T000000Z" end="19500102T020000Z"/>']);
      });
    });

    it('with isCancelled: what was cancelled too, or none of it, expanded and not', async () => {
      const { work, list } = await given();
      work.put('a.ics', object('a', 'live'));
      work.put('b.ics', object('b', 'called off', ['STATUS:CANCELLED']));
      work.put(
        'c.ics',
        object('c', 'series', [...DAILY, ...override('c', '20270611', 'not then', ['STATUS:CANCELLED'])]),
      );
      const all = ['called off', 'live', 'not then', 'series'];
      expect(titles((await list({ ...WHOLE_CALENDAR, isCancelled: true })).items)).toEqual(all);
      expect(titles((await list({ ...JUNE, isCancelled: true })).items)).toEqual(all);
      const expanded = titles((await list({ ...EXPANDED, isCancelled: true })).items);
      expect([...new Set(expanded)]).toEqual(all);
      expect(titles((await list({ ...EXPANDED, isCancelled: false })).items)).not.toContain('not then');
      expect(titles((await list({ ...WHOLE_CALENDAR, isCancelled: false })).items)).toEqual(['live', 'series']);
      expect(titles((await list(EXPANDED)).items)).toEqual(['live', 'series', 'series', 'series', 'series']);
    });

    it('with updatedAfter: what changed later, to the second', async () => {
      const { work, list } = await given();
      const changed = (time: string) => [`LAST-MODIFIED:${time}`];
      work.put('a.ics', object('a', 'early', changed('20260301T000000Z')));
      work.put('b.ics', object('b', 'at', changed('20260401T120000Z')));
      work.put('c.ics', object('c', 'late', changed('20260401T120001Z')));
      work.put('d.ics', object('d', 'only stamped'));
      const updatedAfterMs = Date.UTC(2026, 3, 1, 12);
      expect(titles((await list({ ...WHOLE_CALENDAR, updatedAfterMs })).items)).toEqual(['late']);
      expect(titles((await list({ ...WHOLE_CALENDAR, updatedAfterMs: Date.UTC(2025, 0) })).items)).toHaveLength(4);
    });

    it.each([
      [2026, '2026-01-01T00:00:00.000Z'],
      [12_000, undefined],
    ])('of the year %i, as the server alone says: updatedAt is %s', async (year, updatedAt) => {
      const { work, list } = await given();
      work.put('a.ics', object('a', 'a').replace(/DTSTAMP.*\r\n/, '')).lastModified = new Date(Date.UTC(year, 0));
      const [event] = (await list()).items;
      expect(event).toHaveProperty('title', 'a');
      expect((event as CalendarEvent).updatedAt).toBe(updatedAt);
    });
  });

  describe('N50 objects that are hard to read never fail the list', () => {
    it('a line of ten megabytes, NUL, broken folding, mixed encodings, a flood of zones', async () => {
      const { work, list, unreadable } = await given();
      work.put('good.ics', object('good', 'good'));
      work.put('huge.ics', object('huge', 'x'.repeat(10 * 1024 * 1024)));
      work.put('nul.ics', object('nul', 'a\u0000b'));
      work.put('fold.ics', object('fold', 'fold\r\n\r\n  \r\n \t'));
      work.put('latin.ics', Buffer.from(object('latin', 'Gr\u00fc\u00dfe'), 'latin1').toString('binary'));
      work.put('zones.ics', object('zones', 'zones', [`X-A;TZID=${'Z'.repeat(100_000)}:1`]));
      const { items, nextSync } = await list();
      expect(titles(items)).toContain('good');
      expect(titles(items).some((title) => title.length > 1_000_000)).toBe(false);
      expect(unreadable.objects.some(({ href }) => href.includes('huge.ics'))).toBe(true);
      expect(titles((await list(JUNE)).items)).toContain('good');
      // Neither does it break what comes after.
      work.put('more.ics', object('more', 'more'));
      expect(titles((await list(WHOLE_CALENDAR, nextSync)).items)).toEqual(['more']);
    });

    it('objects that are too much for one answer together: all of them', async () => {
      const { work, list } = await given();
      for (let index = 0; index < 30; index += 1) {
        work.put(`big${index}.ics`, object(`big${index}`, `big ${index}`, [`X-PAD:${'x'.repeat(600_000)}`]));
      }
      expect((await list()).items).toHaveLength(30);
    });

    describe.each([
      [
        'folded inside of a character',
        (text: string) => Buffer.from(text).toString('latin1').replace('\u00c3', '\u00c3\r\n '),
      ],
      ['in windows-1252', (text: string) => text],
    ])('lines %s are read', (_, octetsOf) => {
      const served = async (lines: string[]) => {
        const fixture = await given();
        const text = object('one', 'Größe', lines);
        fixture.work.put('one.ics', text);
        fixture.fake.switches.intercept = ({ method, body }) => {
          if (method === 'GET') return { status: 200, body: Buffer.from(octetsOf(text), 'latin1') };
          return body.includes('calendar-data') ? { status: 403 } : undefined;
        };
        return fixture;
      };

      it('when the instances of a series are listed', async () => {
        const { list, provider, session, calendarId } = await served(['RRULE:FREQ=DAILY;COUNT=2']);
        const [series] = (await list()).items;
        const page = { query: EXPANDED, pageSize: 10, page: null, sync: null };
        const { items } = await provider.listOccurrences(session, calendarId, series!.id, page);
        expect(titles(items)).toEqual(['Größe', 'Größe']);
      });

      it('when the server has no multiget', async () => {
        const { list } = await served([]);
        expect(titles((await list()).items)).toEqual(['Größe']);
      });
    });

    describe('but free/busy of their calendar, which is never read as free', () => {
      const ask = (fixture: OpenedCalendar, calendarIds: string[]) =>
        fixture.provider.freeBusy(fixture.session, {
          window: { startMs: Date.UTC(2027, 5, 1), endMs: Date.UTC(2027, 6, 1) },
          timeZone: 'UTC',
          calendarIds,
        });
      const startMs = Date.UTC(2027, 5, 10, 9);
      const busySlots = [{ startMs, endMs: startMs + HOUR_MS }];

      it.each([
        ['no line of a calendar', 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nno line of a calendar'],
        ['no calendar', 'this is no calendar'],
        ['nothing at all', ''],
        ['an object that is too large', object('bad', 'x'.repeat(2 * 1024 * 1024))],
        ['no start', object('bad', 'bad').replace('DTSTART:', 'X-START:')],
        ['an end that is none', object('bad', 'bad').replace('DTEND:20270610T100000Z', 'DTEND:20270631T100000Z')],
        ['an event that does not begin', object('bad', 'bad').replace('BEGIN:VEVENT\r\n', '')],
        [
          'an override that does not begin',
          object('bad', 'bad', ['RRULE:FREQ=DAILY', 'END:VEVENT', 'UID:bad', 'DTSTART:20270610T120000Z']),
        ],
        ['a broken rule', object('bad', 'bad', ['RRULE:FREQ=SOMETIMES'])],
        ['a rule of another calendar', object('bad', 'bad', ['RRULE:RSCALE=HEBREW;FREQ=YEARLY'])],
        ['a broken date that is added', object('bad', 'bad', ['RDATE:nonsense'])],
      ])('%s: an error that names the event, beside the busy time of the others', async (_, body) => {
        const fixture = await given();
        const { fake, work, calendarId, unreadable } = fixture;
        work.put('good.ics', object('good', 'good'));
        work.put('bad.ics', body);
        const other = fake.addCalendar('other', 'Other');
        other.put('good.ics', object('good', 'good'));
        // A filter of the server need not find what is broken; then there is nothing that could be known of it.
        fake.switches.intercept = ({ body: asked, path }) =>
          asked.includes('calendar-query') && path === work.path
            ? {
                status: 207,
                body: `<D:multistatus xmlns:D="DAV:">${['bad', 'good']
                  .map(
                    (name) =>
                      `<D:response><D:href>${work.path}${name}.ics</D:href><D:propstat><D:prop><D:getetag>"1"</D:getetag></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>`,
                  )
                  .join('')}</D:multistatus>`,
              }
            : undefined;
        const calendars = await fixture.provider.listCalendars(
          { ...fixture.session, accountId: 'fresh' },
          { pageSize: 10, page: null, sync: null },
        );
        fixture.session.accountId = 'fresh';
        const otherId = calendars.items.find(({ id }) => id !== calendarId)!.id;
        const [bad, good] = await ask(fixture, [calendarId, otherId]);
        const badId = Buffer.from('bad.ics').toString('base64url');
        expect(bad).toEqual({
          calendarId,
          error: expect.objectContaining({
            code: 'ProviderUnavailable',
            message: expect.stringContaining(badId),
            provider: expect.objectContaining({ code: 'object-unreadable', retryable: false }),
          }),
        });
        expect(good).toEqual({ calendarId: otherId, busySlots });
        expect(unreadable.objects.map(({ href }) => href)).toEqual([expect.stringContaining('bad.ics')]);
      });

      it.each([
        ['transparent', 'TRANSP:TRANSPARENT'],
        ['cancelled', 'STATUS:CANCELLED'],
      ])('unless it is %s: then it blocks no time, whenever it is', async (_, line) => {
        const fixture = await given();
        fixture.work.put('good.ics', object('good', 'good'));
        fixture.work.put('bad.ics', object('bad', 'bad', ['RRULE:FREQ=SOMETIMES', line]));
        expect(await ask(fixture, [fixture.calendarId])).toEqual([{ calendarId: fixture.calendarId, busySlots }]);
      });

      it('N49 nor by a series of every second: it is busy', async () => {
        const fixture = await given();
        fixture.work.put('bad.ics', object('bad', 'bad', ['RRULE:FREQ=SECONDLY']));
        expect(await ask(fixture, [fixture.calendarId])).toEqual([
          { calendarId: fixture.calendarId, busySlots: [{ startMs, endMs: Date.UTC(2027, 6, 1) }] },
        ]);
      });
    });
  });

  it('N50 an event that a broken structure hides: not listed, reported, unreadable, and can be deleted', async () => {
    const { work, list, provider, session, calendarId, unreadable } = await given();
    work.put('good.ics', object('good', 'good'));
    work.put('bad.ics', object('bad', 'bad').replace('BEGIN:VEVENT\r\n', ''));
    expect(titles((await list()).items)).toEqual(['good']);
    expect(unreadable.objects.map(({ href }) => href)).toEqual([`${work.path}bad.ics`]);
    const badId = Buffer.from('bad.ics').toString('base64url');
    await expect(provider.getEvent(session, calendarId, badId)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    await provider.deleteEvent(session, calendarId, badId, {});
    expect([...work.objects.keys()]).toEqual(['good.ics']);
  });

  it('N50 an event without END, before a changed instance: both are shown', async () => {
    const { work, list } = await given();
    const changed = ['BEGIN:VEVENT', 'UID:s', 'RECURRENCE-ID:20270610T090000Z', 'DTSTART:20270610T150000Z'];
    work.put('s.ics', object('s', 'series', ['RRULE:FREQ=DAILY;COUNT=2', ...changed, 'SUMMARY:changed']));
    expect(titles((await list()).items)).toEqual(['changed', 'series']);
  });

  describe('objects of a kind of their own', () => {
    const overridesOnly = object('s', 'invited once').replace('DTSTAMP:', 'RECURRENCE-ID:20270610T090000Z\r\nDTSTAMP:');

    it('overrides only: events without a master, the series cannot be changed, the instance can', async () => {
      const { work, list, provider, session, calendarId } = await given();
      work.put('s.ics', overridesOnly);
      const { items } = await list();
      const [event] = items;
      const [seriesId = ''] = event!.id.split('_');
      expect(event).toMatchObject({
        id: `${seriesId}_20270610T090000Z`,
        recurringEventId: seriesId,
        isException: true,
      });
      const update = (id: string) => provider.updateEvent(session, calendarId, id, { title: 'changed' }, {});
      await expect(update(seriesId)).rejects.toMatchObject({ code: 'Conflict' });
      await expect(provider.getEvent(session, calendarId, seriesId)).rejects.toMatchObject({ code: 'NotFound' });
      expect((await update(event!.id)).event).toMatchObject({ id: event!.id, title: 'changed' });
      await provider.deleteEvent(session, calendarId, event!.id, {});
      expect(work.objects.size).toBe(0);
    });

    it('several UIDs: the first is shown, nothing is written', async () => {
      const { work, list, provider, session, calendarId, fake } = await given();
      const two = object('one', 'first').replace(
        'END:VCALENDAR',
        object('two', 'second').replace(/^[\s\S]*?(?=BEGIN:VEVENT)/, ''),
      );
      work.put('two.ics', two);
      const { items } = await list();
      expect(titles(items)).toEqual(['first']);
      const write = provider.updateEvent(session, calendarId, items[0]!.id, { title: 'x' }, {});
      await expect(write).rejects.toMatchObject({ code: 'Conflict' });
      expect(fake.requestsOf('PUT')).toEqual([]);
    });
  });

  describe('a server that asks to slow down', () => {
    const asked = { status: 429 as const, retryAfter: '1', times: 1 };

    it('in the middle of a list: waited for, nothing is missing', async () => {
      const { work, list, fake } = await given();
      for (let index = 0; index < 120; index += 1) work.put(`e${index}.ics`, object(`e${index}`, `e${index}`));
      let multigets = 0;
      fake.switches.intercept = ({ body }) => {
        if (!body.includes('calendar-multiget')) return undefined;
        multigets += 1;
        return multigets === 2 ? { status: 429, headers: { 'retry-after': '1' } } : undefined;
      };
      expect((await list(WHOLE_CALENDAR, null, 1000)).items).toHaveLength(120);
    });

    it('at a write: told with the wait, sent once, and nothing has changed', async () => {
      const { fake, work, list, provider, session, calendarId } = await given();
      work.put('s.ics', object('s', 'series', DAILY));
      const [series] = (await list()).items;
      const instance = `${series!.id}_20270612T090000Z`;
      const before = work.objects.get('s.ics')!.body;
      const writes = [
        () => provider.updateEvent(session, calendarId, series!.id, { title: 'x' }, {}),
        () => provider.updateEvent(session, calendarId, instance, { title: 'x' }, { scope: 'following' }),
        () => provider.deleteEvent(session, calendarId, series!.id, {}),
        () => provider.createEvent(session, calendarId, meeting('new'), {}),
      ];
      for (const write of writes) {
        fake.switches.throttle = { ...asked, methods: ['PUT', 'DELETE'] };
        await expect(write()).rejects.toMatchObject({ code: 'ProviderRateLimited', retryAfterSeconds: 1 });
        expect([...work.objects].map(([name, { body }]) => [name, body])).toEqual([['s.ics', before]]);
      }
    });

    /** A daily series, and its end before the third instance. @param answer to the PUTs, by their number from 1 */
    const splittable = async (answer: (puts: number) => FakeResponse | 'reset-after' | undefined) => {
      const { fake, work, list, provider, session, calendarId } = await given();
      work.put('s.ics', object('s', 'series', DAILY));
      const [series] = (await list()).items;
      let puts = 0;
      fake.switches.intercept = ({ method }) => (method === 'PUT' ? answer((puts += 1)) : undefined);
      const id = `${series!.id}_20270612T090000Z`;
      const split = () => provider.updateEvent(session, calendarId, id, { title: 'rest' }, { scope: 'following' });
      return { work, list, split };
    };

    it('at the second write of a split series: no event is there twice', async () => {
      const { work, list, split } = await splittable((puts) =>
        puts === 2 ? { status: 503, headers: { 'retry-after': '600' } } : undefined,
      );
      await expect(split()).rejects.toMatchObject({ code: 'ProviderUnavailable', retryAfterSeconds: 600 });
      expect([...work.objects.keys()]).toEqual(['s.ics']);
      await split();
      expect(titles((await list(EXPANDED)).items)).toEqual(['rest', 'rest', 'rest', 'series', 'series']);
    });

    it.each([1, 2])(
      'whose response is lost %i times at the end of a split series: no event is gone',
      async (losses) => {
        const { list, split } = await splittable((puts) =>
          puts > 1 && puts <= 1 + losses ? 'reset-after' : undefined,
        );
        expect((await split()).event.title).toBe('rest');
        expect(titles((await list(EXPANDED)).items)).toEqual(['rest', 'rest', 'rest', 'series', 'series']);
      },
    );

    it('that splits a series twice at once splits it once', async () => {
      const { list, split } = await splittable(() => undefined);
      await Promise.all([split(), split()]);
      expect(titles((await list(EXPANDED)).items)).toEqual(['rest', 'rest', 'rest', 'series', 'series']);
    });

    it('at the second write of a split series: an object that another try may need stays', async () => {
      const answers = ['reset-after', undefined, { status: 503, headers: { 'retry-after': '600' } }] as const;
      const { work, list, split } = await splittable((puts) => answers[puts - 1]);
      await expect(split()).rejects.toMatchObject({ code: 'ProviderUnavailable' });
      expect(work.objects.size).toBe(2);
      await split();
      expect(titles((await list(EXPANDED)).items)).toEqual(['rest', 'rest', 'rest', 'series', 'series']);
    });

    it('whose response is lost moves a series once, the version that was named included', async () => {
      const { fake, work, list, provider, session, calendarId } = await given();
      work.put('s.ics', object('s', 'series', DAILY));
      const series = (await list()).items.find(isFullEvent)!;
      let isLost = false;
      fake.switches.intercept = ({ method }) => {
        if (method !== 'PUT' || isLost) return undefined;
        isLost = true;
        return 'reset-after';
      };
      const instance = `${series.id}_20270611T090000Z`;
      const at = (local: string) => ({ kind: 'dateTime', local, offsetMinutes: 0, timeZone: null }) as const;
      const times = { start: at('2027-06-12T09:00:00'), end: at('2027-06-12T10:00:00') };
      const options = { scope: 'all', ifMatch: series.etag } as const;
      await provider.updateEvent(session, calendarId, instance, times, options);
      const days = (await list(EXPANDED)).items.map(({ id }) => id.slice(-10, -8));
      expect(days.toSorted()).toEqual(['11', '12', '13', '14', '15']);
    });
  });

  describe('free/busy of a calendar that shows nothing else', () => {
    const window = { startMs: Date.UTC(2027, 5, 1), endMs: Date.UTC(2027, 5, 4) };
    const at = (day: number, hour: number) => Date.UTC(2027, 5, day, hour);
    const query = ({ provider, session }: OpenedCalendar, calendarId: string) =>
      provider.freeBusy(session, { window, timeZone: 'UTC', calendarIds: [calendarId] });
    const restricted = async (freeBusyLines: string[] | null) => {
      const fixture = await given({ freeBusyLines });
      const hidden = fixture.fake.addCalendar('hidden', 'Hidden');
      hidden.privileges = ['{urn:ietf:params:xml:ns:caldav}read-free-busy'];
      const { items } = await fixture.provider.listCalendars(
        { ...fixture.session, accountId: 'fresh' },
        { pageSize: 10, page: null, sync: null },
      );
      const { id } = items.find(({ id: each }) => each !== fixture.calendarId)!;
      fixture.session.accountId = 'fresh';
      return { fixture, id };
    };

    it('asks the server: merges, clips, knows durations and free periods', async () => {
      const { fixture, id } = await restricted([
        'FREEBUSY:20270601T090000Z/20270601T100000Z,20270601T093000Z/PT1H',
        'FREEBUSY;FBTYPE=BUSY-TENTATIVE:20270602T000000Z/P1D',
        'FREEBUSY;FBTYPE=BUSY-UNAVAILABLE:20270603T230000Z/20270605T000000Z',
        'FREEBUSY;FBTYPE=FREE:20270603T080000Z/20270603T200000Z',
      ]);
      expect(await query(fixture, id)).toEqual([
        {
          calendarId: id,
          busySlots: [
            { startMs: at(1, 9), endMs: at(1, 10) + HOUR_MS / 2 },
            { startMs: at(2, 0), endMs: at(3, 0) },
            { startMs: at(3, 23), endMs: at(4, 0) },
          ],
        },
      ]);
      const asked = fixture.fake.requests.filter(({ body }) => body.includes('free-busy-query'));
      expect(asked).toHaveLength(1);
      expect(asked[0]!.body).toContain('start="20270601T000000Z" end="20270604T000000Z"');
    });

    it.each([
      'FREEBUSY:20270601T090000Z/20270601T100000Z,nonsense',
      'FREEBUSY:20270601T090000Z/20270631T100000Z',
      'FREEBUSY;TZID=Nowhere/City:20270601T090000/20270601T100000',
    ])('is an error, never free, when %s cannot be read', async (line) => {
      const { fixture, id } = await restricted([line]);
      expect(await query(fixture, id)).toEqual([
        { calendarId: id, error: expect.objectContaining({ code: 'ProviderUnavailable' }) },
      ]);
    });

    it('is an error, never free, when the server cannot say', async () => {
      const { fixture, id } = await restricted(null);
      expect(await query(fixture, id)).toEqual([
        { calendarId: id, error: expect.objectContaining({ code: 'ProviderRejected' }) },
      ]);
      fixture.fake.switches.intercept = ({ body }) =>
        body.includes('free-busy-query') ? { status: 200, body: '<html>Welcome</html>' } : undefined;
      expect(await query(fixture, id)).toEqual([
        { calendarId: id, error: expect.objectContaining({ code: 'ProviderUnavailable' }) },
      ]);
    });
  });

  describe('private extended properties', () => {
    const properties = (value: string) => ({ privateExtendedProperties: { key: value } });
    const series = async (fixture: OpenedCalendar) => {
      const { provider, session, calendarId } = fixture;
      const input = meeting('series', { recurrence: ['RRULE:FREQ=DAILY;COUNT=5'], ...properties('series') });
      const { event } = await provider.createEvent(session, calendarId, input, {});
      const read = async (id: string) =>
        (await provider.getEvent(session, calendarId, id)).privateExtendedProperties['key'];
      const update = async (id: string, change: object, options = {}) =>
        (await provider.updateEvent(session, calendarId, id, change, options)).event;
      return { id: event.id, read, update, on: (day: number) => `${event.id}_202706${day}T090000Z` };
    };

    it('of one instance are its own, and no line of the object', async () => {
      const fixture = await given();
      const { id, read, update, on } = await series(fixture);
      expect((await update(on(12), properties('own'))).privateExtendedProperties).toEqual({ key: 'own' });
      expect([await read(id), await read(on(11)), await read(on(12))]).toEqual(['series', 'series', 'own']);
      expect([...fixture.work.objects.values()].map(({ body }) => body).join('')).not.toMatch(/own|UCAL-PRIVATE/);
    });

    it.each([[null], [{}]])('of one instance are none after %j, and those of the series stay', async (none) => {
      const fixture = await given();
      const { id, read, update, on } = await series(fixture);
      for (const day of [12, 13]) {
        const event = await update(on(day), { privateExtendedProperties: none });
        expect(event.privateExtendedProperties).toEqual({});
      }
      await update(on(13), properties('own'));
      const keys = () => [...fixture.privateProperties.entries.values()].flatMap((instances) => [...instances.keys()]);
      expect([await read(id), await read(on(11)), await read(on(12)), await read(on(13))]).toEqual([
        ...['series', 'series', undefined, 'own'],
      ]);
      expect(keys()).toEqual(['', '20270612T090000Z', '20270613T090000Z']);

      await update(id, { privateExtendedProperties: none });
      await update(on(12), { privateExtendedProperties: none });
      expect(keys()).toEqual(['20270613T090000Z']);
    });

    it('go to the instance that a bare date names', async () => {
      const fixture = await given();
      const { id, read, update, on } = await series(fixture);
      const event = await update(`${id}_20270612`, { ...properties('own') });
      expect(event).toMatchObject({ id: on(12), privateExtendedProperties: { key: 'own' } });
      expect(await read(on(12))).toBe('own');
      await fixture.provider.deleteEvent(fixture.session, fixture.calendarId, `${id}_20270612`, {});
      expect([...(fixture.privateProperties.entries.values().next().value ?? [])].map(([key]) => key)).toEqual(['']);
    });

    it('stay with their instances when the series is split', async () => {
      const fixture = await given();
      const { id, read, update, on } = await series(fixture);
      await update(on(11), properties('eleventh'));
      await update(on(13), properties('thirteenth'));
      const rest = await update(on(12), { title: 'rest' }, { scope: 'following' });
      expect(rest.privateExtendedProperties).toEqual({ key: 'series' });
      const values = (days: number[], of: string) => Promise.all(days.map((day) => read(`${of}_202706${day}T090000Z`)));
      expect(await values([10, 11], id)).toEqual(['series', 'eleventh']);
      expect(await values([12, 13, 14], rest.id)).toEqual(['series', 'thirteenth', 'series']);
    });

    it('of the instance itself go with a change from it on', async () => {
      const fixture = await given();
      const { read, update, on } = await series(fixture);
      await update(on(12), properties('twelfth'));
      await update(on(13), properties('thirteenth'));
      const rest = await update(on(12), properties('new'), { scope: 'following' });
      const days = [12, 13, 14].map((day) => read(`${rest.id}_202706${day}T090000Z`));
      expect(await Promise.all(days)).toEqual(['new', 'thirteenth', 'new']);
    });

    it('stay with their instances when the series is moved, as a whole or from one on', async () => {
      const fixture = await given();
      const { id, read, update, on } = await series(fixture);
      await update(on(13), { title: 'special', ...properties('thirteenth') });
      const at = (day: number, hour: number) => ({
        start: { kind: 'dateTime', local: `2027-06-${day}T${hour}:00:00`, offsetMinutes: 0, timeZone: null },
        end: { kind: 'dateTime', local: `2027-06-${day}T${hour + 1}:00:00`, offsetMinutes: 0, timeZone: null },
      });
      await update(id, at(10, 11));
      expect(await read(`${id}_20270613T110000Z`)).toBe('thirteenth');
      const rest = await update(`${id}_20270612T110000Z`, at(12, 15), { scope: 'following' });
      expect(await read(`${rest.id}_20270613T150000Z`)).toBe('thirteenth');
      expect(await read(`${rest.id}_20270612T150000Z`)).toBe('series');
    });

    it('are gone with what they belong to', async () => {
      const fixture = await given();
      const { provider, session, calendarId, privateProperties } = fixture;
      const { id, update, on } = await series(fixture);
      await update(on(11), properties('eleventh'));
      await update(on(13), properties('thirteenth'));
      const kept = () => [...privateProperties.entries.values()].flatMap((instances) => [...instances.keys()]);
      await provider.deleteEvent(session, calendarId, on(13), { scope: 'following' });
      expect(kept()).toEqual(['', '20270611T090000Z']);
      await provider.deleteEvent(session, calendarId, on(11), {});
      expect(kept()).toEqual(['']);
      await provider.deleteEvent(session, calendarId, id, {});
      expect(kept()).toEqual([]);
    });
  });

  describe('invitations', () => {
    const attendees = [{ email: 'bob@example.test' }];
    const SCHEDULING = { davHeader: '1, calendar-access, calendar-auto-schedule', scheduleTags: true };
    const invitation = object('i', 'invited', [
      'ORGANIZER:mailto:boss@example.test',
      'ATTENDEE;PARTSTAT=ACCEPTED:mailto:boss@example.test',
      'ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:alice@example.test',
    ]);

    describe('of a login that is no e-mail address', () => {
      const login = { username: 'alice', password: 'p' };
      const href = (text: string, preferred = '') => `<d:href xmlns:d="DAV:"${preferred}>${text}</d:href>`;
      const PREFERRED = ' preferred="1"';

      it.each([
        ['the only address', href('/principals/alice/'), '/principals/alice/'],
        ['the preferred address', href('/principals/alice/') + href('urn:uuid:0b1d', PREFERRED), 'urn:uuid:0b1d'],
        [
          'the e-mail address, whatever is preferred',
          href('urn:uuid:0b1d', PREFERRED) + href('mailto:a.b@example.test'),
          'mailto:a.b@example.test',
        ],
        [
          'the preferred e-mail address',
          href('mailto:a.b@example.test') + href('mailto:Alice@example.test', PREFERRED),
          'mailto:alice@example.test',
        ],
        [
          'what is no login in the form of an e-mail address (sabre/dav)',
          href('mailto:alice') + href('/principals/alice/'),
          '/principals/alice/',
        ],
        [
          'an e-mail address that is escaped (Xandikos)',
          href('mailto%3Aa.b%40example.test'),
          'mailto:a.b@example.test',
        ],
        ['the principal, where the server tells no address', '', 'principal'],
        ['the principal, where all that it tells is no address', href('urn:a b'), 'principal'],
      ])('go out in the name of %s', async (_, addressSet, address) => {
        const { fake, provider, session, calendarId, work, list } = await given({ login, addressSet });
        const { event } = await provider.createEvent(session, calendarId, meeting('x', { attendees }), {});
        const expected = address === 'principal' ? new URL('/principals/alice/', fake.url).href : address;
        const lines = [...work.objects.values()][0]!.body.replaceAll(/\r\n /g, '').split('\r\n');
        expect(lines.filter((line) => line.startsWith('ORGANIZER'))).toEqual([`ORGANIZER:${expected}`]);
        expect(event).toMatchObject({ organizer: { isSelf: true }, myResponseStatus: 'accepted' });
        const own = (await list()).items[0]!;
        await expect(provider.respond(session, calendarId, own.id, 'accepted', {})).rejects.toMatchObject({
          code: 'ValidationFailed',
        });
      });
    });

    describe('notifyParticipants on a server that schedules', () => {
      const REQUEST_BOB = { method: 'REQUEST', to: 'mailto:bob@example.test' };
      const CANCEL_BOB = { method: 'CANCEL', to: 'mailto:bob@example.test' };
      const REPLY = { method: 'REPLY', to: 'mailto:boss@example.test' };
      const SILENT = /ATTENDEE[^:]*;SCHEDULE-AGENT=CLIENT[^:]*:mailto:/g;
      const none = { notifyParticipants: 'none' } as const;
      const all = { notifyParticipants: 'all' } as const;
      const NAMED = ['notifyParticipants'];

      const scheduling = async (options: FakeCalDavOptions = {}) => {
        const fixture = await given({ ...SCHEDULING, ...options });
        const { fake, work, provider, session, calendarId } = fixture;
        /** What was sent since the last question. */
        const sent = () => fake.messages.splice(0);
        const text = () => [...work.objects.values()].map(({ body }) => body.replaceAll(/\r\n /g, '')).join('');
        return {
          ...fixture,
          sent,
          text,
          create: async (more: object, asked: object) =>
            provider.createEvent(session, calendarId, meeting('x', { attendees, ...more }), asked),
          update: async (id: string, input: object, asked: object) =>
            provider.updateEvent(session, calendarId, id, input, asked),
          remove: async (id: string, asked: object) => provider.deleteEvent(session, calendarId, id, asked),
        };
      };

      it('none: nobody hears of an event, its changes and its end', async () => {
        const { create, update, remove, sent, text, fake } = await scheduling();
        const before = fake.requests.length;
        const { event, ignoredFields } = await create({}, none);
        // Nothing that all would not cost as well.
        expect(
          fake.requests
            .slice(before)
            .map(({ method }) => method)
            .filter((each) => each !== 'PROPFIND'),
        ).toEqual(['PUT', 'GET']);
        expect(ignoredFields).toEqual([]);
        expect(text().match(SILENT)).toHaveLength(1);
        const guests = [...attendees, { email: 'carol@example.test' }];
        expect((await update(event.id, { title: 'y', attendees: guests }, none)).ignoredFields).toEqual([]);
        expect(text().match(SILENT)).toHaveLength(2);
        expect((await update(event.id, { attendees }, none)).ignoredFields).toEqual([]);
        expect((await remove(event.id, none)).ignoredFields).toEqual([]);
        expect(sent()).toEqual([]);
      });

      it.each([
        ['all', all],
        ['nothing asked, which is all', {}],
      ])('none, and later %s: then they are invited, and no trace is left', async (_, asked) => {
        const { create, update, remove, sent, text } = await scheduling();
        const { event } = await create({}, none);
        expect((await update(event.id, { title: 'y' }, asked)).ignoredFields).toEqual([]);
        expect(sent()).toEqual([REQUEST_BOB]);
        expect(text()).not.toMatch(/SCHEDULE-AGENT|X-UCAL-SILENT/);
        await update(event.id, { title: 'z' }, asked);
        expect(sent()).toEqual([REQUEST_BOB]);
        expect((await remove(event.id, asked)).ignoredFields).toEqual([]);
        expect(sent()).toEqual([CANCEL_BOB]);
      });

      it('none for those who are invited already: they hear of it, never of a cancellation, and the answer says so', async () => {
        const { create, update, remove, sent, text } = await scheduling();
        const { event } = await create({}, all);
        expect(sent()).toEqual([REQUEST_BOB]);
        const guests = [...attendees, { email: 'carol@example.test' }];
        expect((await update(event.id, { title: 'y', attendees: guests }, none)).ignoredFields).toEqual(NAMED);
        // New guests are left alone all the same.
        expect(sent()).toEqual([REQUEST_BOB]);
        expect(text().match(SILENT)).toHaveLength(1);
        expect((await remove(event.id, none)).ignoredFields).toEqual(NAMED);
        expect(sent()).toEqual([CANCEL_BOB]);
      });

      it('none for what changes nothing: nobody is told, and nothing named', async () => {
        const { create, update, sent } = await scheduling();
        const { event } = await create({}, all);
        sent();
        expect((await update(event.id, { title: 'x' }, none)).ignoredFields).toEqual([]);
        expect(sent()).toEqual([]);
      });

      it('none of a series, its instances and its split: nobody hears of any of them', async () => {
        const { create, update, remove, sent, text } = await scheduling();
        const { event } = await create({ recurrence: ['RRULE:FREQ=DAILY;COUNT=6'] }, none);
        const on = (day: number, id = event.id) => `${id}_202706${day}T090000Z`;
        const guests = [...attendees, { email: 'carol@example.test' }];
        expect((await update(on(11), { attendees: guests }, none)).ignoredFields).toEqual([]);
        expect((await remove(on(12), none)).ignoredFields).toEqual([]);
        const split = await update(on(13), { title: 'rest' }, { ...none, scope: 'following' });
        expect(split.ignoredFields).toEqual([]);
        expect((await remove(on(15, split.event.id), { ...none, scope: 'following' })).ignoredFields).toEqual([]);
        expect(sent()).toEqual([]);
        // One change that all may hear of is heard for the whole object.
        expect((await update(on(11), { title: 'special' }, all)).ignoredFields).toEqual([]);
        expect(new Set(sent().map(({ to }) => to))).toEqual(
          new Set(['mailto:bob@example.test', 'mailto:carol@example.test']),
        );
        const [first = ''] = text().split('SUMMARY:rest');
        expect(first.slice(0, first.lastIndexOf('BEGIN:VCALENDAR')) + text().split('BEGIN:VCALENDAR')[1]).not.toMatch(
          /SCHEDULE-AGENT/,
        );
      });

      it('none of the rest of a series that guests know: they hear that it ends, and the answer says so', async () => {
        const { create, update, sent } = await scheduling();
        const { event } = await create({ recurrence: ['RRULE:FREQ=DAILY;COUNT=6'] }, all);
        sent();
        const split = await update(`${event.id}_20270613T090000Z`, { title: 'rest' }, { ...none, scope: 'following' });
        expect(split.ignoredFields).toEqual(NAMED);
        expect(sent()).toEqual([REQUEST_BOB]);
      });

      it.each(['NONE', 'CLIENT'])('leaves SCHEDULE-AGENT=%s of another client as it is', async (agent) => {
        const { work, list, update, remove, sent, text } = await scheduling();
        const line = `ATTENDEE;SCHEDULE-AGENT=${agent};PARTSTAT=NEEDS-ACTION:mailto:bob@example.test`;
        work.put('o.ics', object('o', 'own', ['ORGANIZER:mailto:alice@example.test', line]));
        const [{ id }] = (await list()).items as [EventItem];
        expect((await update(id, { title: 'quiet' }, none)).ignoredFields).toEqual([]);
        expect((await update(id, { title: 'plain' }, {})).ignoredFields).toEqual([]);
        // He is told by somebody else, or by nobody; in any case not by this write.
        expect((await update(id, { title: 'loud' }, all)).ignoredFields).toEqual(NAMED);
        expect(text()).toContain(line);
        expect((await remove(id, none)).ignoredFields).toEqual([]);
        expect(sent()).toEqual([]);
      });

      it('says so when the server takes SCHEDULE-AGENT away from guests of its own (Apple)', async () => {
        const { create, sent } = await scheduling({
          rewrite: (body) => body.replaceAll(/\r\n /g, '').replaceAll(';SCHEDULE-AGENT=CLIENT', ''),
        });
        expect((await create({}, none)).ignoredFields).toEqual(NAMED);
        expect(sent()).toEqual([REQUEST_BOB]);
      });

      it('says so when the server tells of a try to send', async () => {
        const { create } = await scheduling({
          rewrite: (body) => body.replaceAll(/\r\n /g, '').replaceAll('ATTENDEE;', 'ATTENDEE;SCHEDULE-STATUS="1.1";'),
        });
        expect((await create({}, none)).ignoredFields).toEqual(NAMED);
      });

      it('names nothing where there is nobody to tell, and external always where there is', async () => {
        const { create, update, remove, sent } = await scheduling();
        for (const asked of [none, all, { notifyParticipants: 'external' }]) {
          const alone = await create({ attendees: undefined }, asked);
          expect(alone.ignoredFields).toEqual([]);
          expect((await update(alone.event.id, { title: 'y' }, asked)).ignoredFields).toEqual([]);
          expect((await remove(alone.event.id, asked)).ignoredFields).toEqual([]);
        }
        expect(sent()).toEqual([]);
        expect((await create({}, { notifyParticipants: 'external' })).ignoredFields).toEqual(NAMED);
      });

      it('of a guest: an answer and an absence are heard and named, a deletion is not heard', async () => {
        const { work, list, update, remove, sent, provider, session, calendarId, fake } = await scheduling();
        work.put('i.ics', invitation.replace('SUMMARY:', 'RRULE:FREQ=DAILY;COUNT=5\r\nSUMMARY:'));
        const [{ id }] = (await list()).items as [EventItem];
        const reminders = { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] };
        expect((await update(id, { reminders }, none)).ignoredFields).toEqual([]);
        expect(sent()).toEqual([]);
        expect((await provider.respond(session, calendarId, id, 'accepted', none)).ignoredFields).toEqual(NAMED);
        expect(sent()).toEqual([REPLY]);
        expect((await provider.respond(session, calendarId, id, 'tentative', all)).ignoredFields).toEqual([]);
        expect(sent()).toEqual([REPLY]);
        expect((await remove(`${id}_20270611T090000Z`, none)).ignoredFields).toEqual(NAMED);
        expect(sent()).toEqual([REPLY]);
        expect((await remove(id, none)).ignoredFields).toEqual([]);
        expect(fake.requestsOf('DELETE')[0]!.headers['schedule-reply']).toBe('F');
        expect(sent()).toEqual([]);
      });

      it('of an event that cannot be read: a deletion promises nothing', async () => {
        const { work, remove } = await scheduling();
        const id = Buffer.from('bad.ics').toString('base64url');
        for (const [asked, named] of [
          [none, NAMED],
          [all, NAMED],
          [{}, []],
        ]) {
          work.put('bad.ics', 'BEGIN:VCALENDAR\r\n'.repeat(20));
          await expect(remove(id, asked as object)).resolves.toEqual({ ignoredFields: named });
        }
      });
    });

    it('notifyParticipants on a server that does not schedule: nobody is told, and nothing written of it', async () => {
      // An outbox, and the misspelt token of Xandikos, mean nothing.
      const davHeader = '1, calendar-access, calendar-schedule, calendar-auto-scheduling';
      const { fake, work, provider, session, calendarId } = await given({ davHeader });
      const create = (asked: object) =>
        provider
          .createEvent(session, calendarId, meeting('x', { attendees }), asked)
          .then((made) => made.ignoredFields);
      expect(await create({ notifyParticipants: 'none' })).toEqual([]);
      expect(await create({ notifyParticipants: 'all' })).toEqual(['notifyParticipants']);
      expect(await create({})).toEqual([]);
      expect([...work.objects.values()].map(({ body }) => body).join('')).not.toContain('SCHEDULE-AGENT');
      expect(fake.messages).toEqual([]);
    });

    it('are sent in the name of the preferred address', async () => {
      const addressSet =
        '<d:href xmlns:d="DAV:">mailto:second@example.test</d:href><d:href xmlns:d="DAV:" preferred="1">mailto:First@example.test</d:href>';
      const { provider, session, calendarId, work } = await given({ addressSet });
      await provider.createEvent(session, calendarId, meeting('x', { attendees }), {});
      expect([...work.objects.values()][0]!.body).toMatch(/ORGANIZER[^:]*:mailto:first@example\.test/i);
    });

    it('are answered under If-Schedule-Tag-Match where there is a tag (RFC 6638 §3.2.10)', async () => {
      const { fake, work, list, provider, session, calendarId } = await given(SCHEDULING);
      work.put('i.ics', invitation);
      const [event] = (await list()).items;
      const { scheduleTag } = work.objects.get('i.ics')!;
      await provider.respond(session, calendarId, event!.id, 'accepted', {});
      const [response] = fake.requestsOf('PUT');
      expect(response!.headers['if-schedule-tag-match']).toBe(scheduleTag);
      expect(response!.headers['if-match']).toBeUndefined();
      expect(response!.body).toContain('ATTENDEE;PARTSTAT=ACCEPTED:mailto:alice@example.test');
    });

    it('are answered although the answer of somebody else came in meanwhile, without a second try', async () => {
      const { fake, work, list, provider, session, calendarId } = await given(SCHEDULING);
      work.put('i.ics', invitation);
      const [event] = (await list()).items;
      fake.switches.intercept = ({ method }) => {
        // The server notes another answer: new ETag, same Schedule-Tag.
        const stored = work.objects.get('i.ics')!;
        if (method === 'PUT') work.objects.set('i.ics', { ...stored, etag: '"noted"' });
        return undefined;
      };
      await provider.respond(session, calendarId, event!.id, 'tentative', {});
      expect(fake.requestsOf('PUT')).toHaveLength(1);
    });

    it('are answered anew when the organizer has changed the event meanwhile', async () => {
      const { fake, work, list, provider, session, calendarId } = await given(SCHEDULING);
      work.put('i.ics', invitation);
      const [event] = (await list()).items;
      let reads = 0;
      fake.switches.intercept = ({ method }) => {
        if (method === 'PUT' && (reads += 1) === 1)
          work.put('i.ics', invitation.replace('SUMMARY:invited', 'SUMMARY:moved'));
        return undefined;
      };
      await provider.respond(session, calendarId, event!.id, 'declined', {});
      const { body } = work.objects.get('i.ics')!;
      expect(body).toContain('SUMMARY:moved');
      expect(body).toContain('PARTSTAT=DECLINED:mailto:alice@example.test');
    });

    it('are answered under If-Match where there is no tag', async () => {
      const { fake, work, list, provider, session, calendarId } = await given();
      work.put('i.ics', invitation);
      const [event] = (await list()).items;
      const { etag } = work.objects.get('i.ics')!;
      await provider.respond(session, calendarId, event!.id, 'accepted', {});
      expect(fake.requestsOf('PUT')[0]!.headers).toMatchObject({ 'if-match': etag });
    });

    it('an answer whose connection broke is sent again', async () => {
      const { fake, work, list, provider, session, calendarId } = await given(SCHEDULING);
      work.put('i.ics', invitation);
      const [event] = (await list()).items;
      let broken = false;
      fake.switches.intercept = ({ method }) => {
        if (method !== 'PUT' || broken) return undefined;
        broken = true;
        return 'reset';
      };
      await provider.respond(session, calendarId, event!.id, 'accepted', {});
      expect(work.objects.get('i.ics')!.body).toContain('PARTSTAT=ACCEPTED:mailto:alice@example.test');
    });

    it('a change of the event itself stays under If-Match', async () => {
      const { fake, work, list, provider, session, calendarId } = await given(SCHEDULING);
      work.put('a.ics', object('a', 'own'));
      const [event] = (await list()).items;
      await provider.updateEvent(session, calendarId, event!.id, { title: 'changed' }, {});
      const { headers } = fake.requestsOf('PUT')[0]!;
      expect(headers['if-match']).toMatch(/^"/);
      expect(headers['if-schedule-tag-match']).toBeUndefined();
    });
  });

  describe('T16 a 401 that asks for an authentication of another kind', () => {
    const negotiate = { status: 401, headers: { 'www-authenticate': 'Negotiate' } };

    it('from something on the way, once: confirmed on the principal, and asked again', async () => {
      const { fake, work, list } = await given();
      work.put('a.ics', object('a', 'a'));
      let rejected = false;
      fake.switches.intercept = ({ method }) => {
        if (method !== 'REPORT' || rejected) return undefined;
        rejected = true;
        return negotiate;
      };
      expect(titles((await list()).items)).toEqual(['a']);
    });

    it('for one calendar only: Forbidden; for all of it: CredentialsRejected', async () => {
      const { fake, list } = await given();
      fake.switches.intercept = ({ method }) => (method === 'REPORT' ? negotiate : undefined);
      await expect(list()).rejects.toMatchObject({ code: 'Forbidden' });
      fake.switches.intercept = () => negotiate;
      await expect(list()).rejects.toMatchObject({ code: 'CredentialsRejected' });
    });
  });

  describe('writes', () => {
    it.each(['update', 'delete'] as const)(
      '%s refused with 412 although the ETag is fresh (OX, gzip suffixes): the listed ETag, one more try',
      async (kind) => {
        const { fake, work, list, provider, session, calendarId } = await given();
        work.put('a.ics', object('a', 'a'));
        const [event] = (await list()).items;
        fake.switches.intercept = ({ method }) =>
          method === 'GET'
            ? { status: 200, headers: { etag: '"stale-gzip"' }, body: work.objects.get('a.ics')!.body }
            : undefined;
        if (kind === 'update') {
          await provider.updateEvent(session, calendarId, event!.id, { title: 'changed' }, {});
          expect(work.objects.get('a.ics')!.body).toContain('SUMMARY:changed');
        } else {
          await provider.deleteEvent(session, calendarId, event!.id, {});
          expect(work.objects.size).toBe(0);
        }
        expect(fake.requests.every(({ headers }) => headers['if-match'] !== '*')).toBe(true);
      },
    );

    it('refused with 412 whatever ETag is sent: Conflict after a bounded number of tries', async () => {
      const { fake, work, list, provider, session, calendarId } = await given({ writeFailures: 0 });
      work.put('a.ics', object('a', 'a'));
      const [event] = (await list()).items;
      fake.switches.writeFailure = { status: 412 };
      fake.switches.writeFailures = Infinity;
      await expect(provider.updateEvent(session, calendarId, event!.id, { title: 'x' }, {})).rejects.toMatchObject({
        code: 'Conflict',
      });
      expect(fake.requestsOf('PUT').length).toBeLessThanOrEqual(4);
    });

    it.each([423, 507, 403, 500])('refused with %i: not tried again', async (status) => {
      const { fake, work, list, provider, session, calendarId } = await given();
      work.put('a.ics', object('a', 'a'));
      const [event] = (await list()).items;
      fake.switches.writeFailure = { status };
      await expect(provider.updateEvent(session, calendarId, event!.id, { title: 'x' }, {})).rejects.toThrow();
      expect(fake.requestsOf('PUT')).toHaveLength(1);
    });

    it.each([202, 206, 207, 304])('answered with %i: no success', async (status) => {
      const { fake, work, list, provider, session, calendarId } = await given();
      work.put('a.ics', object('a', 'a'));
      const [event] = (await list()).items;
      const body =
        status === 207
          ? `<D:multistatus xmlns:D="DAV:"><D:response><D:href>x</D:href><D:status>HTTP/1.1 403 X</D:status></D:response></D:multistatus>`
          : undefined;
      fake.switches.intercept = ({ method }) =>
        method === 'PUT' || method === 'DELETE' ? { status, ...(body !== undefined && { body }) } : undefined;
      await expect(provider.updateEvent(session, calendarId, event!.id, { title: 'x' }, {})).rejects.toThrow();
      await expect(provider.deleteEvent(session, calendarId, event!.id, {})).rejects.toThrow();
    });

    it('deleted by somebody else meanwhile: a change is NotFound, a deletion has succeeded', async () => {
      const { fake, work, list, provider, session, calendarId } = await given();
      work.put('a.ics', object('a', 'a'));
      const [event] = (await list()).items;
      const goneBefore = (method: string) => {
        work.put('a.ics', object('a', 'a'));
        fake.switches.intercept = (request) => {
          if (request.method === method) work.objects.delete('a.ics');
          return undefined;
        };
      };
      goneBefore('PUT');
      const write = provider.updateEvent(session, calendarId, event!.id, { title: 'x' }, {});
      await expect(write).rejects.toMatchObject({ code: 'NotFound' });
      goneBefore('DELETE');
      await expect(provider.deleteEvent(session, calendarId, event!.id, {})).resolves.toBeDefined();
      fake.switches.intercept = null;
      await expect(provider.deleteEvent(session, calendarId, event!.id, {})).rejects.toMatchObject({
        code: 'NotFound',
      });
    });

    it.each(['no-uid-conflict', 'unique-scheduling-object-resource'])(
      'a new event refused with %s that nobody can see: Conflict',
      async (precondition) => {
        const { fake, provider, session, calendarId } = await given();
        fake.switches.writeFailure = { status: 403, precondition: `{urn:ietf:params:xml:ns:caldav}${precondition}` };
        await expect(provider.createEvent(session, calendarId, meeting('x'), {})).rejects.toMatchObject({
          code: 'Conflict',
        });
      },
    );

    it('cancelled and excluded instances are not there to be read, changed, answered or deleted', async () => {
      const { work, list, provider, session, calendarId, fake } = await given();
      const more = [...DAILY, 'EXDATE:20270611T090000Z', ...override('s', '20270612', 'off', ['STATUS:CANCELLED'])];
      work.put('s.ics', object('s', 'series', more));
      const { id } = find((await list()).items, 'series');
      for (const date of ['20270611T090000Z', '20270612T090000Z', '20270620T090000Z', '20270610T100000Z', '20270611']) {
        for (const attempt of [
          provider.getEvent(session, calendarId, `${id}_${date}`),
          provider.updateEvent(session, calendarId, `${id}_${date}`, { title: 'x' }, {}),
          provider.deleteEvent(session, calendarId, `${id}_${date}`, {}),
          provider.respond(session, calendarId, `${id}_${date}`, 'accepted', {}),
        ]) {
          await expect(attempt).rejects.toMatchObject({ code: 'NotFound' });
        }
      }
      expect(fake.requestsOf('PUT')).toEqual([]);
    });
  });
});
