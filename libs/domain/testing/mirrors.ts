import { isFullEvent, type EventInput, type EventItem, type NewEventInput } from '#domain/events';
import type { EventQuery } from '#domain/providers';
import type { JsonValue } from '#domain/system';

/** A calendar that is edited, and read by queries that know what changed since. */
export interface MirroredCalendar {
  /** @returns id of the event */
  create(input: NewEventInput): Promise<string>;
  update(id: string, input: EventInput, scope?: 'following'): Promise<unknown>;
  remove(id: string, scope?: 'following'): Promise<unknown>;
  /** Reads to the end. */
  list(
    query: EventQuery,
    sync: JsonValue | null,
    pageSize: number,
  ): Promise<{ items: EventItem[]; pages: number[]; nextSync: JsonValue | null }>;
}

type Ids = Map<string, string>;

/** The week that the edits are about. */
export const WEEK = { startMs: Date.UTC(2027, 2, 8), endMs: Date.UTC(2027, 2, 15) };

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

const create = (name: string, input: Omit<NewEventInput, 'title'>) => async (calendar: MirroredCalendar, ids: Ids) => {
  ids.set(name, await calendar.create({ title: name, ...input }));
};

const update =
  (name: string, input: EventInput, instance = '', scope?: 'following') =>
  (calendar: MirroredCalendar, ids: Ids) =>
    calendar.update(`${ids.get(name)}${instance}`, input, scope);

const remove =
  (name: string, instance = '', scope?: 'following') =>
  (calendar: MirroredCalendar, ids: Ids) =>
    calendar.remove(`${ids.get(name)}${instance}`, scope);

/** One after the other, on one calendar; the mirrors are compared after each. */
const EDITS: [string, (calendar: MirroredCalendar, ids: Ids) => Promise<unknown>][] = [
  ['a new event', create('beta', at(9, 9))],
  ['a new series', create('daily', { ...at(7, 10), recurrence: ['FREQ=DAILY;COUNT=9'] })],
  ['a new series of days', create('days', { start: day(6), recurrence: ['FREQ=DAILY;INTERVAL=2;COUNT=6'] })],
  ['a sparse series', create('sparse', { ...at(2, 8), recurrence: ['FREQ=WEEKLY;COUNT=3'] })],
  ['a new title', update('beta', { title: 'other' })],
  ['a property', update('beta', { publicExtendedProperties: { kind: 'a' } })],
  ['a changed instance', update('daily', { title: 'special' }, '_20270310T090000Z')],
  ['an instance that leaves the window', update('daily', at(25, 10), '_20270311T090000Z')],
  ['an instance that comes into the window', update('days', { start: day(12), end: day(13) }, '_20270316')],
  ['an instance that leaves for the time before the next one', update('sparse', at(15, 10), '_20270309T070000Z')],
  ['an instance that comes for the time before the next one', update('sparse', at(8, 9), '_20270302T070000Z')],
  ['a deleted instance', remove('daily', '_20270312T090000Z')],
  ['a private property that hides the public one', update('beta', { privateExtendedProperties: { kind: 'b' } })],
  ['an event out of the window', update('beta', at(29, 9))],
  ['a series at another time', update('daily', at(7, 12))],
  ['a sparse series at another time', update('sparse', at(2, 13))],
  ['a shorter rule', update('days', { recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] })],
  ['an event back into the window', update('beta', { title: 'beta again', ...at(10, 23, 240) })],
  ['a series that goes on otherwise', update('daily', { title: 'metadaily' }, '_20270313T110000Z', 'following')],
  ['a series that ends early', remove('days', '_20270308', 'following')],
  ['a series of one day', update('days', { recurrence: null })],
  ['a deleted series', remove('daily')],
  ['a series without its exceptions', remove('sparse')],
  ['a deleted event', remove('beta')],
];

/**
 * After every edit a mirror that is kept by sync tokens shows what a fresh read shows, and is told nothing twice.
 * @param left edits that the provider refuses
 */
export async function expectMirrors(
  calendar: MirroredCalendar,
  queries: readonly (readonly [string, EventQuery])[],
  pageSize: number,
  left: readonly string[] = [],
): Promise<void> {
  const ids: Ids = new Map();
  const mirrors: { read: string; query: EventQuery; items: Map<string, EventItem>; sync: JsonValue | null }[] = [];
  for (const [read, query] of queries) {
    const { items, nextSync } = await calendar.list(query, null, pageSize);
    mirrors.push({ read, query, items: live(items), sync: nextSync });
  }
  for (const [edit, work] of EDITS.filter(([name]) => !left.includes(name))) {
    await work(calendar, ids);
    for (const mirror of mirrors) {
      const page = await calendar.list(mirror.query, mirror.sync, pageSize);
      // No empty extra page, and none that is too long.
      expect(page.pages.slice(1).every((length) => length > 0)).toBe(true);
      expect(page.pages.every((length) => length <= pageSize)).toBe(true);
      for (const item of page.items) {
        if (isFullEvent(item)) mirror.items.set(item.id, item);
        else mirror.items.delete(item.id);
      }
      mirror.sync = page.nextSync;
      const fresh = live((await calendar.list(mirror.query, null, pageSize)).items);
      const { read } = mirror;
      expect({ edit, read, shown: sorted(mirror.items) }).toEqual({ edit, read, shown: sorted(fresh) });
      expect((await calendar.list(mirror.query, mirror.sync, pageSize)).items).toEqual([]);
    }
  }
}

const live = (items: readonly EventItem[]) => new Map(items.filter(isFullEvent).map((item) => [item.id, item]));

function sorted(items: ReadonlyMap<string, EventItem>): EventItem[] {
  return [...items.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}
