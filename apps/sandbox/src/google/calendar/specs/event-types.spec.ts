import { FakeHost, hour, MARA, RAVI } from '../../../../testing/calendar-api-host.js';

let fixture: FakeHost;
beforeEach(() => {
  fixture = new FakeHost();
});

const day = (date = '2026-12-02', end = '2026-12-03') => ({ start: { date }, end: { date: end } });
const outOfOffice = { ...hour(21), eventType: 'outOfOffice', outOfOfficeProperties: {} };
const focusTime = { ...hour(2), eventType: 'focusTime', focusTimeProperties: { chatStatus: 'doNotDisturb' } };
const workingLocation = {
  ...day(),
  eventType: 'workingLocation',
  visibility: 'public',
  transparency: 'transparent',
  workingLocationProperties: { type: 'homeOffice', homeOffice: {} },
};
const birthday = { ...day(), eventType: 'birthday', recurrence: ['RRULE:FREQ=YEARLY'] };

describe('types of events', () => {
  it.each([outOfOffice, focusTime, workingLocation, birthday])('$eventType is made and told', (body) => {
    const { id } = fixture.events(MARA).insert(body);
    expect(fixture.events(MARA).get(id)).toMatchObject({ ...body, start: {}, end: {} });
  });

  it.each([
    [{ ...hour(1), eventType: 'party' }, '400 invalid'],
    [{ ...hour(1), eventType: 'fromGmail' }, '400 eventTypeRestriction'],
    [{ ...hour(1), outOfOfficeProperties: {} }, '400 eventTypeRestriction'],
    [{ ...focusTime, outOfOfficeProperties: {} }, '400 eventTypeRestriction'],
    [{ ...outOfOffice, outOfOfficeProperties: undefined }, '400 eventTypeRestriction'],
    [{ ...outOfOffice, ...day() }, '400 eventTypeRestriction'],
    [{ ...outOfOffice, transparency: 'transparent' }, '400 eventTypeRestriction'],
    [{ ...outOfOffice, attendees: [{ email: RAVI.email }] }, '400 eventTypeRestriction'],
    [{ ...outOfOffice, outOfOfficeProperties: { autoDeclineMode: 'all' } }, '400 invalid'],
    [{ ...focusTime, focusTimeProperties: { chatStatus: 'away' } }, '400 invalid'],
    [{ ...workingLocation, workingLocationProperties: {} }, '400 eventTypeRestriction'],
    [{ ...workingLocation, workingLocationProperties: { type: 'beach' } }, '400 invalid'],
    [{ ...workingLocation, visibility: undefined }, '400 eventTypeRestriction'],
    [{ ...workingLocation, transparency: 'opaque' }, '400 eventTypeRestriction'],
    [{ ...workingLocation, ...day('2026-12-02', '2026-12-04') }, '400 eventTypeRestriction'],
    [{ ...birthday, recurrence: undefined }, '400 eventTypeRestriction'],
    [{ ...birthday, recurrence: ['RRULE:FREQ=MONTHLY'] }, '400 eventTypeRestriction'],
    [{ ...birthday, location: 'Cake shop' }, '400 eventTypeRestriction'],
    [{ ...birthday, birthdayProperties: { type: 'anniversary' } }, '400 invalid'],
  ])('are refused (%#): %j', (body, rejection) => {
    expect(fixture.events(MARA).refusal('insert', '', body)).toMatch(new RegExp(`^${rejection} `));
  });

  it('with a status are for the primary calendars of Workspace users', () => {
    const calendarId = fixture.newCalendar(MARA);
    for (const body of [outOfOffice, focusTime, workingLocation]) {
      expect(fixture.events(RAVI).refusal('insert', '', body)).toMatch(/^400 eventTypeRestriction/);
      expect(fixture.events(MARA, calendarId).refusal('insert', '', body)).toMatch(/^400 eventTypeRestriction/);
    }
  });

  it('have no conference', () => {
    const conferenceData = { createRequest: { requestId: '1', conferenceSolutionKey: { type: 'hangoutsMeet' } } };
    expect(
      fixture.events(MARA).refusal('insert', '', { ...focusTime, conferenceData }, { conferenceDataVersion: 1 }),
    ).toMatch(/^400 eventTypeRestriction/);
  });

  it('do not change', () => {
    const { insert, refusal, patch } = fixture.events(MARA);
    const { id } = insert(hour(1));
    for (const eventType of ['default', 'focusTime']) {
      expect(refusal('patch', id, { eventType })).toMatch(/^400 eventTypeRestriction/);
    }
    const focus = insert(focusTime);
    expect(patch(focus.id, { focusTimeProperties: { autoDeclineMode: 'declineNone' } }).focusTimeProperties).toEqual({
      chatStatus: 'doNotDisturb',
      autoDeclineMode: 'declineNone',
    });
  });
});

