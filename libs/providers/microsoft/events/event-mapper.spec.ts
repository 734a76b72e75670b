import { EVENTS as events } from '../adapter.js';
import { readBody, writtenBody } from './body-text.js';
import { toCalendarEvent } from './event-mapper.js';
import { checkEventId } from './find-event.js';
import { SmallGraph } from '../testing/small-graph.js';
import { readInstance, readOutlookEvent, readSeriesDetails } from './outlook-event.js';
import { expectReadable } from '../../kit/testing/hostile-json.js';

const BERLIN = 'Europe/Berlin';
const utc = (dateTime: string) => ({ dateTime: `${dateTime}.0000000`, timeZone: 'UTC' });
const BARE = { id: 'AAkEvt1=', start: utc('2026-12-01T08:00:00'), end: utc('2026-12-01T09:00:00') };
const FACTS = { timeZone: BERLIN, ownAddresses: new Set(['ida@x.example']) };
const read = (raw: object) => toCalendarEvent(readOutlookEvent({ ...BARE, ...raw }, BERLIN), FACTS);

describe('toCalendarEvent', () => {
  it('reads an event of Teams', () => {
    const event = read({
      '@odata.etag': 'W/"ck-e1"',
      createdDateTime: '2026-11-20T09:00:00.1234567Z',
      lastModifiedDateTime: '2026-11-20T09:00:02.7654321Z',
      originalStartTimeZone: 'W. Europe Standard Time',
      originalEndTimeZone: 'W. Europe Standard Time',
      iCalUId: '0400',
      isReminderOn: true,
      reminderMinutesBeforeStart: 15,
      subject: 'Budget review',
      isOrganizer: true,
      showAs: 'busy',
      isOnlineMeeting: true,
      onlineMeetingProvider: 'teamsForBusiness',
      body: { contentType: 'text', content: 'Numbers for Q1\r\n' },
      location: { displayName: 'Room 4' },
      attendees: [
        { type: 'required', status: { response: 'none' }, emailAddress: { name: 'Omar', address: 'Omar@x.example' } },
      ],
      organizer: { emailAddress: { name: 'Ida', address: 'ida@x.example' } },
      onlineMeeting: { joinUrl: 'https://teams.example/x', conferenceId: '1', tollNumber: '+49 30' },
      webLink: 'https://outlook.example/1',
    });
    expect(event).toMatchObject({
      etag: 'ck-e1',
      createdAt: '2026-11-20T09:00:00Z',
      updatedAt: '2026-11-20T09:00:02Z',
      description: 'Numbers for Q1',
      start: { kind: 'dateTime', local: '2026-12-01T09:00:00', timeZone: BERLIN, offsetMinutes: 60 },
      attendees: [{ id: 'omar@x.example', email: 'Omar@x.example', name: 'Omar', responseStatus: 'needsAction' }],
      organizer: { email: 'ida@x.example', isSelf: true },
      creator: { email: 'ida@x.example' },
      myResponseStatus: 'accepted',
      reminders: { useDefault: false, isReminderOn: true, overrides: [{ method: 'popup', minutes: 15 }] },
      conferenceData: {
        joinUrl: 'https://teams.example/x',
        conferenceDetails: { entryPoints: [expect.anything(), { entryPointType: 'phone', uri: 'tel:+4930' }] },
      },
    });
  });

  describe('of an invitation', () => {
    const guest = (address: string, response: string) => ({ status: { response }, emailAddress: { address } });
    const attendees = [guest('Ida@X.example', 'none'), guest('omar@x.example', 'none')];
    const responses = (raw: object) =>
      read({ attendees, ...raw }).attendees.map(({ responseStatus }) => responseStatus);

    it.each([
      ['accepted', 'accepted'],
      ['tentativelyAccepted', 'tentative'],
      ['declined', 'declined'],
      ['notResponded', 'needsAction'],
    ])('tells the own answer %s beside the own name, too', (response, answer) => {
      expect(responses({ isOrganizer: false, responseStatus: { response } })).toEqual([answer, 'needsAction']);
    });

    it('leaves the answers of guests to them where the account organizes, or Outlook tells no own answer', () => {
      expect(responses({ isOrganizer: true, responseStatus: { response: 'organizer' } })).toEqual([
        'needsAction',
        'needsAction',
      ]);
      expect(responses({ isOrganizer: false, attendees: [guest('ida@x.example', 'accepted')] })).toEqual(['accepted']);
    });
  });

  it('never converts an all-day date, whatever zones it names', () => {
    const days = { isAllDay: true, start: utc('2026-12-24T00:00:00'), end: utc('2026-12-27T00:00:00') };
    for (const zone of ['Tokyo Standard Time', 'Hawaiian Standard Time', 'UTC']) {
      expect(read({ ...days, originalStartTimeZone: zone, originalEndTimeZone: zone })).toMatchObject({
        start: { kind: 'date', date: '2026-12-24' },
        end: { kind: 'date', date: '2026-12-27' },
      });
    }
  });

  it.each([
    ['Tokyo Standard Time', 'Asia/Tokyo', '2026-12-01T17:00:00'],
    ['America/New_York', 'America/New_York', '2026-12-01T03:00:00'],
    ['tzone://Microsoft/Custom', BERLIN, '2026-12-01T09:00:00'],
    ['Mars/Olympus', BERLIN, '2026-12-01T09:00:00'],
    [7, BERLIN, '2026-12-01T09:00:00'],
  ])('shows times of %s in %s', (originalStartTimeZone, timeZone, local) => {
    expect(read({ originalStartTimeZone }).start).toMatchObject({ timeZone, local });
  });

  it.each([
    [{ showAs: 'free' }, { transparency: 'transparent', eventType: 'default' }],
    [{ showAs: 'workingElsewhere' }, { transparency: 'transparent' }],
    [{ showAs: 'tentative' }, { transparency: 'opaque' }],
    [{ showAs: 'oof' }, { transparency: 'opaque', eventType: 'outOfOffice' }],
    [{ sensitivity: 'personal' }, { visibility: 'private' }],
    [{ sensitivity: 'confidential' }, { visibility: 'confidential' }],
    [{ sensitivity: 'normal' }, { visibility: 'default' }],
    [{ responseStatus: { response: 'tentativelyAccepted' } }, { myResponseStatus: 'tentative' }],
    [{ responseStatus: { response: 'notResponded' } }, { myResponseStatus: 'needsAction' }],
    [{ isCancelled: true }, { isCancelled: true }],
    [{ subject: null }, { title: '' }],
    [{ categories: ['Red category', '5', 'x'] }, { colorId: '5' }],
  ])('reads %j as %j', (raw, event) => {
    expect(read(raw)).toMatchObject(event);
  });

  it('N51 tells of a meeting its texts only', () => {
    const deep = JSON.parse(`${'{"x":'.repeat(20_000)}0${'}'.repeat(20_000)}`);
    const { conferenceData } = read({ onlineMeeting: { joinUrl: 'https://teams.example/x', quickDial: '1', ...deep } });
    expect(conferenceData?.conferenceDetails).toEqual({
      joinUrl: 'https://teams.example/x',
      quickDial: '1',
      entryPoints: [{ entryPointType: 'video', uri: 'https://teams.example/x' }],
    });
  });

  it('reads nothing out of what is no such thing', () => {
    const hostile = {
      subject: { x: 1 },
      body: 7,
      attendees: [null, 'x', {}, { emailAddress: { address: 5 } }],
      categories: { 0: 'x' },
      location: 'here',
      organizer: [],
      onlineMeeting: 'x',
      isOnlineMeeting: 'yes',
      reminderMinutesBeforeStart: 'soon',
      isReminderOn: true,
      createdDateTime: 'yesterday',
      singleValueExtendedProperties: [
        null,
        { id: 'String {6f1d2c3b-4a59-4e68-8777-8695a4b3c2d1} Name ucPublic', value: '[1' },
      ],
      responseStatus: null,
      recurrence: 'x',
      webLink: 5,
    };
    const event = read(hostile);
    expect(event).toMatchObject({ title: '', attendees: [], publicExtendedProperties: {}, webLink: '' });
    expect(event.createdAt).toBeUndefined();
    for (const value of [null, 'x', 7, [], {}, { id: '' }])
      expect(() => readOutlookEvent(value, BERLIN)).toThrow(expect.objectContaining({ code: 'ProviderUnavailable' }));
    expect(() => toCalendarEvent(readOutlookEvent({ id: 'x', start: 'now' }, BERLIN), FACTS)).toThrow(
      expect.objectContaining({ code: 'ProviderUnavailable' }),
    );
  });

  it('reads its own properties in whatever letters the namespace comes back', () => {
    const of = (name: string, value: string) => ({
      id: `String {6F1D2C3B-4A59-4E68-8777-8695A4B3C2D1} Name ${name}`,
      value,
    });
    expect(
      read({
        singleValueExtendedProperties: [
          of('ucPrivate', '{"crmId":"42","n":1}'),
          of('ucHexColor', '#1a73e8'),
          of('ucEventType', 'focusTime'),
        ],
      }),
    ).toMatchObject({ privateExtendedProperties: { crmId: '42' }, customColor: '#1a73e8', eventType: 'focusTime' });
  });
});

