import { WHOLE_CALENDAR, type EventQuery } from '#domain/providers';
import { expectMirrors, WEEK as WEEK_WINDOW, type MirroredCalendar } from '#domain/testing/mirrors';
import { readEvents } from '#domain/testing/read-events';
import { EVENTS as events } from '../adapter.js';
import { SmallGraph } from '../testing/small-graph.js';

const WEEK: EventQuery = { ...WHOLE_CALENDAR, window: WEEK_WINDOW };
const EXPANDED: EventQuery = { ...WEEK, expandRecurrences: true };
const QUERIES: [string, EventQuery][] = [
  ['a window', WEEK],
  ['an expanded window', EXPANDED],
  ['an ordered window', { ...EXPANDED, orderBy: 'startDateTime' }],
  ['a search', { ...WEEK, search: 'eta' }],
  ['days', { ...EXPANDED, isAllDay: true }],
  ['a property', { ...WEEK, metadataFilters: { any: { kind: 'a' }, private: {}, public: {} } }],
];

const wall = (day: number, hour: number) => ({
  kind: 'dateTime' as const,
  local: `2027-03-${day}T${hour}:00:00`,
  offsetMinutes: null,
  timeZone: 'Europe/Berlin',
});
const at = (day: number, hour: number) => ({ start: wall(day, hour), end: wall(day, hour + 1) });

function opened() {
  const graph = new SmallGraph();
  const calendar: MirroredCalendar = {
    create: async (input) => (await events.create(graph.connection, 'work', input, {})).event.id,
    update: (id, input, scope) => events.update(graph.connection, 'work', id, input, { scope }),
    remove: (id, scope) => events.delete(graph.connection, 'work', id, { scope }),
    list: (query, sync, pageSize) =>
      readEvents((list) => events.list(graph.connection, 'work', list), { query, pageSize, sync }),
  };
  return { graph, ...calendar };
}

describe('a mirror that is kept by sync tokens', () => {
  it.each([2, 500])('shows what a fresh read shows, after every edit, in pages of %i', async (pageSize) => {
    await expectMirrors(opened(), QUERIES, pageSize);
  });

  it('shows in a list without bounds what the edits made of the calendar, page by page', async () => {
    const g = opened();
    const beta = await g.create({ title: 'beta', ...at(29, 10) });
    const daily = await g.create({ title: 'daily', ...at(10, 10), recurrence: ['FREQ=DAILY;COUNT=9'] });
    await g.update(`${daily}_20270311T090000Z`, { title: 'special' });
    await g.update(`${daily}_20270312T090000Z`, at(25, 10));
    await g.remove(`${daily}_20270313T090000Z`);
    const days = await g.create({ title: 'days', start: { kind: 'date', date: '2027-03-11' } });
    const whole = (await g.list(WHOLE_CALENDAR, null, 500)).items;
    expect(whole.map(({ id }) => id)).toEqual([
      beta,
      daily,
      `${daily}_20270311T090000Z`,
      `${daily}_20270312T090000Z`,
      days,
    ]);
    for (const pageSize of [1, 2, 3]) {
      expect((await g.list(WHOLE_CALENDAR, null, pageSize)).items).toEqual(whole);
    }
    const from = { ...WHOLE_CALENDAR, window: { startMs: Date.UTC(2027, 2, 26), endMs: null } };
    expect((await g.list(from, null, 2)).items.map(({ id }) => id)).toEqual([beta]);
  });

  it('gives a list without both bounds no sync token', async () => {
    const g = opened();
    await g.create({ title: 'beta', ...at(10, 10) });
    expect((await g.list(WHOLE_CALENDAR, null, 10)).nextSync).toBeNull();
    expect((await g.list(WEEK, null, 10)).nextSync).not.toBeNull();
  });

  it('asks nothing but the delta when nothing happened, and keeps no origin', async () => {
    const g = opened();
    await g.create({ title: 'beta', ...at(10, 10) });
    const first = await g.list(WEEK, null, 10);
    // The first sync compares, and begins the delta.
    const { nextSync } = await g.list(WEEK, first.nextSync, 10);
    expect(JSON.stringify(nextSync)).not.toContain('https:');
    g.graph.calls.length = 0;
    expect((await g.list(WEEK, nextSync, 10)).items).toEqual([]);
    expect(g.graph.calls).toEqual([]);
  });

  it('says that a token has expired when Outlook has forgotten its delta', async () => {
    const g = opened();
    const { nextSync } = await g.list(WEEK, (await g.list(WEEK, null, 10)).nextSync, 10);
    g.graph.forgotten = true;
    await expect(g.list(WEEK, nextSync, 10)).rejects.toMatchObject({ code: 'SyncTokenExpired' });
  });

  it('reads more than a calendar view can show in pieces, and syncs it', async () => {
    const g = opened();
    const years = { ...WEEK, window: { startMs: Date.UTC(2000, 0, 1), endMs: Date.UTC(2090, 0, 1) } };
    const seeded = [2001, 2007, 2027, 2089].map((year) => {
      const at = (hour: string) => ({ dateTime: `${year}-03-01T${hour}:00:00`, timeZone: 'UTC' });
      return g.graph.seed({ start: at('08'), end: at('09'), subject: String(year) });
    });
    const { items, nextSync } = await g.list(years, null, 10);
    expect(items.map(({ id }) => id).sort()).toEqual([...seeded].sort());
    expect(JSON.stringify(nextSync).length).toBeLessThan(1_000);
    expect((await g.list(years, nextSync, 10)).items).toEqual([]);
    g.graph.events.delete(seeded[1]!);
    expect((await g.list(years, nextSync, 10)).items).toEqual([{ id: seeded[1], isCancelled: true }]);
  });

  it('shows what takes place across the seam of two pieces once', async () => {
    const g = opened();
    const startMs = Date.UTC(2020, 0, 1);
    const seam = new Date(startMs + 1_824 * 86_400_000).toISOString().slice(0, 10);
    const at = (hour: string) => ({ dateTime: `${seam}T${hour}:00:00`, timeZone: 'UTC' });
    const before = new Date(Date.parse(seam) - 86_400_000).toISOString().slice(0, 10);
    const id = g.graph.seed({ start: { ...at('23'), dateTime: `${before}T23:00:00` }, end: at('01') });
    const { items } = await g.list({ ...WEEK, window: { startMs, endMs: Date.UTC(2030, 0, 1) } }, null, 10);
    expect(items.map((item) => item.id)).toEqual([id]);
  });

  it('refuses more than a calendar view can show', async () => {
    const g = opened();
    const years = { ...WEEK, window: { startMs: Date.UTC(2000, 0, 1), endMs: Date.UTC(2030, 0, 1) } };
    let made = 0;
    const rows = () => Array.from({ length: 5_000 }, () => ({ id: `e${(made += 1)}`, type: 'singleInstance' }));
    Object.assign(g.graph.connection, { call: async () => ({ value: rows() }) });
    await expect(g.list(years, null, 10)).rejects.toMatchObject({
      code: 'ValidationFailed',
      details: [{ path: 'endDateTime', message: expect.stringContaining('too many') }],
    });
  });
});
