import { isFullEvent } from '#domain/events';
import { toCalendarEvent, toEventItem } from './event-mapper.js';
import { readGoogleEvent } from './google-event.js';
import { expectReadable } from '../../kit/testing/hostile-json.js';

const CALENDAR = { timeZone: 'Europe/Lisbon', hasDefaultReminders: true };
const TIMES = {
  start: { dateTime: '2026-12-01T09:00:00Z', timeZone: 'Europe/Lisbon' },
  end: { dateTime: '2026-12-01T10:00:00Z', timeZone: 'Europe/Lisbon' },
};
const read = (raw: object) => readGoogleEvent({ id: 'event1', ...TIMES, ...raw }, CALENDAR.timeZone)!;
const map = (raw: object = {}) => toCalendarEvent(read(raw), CALENDAR);

describe('toCalendarEvent (google)', () => {
  it('maps an invitation with guests, a meeting and properties', () => {
    const event = map({
      etag: '"3590000000000001"',
      status: 'confirmed',
      htmlLink: 'https://www.google.com/calendar/event?eid=x',
      created: '2026-11-18T08:00:00.000Z',
      updated: '2026-11-20T10:15:00.123Z',
      summary: 'Budget review',
      description: '<p>Bring <b>figures</b></p>',
      location: 'Room 4',
      colorId: '5',
      creator: { email: 'mara.field@example.com', self: true },
      organizer: { email: 'mara.field@example.com', self: true },
      iCalUID: 'x@google.com',
      attendees: [
        { email: 'mara.field@example.com', organizer: true, self: true, responseStatus: 'accepted' },
        { email: 'Ravi.Stone@example.com', displayName: 'Ravi Stone', responseStatus: 'needsAction' },
        { email: 'kim@partner.example', optional: true, responseStatus: 'tentative' },
      ],
      hangoutLink: 'https://meet.google.com/abc-defg-hij',
      conferenceData: {
        entryPoints: [
          { entryPointType: 'phone', uri: 'tel:+351-000-000-001' },
          { entryPointType: 'video', uri: 'https://meet.google.com/abc-defg-hij' },
        ],
        conferenceSolution: { key: { type: 'hangoutsMeet' }, name: 'Google Meet' },
        conferenceId: 'abc-defg-hij',
      },
      extendedProperties: { private: { crmId: '77' }, shared: { project: 'atlas' } },
      reminders: { useDefault: true },
      eventType: 'default',
    });
    expect(event).toEqual({
      id: 'event1',
      title: 'Budget review',
      description: '<p>Bring <b>figures</b></p>',
      etag: '3590000000000001',
      createdAt: '2026-11-18T08:00:00Z',
      updatedAt: '2026-11-20T10:15:00Z',
      start: { kind: 'dateTime', local: '2026-12-01T09:00:00', timeZone: 'Europe/Lisbon', offsetMinutes: 0 },
      end: { kind: 'dateTime', local: '2026-12-01T10:00:00', timeZone: 'Europe/Lisbon', offsetMinutes: 0 },
      publicExtendedProperties: { project: 'atlas' },
      privateExtendedProperties: { crmId: '77' },
      isRecurring: false,
      isException: false,
      isCancelled: false,
      recurrence: null,
      colorId: '5',
      myResponseStatus: 'accepted',
      attendees: [
        { id: 'mara.field@example.com', email: 'mara.field@example.com', responseStatus: 'accepted' },
        {
          id: 'ravi.stone@example.com',
          name: 'Ravi Stone',
          email: 'Ravi.Stone@example.com',
          responseStatus: 'needsAction',
        },
        { id: 'kim@partner.example', email: 'kim@partner.example', responseStatus: 'tentative' },
      ],
      visibility: 'default',
      location: 'Room 4',
      conferenceData: {
        conferenceId: 'abc-defg-hij',
        conferenceType: 'hangoutsMeet',
        joinUrl: 'https://meet.google.com/abc-defg-hij',
        conferenceDetails: expect.objectContaining({ conferenceId: 'abc-defg-hij' }),
      },
      webLink: 'https://www.google.com/calendar/event?eid=x',
      iCalUid: 'x@google.com',
      transparency: 'opaque',
      eventType: 'default',
      organizer: { email: 'mara.field@example.com', isSelf: true },
      creator: { email: 'mara.field@example.com' },
      reminders: { useDefault: true, isReminderOn: true },
      calendarTimeZone: 'Europe/Lisbon',
    });
  });

  it('fills in what Google leaves out', () => {
    expect(map()).toEqual({
      id: 'event1',
      title: '',
      start: expect.anything(),
      end: expect.anything(),
      publicExtendedProperties: {},
      privateExtendedProperties: {},
      isRecurring: false,
      isException: false,
      isCancelled: false,
      recurrence: null,
      attendees: [],
      visibility: 'default',
      webLink: '',
      transparency: 'opaque',
      eventType: 'default',
      reminders: { useDefault: true, isReminderOn: true },
      calendarTimeZone: 'Europe/Lisbon',
    });
  });

  it('maps a series, an instance and a moved one', () => {
    const recurrence = ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=10', 'EXDATE;TZID=Europe/Berlin:20261228T090000'];
    expect(map({ recurrence })).toMatchObject({ isRecurring: true, isException: false, recurrence });
    const moved = map({
      id: 'seriesaa01_20261214T080000Z',
      recurringEventId: 'seriesaa01',
      originalStartTime: { dateTime: '2026-12-14T09:00:00+01:00', timeZone: 'Europe/Berlin' },
    });
    expect(moved).toMatchObject({
      isRecurring: false,
      isException: true,
      recurrence: null,
      recurringEventId: 'seriesaa01',
      originalStart: { kind: 'dateTime', local: '2026-12-14T09:00:00', timeZone: 'Europe/Berlin', offsetMinutes: 60 },
    });
  });

  it('keeps exclusive dates, and gives a day without an end one day', () => {
    expect(map({ start: { date: '2026-12-24' }, end: { date: '2026-12-27' } })).toMatchObject({
      start: { kind: 'date', date: '2026-12-24' },
      end: { kind: 'date', date: '2026-12-27' },
    });
    expect(map({ start: { date: '2026-12-24' }, end: undefined }).end).toEqual({ kind: 'date', date: '2026-12-25' });
    expect(map({ start: { date: '2026-12-24' } }).end).toEqual({ kind: 'date', date: '2026-12-25' });
    expect(map({ end: null }).end).toEqual(map().start);
  });

  it.each([
    ['outOfOffice', 'outOfOffice'],
    ['focusTime', 'focusTime'],
    ['workingLocation', 'default'],
    ['birthday', 'default'],
    ['fromGmail', 'default'],
    [7, 'default'],
  ])('shows the type %s as %s', (eventType, shown) => {
    expect(map({ eventType }).eventType).toBe(shown);
  });

  it.each([
    ['the own answer', { attendees: [{ email: 'me@x', self: true, responseStatus: 'declined' }] }, 'declined'],
    ['accepted for who organises without being on the list', { organizer: { email: 'me@x', self: true } }, 'accepted'],
    ['nothing for who is not invited', { organizer: { email: 'you@x' }, attendees: [{ email: 'z@x' }] }, undefined],
  ])('tells %s', (_name, raw, status) => {
    expect(map(raw).myResponseStatus).toBe(status);
  });

  it.each([
    [{ useDefault: false }, { useDefault: false, isReminderOn: false, overrides: [] }],
    [
      { useDefault: false, overrides: [{ method: 'popup', minutes: 10 }, { method: 'popup' }, 'x'] },
      { useDefault: false, isReminderOn: true, overrides: [{ method: 'popup', minutes: 10 }] },
    ],
    [undefined, { useDefault: true, isReminderOn: true }],
  ])('maps reminders %j', (reminders, shown) => {
    expect(map({ reminders }).reminders).toEqual(shown);
  });

  it('says nothing of default reminders that a calendar does not have: sent back, that would turn them off', () => {
    expect(toCalendarEvent(read({}), { ...CALENDAR, hasDefaultReminders: false }).reminders).toEqual({
      useDefault: true,
    });
  });

  it('shows a meeting that is being made without a link', () => {
    const createRequest = {
      requestId: 'r',
      conferenceSolutionKey: { type: 'hangoutsMeet' },
      status: { statusCode: 'pending' },
    };
    expect(map({ conferenceData: { createRequest } }).conferenceData).toEqual({
      conferenceType: 'hangoutsMeet',
      conferenceDetails: { createRequest },
    });
  });

  it('keeps the private key of ours to itself', () => {
    const shown = map({ colorId: '9', extendedProperties: { private: { 'ucal.color': '#5484ee 9', mine: '1' } } });
    expect(shown).toMatchObject({ colorId: '9', customColor: '#5484ee' });
    expect(shown.privateExtendedProperties).toEqual({ mine: '1' });
  });

  it('N51 makes something of anything', () => {
    const malformedResponse = [
      null,
      7,
      'text',
      [],
      {},
      [null, 7, { email: 7 }],
      { email: [] },
      JSON.parse('{"__proto__":{"x":1}}'),
    ];
    const wire = [
      'summary',
      'description',
      'attendees',
      'organizer',
      'creator',
      'reminders',
      'extendedProperties',
      'etag',
    ];
    const more = [
      'conferenceData',
      'colorId',
      'visibility',
      'transparency',
      'recurrence',
      'iCalUID',
      'created',
      'htmlLink',
      'end',
    ];
    for (const field of [...wire, ...more]) {
      for (const value of malformedResponse) {
        const event = map({ [field]: value });
        expect(typeof event.title).toBe('string');
        expect(event.attendees.every(({ id, email }) => typeof id === 'string' && typeof email === 'string')).toBe(
          true,
        );
      }
    }
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it.each([
    ['2026-11-18T08:00:00.999Z', '2026-11-18T08:00:00Z'],
    ['2026-11-18T08:00:00Z', '2026-11-18T08:00:00Z'],
    ['2026-11-18T08:00:00+02:00', '2026-11-18T06:00:00Z'],
    ['2026-02-30T08:00:00.000Z', '2026-03-02T08:00:00Z'],
    ['2026-13-01T08:00:00.000Z', undefined],
  ])('reads when it was made and changed: %s', (written, read) => {
    const { createdAt, updatedAt } = map({ created: written, updated: written });
    expect([createdAt, updatedAt]).toEqual([read, read]);
  });

  it('refuses an event without a time, which a list leaves out', () => {
    const broken = readGoogleEvent({ id: 'broken', status: 'confirmed' }, 'UTC')!;
    expect(() => toCalendarEvent(broken, CALENDAR)).toThrow(expect.objectContaining({ code: 'ProviderUnavailable' }));
    expect(toEventItem(broken, CALENDAR)).toEqual([]);
  });
});

describe('cancelled events', () => {
  it.each([
    [
      { id: 'gone', status: 'cancelled' },
      { id: 'gone', isCancelled: true },
    ],
    [
      {
        id: 'birthda07_20261205',
        status: 'cancelled',
        recurringEventId: 'birthda07',
        originalStartTime: { date: '2026-12-05' },
      },
      {
        id: 'birthda07_20261205',
        isCancelled: true,
        recurringEventId: 'birthda07',
        originalStart: { kind: 'date', date: '2026-12-05' },
      },
    ],
  ])('are stubs: %j', (raw, stub) => {
    const [item] = toEventItem(readGoogleEvent(raw, 'UTC')!, CALENDAR);
    expect(item).toEqual(stub);
    expect(isFullEvent(item!)).toBe(false);
  });

  it('are no events at all without an id', () => {
    for (const raw of [null, 'x', 7, {}, { id: '' }, { id: 7 }]) expect(readGoogleEvent(raw, 'UTC')).toBeNull();
  });
});

it('reads an event of a hostile server, or fails by name', () => {
  const series = {
    ...{ id: 'event1', etag: '"1"', status: 'confirmed', htmlLink: 'https://x', created: '2026-11-18T08:00:00.000Z' },
    ...{ updated: '2026-11-20T10:15:00.123Z', summary: 's', description: 'd', location: 'l', colorId: '5' },
    ...{
      creator: { email: 'a@b.c' },
      organizer: { email: 'a@b.c', self: true },
      iCalUID: 'x',
      hangoutLink: 'https://m',
    },
    ...{ start: TIMES.start, end: TIMES.end, originalStartTime: TIMES.start, recurringEventId: 'abc' },
    recurrence: ['RRULE:FREQ=DAILY', 'EXDATE:20261202T090000Z'],
    attendees: [{ email: 'a@b.c', self: true, responseStatus: 'accepted' }],
    conferenceData: {
      entryPoints: [{ entryPointType: 'video', uri: 'https://x' }],
      conferenceSolution: { key: { type: 'hangoutsMeet' }, name: 'x' },
      conferenceId: 'x',
    },
    reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] },
    ...{ visibility: 'private', transparency: 'opaque', eventType: 'default' },
    extendedProperties: { private: { a: 'b' }, shared: { x: 'y' } },
  };
  expectReadable(series, (raw) => {
    const event = readGoogleEvent(raw, CALENDAR.timeZone);
    if (event === null) return;
    toEventItem(event, CALENDAR);
    toCalendarEvent(event, CALENDAR);
  });
});