describe('a series', () => {
  const SERIES = {
    id: 'AA_m=',
    type: 'seriesMaster',
    iCalUId: 'uid-1',
    originalStartTimeZone: 'Eastern Standard Time',
    start: utc('2026-11-02T14:00:00'),
    end: utc('2026-11-02T14:15:00'),
    recurrence: {
      pattern: { type: 'weekly', interval: 1, daysOfWeek: ['monday', 'wednesday'], firstDayOfWeek: 'sunday' },
      range: {
        type: 'endDate',
        startDate: '2026-11-02',
        endDate: '2027-03-31',
        recurrenceTimeZone: 'Eastern Standard Time',
      },
    },
  };
  const series = readOutlookEvent(SERIES, BERLIN, {
    ...readSeriesDetails({
      cancelledOccurrences: ['OID.AA_m=.2026-11-25', 'x', 7],
      exceptionOccurrences: [{ id: 'e' }, null],
    }),
  });

  it('is read with what was deleted of it', () => {
    expect(toCalendarEvent(series, FACTS)).toMatchObject({
      isRecurring: true,
      recurrence: [
        'RRULE:FREQ=WEEKLY;BYDAY=MO,WE;UNTIL=20270331T130000Z',
        'EXDATE;TZID=America/New_York:20261125T090000',
      ],
    });
    expect(series.exceptionIds).toEqual(['e']);
  });

  it('is read with the rule that it was asked for, and an instance without', () => {
    const rule = 'FREQ=WEEKLY;UNTIL=20270401T000000Z;BYDAY=WE,MO';
    const ofEvent = (value: string) => ({
      singleValueExtendedProperties: [{ id: 'String {6f1d2c3b-4a59-4e68-8777-8695a4b3c2d1} Name ucRule', value }],
    });
    const kept = readOutlookEvent({ ...SERIES, ...ofEvent(rule) }, BERLIN);
    expect(kept.recurrence).toEqual([`RRULE:${rule}`]);
    const row = { id: 'x', type: 'exception', seriesMasterId: 'AA_m=', originalStart: '2026-11-18T14:00:00Z' };
    const times = { start: utc('2026-11-18T16:00:00'), end: utc('2026-11-18T16:15:00') };
    const instance = readInstance({ ...row, ...times, ...ofEvent('FREQ=DAILY') }, kept, BERLIN)!;
    expect(instance.recurrence).toEqual([]);
    expect(instance.own.has('ucRule')).toBe(false);
  });

  it('names its instances by where it put them, on its own clock', () => {
    const row = {
      id: 'x',
      type: 'exception',
      seriesMasterId: 'AA_m=',
      originalStart: '2026-11-18T14:00:00Z',
      iCalUId: 'uid-2',
    };
    const moved = { ...row, start: utc('2026-11-18T16:00:00'), end: utc('2026-11-18T16:15:00') };
    expect(toCalendarEvent(readInstance(moved, series, BERLIN)!, FACTS)).toMatchObject({
      id: 'AA_m=_20261118T140000Z',
      recurringEventId: 'AA_m=',
      isException: true,
      iCalUid: 'uid-1',
      originalStart: { local: '2026-11-18T09:00:00', timeZone: 'America/New_York' },
    });
    expect(readInstance({ ...moved, seriesMasterId: 'other' }, series, BERLIN)).toBeNull();
    expect(readInstance({ ...moved, originalStart: 'x' }, series, BERLIN)).toBeNull();
  });
});

