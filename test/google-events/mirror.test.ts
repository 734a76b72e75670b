import { isFullEvent, type EventItem, type EventQuery, type JsonValue } from '#domain';
import { EVERYTHING } from '../support/opened-calendar.js';
import { EXPANDED, openGoogle, type OpenedGoogle } from './opened-google-calendar.js';

const at = (day: number, hour: number, minutes = 60) => ({
  start: wall(day, hour, 0),
  end: wall(day, hour, minutes),
});

const wall = (day: number, hour: number, minute: number) => ({
  kind: 'dateTime' as const,
  local: new Date(Date.UTC(2027, 2, day, hour, minute)).toISOString().slice(0, 19),
  offsetMinutes: null,
  timeZone: 'Europe/Berlin',
});

const day = (date: number) => ({ kind: 'date' as const, date: `2027-03-${String(date).padStart(2, '0')}` });

const week = { startMs: Date.UTC(2027, 2, 8), endMs: Date.UTC(2027, 2, 15) };

const QUERIES: [string, EventQuery][] = [
  ['everything', EVERYTHING],
  ['a window', { ...EVERYTHING, window: week }],
  ['from a day on', { ...EVERYTHING, window: { startMs: week.startMs, endMs: null } }],
  ['an expanded window', { ...EXPANDED, window: week }],
  ['an ordered window', { ...EXPANDED, window: week, orderBy: 'updatedDateTime' }],
  ['a search', { ...EVERYTHING, search: 'eta' }],
  ['days in an expanded window', { ...EXPANDED, window: week, isAllDay: true }],
  ['a property', { ...EVERYTHING, metadataFilters: { any: { kind: 'a' }, private: {}, public: {} } }],
];

/** One after the other, on one calendar; the mirrors are compared after each. */
const EDITS: [string, (g: OpenedGoogle, calendarId: string, ids: Map<string, string>) => Promise<unknown>][] = [
  ['a new event', (g, c, ids) => make(g, c, ids, 'beta', { title: 'beta', ...at(9, 9) })],
  [
    'a new series',
    (g, c, ids) => make(g, c, ids, 'daily', { title: 'daily', ...at(7, 10), recurrence: ['FREQ=DAILY;COUNT=9'] }),
  ],
  [
    'a new series of days',
    (g, c, ids) =>
      make(g, c, ids, 'days', { title: 'days', start: day(6), recurrence: ['FREQ=DAILY;INTERVAL=2;COUNT=6'] }),
  ],
  ['a new title', (g, c, ids) => change(g, c, ids.get('beta')!, { title: 'other' })],
  ['a property', (g, c, ids) => change(g, c, ids.get('beta')!, { publicExtendedProperties: { kind: 'a' } })],
  ['a changed instance', (g, c, ids) => change(g, c, `${ids.get('daily')}_20270310T090000Z`, { title: 'special' })],
  [
    'an instance that leaves the window',
    (g, c, ids) => change(g, c, `${ids.get('daily')}_20270311T090000Z`, at(25, 10)),
  ],
  [
    'an instance that comes into the window',
    (g, c, ids) => change(g, c, `${ids.get('days')}_20270316`, { start: day(12), end: day(13) }),
  ],
  ['a deleted instance', (g, c, ids) => remove(g, c, `${ids.get('daily')}_20270312T090000Z`)],
  [
    'a private property that hides the public one',
    (g, c, ids) => change(g, c, ids.get('beta')!, { privateExtendedProperties: { kind: 'b' } }),
  ],
  ['an event out of the window', (g, c, ids) => change(g, c, ids.get('beta')!, at(29, 9))],
  ['a series at another time', (g, c, ids) => change(g, c, ids.get('daily')!, at(7, 12))],
  ['a shorter rule', (g, c, ids) => change(g, c, ids.get('days')!, { recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] })],
  [
    'an event back into the window',
    (g, c, ids) => change(g, c, ids.get('beta')!, { title: 'beta again', ...at(10, 23, 240) }),
  ],
  [
    'a series that goes on otherwise',
    (g, c, ids) => change(g, c, `${ids.get('daily')}_20270313T110000Z`, { title: 'metadaily' }, 'following'),
  ],
  [
    'a series that ends early',
    (g, c, ids) => g.provider.deleteEvent(g.session, c, `${ids.get('days')}_20270308`, { scope: 'following' }),
  ],
  ['a series of one day', (g, c, ids) => change(g, c, ids.get('days')!, { recurrence: null })],
  ['a deleted series', (g, c, ids) => remove(g, c, ids.get('daily')!)],
  ['a deleted event', (g, c, ids) => remove(g, c, ids.get('beta')!)],
];

async function make(g: OpenedGoogle, calendarId: string, ids: Map<string, string>, name: string, input: any) {
  ids.set(name, (await g.provider.createEvent(g.session, calendarId, input, {})).event.id);
}

const change = (g: OpenedGoogle, calendarId: string, id: string, input: any, scope?: 'following') =>
  g.provider.updateEvent(g.session, calendarId, id, input, { scope });

const remove = (g: OpenedGoogle, calendarId: string, id: string) =>
  g.provider.deleteEvent(g.session, calendarId, id, {});

const live = (items: readonly EventItem[]) => new Map(items.filter(isFullEvent).map((item) => [item.id, item]));

describe('a mirror that is kept by sync tokens', () => {
  let g: OpenedGoogle;

  beforeAll(async () => {
    g = await openGoogle();
  });

  afterAll(() => g.close());

  it.each([1, 2, 500])('shows what a fresh read shows, after every edit, in pages of %i', async (pageSize) => {
    const calendarId = await g.newCalendar();
    const ids = new Map<string, string>();
    const mirrors: { name: string; query: EventQuery; items: Map<string, EventItem>; sync: JsonValue | null }[] = [];
    for (const [name, query] of QUERIES) {
      const { items, nextSync } = await g.list(calendarId, query, null, pageSize);
      mirrors.push({ name, query, items: live(items), sync: nextSync });
    }
    for (const [edit, work] of EDITS) {
      await work(g, calendarId, ids);
      for (const mirror of mirrors) {
        const told = await g.list(calendarId, mirror.query, mirror.sync, pageSize);
        // No empty extra page.
        expect(told.pages.slice(1).every((length) => length > 0)).toBe(true);
        for (const item of told.items) {
          if (isFullEvent(item)) mirror.items.set(item.id, item);
          else mirror.items.delete(item.id);
        }
        mirror.sync = told.nextSync;
        const fresh = live((await g.list(calendarId, mirror.query, null, pageSize)).items);
        expect({ edit, read: mirror.name, shown: sorted(mirror.items) }).toEqual({
          edit,
          read: mirror.name,
          shown: sorted(fresh),
        });
        expect((await g.list(calendarId, mirror.query, mirror.sync, pageSize)).items).toEqual([]);
      }
    }
  });

  it('is told of every instance of every series that a window shows', async () => {
    const calendarId = await g.newCalendar();
    await g.provider.createEvent(
      g.session,
      calendarId,
      { title: 'daily', ...at(7, 10), recurrence: ['FREQ=DAILY'] },
      {},
    );
    const { items, nextSync } = await g.list(calendarId, { ...EXPANDED, window: week });
    expect(items).toHaveLength(7);
    const told = await g.list(calendarId, { ...EXPANDED, window: week }, nextSync);
    expect(told).toMatchObject({ items: [], nextSync });
  });
});

function sorted(items: ReadonlyMap<string, EventItem>): EventItem[] {
  return [...items.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}
