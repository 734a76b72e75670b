import {
  isFullEvent,
  type EventInput,
  type EventItem,
  type EventQuery,
  type JsonValue,
  type NewEventInput,
} from '#domain';
import { EVERYTHING } from '../../../../test/support/event-queries.js';
import { MemorySnapshots } from '../../../../test/support/memory-stores.js';
import { SmallGraph } from './fixtures/small-graph.js';
import { createMicrosoftEvents } from './index.js';

const WEEK: EventQuery = { ...EVERYTHING, window: { startMs: Date.UTC(2027, 2, 8), endMs: Date.UTC(2027, 2, 15) } };
const EXPANDED: EventQuery = { ...WEEK, expandRecurrences: true };
const QUERIES: [string, EventQuery][] = [
  ['a window', WEEK],
  ['an expanded window', EXPANDED],
  ['an ordered window', { ...EXPANDED, orderBy: 'startDateTime' }],
  ['a search', { ...WEEK, search: 'eta' }],
  ['days', { ...EXPANDED, isAllDay: true }],
  ['a property', { ...WEEK, metadataFilters: { any: { kind: 'a' }, private: {}, public: {} } }],
];

const wall = (day: number, hour: number, minutes = 0) => ({
  kind: 'dateTime' as const,
  local: new Date(Date.UTC(2027, 2, day, hour, minutes)).toISOString().slice(0, 19),
  offsetMinutes: null,
  timeZone: 'Europe/Berlin',
});
const at = (day: number, hour: number, minutes = 60) => ({ start: wall(day, hour), end: wall(day, hour, minutes) });
const date = (day: number) => ({ kind: 'date' as const, date: `2027-03-${String(day).padStart(2, '0')}` });

function opened() {
  const graph = new SmallGraph();
  const events = createMicrosoftEvents({ snapshots: new MemorySnapshots() });
  const ids = new Map<string, string>();
  const id = (name: string) => ids.get(name) ?? '';
  return {
    graph,
    id,
    async make(name: string, input: NewEventInput) {
      ids.set(name, (await events.createEvent(graph.connection, 'work', input, {})).event.id);
    },
    change: (eventId: string, input: EventInput, scope?: 'following') =>
      events.updateEvent(graph.connection, 'work', eventId, input, { scope }),
    remove: (eventId: string, scope?: 'following') => events.deleteEvent(graph.connection, 'work', eventId, { scope }),
    async list(query: EventQuery, sync: JsonValue | null, pageSize: number) {
      const items: EventItem[] = [];
      for (let page: JsonValue | null = null, pages = 1; ; pages += 1) {
        const answer = await events.listEvents(graph.connection, 'work', { query, pageSize, page, sync });
        expect(answer.items.length <= pageSize && (pages === 1 || answer.items.length > 0)).toBe(true);
        items.push(...answer.items);
        if (answer.nextPage === null) return { items, nextSync: answer.nextSync };
        page = answer.nextPage;
      }
    },
  };
}

type Opened = ReturnType<typeof opened>;

const EDITS: [string, (g: Opened) => Promise<unknown>][] = [
  ['a new event', (g) => g.make('beta', { title: 'beta', ...at(9, 9) })],
  ['a new series', (g) => g.make('daily', { title: 'daily', ...at(7, 10), recurrence: ['FREQ=DAILY;COUNT=9'] })],
  [
    'a new series of days',
    (g) => g.make('days', { title: 'days', start: date(6), recurrence: ['FREQ=DAILY;INTERVAL=2;COUNT=6'] }),
  ],
  ['a new title', (g) => g.change(g.id('beta'), { title: 'other' })],
  ['a property', (g) => g.change(g.id('beta'), { publicExtendedProperties: { kind: 'a' } })],
  ['a changed instance', (g) => g.change(`${g.id('daily')}_20270310T090000Z`, { title: 'special' })],
  ['an instance that leaves the window', (g) => g.change(`${g.id('daily')}_20270311T090000Z`, at(25, 10))],
  [
    'an instance that comes into the window',
    (g) => g.change(`${g.id('days')}_20270316`, { start: date(12), end: date(13) }),
  ],
  ['a deleted instance', (g) => g.remove(`${g.id('daily')}_20270312T090000Z`)],
  ['an event out of the window', (g) => g.change(g.id('beta'), at(29, 9))],
  ['a series at another time', (g) => g.change(g.id('daily'), at(7, 12))],
  ['a shorter rule', (g) => g.change(g.id('days'), { recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] })],
  ['an event back into the window', (g) => g.change(g.id('beta'), { title: 'beta again', ...at(10, 23, 240) })],
  [
    'a series that goes on otherwise',
    (g) => g.change(`${g.id('daily')}_20270313T110000Z`, { title: 'metadaily' }, 'following'),
  ],
  ['a series that ends early', (g) => g.remove(`${g.id('days')}_20270308`, 'following')],
  ['a series of one day', (g) => g.change(g.id('days'), { recurrence: null })],
  ['a deleted series', (g) => g.remove(g.id('daily'))],
  ['a deleted event', (g) => g.remove(g.id('beta'))],
];

