import { FakeHost, hour, KIM, MARA, mondays, RAVI } from '../../../../testing/calendar-api-host.js';

let fixture: FakeHost;
beforeEach(() => {
  fixture = new FakeHost();
});

const window = { timeMin: '2026-12-01T00:00:00Z', timeMax: '2026-12-02T00:00:00Z' };
const query = (user: typeof MARA, body: object) => fixture.call(user, 'freebusy.query', { body });
const busy = (user: typeof MARA, body: object = {}) =>
  query(user, { ...window, items: [{ id: 'primary' }], ...body }).calendars.primary.busy;

describe('free/busy', () => {
  it('joins what overlaps, in the zone that is asked for, under the ids that were asked', () => {
    fixture.events(MARA).insert(hour(1, 9));
    fixture.events(MARA).insert({ ...hour(1, 9), end: { dateTime: '2026-12-01T11:30:00Z' } });
    const response = query(MARA, {
      ...window,
      items: [{ id: 'primary' }, { id: MARA.email }, { id: 'nobody@example.com' }],
    });
    const slots = [{ start: '2026-12-01T09:00:00Z', end: '2026-12-01T11:30:00Z' }];
    expect(response).toEqual({
      kind: 'calendar#freeBusy',
      timeMin: '2026-12-01T00:00:00.000Z',
      timeMax: '2026-12-02T00:00:00.000Z',
      calendars: {
        primary: { busy: slots },
        [MARA.email]: { busy: slots },
        'nobody@example.com': { errors: [{ domain: 'global', reason: 'notFound' }], busy: [] },
      },
    });
    expect(busy(MARA, { timeZone: 'Europe/Berlin' })[0].start).toBe('2026-12-01T10:00:00+01:00');
  });

  it.each([
    ['opaque', {}, 1],
    ['tentative', { status: 'tentative' }, 1],
    ['transparent', { transparency: 'transparent' }, 0],
    ['declined', { attendees: [{ email: MARA.email, responseStatus: 'declined' }] }, 0],
    ['unanswered', { attendees: [{ email: MARA.email }] }, 1],
    ['of no length', { end: hour(1).start }, 0],
  ])('of an event that is %s', (_name, more, count) => {
    fixture.events(MARA).insert({ ...hour(1), ...more });
    expect(busy(MARA)).toHaveLength(count);
  });

  it('knows no deleted events, and series by their instances', () => {
    const { insert, delete: remove, patch } = fixture.events(RAVI);
    const { id } = insert(mondays({ recurrence: ['RRULE:FREQ=DAILY'] }));
    const days = { timeMin: '2026-12-01T00:00:00Z', timeMax: '2026-12-05T00:00:00Z' };
    remove(`${id}_20261202T080000Z`);
    patch(`${id}_20261203T080000Z`, { transparency: 'transparent' });
    expect(busy(RAVI, days)).toEqual([
      { start: '2026-12-01T08:00:00Z', end: '2026-12-01T08:30:00Z' },
      { start: '2026-12-04T08:00:00Z', end: '2026-12-04T08:30:00Z' },
    ]);
    remove(id);
    expect(busy(RAVI, days)).toEqual([]);
  });

  it('cuts at the bounds; days are those of the calendar', () => {
    fixture.events(KIM).insert({ start: { date: '2026-12-01' }, end: { date: '2026-12-02' } });
    expect(busy(KIM)).toEqual([{ start: '2026-12-01T05:00:00Z', end: '2026-12-02T00:00:00Z' }]);
  });

  it('of others needs access to it', () => {
    fixture.events(MARA).insert({ ...hour(1), visibility: 'private' });
    const ask = () => query(RAVI, { ...window, items: [{ id: MARA.email }] }).calendars[MARA.email];
    expect(ask().errors).toEqual([{ domain: 'global', reason: 'notFound' }]);
    fixture.share(MARA, MARA.email, RAVI.email, 'freeBusyReader');
    expect(ask()).toEqual({ busy: [{ start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' }] });
  });

  it('answers for 50 calendars', () => {
    const items = [...Array(51).keys()].map((number) => ({
      id: number === 0 ? 'primary' : `nobody${number}@x.example`,
    }));
    const { calendars } = query(MARA, { ...window, items });
    expect(calendars.primary).toEqual({ busy: [] });
    expect(calendars['nobody49@x.example'].errors[0].reason).toBe('notFound');
    expect(calendars['nobody50@x.example'].errors[0].reason).toBe('tooManyCalendarsRequested');
  });

  it.each([
    [{ timeMin: undefined }, '400 required Missing timeMin parameter.'],
    [{ timeMax: '2026-12-02T00:00:00' }, '400 invalid Invalid value for: timeMax.'],
    [{ timeMax: window.timeMin }, '400 timeRangeEmpty The specified time range is empty.'],
    [{ timeMax: '2027-03-01T00:00:01Z' }, '400 timeRangeTooLong The requested time range is too long.'],
    [{ timeZone: 'Mars/Base' }, '400 invalid Invalid time zone value.'],
    [{ calendarExpansionMax: 10 }, '501 notImplemented The sandbox does not offer other limits.'],
  ])('is refused with %j', (more, rejection) => {
    const body = { ...window, items: [], ...more };
    expect(fixture.refusal(MARA, 'freebusy.query', { body })).toBe(rejection);
  });

  it('reaches 90 days', () => {
    expect(busy(MARA, { timeMax: '2027-03-01T00:00:00Z' })).toEqual([]);
  });
});
