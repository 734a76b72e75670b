import { at, hour, YEAR } from '../../../support/berlin-times.js';
import { ME, openOutlookAccount, OTHER, path, type OutlookAccount } from './outlook-account.js';

const DAYS_IN_MARCH = { startDateTime: '2027-03-26T00:00:00Z', endDateTime: '2027-03-31T00:00:00Z' };
const { startDateTime, endDateTime } = YEAR;

describe('series at Outlook', () => {
  let a: OutlookAccount;
  let calendarId: string;
  let calendars = 0;

  beforeAll(async () => {
    a = await openOutlookAccount();
  });

  beforeEach(async () => {
    calendarId = await a.newCalendar(`Series ${(calendars += 1)}`);
  });

  afterEach(() => a.sandbox.microsoft.clearFaults());

  afterAll(() => a.stop());

  /** `2027-05-01T10:00:00+02:00 Title` of everything that takes place in a year. */
  const shown = async (inCalendar = calendarId) =>
    (await a.list(inCalendar, YEAR)).items.map(({ start, title }) => `${start.date ?? start.dateTime} ${title}`);
  const daily = (day: string, more: object = {}) =>
    a.create(calendarId, { title: 'S', ...hour(day), recurrence: ['RRULE:FREQ=DAILY;COUNT=4'], ...more });
  const get = async (eventId: string, inCalendar = calendarId) =>
    (await a.events('GET', inCalendar, path(eventId))).body;
  const occurrences = async (seriesId: string, inCalendar = calendarId) =>
    (await a.list(inCalendar, { startDateTime, endDateTime }, `${path(seriesId)}/occurrences`)).items;
  /** Graph's own id of an instance. */
  const graphId = async (instanceId: string, inCalendar = calendarId) => {
    const [, seriesId, date = ''] = /^(.+)_(\d{8})/.exec(instanceId) ?? [];
    const day = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}`;
    const response = await a.sandbox.microsoft.act({
      email: ME,
      methodId: 'listInstances_me_calendars_By_calendar_id_events_By_event_id',
      path: { 'calendar-id': inCalendar, 'event-id': seriesId! },
      query: { startDateTime: `${day}T00:00:00Z`, endDateTime: `${day}T23:59:00Z` },
      headers: { prefer: 'IdType="ImmutableId"' },
    });
    return response.body.value[0].id as string;
  };
  const removed = (eventId: string) =>
    a.outlook('delete_me_calendars_By_calendar_id_events_By_event_id', {
      'calendar-id': calendarId,
      'event-id': eventId,
    });

  it('refuses a rule that excludes every instance, with which Outlook would delete the series', async () => {
    const { id } = await daily('2027-06-21');
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=1', 'EXDATE;TZID=Europe/Berlin:20270621T100000'];
    const refused = [
      await a.events('PUT', calendarId, path(id), { body: { recurrence } }),
      await a.events('POST', calendarId, '', { body: { title: 'S', ...hour('2027-06-21'), recurrence } }),
    ];
    for (const { status, body } of refused) {
      expect([status, body.details?.[0].path]).toEqual([400, 'recurrence']);
    }
    expect(await shown()).toHaveLength(4);
  });

  it('keeps mirrors of every kind true, over a clock change, while others edit the calendar', async () => {
    const series = await daily('2027-03-25', { recurrence: ['RRULE:FREQ=DAILY;COUNT=8'] });
    const reads = [DAYS_IN_MARCH, YEAR, { ...DAYS_IN_MARCH, expandRecurrences: true }];
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
        expect({ edit, items: byId(mirror.items.values()) }).toEqual({ edit, items: fresh });
      }
    };
    const id = (date: string) => `${series.id}_${date}`;
    const times = (date: string, start: number) => {
      const { start: from, end: to } = hour(date, start);
      return { start: from, end: to };
    };

    await a.change(calendarId, id('20270328T080000Z'), { title: 'Late', ...hour('2027-03-28', 15) });
    await check('an instance at another time');
    await removed(await graphId(id('20270327T090000Z')));
    await check('an instance deleted');
    await a.touch(await graphId(id('20270329T080000Z')), { subject: 'Theirs', ...times('2027-03-29', 20) }, calendarId);
    await check('an instance changed elsewhere');
    await a.made({ subject: 'Outside', ...times('2027-08-01', 10) }, calendarId);
    await check('an event outside of the smaller window');
    const rest = await a.change(
      calendarId,
      id('20270330T080000Z'),
      { title: 'Rest', ...hour('2027-03-30', 12) },
      { scope: 'following' },
    );
    await check('a split');
    expect(rest.recurrence).toEqual(['RRULE:FREQ=DAILY;COUNT=3']);
    expect(await shown()).toEqual([
      '2027-03-25T10:00:00+01:00 S',
      '2027-03-26T10:00:00+01:00 S',
      '2027-03-28T15:00:00+02:00 Late',
      '2027-03-29T20:00:00+02:00 Theirs',
      '2027-03-30T12:00:00+02:00 Rest',
      '2027-03-31T12:00:00+02:00 Rest',
      '2027-04-01T12:00:00+02:00 Rest',
      '2027-08-01T10:00:00+02:00 Outside',
    ]);
    const { recurrence } = await a.held(series.id, calendarId);
    const range = { type: 'numbered', startDate: '2027-03-25', numberOfOccurrences: 2, recurrenceTimeZone: 'UTC' };
    const { type, interval } = recurrence.pattern;
    await a.touch(series.id, { recurrence: { pattern: { type, interval }, range } }, calendarId);
    await check('a series cut short');
    const tokyo = (time: string) => ({ dateTime: `2027-03-30T${time}`, timeZone: 'Tokyo Standard Time' });
    await a.touch(rest.id, { start: tokyo('20:00:00'), end: tokyo('21:00:00') }, calendarId);
    await check('a series in another zone');
    await removed(rest.id);
    await check('a deleted series');
    await removed(series.id);
    await check('nothing left of it');
  });

  it('names instances by the date that the series gave them, however Graph does', async () => {
    const { id } = await daily('2027-05-01');
    expect((await occurrences(id)).map(({ id: instance }) => instance)).toEqual(
      ['01', '02', '03', '04'].map((day) => `${id}_202705${day}T080000Z`),
    );
    const instance = `${id}_20270502T080000Z`;
    const moved = await a.change(calendarId, instance, { title: 'Moved', ...hour('2027-05-02', 20) });
    expect(moved).toMatchObject({ id: instance, recurringEventId: id, isException: true });
    for (const name of [instance, `${id}_20270502`, await graphId(instance)]) {
      expect((await get(name)).id).toBe(instance);
      expect((await a.change(calendarId, name, { location: name.slice(-8) })).id).toBe(instance);
    }
    for (const name of [
      `${id}_20270509`,
      `${id}_20270502T090000Z`,
      `${id}_20279999`,
      `${id}_00000000`,
      `${id}_99991231`,
    ])
      expect((await a.events('GET', calendarId, path(name))).status).toBe(404);
    expect((await a.events('DELETE', calendarId, path(await graphId(instance)))).status).toBe(200);
    expect((await a.events('GET', calendarId, path(instance))).status).toBe(404);
    expect((await a.events('DELETE', calendarId, path(instance))).status).toBe(404);
    expect((await get(id)).recurrence).toEqual([
      'RRULE:FREQ=DAILY;COUNT=4',
      'EXDATE;TZID=Europe/Berlin:20270502T100000',
    ]);
  });

  it('refuses an instance that would pass its neighbour, and changes nothing', async () => {
    const { id } = await daily('2027-05-01');
    const { status, body } = await a.events('PUT', calendarId, path(`${id}_20270502T080000Z`), {
      body: { title: 'Past', ...hour('2027-05-04') },
    });
    expect([status, body.code]).toEqual([400, 'ProviderRejected']);
    expect(await shown()).toEqual(['01', '02', '03', '04'].map((day) => `2027-05-${day}T10:00:00+02:00 S`));
  });

  it.each([
    ['day', 'EXDATE;VALUE=DATE:20270502', '20270502T080000Z'],
    ['clock', 'EXDATE;TZID=Europe/Berlin:20270502T100000,20270503T100000', '20270502T080000Z'],
    ['instant', 'EXDATE:20270502T080000Z', '20270502T080000Z'],
  ])('is made without what EXDATE excludes by %s', async (_name, exdate, gone) => {
    const { id, recurrence } = await daily('2027-05-01', { recurrence: ['RRULE:FREQ=DAILY;COUNT=4', exdate] });
    expect(recurrence.length).toBeGreaterThan(1);
    expect((await occurrences(id)).map(({ id: instance }) => instance)).not.toContain(`${id}_${gone}`);
    expect((await a.events('GET', calendarId, path(`${id}_${gone}`))).status).toBe(404);
  });

  it('is made without the instances that EXDATE names, or not at all', async () => {
    const methodId = 'delete_me_calendars_By_calendar_id_events_By_event_id';
    await a.sandbox.microsoft.fault({ methodId }, { type: 'status', status: 403, body: {} }, { times: 1 });
    const { status } = await a.events('POST', calendarId, '', {
      body: {
        title: 'S',
        ...hour('2027-05-01'),
        recurrence: ['RRULE:FREQ=DAILY;COUNT=4', 'EXDATE:20270502T080000Z'],
      },
    });
    expect(status).toBe(403);
    expect((await a.list(calendarId)).items).toEqual([]);
  });

  it('is in no window where a moved instance would have been', async () => {
    const { id } = await daily('2027-05-01', { recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'] });
    await a.change(calendarId, `${id}_20270501T080000Z`, hour('2027-05-04'));
    const window = { startDateTime: '2027-05-01T00:00:00Z', endDateTime: '2027-05-01T23:00:00Z' };
    expect((await a.list(calendarId, window)).items).toEqual([]);
  });

  describe('in a zone that nobody has a name for', () => {
    const custom = 'tzone://Microsoft/Custom';

    it('is shown in the mailbox’s zone, never in UTC, and changed without losing an hour', async () => {
      const { id } = await daily('2027-03-26', { recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] });
      const whole = await a.held(id, calendarId);
      const inCustom = (event: any) => ({
        ...event,
        start: { dateTime: '2027-03-26T09:00:00.0000000', timeZone: 'UTC' },
        end: { dateTime: '2027-03-26T10:00:00.0000000', timeZone: 'UTC' },
        originalStartTimeZone: custom,
        originalEndTimeZone: custom,
        recurrence: { ...event.recurrence, range: { ...event.recurrence.range, recurrenceTimeZone: custom } },
        singleValueExtendedProperties: [],
      });
      const methodId = 'get_me_calendars_By_calendar_id_events_By_event_id';
      await a.sandbox.microsoft.fault({ methodId }, { type: 'replace', body: inCustom(whole) });
      const shownSeries = await get(id);
      expect(shownSeries).toMatchObject({
        start: { dateTime: '2027-03-26T10:00:00+01:00', timeZone: 'Europe/Berlin' },
        recurrence: ['RRULE:FREQ=DAILY;COUNT=4'],
      });
      await a.sandbox.microsoft.clearRequests();
      expect((await a.events('PUT', calendarId, path(id), { body: shownSeries })).status).toBe(200);
      const sent = await a.sandbox.microsoft.requests();
      expect(sent.filter(({ method }) => method === 'PATCH')).toEqual([]);
    });
  });

  describe('split', () => {
    const split = (eventId: string, change: object, inCalendar = calendarId) =>
      a.change(inCalendar, eventId, change, { scope: 'following' });

    it('and moves keep what instances have of their own, what they lack of the series as well', async () => {
      const { id } = await daily('2027-05-01', {
        description: 'Of the series',
        location: 'Of the series',
        reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] },
        publicExtendedProperties: { a: '1', b: '2' },
        attendees: [{ email: OTHER }],
        colorId: '4',
      });
      await a.change(calendarId, `${id}_20270504T080000Z`, {
        reminders: { useDefault: false, isReminderOn: false, overrides: [] },
        publicExtendedProperties: { b: '3' },
        description: null,
        location: null,
        attendees: [],
        colorId: null,
      });
      const own = { title: 'Rest', reminders: { isReminderOn: false }, attendees: [] };
      const rest = await split(`${id}_20270503T080000Z`, { title: 'Rest' });
      const carried = await get(`${rest.id}_20270504T080000Z`);
      expect(carried).toMatchObject(own);
      expect(carried.publicExtendedProperties).toEqual({ b: '3' });
      expect([carried.description, carried.location, carried.colorId]).toEqual([undefined, undefined, undefined]);
      await a.change(calendarId, rest.id, hour('2027-05-03', 12));
      const again = await get(`${rest.id}_20270504T100000Z`);
      expect(again).toMatchObject(own);
      expect(again.publicExtendedProperties).toEqual({ b: '3' });
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
      expect(rest.location).toBe('Here');
      const starts = (await shown()).slice(0, 3);
      expect(starts).toEqual([
        '2027-05-03T10:00:00+02:00 S',
        '2027-05-05T10:00:00+02:00 S',
        '2027-05-10T10:00:00+02:00 S',
      ]);
      const lengths = (await occurrences(rest.id)).map(
        ({ start, end }) => Date.parse(end.dateTime) - Date.parse(start.dateTime),
      );
      expect(lengths).toEqual(Array(3).fill(7_200_000));
    });

    it('is not for guests', async () => {
      const recurrence = {
        pattern: { type: 'daily', interval: 1 },
        range: { type: 'numbered', startDate: '2027-05-12', numberOfOccurrences: 3, recurrenceTimeZone: 'UTC' },
      };
      const attendees = [{ emailAddress: { address: ME }, type: 'required' }];
      const { start, end } = hour('2027-05-12');
      await a.made({ subject: 'Theirs', start, end, recurrence, attendees }, undefined, OTHER);
      const { id } = (await a.list(a.calendarId, { search: 'Theirs' })).items[0];
      for (const method of ['PUT', 'DELETE']) {
        const options = { query: { scope: 'following' }, ...(method === 'PUT' && { body: { colorId: '6' } }) };
        const { status, body } = await a.events(method, a.calendarId, path(`${id}_20270513`), options);
        expect([status, body.code]).toEqual([400, 'ValidationFailed']);
      }
      const instance = `${id}_20270513T080000Z`;
      expect(await a.change(a.calendarId, instance, { colorId: '5' })).toMatchObject({ id: instance, colorId: '5' });
    });
  });
});