describe('an all-day series', () => {
  it.each([
    ['midnight of its day', 'Tokyo Standard Time', '2026-12-24T00:00:00Z'],
    ['when its day begins east of Greenwich', 'Tonga Standard Time', '2026-12-23T11:00:00Z'],
    ['when its day begins west of Greenwich', 'Dateline Standard Time', '2026-12-24T12:00:00Z'],
  ])('names an instance by its day where Outlook says %s', (_name, recurrenceTimeZone, originalStart) => {
    const days = { isAllDay: true, start: utc('2026-12-24T00:00:00'), end: utc('2026-12-25T00:00:00') };
    const range = { type: 'noEnd', startDate: '2026-12-23', recurrenceTimeZone };
    const recurrence = { pattern: { type: 'daily', interval: 1 }, range };
    const series = readOutlookEvent({ ...days, id: 'AA_d=', type: 'seriesMaster', recurrence }, BERLIN);
    const row = { ...days, id: 'x', type: 'exception', seriesMasterId: 'AA_d=', originalStart };
    expect(readInstance(row, series, BERLIN)).toMatchObject({
      id: 'AA_d=_20261224',
      originalStart: { kind: 'date', date: '2026-12-24' },
    });
  });
});

describe('readBody', () => {
  it.each([
    [{ contentType: 'text', content: 'a\r\nb\r\n' }, undefined, 'a\nb'],
    [
      {
        contentType: 'html',
        content: '<html><head><title>x</title></head><body><p>a &amp; b</p><p>c&#33;</p></body></html>',
      },
      undefined,
      'a & b\nc!',
    ],
    [{ contentType: 'html', content: '<style>p{}</style>x<br>y<script>z</script>' }, undefined, 'x\ny'],
    [
      { contentType: 'text', content: `Mine\r\n${'_'.repeat(40)}\r\nMicrosoft Teams\r\nhttps://t/1` },
      'https://t/1',
      'Mine',
    ],
    [{ contentType: 'text', content: 'Mine\r\nJoin https://t/1' }, 'https://t/1', 'Mine'],
    [{ contentType: 'text', content: `${'_'.repeat(40)}` }, 'https://t/1', '_'.repeat(40)],
    [null, undefined, ''],
    [
      { contentType: 'html', content: 'a<head x><b>b</b></HEAD >c<header>d</header><script>never closed' },
      undefined,
      'acd',
    ],
    [
      { contentType: 'html', content: `Mine<p>${'_'.repeat(40)}</p><a href="https://t/1?a=1&amp;b=2">` },
      'https://t/1?a=1&b=2',
      'Mine',
    ],
  ])('reads %j as text', (body, joinUrl, text) => {
    expect(readBody(body, joinUrl)).toBe(text);
  });

  it('takes time in proportion to the length of what somebody made up', () => {
    const many = 300_000;
    for (const piece of ['\n', ' ', '<style>', '<script><style>', '<br', '</p ', '<', '_', '&', '</style ']) {
      for (const contentType of ['text', 'html']) {
        expect(typeof readBody({ contentType, content: `${piece.repeat(many)}x` }, 'https://t/1')).toBe('string');
      }
    }
  });
});

