import { isFullEvent } from '#domain/events';
import { WHOLE_CALENDAR } from '#domain/providers';
import { EXPANDED, openGoogle, BOB, ALICE, type OpenedGoogle } from './opened-google-calendar.js';

const time = (local: string, timeZone = 'Europe/Berlin') => ({
  kind: 'dateTime' as const,
  local,
  timeZone,
  offsetMinutes: null,
});
const day = (date: string) => ({ kind: 'date' as const, date });
const NINE = { start: time('2027-03-22T09:00:00'), end: time('2027-03-22T10:00:00') };

describe('series at Google', () => {
  let g: OpenedGoogle;
  let calendarId: string;

  beforeAll(async () => {
    g = await openGoogle();
  });

  beforeEach(async () => {
    calendarId = await g.newCalendar();
  });

  afterAll(() => g.close());

  const create = async (input: object, on = calendarId) =>
    (await g.provider.createEvent(g.session, on, { title: 'Series', ...NINE, ...input }, {})).event;
  const update = async (id: string, input: object, options: object = {}) =>
    (await g.provider.updateEvent(g.session, calendarId, id, input, options)).event;
  const remove = (id: string, options: object = {}) => g.provider.deleteEvent(g.session, calendarId, id, options);
  /** Title and start of everything that takes place. */
  const shown = async (on = calendarId) =>
    (await g.list(on, { ...EXPANDED, orderBy: 'startDateTime' })).items
      .filter(isFullEvent)
      .map(({ title, start }) => `${title} ${start.kind === 'date' ? start.date : start.local}`);
  const masters = async () =>
    (await g.list(calendarId, WHOLE_CALENDAR)).items
      .filter(isFullEvent)
      .filter(({ recurrence }) => recurrence !== null);

  it.each([
    ['COUNT', 'FREQ=DAILY;COUNT=5', ['RRULE:FREQ=DAILY;COUNT=2'], ['RRULE:FREQ=DAILY;COUNT=3']],
    [
      'UNTIL',
      'FREQ=DAILY;UNTIL=20270326T080000Z',
      ['RRULE:FREQ=DAILY;UNTIL=20270324T075959Z'],
      ['RRULE:FREQ=DAILY;UNTIL=20270326T080000Z'],
    ],
    [
      'no end',
      'FREQ=WEEKLY;BYDAY=MO,WE',
      ['RRULE:FREQ=WEEKLY;UNTIL=20270324T075959Z;BYDAY=MO,WE'],
      ['RRULE:FREQ=WEEKLY;BYDAY=MO,WE'],
    ],
  ])('splits a rule with %s', async (_end, rule, before, after) => {
    const series = await create({ recurrence: [rule] });
    const rest = await update(`${series.id}_20270324T080000Z`, { title: 'Rest' }, { scope: 'following' });
    expect(rest.recurrence).toEqual(after);
    expect(rest.start).toMatchObject({ local: '2027-03-24T09:00:00' });
    expect((await g.provider.getEvent(g.session, calendarId, series.id)).recurrence?.map(sortParts)).toEqual(
      before.map(sortParts),
    );
  });

  it('splits a series of days with an UNTIL that is a day', async () => {
    const series = await create({ start: day('2027-03-22'), end: undefined, recurrence: ['FREQ=DAILY'] });
    await remove(`${series.id}_20270325`, { scope: 'following' });
    expect((await masters()).map(({ recurrence }) => recurrence)).toEqual([['RRULE:FREQ=DAILY;UNTIL=20270324']]);
  });

  it('takes changed and deleted instances over into the new series, and moves them with it', async () => {
    const series = await create({ recurrence: ['FREQ=DAILY;COUNT=6'] });
    await update(`${series.id}_20270323T080000Z`, { title: 'Early' });
    await update(`${series.id}_20270325T080000Z`, {
      title: 'Moved',
      start: time('2027-03-25T15:00:00'),
      end: time('2027-03-25T17:00:00'),
    });
    await remove(`${series.id}_20270326T080000Z`);
    await update(
      `${series.id}_20270324T080000Z`,
      { title: 'Rest', start: time('2027-03-24T11:00:00'), end: time('2027-03-24T12:00:00') },
      { scope: 'following' },
    );
    expect(await shown()).toEqual([
      'Series 2027-03-22T09:00:00',
      'Early 2027-03-23T09:00:00',
      'Rest 2027-03-24T11:00:00',
      'Moved 2027-03-25T17:00:00',
      'Rest 2027-03-27T11:00:00',
    ]);
  });

  it('changes all of it when nothing comes before the instance', async () => {
    const series = await create({ recurrence: ['FREQ=DAILY;COUNT=3'] });
    await remove(`${series.id}_20270322T080000Z`);
    const all = await update(`${series.id}_20270323T080000Z`, { title: 'All' }, { scope: 'following' });
    expect(all.id).toBe(series.id);
    await remove(`${series.id}_20270323T080000Z`, { scope: 'following' });
    expect(await masters()).toEqual([]);
  });

  it('F23 goes on where a split was cut off', async () => {
    const series = await create({ recurrence: ['FREQ=DAILY;COUNT=4'] });
    const id = `${series.id}_20270324T080000Z`;
    await g.fault({ methodId: 'calendar.events.patch' }, { type: 'status', status: 400, reason: 'invalid' });
    await expect(update(id, { title: 'Rest' }, { scope: 'following' })).rejects.toMatchObject({
      code: 'ProviderRejected',
    });
    await update(id, { title: 'Rest, really' }, { scope: 'following' });
    expect(await shown()).toEqual([
      'Series 2027-03-22T09:00:00',
      'Series 2027-03-23T09:00:00',
      'Rest, really 2027-03-24T09:00:00',
      'Rest, really 2027-03-25T09:00:00',
    ]);
  });

  it('makes one new series when somebody else writes in between', async () => {
    const series = await create({ recurrence: ['FREQ=DAILY;COUNT=4'] });
    await g.fault({ methodId: 'calendar.events.patch' }, { type: 'status', status: 412, reason: 'conditionNotMet' });
    await update(`${series.id}_20270324T080000Z`, { title: 'Rest' }, { scope: 'following' });
    expect(await shown()).toEqual([
      'Series 2027-03-22T09:00:00',
      'Series 2027-03-23T09:00:00',
      'Rest 2027-03-24T09:00:00',
      'Rest 2027-03-25T09:00:00',
    ]);
  });

  it('gives the new series a meeting of its own', async () => {
    const series = await create({ recurrence: ['FREQ=DAILY;COUNT=4'], generateMeetingUrlProvider: 'hangoutsMeet' });
    const rest = await update(`${series.id}_20270324T080000Z`, { title: 'Rest' }, { scope: 'following' });
    expect(rest.conferenceData?.joinUrl).toMatch(/^https:/);
    expect(rest.conferenceData?.joinUrl).not.toBe(series.conferenceData?.joinUrl);
  });

  it('gives the new series the conference of a third party', async () => {
    const joinUrl = 'https://bridge.example.test/1';
    const series = await create({ recurrence: ['FREQ=DAILY;COUNT=4'], conferenceData: { joinUrl, conferenceId: '1' } });
    const rest = await update(`${series.id}_20270324T080000Z`, { title: 'Rest' }, { scope: 'following' });
    expect(rest.conferenceData).toEqual(series.conferenceData);
  });

  it('refuses to split somebody else’s series', async () => {
    const series = await create({ recurrence: ['FREQ=DAILY;COUNT=4'], attendees: [{ email: BOB }] }, ALICE);
    const id = `${series.id}_20270324T080000Z`;
    const attempt = g.provider.updateEvent(g.bob, BOB, id, { title: 'Mine' }, { scope: 'following' });
    await expect(attempt).rejects.toMatchObject({ code: 'ValidationFailed', details: [{ path: 'scope' }] });
  });

  it('moves a whole series by one of its instances', async () => {
    const series = await create({ recurrence: ['FREQ=WEEKLY;COUNT=3'] });
    await update(
      `${series.id}_20270329T070000Z`,
      { start: time('2027-03-30T11:00:00'), end: time('2027-03-30T12:30:00') },
      { scope: 'all' },
    );
    expect(await shown()).toEqual([
      'Series 2027-03-23T11:00:00',
      'Series 2027-03-30T11:00:00',
      'Series 2027-04-06T11:00:00',
    ]);
  });

  it('moves what names instances along with a series', async () => {
    const series = await create({
      recurrence: [
        'RRULE:FREQ=DAILY;UNTIL=20270326T080000Z',
        'EXDATE:20270323T090000',
        'RDATE;TZID=Europe/Berlin:20270410T090000',
      ],
    });
    const moved = await update(series.id, { start: time('2027-03-22T11:00:00'), end: time('2027-03-22T12:00:00') });
    expect(moved.recurrence).toEqual([
      'RRULE:FREQ=DAILY;UNTIL=20270326T100000Z',
      'EXDATE;TZID=Europe/Berlin:20270323T110000',
      'RDATE;TZID=Europe/Berlin:20270410T110000',
    ]);
  });

  it('turns a series of hours into one of days, with its instances', async () => {
    const series = await create({ recurrence: ['FREQ=DAILY;UNTIL=20270325T080000Z'] });
    await update(`${series.id}_20270323T080000Z`, { title: 'Special' });
    await remove(`${series.id}_20270324T080000Z`);
    await update(series.id, { isAllDay: true });
    expect(await shown()).toEqual(['Series 2027-03-22', 'Special 2027-03-23', 'Series 2027-03-25']);
  });

  it('keeps deleted days deleted when only the rule changes', async () => {
    const series = await create({ recurrence: ['RRULE:FREQ=DAILY;COUNT=4', 'EXDATE:20270323T090000'] });
    await update(series.id, { recurrence: ['FREQ=DAILY;COUNT=3'] });
    expect(await shown()).toEqual(['Series 2027-03-22T09:00:00', 'Series 2027-03-24T09:00:00']);
  });

  it('refuses a recurrence for one instance, and the scope this for a series', async () => {
    const series = await create({ recurrence: ['FREQ=DAILY;COUNT=4'] });
    await expect(update(`${series.id}_20270323T080000Z`, { recurrence: ['FREQ=DAILY'] })).rejects.toMatchObject({
      details: [{ path: 'recurrence' }],
    });
    await expect(update(series.id, { title: 'x' }, { scope: 'this' })).rejects.toMatchObject({
      details: [{ path: 'scope' }],
    });
  });

  it('refuses a stale version of an instance for the whole series, too', async () => {
    const series = await create({ recurrence: ['FREQ=DAILY;COUNT=4'] });
    const id = `${series.id}_20270323T080000Z`;
    const { etag } = await g.provider.getEvent(g.session, calendarId, id);
    await update(id, { title: 'Special' });
    for (const scope of ['this', 'following', 'all']) {
      await expect(update(id, { title: 'x' }, { scope, ifMatch: etag })).rejects.toMatchObject({
        code: 'PreconditionFailed',
      });
    }
  });
});

function sortParts(line: string): string {
  return line.split(';').sort().join(';');
}