const live = (items: readonly EventItem[]) => new Map(items.filter(isFullEvent).map((item) => [item.id, item]));
const sorted = (items: ReadonlyMap<string, EventItem>) =>
  [...items.values()].sort((one, other) => (one.id < other.id ? -1 : 1));

describe('a mirror that is kept by sync tokens', () => {
  it.each([1, 3, 500])('shows what a fresh read shows, after every edit, in pages of %i', async (pageSize) => {
    const g = opened();
    const mirrors: { name: string; query: EventQuery; items: Map<string, EventItem>; sync: JsonValue | null }[] = [];
    for (const [name, query] of QUERIES) {
      const { items, nextSync } = await g.list(query, null, pageSize);
      mirrors.push({ name, query, items: live(items), sync: nextSync });
    }
    for (const [name, work] of EDITS) {
      await work(g);
      for (const mirror of mirrors) {
        const told = await g.list(mirror.query, mirror.sync, pageSize);
        for (const item of told.items) {
          if (isFullEvent(item)) mirror.items.set(item.id, item);
          else mirror.items.delete(item.id);
        }
        mirror.sync = told.nextSync;
        const fresh = live((await g.list(mirror.query, null, pageSize)).items);
        expect({ name, read: mirror.name, shown: sorted(mirror.items) }).toEqual({
          name,
          read: mirror.name,
          shown: sorted(fresh),
        });
        expect((await g.list(mirror.query, mirror.sync, pageSize)).items).toEqual([]);
      }
    }
  });

  it('shows in a list without bounds what the edits made of the calendar, page by page', async () => {
    const g = opened();
    for (const [, work] of EDITS.slice(0, 12)) await work(g);
    const whole = (await g.list(EVERYTHING, null, 500)).items;
    expect(whole.map(({ id }) => id)).toEqual([
      g.id('beta'),
      g.id('daily'),
      `${g.id('daily')}_20270310T110000Z`,
      `${g.id('daily')}_20270311T110000Z`,
      g.id('days'),
    ]);
    for (const pageSize of [1, 2, 3]) {
      expect((await g.list(EVERYTHING, null, pageSize)).items).toEqual(whole);
    }
    const from = { ...EVERYTHING, window: { startMs: Date.UTC(2027, 2, 26), endMs: null } };
    expect((await g.list(from, null, 2)).items.map(({ id }) => id)).toEqual([g.id('beta')]);
  });

  it('gives a list without both bounds no sync token', async () => {
    const g = opened();
    await g.make('beta', { title: 'beta', ...at(9, 9) });
    expect((await g.list(EVERYTHING, null, 10)).nextSync).toBeNull();
    expect((await g.list(WEEK, null, 10)).nextSync).not.toBeNull();
  });

  it('asks nothing but the delta when nothing happened, and keeps no origin', async () => {
    const g = opened();
    await g.make('beta', { title: 'beta', ...at(9, 9) });
    const { nextSync } = await g.list(WEEK, null, 10);
    expect(JSON.stringify(nextSync)).not.toContain('https:');
    g.graph.calls.length = 0;
    expect((await g.list(WEEK, nextSync, 10)).items).toEqual([]);
    expect(g.graph.calls).toEqual([]);
  });

  it('says that a token has expired when Outlook has forgotten its delta', async () => {
    const g = opened();
    const { nextSync } = await g.list(WEEK, null, 10);
    g.graph.forgotten = true;
    await expect(g.list(WEEK, nextSync, 10)).rejects.toMatchObject({ code: 'SyncTokenExpired' });
  });

  it('refuses more than a calendar view can show', async () => {
    const g = opened();
    const long = { ...WEEK, window: { startMs: 0, endMs: 1_826 * 86_400_000 } };
    await expect(g.list(long, null, 10)).rejects.toMatchObject({ code: 'ValidationFailed' });
    const longest = { ...WEEK, window: { startMs: 0, endMs: 1_825 * 86_400_000 } };
    expect((await g.list(longest, null, 10)).items).toEqual([]);
    for (const { query } of g.graph.calls) {
      const days = Date.parse(query?.['endDateTime'] ?? '') - Date.parse(query?.['startDateTime'] ?? '');
      expect(days <= 1_825 * 86_400_000).toBe(true);
    }
  });
});