describe('writtenBody', () => {
  it.each([
    '<p>Hello <b>you</b></p>',
    ' <!DOCTYPE html>\n<html><head><meta charset="utf-8"></head><body>a<br/>b</body></html>\n',
    '<UL><LI>a</li></ul>',
    '<b>one</b> and <i>two</i>',
    '<a href="https://x.example/?a=1&amp;b=2">x</a>',
    '<br><div>1 < 2</div>',
  ])('sends %j as the HTML that it is', (description) => {
    expect(writtenBody(description)).toEqual({ contentType: 'html', content: description });
  });

  it.each([
    '',
    'Line one\nLine two, <b>no markup</b> & "quotes"\n\nend',
    '<b>Note</b>: bring it',
    'bring <b>it</b>',
    '<name> comes on <date>',
    '<p>never closed',
    'never opened</p>',
    '<b><i>crossed</b></i>',
    '</p><p>',
    '<br>',
    '<config><host>a</host></config>',
    '<p>a</p><script>b</script>',
    '<ida@x.example>',
    '<https://x.example/a>',
  ])('sends %j as text', (description) => {
    expect(writtenBody(description)).toEqual({ contentType: 'text', content: description });
  });

  it('takes time in proportion to the length', () => {
    for (const piece of ['<b>', '</b>', '<b', '<', ' ', '<!doctype ', '<br>', '<b/']) {
      expect(writtenBody(piece.repeat(300_000)).contentType).toBe('text');
    }
  });
});

