import { ME, OTHER, openGoogleAccount, type GoogleAccount } from './google-account.js';
import { at, hour, YEAR } from '../../../support/berlin-times.js';

const DAYS_IN_MARCH = { startDateTime: '2027-03-26T00:00:00Z', endDateTime: '2027-03-31T00:00:00Z' };

describe('series at Google', () => {
  let a: GoogleAccount;
  let calendarId: string;

  beforeAll(async () => {
    a = await openGoogleAccount();
  });

  beforeEach(async () => {
    calendarId = await a.newCalendar();
  });

  afterAll(() => a.stop());

  /** `2027-05-01T10:00:00+02:00 Title` of everything that takes place in a year. */
  const shown = async (inCalendar = calendarId) =>
    (await a.list(inCalendar, YEAR)).items.map(({ start, title }) => `${start.date ?? start.dateTime} ${title}`);
  const daily = (day: string, more: object = {}) =>
    a.create(calendarId, { title: 'S', ...hour(day), recurrence: ['RRULE:FREQ=DAILY;COUNT=4'], ...more });
  const get = async (eventId: string, inCalendar = calendarId) =>
    (await a.events('GET', inCalendar, `/${eventId}`)).body;
  const occurrences = async (seriesId: string) => {
    const { startDateTime, endDateTime } = YEAR;
    return (await a.list(calendarId, { startDateTime, endDateTime }, `/${seriesId}/occurrences`)).items;
  };

  it('names the visibility that Google does not give to an instance', async () => {
    const { id } = await daily('2027-06-21', { visibility: 'private' });
    const put = async (day: number, visibility: string | null) => {
      const path = `/${id}_202706${day}T080000Z`;
      const { status, body, headers } = await a.events('PUT', calendarId, path, { body: { visibility } });
      return [status, body.visibility, headers.get('x-ignored-fields')];
    };
    expect(await put(22, 'public')).toEqual([200, 'private', 'visibility']);
    expect(await put(22, null)).toEqual([200, 'private', 'visibility']);
    expect(await put(23, 'private')).toEqual([200, 'private', null]);
  });

  it('keeps mirrors of every kind true, over a clock change, while others edit the calendar', async () => {
    const series = await daily('2027-03-25', { recurrence: ['RRULE:FREQ=DAILY;COUNT=8'] });
    const google = (methodId: string, eventId: string, body?: unknown) =>
      a.google(methodId, { calendarId, eventId }, body);
    const moved = (start: string, end: string) => ({ start: { dateTime: start }, end: { dateTime: end } });
    const reads = [{}, DAYS_IN_MARCH, YEAR, { ...DAYS_IN_MARCH, expandRecurrences: true }];
    const mirrors = await Promise.all(
      reads.map(async (query) => {
        const { items, nextSyncToken } = await a.list(calendarId, { ...query, pageSize: 1 });
        return { query, nextSyncToken, items: new Map(items.map((item) => [item.id, item])) };
      }),
    );
    const byId = (items: Iterable<any>) =>
      [...items].filter(({ isCancelled }) => !isCancelled).sort((one, other) => (one.id < other.id ? -1 : 1));
    const check = async (edit: string) => {
      for (const mirror of mirrors) {
        const page = await a.list(calendarId, { syncToken: mirror.nextSyncToken, pageSize: 2 });
        mirror.nextSyncToken = page.nextSyncToken;
        for (const item of page.items) mirror.items.set(item.id, item);
        const fresh = byId((await a.list(calendarId, mirror.query)).items);
        expect({ edit, ...mirror.query, items: byId(mirror.items.values()) }).toEqual({
          edit,
          ...mirror.query,
          items: fresh,
        });
      }
    };
    const id = (date: string) => `${series.id}_${date}`;

    await a.change(calendarId, id('20270328T080000Z'), { title: 'Late', ...hour('2027-03-28', 15) });
    await check('an instance at another time');
    await google(
      'calendar.events.patch',
      id('20270326T090000Z'),
      moved('2027-06-01T10:00:00+02:00', '2027-06-01T11:00:00+02:00'),
    );
    await check('an instance out of the window');
    await google('calendar.events.delete', id('20270327T090000Z'));
    await check('an instance deleted');
    await google(
      'calendar.events.patch',
      id('20270401T080000Z'),
      moved('2027-03-27T10:00:00+01:00', '2027-03-27T11:00:00+01:00'),
    );
    await check('an instance into the window');
    const rest = await a.change(
      calendarId,
      id('20270329T080000Z'),
      { title: 'Rest', ...hour('2027-03-29', 12) },
      { scope: 'following' },
    );
    await check('a split');
    expect(rest.recurrence).toEqual(['RRULE:FREQ=DAILY;COUNT=4']);
    expect(await shown()).toEqual([
      '2027-03-25T10:00:00+01:00 S',
      '2027-03-27T12:00:00+01:00 Rest',
      '2027-03-28T15:00:00+02:00 Late',
      '2027-03-29T12:00:00+02:00 Rest',
      '2027-03-30T12:00:00+02:00 Rest',
      '2027-03-31T12:00:00+02:00 Rest',
      '2027-06-01T10:00:00+02:00 S',
    ]);
    await google('calendar.events.patch', series.id, { recurrence: ['RRULE:FREQ=DAILY;COUNT=1'] });
    await check('a series cut short');
    await google('calendar.events.patch', rest.id, {
      start: at('2027-03-30T20:00:00', 'Asia/Tokyo'),
      end: at('2027-03-30T21:00:00', 'Asia/Tokyo'),
    });
    await check('a series in another zone');
    await google('calendar.events.delete', rest.id);
    await check('a deleted series');
    await google('calendar.events.delete', series.id);
    await check('nothing left');
  });

  it.each([
    ['20270503', 3],
    ['20270503T080000Z', 3],
    ['20270503T075959Z', 2],
    ['20270503T100000', 3],
  ])('ends where UNTIL=%s says', async (until, count) => {
    const { id } = await daily('2027-05-01', { recurrence: [`RRULE:FREQ=DAILY;UNTIL=${until}`] });
    expect(await occurrences(id)).toHaveLength(count);
  });

  it('keeps a changed instance where an EXDATE of its series comes to its place', async () => {
    const { id } = await a.create(calendarId, {
      title: 'S',
      ...hour('2027-05-03'),
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=6', 'EXDATE;TZID=Europe/Berlin:20270510T100000'],
    });
    await a.change(calendarId, `${id}_20270512T080000Z`, { title: 'Kept' });
    await a.change(calendarId, id, hour('2027-05-05'));
    expect((await shown()).slice(0, 3)).toEqual([
      ...['2027-05-05T10:00:00+02:00 S', '2027-05-10T10:00:00+02:00 S', '2027-05-12T10:00:00+02:00 Kept'],
    ]);
  });

  it('takes a bare date for the one instance that is left of a day', async () => {
    const { id } = await daily('2027-05-01', {
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3', 'RDATE;TZID=Europe/Berlin:20270502T180000'],
    });
    const status = async (date: string) => (await a.events('GET', calendarId, `/${id}_${date}`)).status;
    expect([await status('20270501'), await status('20270502'), await status('20270504')]).toEqual([200, 404, 404]);
    expect((await a.events('DELETE', calendarId, `/${id}_20270502T160000Z`)).status).toBe(200);
    expect(await status('20270502')).toBe(200);
    // The day is the one that the series has put it on.
    await a.change(calendarId, `${id}_20270502`, hour('2027-05-20'));
    expect((await get(`${id}_20270502`)).start.dateTime).toBe('2027-05-20T10:00:00+02:00');
    expect((await a.events('DELETE', calendarId, `/${id}_20270502`)).status).toBe(200);
    expect(await status('20270502')).toBe(404);
  });

  describe('split', () => {
    const split = (eventId: string, change: object, inCalendar = calendarId) =>
      a.change(inCalendar, eventId, change, { scope: 'following' });

    it('keeps the guests when only the own answer changes', async () => {
      const series = await a.create(ME, {
        title: 'Round',
        ...hour('2027-05-03'),
        recurrence: ['RRULE:FREQ=DAILY;COUNT=4'],
        attendees: [{ email: ME }, { email: OTHER }],
      });
      const rest = await split(`${series.id}_20270505T080000Z`, { myResponseStatus: 'tentative' }, ME);
      expect(rest).toMatchObject({
        myResponseStatus: 'tentative',
        attendees: [
          { email: ME, responseStatus: 'tentative' },
          { email: OTHER, responseStatus: 'needsAction' },
        ],
      });
    });

    it('keeps what guests have answered, for the series and for an instance', async () => {
      const { id } = await a.create(ME, {
        title: 'Answered',
        ...hour('2027-05-10'),
        recurrence: ['RRULE:FREQ=DAILY;COUNT=4'],
        attendees: [{ email: OTHER }],
      });
      const response = (eventId: string, responseStatus: string) =>
        a.google(
          'calendar.events.patch',
          { calendarId: OTHER, eventId },
          { attendeesOmitted: true, attendees: [{ email: OTHER, responseStatus }] },
          OTHER,
        );
      await response(id, 'accepted');
      await response(`${id}_20270513T080000Z`, 'declined');
      const rest = await split(`${id}_20270512T080000Z`, { title: 'Later' }, ME);
      const responseTo = async (eventId: string) => (await get(eventId, ME)).attendees[0].responseStatus;
      expect(await responseTo(rest.id)).toBe('accepted');
      expect(await responseTo(`${rest.id}_20270512T080000Z`)).toBe('accepted');
      expect(await responseTo(`${rest.id}_20270513T080000Z`)).toBe('declined');
    });

    it('and moves keep what instances have of their own, what they lack of the series as well', async () => {
      const { id } = await daily('2027-05-01', {
        description: 'Of the series',
        reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] },
        publicExtendedProperties: { a: '1', b: '2' },
        attendees: [{ email: OTHER }],
      });
      await a.change(calendarId, `${id}_20270504T080000Z`, {
        reminders: null,
        publicExtendedProperties: { b: '3' },
        description: null,
        attendees: [],
      });
      const own = {
        title: 'Rest',
        reminders: { useDefault: true },
        publicExtendedProperties: { b: '3' },
        attendees: [],
      };
      const rest = await split(`${id}_20270503T080000Z`, { title: 'Rest' });
      const carried = await get(`${rest.id}_20270504T080000Z`);
      expect(carried).toMatchObject(own);
      expect(carried.publicExtendedProperties).not.toHaveProperty('a');
      expect(carried.description ?? '').toBe('');
      await a.change(calendarId, rest.id, hour('2027-05-03', 12));
      expect(await get(`${rest.id}_20270504T100000Z`)).toMatchObject(own);
    });

    it('at a changed instance keeps of it what the caller does not change', async () => {
      const { id } = await daily('2027-05-03', { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=6'] });
      const instance = `${id}_20270512T080000Z`;
      await a.change(calendarId, instance, { title: 'Early', location: 'There', ...hour('2027-05-11', 8) });
      const rest = await split(instance, {
        location: 'Here',
        start: at('2027-05-11T09:00:00'),
        end: at('2027-05-11T11:00:00'),
      });
      expect((await get(`${rest.id}_20270512T090000Z`)).location).toBe('Here');
      expect(await shown()).toEqual([
        '2027-05-03T10:00:00+02:00 S',
        '2027-05-05T10:00:00+02:00 S',
        '2027-05-10T10:00:00+02:00 S',
        '2027-05-11T09:00:00+02:00 Early',
        '2027-05-17T11:00:00+02:00 S',
        '2027-05-19T11:00:00+02:00 S',
      ]);
      const lengths = (await occurrences(rest.id)).map(
        ({ start, end }) => Date.parse(end.dateTime) - Date.parse(start.dateTime),
      );
      expect(lengths).toEqual(Array(3).fill(7_200_000));
    });

    it('works for dates without a rule', async () => {
      const dates = await daily('2027-05-03', {
        recurrence: ['RDATE;TZID=Europe/Berlin:20270510T100000,20270517T100000'],
      });
      await split(`${dates.id}_20270510T080000Z`, { title: 'Dates' });
      expect(await shown()).toEqual([
        '2027-05-03T10:00:00+02:00 S',
        '2027-05-10T10:00:00+02:00 Dates',
        '2027-05-17T10:00:00+02:00 Dates',
      ]);
    });
  });
});