describe('conferences', () => {
  const request = (requestId: string, type = 'hangoutsMeet') => ({
    conferenceData: { createRequest: { requestId, conferenceSolutionKey: { type } } },
  });
  const version1 = { conferenceDataVersion: 1 };

  it('need conferenceDataVersion=1', () => {
    expect(fixture.events(MARA).insert({ ...hour(1), ...request('1') })).not.toHaveProperty('conferenceData');
    expect(fixture.violations).toEqual(['conferenceData is ignored without conferenceDataVersion=1']);
  });

  it('are pending for as long as is set, then there', () => {
    fixture.api.setConference({ pendingMs: 5_000, fail: false });
    const event = fixture.events(MARA).insert({ ...hour(1), ...request('1') }, version1);
    expect(event.conferenceData).toEqual({
      createRequest: {
        requestId: '1',
        conferenceSolutionKey: { type: 'hangoutsMeet' },
        status: { statusCode: 'pending' },
      },
    });
    expect(event).not.toHaveProperty('hangoutLink');
    const { nextSyncToken: syncToken } = fixture.events(MARA).list();
    fixture.now += 4_999;
    expect(fixture.events(MARA).get(event.id)).toEqual(event);
    fixture.now += 1;
    const [made] = fixture.events(MARA).list({ syncToken }).items;
    const { conferenceId } = made.conferenceData;
    expect(conferenceId).toMatch(/^[a-z]{3}-[a-z]{4}-[a-z]{3}$/);
    expect(made).toMatchObject({
      hangoutLink: `https://meet.google.com/${conferenceId}`,
      conferenceData: {
        createRequest: { status: { statusCode: 'success' } },
        entryPoints: [{ entryPointType: 'video', uri: `https://meet.google.com/${conferenceId}` }],
        conferenceSolution: { key: { type: 'hangoutsMeet' }, name: 'Google Meet' },
      },
    });
    expect(made.etag).not.toBe(event.etag);
  });

  it('are there at once when nothing is to be waited for, and reach the guests', () => {
    const { id, hangoutLink } = fixture
      .events(MARA)
      .insert({ ...hour(1), ...request('1'), attendees: [{ email: RAVI.email }] }, version1);
    expect(hangoutLink).toMatch(/^https:\/\/meet\.google\.com\//);
    expect(fixture.events(RAVI).get(id).hangoutLink).toBe(hangoutLink);
  });

  it('can fail', () => {
    fixture.api.setConference({ pendingMs: 0, fail: true });
    const { conferenceData } = fixture.events(MARA).insert({ ...hour(1), ...request('1') }, version1);
    expect(conferenceData).toEqual({
      createRequest: { ...request('1').conferenceData.createRequest, status: { statusCode: 'failure' } },
    });
  });

  it('are made once for each requestId', () => {
    const { insert, patch } = fixture.events(MARA);
    const { id, hangoutLink } = insert({ ...hour(1), ...request('1') }, version1);
    expect(patch(id, request('1'), version1).hangoutLink).toBe(hangoutLink);
    expect(patch(id, request('2'), version1).hangoutLink).not.toBe(hangoutLink);
  });

  it('stay unless they are written, and go with null', () => {
    const { insert, patch } = fixture.events(MARA);
    const { id, hangoutLink } = insert({ ...hour(1), ...request('1') }, version1);
    expect(patch(id, { summary: 'x' }, version1).hangoutLink).toBe(hangoutLink);
    patch(id, request('2'), version1);
    expect(patch(id, { conferenceData: null }, version1)).not.toHaveProperty('conferenceData');
  });

  it('can be copied', () => {
    const { insert } = fixture.events(MARA);
    const { conferenceData, hangoutLink } = insert({ ...hour(1), ...request('1') }, version1);
    const { entryPoints, conferenceSolution, conferenceId } = conferenceData;
    const copy = { conferenceData: { entryPoints, conferenceSolution, conferenceId } };
    expect(insert({ ...hour(2), ...copy }, version1).hangoutLink).toBe(hangoutLink);
  });

  it.each([
    [request('1', 'eventHangout'), '400 invalid Invalid conference type value.'],
    [{ conferenceData: { createRequest: { requestId: '1' } } }, '400 invalid Invalid conference type value.'],
    [request(''), '400 required Missing conference request id.'],
    [
      { conferenceData: { conferenceSolution: { key: { type: 'hangoutsMeet' } } } },
      '400 invalid Invalid conference data.',
    ],
  ])('are refused: %j', (body, rejection) => {
    expect(fixture.events(MARA).refusal('insert', '', { ...hour(1), ...body }, version1)).toBe(rejection);
  });

  it('that are decided after the event is gone change nothing', () => {
    fixture.api.setConference({ pendingMs: 5_000, fail: false });
    const { id } = fixture.events(MARA).insert({ ...hour(1), ...request('1') }, version1);
    fixture.events(MARA).delete(id);
    fixture.now += 5_000;
    expect(fixture.events(MARA).get(id)).toMatchObject({
      status: 'cancelled',
      conferenceData: { createRequest: { status: { statusCode: 'pending' } } },
    });
  });
});