describe('ids', () => {
  it.each(['', '../x', 'a b', 'x?y', 'é', 'a'.repeat(1_025)])('are not asked for when they cannot be one: %j', (id) => {
    expect(() => checkEventId(id)).toThrow(expect.objectContaining({ code: 'NotFound' }));
  });

  it("finds instances by Graph's own id, and nothing by dates that do not exist", async () => {
    const graph = new SmallGraph();
    const id = graph.seed({
      start: { dateTime: '2027-03-22T09:00:00', timeZone: 'UTC' },
      end: { dateTime: '2027-03-22T10:00:00', timeZone: 'UTC' },
      recurrence: {
        pattern: { type: 'daily', interval: 1 },
        range: { type: 'numbered', numberOfOccurrences: 3, startDate: '2027-03-22', recurrenceTimeZone: 'UTC' },
      },
    });
    const get = (eventId: string) => events.get(graph.connection, 'work', eventId);
    expect((await get(`${id}-2027-03-23`)).id).toBe(`${id}_20270323T090000Z`);
    for (const date of ['20270399', '00000101', '99991231', '20270325', '20270323T100000Z', '20270321T090000Z']) {
      await expect(get(`${id}_${date}`)).rejects.toMatchObject({ code: 'NotFound' });
    }
  });

  it('lead nowhere when Outlook says that an instance is one of itself', async () => {
    const graph = new SmallGraph();
    const id = graph.seed(BARE);
    const raw = { ...(BARE as object), id, type: 'occurrence', seriesMasterId: id };
    const { call, batch } = graph.connection;
    const responses = [raw, raw];
    graph.connection.call = async (repeat, request) => responses.pop() ?? call(repeat, request);
    graph.connection.batch = async (calls) =>
      (await batch(calls)).map((response) => ({
        ...response,
        body: { ...(response.body as object), type: 'occurrence' },
      }));
    await expect(events.get(graph.connection, 'work', id)).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('of invitations that were called off lead nowhere, while lists show them', async () => {
    const graph = new SmallGraph();
    const id = graph.seed({ ...(BARE as object), isCancelled: true });
    await expect(events.get(graph.connection, 'work', id)).rejects.toMatchObject({ code: 'NotFound' });
    await expect(events.update(graph.connection, 'work', id, { title: 'x' }, {})).rejects.toMatchObject({
      code: 'NotFound',
    });
    await events.delete(graph.connection, 'work', id, {});
    expect(graph.events.size).toBe(0);
  });
});

it('reads a series of a hostile server, or fails by name', () => {
  const emailAddress = { name: 'Ida', address: 'ida@x.example' };
  const series = {
    ...{ ...BARE, '@odata.etag': 'W/"x"', type: 'seriesMaster', seriesMasterId: null, iCalUId: '0400', subject: 's' },
    ...{ createdDateTime: '2026-11-20T09:00:00.1Z', lastModifiedDateTime: '2026-11-20T09:00:00.1Z' },
    ...{ originalStartTimeZone: 'W. Europe Standard Time', originalEndTimeZone: 'W. Europe Standard Time' },
    ...{ originalStart: '2026-12-01T08:00:00Z', isReminderOn: true, reminderMinutesBeforeStart: 15 },
    ...{ isOrganizer: true, showAs: 'busy', isAllDay: false, isCancelled: false, sensitivity: 'normal' },
    ...{ isOnlineMeeting: true, onlineMeetingProvider: 'teamsForBusiness', webLink: 'https://o' },
    ...{
      body: { contentType: 'html', content: '<p>x</p>' },
      location: { displayName: 'R' },
      categories: ['Red category'],
    },
    responseStatus: { response: 'accepted', time: '2026-11-20T09:00:00Z' },
    attendees: [{ type: 'required', status: { response: 'none' }, emailAddress }],
    organizer: { emailAddress },
    onlineMeeting: {
      joinUrl: 'https://t',
      conferenceId: '1',
      tollNumber: '+49',
      phones: [{ number: '1', type: 'home' }],
    },
    recurrence: {
      pattern: {
        type: 'weekly',
        interval: 1,
        daysOfWeek: ['monday'],
        firstDayOfWeek: 'sunday',
        month: 0,
        index: 'first',
      },
      range: { type: 'endDate', startDate: '2026-12-01', endDate: '2027-12-01', numberOfOccurrences: 0 },
    },
    singleValueExtendedProperties: [{ id: 'String {00020329-0000-0000-C000-000000000046} Name x', value: '{"a":1}' }],
    cancelledOccurrences: ['OID.x.2026-12-08'],
    exceptionOccurrences: [{ id: 'x', originalStart: '2026-12-08T00:00:00Z' }],
  };
  const whole = readOutlookEvent(series, BERLIN);
  expectReadable(series, (raw) => {
    toCalendarEvent(readOutlookEvent(raw, BERLIN, readSeriesDetails(raw)), FACTS);
    const instance = readInstance(raw, whole, BERLIN);
    if (instance !== null) toCalendarEvent(instance, FACTS);
  });
});
