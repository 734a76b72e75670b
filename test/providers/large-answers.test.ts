// 10 s: lists of 24 MB each, again and again.
import type { EventItem } from '#domain/events';
import { WHOLE_CALENDAR, type EventQuery } from '#domain/providers';
import type { JsonValue } from '#domain/system';
import { openGoogle } from './google/adapter/opened-google-calendar.js';
import { openOutlook } from './microsoft/adapter/opened-outlook-calendar.js';

const WINDOW: EventQuery = {
  ...WHOLE_CALENDAR,
  window: { startMs: Date.UTC(2027, 0, 1), endMs: Date.UTC(2027, 1, 1) },
};
const EVENTS = 24;
/** Together more than one answer may have, and compressed next to nothing. */
const TEXT = 'a'.repeat(950_000);

interface Opened {
  newCalendar(name: string): Promise<string>;
  list(
    calendarId: string,
    query?: EventQuery,
    sync?: JsonValue | null,
    pageSize?: number,
  ): Promise<{ items: EventItem[]; nextSync: JsonValue | null }>;
  close(): Promise<void>;
}

describe.each([
  ['GOOGLE', openGoogle],
  ['MICROSOFT', openOutlook],
] as const)('a few events at %s with texts without end', (_name, open) => {
  let opened: Opened & Pick<Awaited<ReturnType<typeof open>>, 'provider' | 'session'>;
  let calendarId: string;
  const at = (day: number) => ({
    kind: 'dateTime' as const,
    local: `2027-01-${String(day).padStart(2, '0')}T09:00:00`,
    offsetMinutes: 0,
    timeZone: null,
  });

  beforeAll(async () => {
    opened = await open();
    calendarId = await opened.newCalendar('Large');
    for (let day = 1; day <= EVENTS; day += 1) {
      const { provider, session } = opened;
      await provider.createEvent(session, calendarId, { title: `Day ${day}`, description: TEXT, start: at(day) }, {});
    }
  });
  afterAll(() => opened?.close());

  const titles = (items: EventItem[]) => items.map((item) => ('title' in item ? item.title : 'gone')).sort();
  const all = Array.from({ length: EVENTS }, (_, at) => `Day ${at + 1}`).sort();

  it.each([
    ['a list of a window', WINDOW],
    ['an ordered list', { ...WINDOW, expandRecurrences: true, orderBy: 'startDateTime' }],
    ['a list without bounds', WHOLE_CALENDAR],
    ['a search', { ...WHOLE_CALENDAR, search: 'day' }],
  ] as [string, EventQuery][])('do not cost the user %s', async (_list, query) => {
    expect(titles((await opened.list(calendarId, query)).items)).toEqual(all);
  });

  it('do not cost the user a sync', async () => {
    const { nextSync } = await opened.list(calendarId, WINDOW);
    const again = await opened.list(calendarId, WINDOW, nextSync);
    const { provider, session } = opened;
    const small = { title: 'Small', start: at(9) };
    const { event } = await provider.createEvent(session, calendarId, small, {});
    const { items } = await opened.list(calendarId, WINDOW, again.nextSync);
    expect(titles(items)).toEqual(['Small']);
    await provider.deleteEvent(session, calendarId, event.id, {});
  });
});
