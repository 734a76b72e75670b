// 25 s: the whole calendar is read again after every edit, in pages of three sizes.
import { WHOLE_CALENDAR, type EventQuery } from '#domain/providers';
import { expectMirrors, WEEK } from '#domain/testing/mirrors';
import { EXPANDED, openGoogle, type OpenedGoogle } from './opened-google-calendar.js';

const QUERIES: [string, EventQuery][] = [
  ['everything', WHOLE_CALENDAR],
  ['a window', { ...WHOLE_CALENDAR, window: WEEK }],
  ['from a day on', { ...WHOLE_CALENDAR, window: { startMs: WEEK.startMs, endMs: null } }],
  ['an expanded window', { ...EXPANDED, window: WEEK }],
  ['an ordered window', { ...EXPANDED, window: WEEK, orderBy: 'updatedDateTime' }],
  ['a search', { ...WHOLE_CALENDAR, search: 'eta' }],
  ['days in an expanded window', { ...EXPANDED, window: WEEK, isAllDay: true }],
  ['a property', { ...WHOLE_CALENDAR, metadataFilters: { any: { kind: 'a' }, private: {}, public: {} } }],
];

describe('a mirror that is kept by sync tokens', () => {
  let g: OpenedGoogle;

  beforeAll(async () => {
    g = await openGoogle();
  });

  afterAll(() => g.close());

  it.each([1, 2, 500])('shows what a fresh read shows, after every edit, in pages of %i', async (pageSize) => {
    const { provider, session } = g;
    const calendarId = await g.newCalendar();
    const calendar = {
      create: async (input: any) => (await provider.createEvent(session, calendarId, input, {})).event.id,
      update: (id: string, input: any, scope?: 'following') =>
        provider.updateEvent(session, calendarId, id, input, { scope }),
      remove: (id: string, scope?: 'following') => provider.deleteEvent(session, calendarId, id, { scope }),
      list: (...read: [EventQuery, any, number]) => g.list(calendarId, ...read),
    };
    await expectMirrors(calendar, QUERIES, pageSize);
  });

  it('is told of every instance of every series that a window shows', async () => {
    const calendarId = await g.newCalendar();
    const time = (local: string) => ({
      kind: 'dateTime' as const,
      local,
      offsetMinutes: null,
      timeZone: 'Europe/Berlin',
    });
    const start = time('2027-03-07T10:00:00');
    await g.provider.createEvent(g.session, calendarId, { title: 'daily', start, recurrence: ['FREQ=DAILY'] }, {});
    const { items, nextSync } = await g.list(calendarId, { ...EXPANDED, window: WEEK });
    expect(items).toHaveLength(7);
    const page = await g.list(calendarId, { ...EXPANDED, window: WEEK }, nextSync);
    expect(page).toMatchObject({ items: [], nextSync });
  });
});
