// 25 s: the whole calendar is read again after every edit, in pages of two sizes.
import { WHOLE_CALENDAR, type EventQuery } from '#domain/providers';
import { expectMirrors, WEEK } from '#domain/testing/mirrors';
import { openOutlook, type OpenedOutlook } from './opened-outlook-calendar.js';

const WINDOW: EventQuery = { ...WHOLE_CALENDAR, window: WEEK };
const EXPANDED: EventQuery = { ...WINDOW, expandRecurrences: true };
const QUERIES: [string, EventQuery][] = [
  ['a window', WINDOW],
  ['an expanded window', EXPANDED],
  ['an ordered window', { ...EXPANDED, orderBy: 'updatedDateTime' }],
  ['a search', { ...WINDOW, search: 'eta' }],
  ['days in an expanded window', { ...EXPANDED, isAllDay: true }],
  ['a property', { ...WINDOW, metadataFilters: { any: { kind: 'a' }, private: {}, public: {} } }],
];

/** Outlook moves no instance past its neighbours. */
const CROSSING = ['an instance that leaves the window', 'an instance that comes into the window'];

describe('a mirror of an Outlook calendar that is kept by sync tokens', () => {
  let o: OpenedOutlook;

  // Each with a mailbox of its own: Outlook takes no more than ten thousand requests in ten minutes for one.
  beforeEach(async () => {
    o = await openOutlook();
  });

  afterEach(() => o.close());

  it.each([1, 500])('shows what a fresh read shows, after every edit, in pages of %i', async (pageSize) => {
    const { provider, session } = o;
    const calendarId = await o.newCalendar(`Pages of ${pageSize}`);
    const calendar = {
      create: async (input: any) => (await provider.createEvent(session, calendarId, input, {})).event.id,
      update: (id: string, input: any, scope?: 'following') =>
        provider.updateEvent(session, calendarId, id, input, { scope }),
      remove: (id: string, scope?: 'following') => provider.deleteEvent(session, calendarId, id, { scope }),
      list: (...read: [EventQuery, any, number]) => o.list(calendarId, ...read),
    };
    await expectMirrors(calendar, QUERIES, pageSize, CROSSING);
  });

  it('says that its token has expired when Outlook has forgotten where it was', async () => {
    const calendarId = await o.newCalendar('Forgotten');
    const { nextSync } = await o.list(calendarId, WINDOW, (await o.list(calendarId, WINDOW)).nextSync);
    await o.microsoft.expireDeltaTokens();
    await expect(o.list(calendarId, WINDOW, nextSync)).rejects.toMatchObject({ code: 'SyncTokenExpired' });
  });

  it('keeps in use what it compares with, though nothing has changed', async () => {
    const calendarId = await o.newCalendar('Quiet');
    const { nextSync } = await o.list(calendarId, WINDOW);
    const quiet = await o.list(calendarId, WINDOW, nextSync);
    expect(quiet.items).toEqual([]);
    o.snapshots.snapshots.clear();
    await expect(o.list(calendarId, WINDOW, quiet.nextSync)).rejects.toMatchObject({ code: 'SyncTokenExpired' });
  });
});
