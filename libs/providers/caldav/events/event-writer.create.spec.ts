import fc from 'fast-check';
import type { CalendarEvent, NewEventInput } from '#domain/events';
import { EventReader } from './event-reader.js';
import { EventWriter } from './event-writer.js';
import { fixture, READING, WRITING } from '../testing/corpus.js';
import { allExpanded } from '../testing/read-events.js';

const reader = new EventReader();
const writer = new EventWriter();
const START = {
  kind: 'dateTime',
  local: '2026-03-28T10:00:00',
  offsetMinutes: null,
  timeZone: 'Europe/Berlin',
} as const;

function create(input: Partial<NewEventInput>, context = WRITING) {
  const { body, ignoredFields } = writer.create('NEW-1', { title: 'New', start: START, ...input }, context);
  return { text: body.toString('utf8'), body, ignoredFields };
}

function read(body: Buffer): CalendarEvent {
  const event = reader.master(body, READING);
  if (event === null) throw new Error('no event');
  return event;
}

const dateTime = (local: string, timeZone: string | null = null, offsetMinutes: number | null = null) =>
  ({ kind: 'dateTime', local, timeZone, offsetMinutes }) as const;

describe('create', () => {
  it('writes one VEVENT with the zone it uses, and nothing a server would refuse', () => {
    const { text } = create({});
    expect(text.replace(/BEGIN:VTIMEZONE[\s\S]*END:VTIMEZONE\r\n/, 'ZONE\r\n').split('\r\n')).toEqual([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Unified Calendar Service//CalDAV//EN',
      'CALSCALE:GREGORIAN',
      'ZONE',
      'BEGIN:VEVENT',
      'UID:NEW-1',
      'DTSTAMP:20260501T120000Z',
      'CREATED:20260501T120000Z',
      'LAST-MODIFIED:20260501T120000Z',
      'SEQUENCE:0',
      'DTSTART;TZID=Europe/Berlin:20260328T100000',
      'DTEND;TZID=Europe/Berlin:20260328T110000',
      'SUMMARY:New',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ]);
    expect(text).toContain('TZID:Europe/Berlin\r\n');
  });

  it('leaves the zone out where the server knows it by name', () => {
    expect(create({}, { ...WRITING, omitTimezones: true }).text).not.toContain('VTIMEZONE');
  });

  it('reads back every field as it was written', () => {
    const input: Partial<NewEventInput> = {
      title: 'Räum; "A", B\\C',
      description: 'one\ntwo, three; \\n four\t🗓️ ' + 'ü'.repeat(200),
      location: 'Somewhere; 3rd floor',
      publicExtendedProperties: { key: 'value', 'with space': 'ü"\\,;' },
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=SA;COUNT=4', 'EXDATE;TZID=Europe/Berlin:20260404T100000'],
      colorId: '5',
      customColor: '#123456',
      attendees: [
        { email: 'bob@example.com', name: 'Bob; "the" Builder, Jr' },
        { email: 'alice@example.com', responseStatus: 'tentative' },
      ],
      visibility: 'confidential',
      transparency: 'transparent',
      eventType: 'focusTime',
      reminders: {
        useDefault: false,
        overrides: [
          { method: 'popup', minutes: 10 },
          { method: 'email', minutes: 1440 },
        ],
      },
    };
    const { body, ignoredFields } = create({ ...input, end: dateTime('2026-03-29T10:00:00', 'Europe/Berlin') });
    expect(ignoredFields).toEqual([]);
    expect(read(body)).toMatchObject({
      ...input,
      attendees: [
        {
          id: 'bob@example.com',
          email: 'bob@example.com',
          name: 'Bob; "the" Builder, Jr',
          responseStatus: 'needsAction',
        },
        { id: 'alice@example.com', email: 'alice@example.com', responseStatus: 'tentative' },
      ],
      myResponseStatus: 'tentative',
      organizer: { email: 'alice@example.com', isSelf: true },
      isRecurring: true,
      end: { kind: 'dateTime', local: '2026-03-29T10:00:00', timeZone: 'Europe/Berlin', offsetMinutes: 120 },
    });
  });

  it.each<[string, Partial<NewEventInput>]>([
    ['outOfOffice', { eventType: 'outOfOffice' }],
    ['colorId alone', { colorId: '11' }],
    ['customColor alone', { customColor: '#00ff7f' }],
    ['visibility private', { visibility: 'private' }],
    ['visibility public', { visibility: 'public' }],
    ['no reminders at all', { reminders: { useDefault: false, overrides: [] } }],
    ['not even the default reminders', { reminders: { useDefault: false } }],
    [
      'a reminder after the start',
      { reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: -540 }] } },
    ],
    ['a reminder at the start', { reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 0 }] } }],
    ['default reminders', { reminders: { useDefault: true } }],
  ])('reads back %s', (_, input) => {
    const { body, ignoredFields } = create(input);
    expect(ignoredFields).toEqual([]);
    expect(read(body)).toMatchObject(input);
  });

  it('names what this format cannot hold', () => {
    expect(create({ conferenceData: null, myResponseStatus: 'accepted' }).ignoredFields).toEqual(['myResponseStatus']);
    expect(() => create({ conferenceData: { joinUrl: 'https://x' } })).toThrow(
      expect.objectContaining({ code: 'NotSupportedByProvider' }),
    );
    const guests: Partial<NewEventInput> = { attendees: [{ email: 'bob@example.com', responseStatus: 'accepted' }] };
    expect(create(guests).ignoredFields).toEqual(['attendees.responseStatus']);
    expect(() => create({ generateMeetingUrlProvider: 'googleMeet' })).toThrow(
      expect.objectContaining({ code: 'NotSupportedByProvider' }),
    );
  });

  it('answers for ourselves where we are on the list', () => {
    const { body, ignoredFields } = create({
      attendees: [{ email: 'alice@example.com' }],
      myResponseStatus: 'declined',
    });
    expect(ignoredFields).toEqual([]);
    expect(read(body).myResponseStatus).toBe('declined');
  });

  it('cannot invite without an address of its own', () => {
    const context = { ...WRITING, organizer: null };
    expect(() => create({ attendees: [{ email: 'bob@example.com' }] }, context)).toThrow(
      expect.objectContaining({ code: 'ValidationFailed', details: [expect.objectContaining({ path: 'attendees' })] }),
    );
  });

  describe('times', () => {
    it.each<[string, Partial<NewEventInput>, string, string]>([
      [
        'all-day without end',
        { start: { kind: 'date', date: '2026-03-28' } },
        'DTSTART;VALUE=DATE:20260328',
        'DTEND;VALUE=DATE:20260329',
      ],
      ['UTC', { start: dateTime('2026-03-28T10:00:00', 'UTC') }, 'DTSTART:20260328T100000Z', 'DTEND:20260328T110000Z'],
      [
        'offset alone',
        { start: dateTime('2026-03-28T10:00:00', null, 120) },
        'DTSTART:20260328T080000Z',
        'DTEND:20260328T090000Z',
      ],
      [
        'offset alone, series: in the zone of the calendar',
        { start: dateTime('2026-03-28T10:00:00', null, 120), recurrence: ['FREQ=DAILY;COUNT=2'] },
        'DTSTART;TZID=Europe/Berlin:20260328T090000',
        'DTEND;TZID=Europe/Berlin:20260328T100000',
      ],
      [
        'offset and zone: the instant on the clock of the zone',
        { start: dateTime('2026-03-28T10:00:00', 'America/New_York', 60) },
        'DTSTART;TZID=America/New_York:20260328T050000',
        'DTEND;TZID=America/New_York:20260328T060000',
      ],
      [
        'neither: the zone of the calendar',
        { start: dateTime('2026-03-28T10:00:00') },
        'DTSTART;TZID=Europe/Berlin:20260328T100000',
        'DTEND;TZID=Europe/Berlin:20260328T110000',
      ],
      [
        'an end without zone: that of the start',
        { start: dateTime('2026-03-28T10:00:00', 'Asia/Tokyo'), end: dateTime('2026-03-28T12:00:00') },
        'DTSTART;TZID=Asia/Tokyo:20260328T100000',
        'DTEND;TZID=Asia/Tokyo:20260328T120000',
      ],
      [
        'an end in another zone',
        { start: dateTime('2026-03-28T10:00:00', 'Asia/Tokyo'), end: dateTime('2026-03-28T12:00:00', 'Europe/Berlin') },
        'DTSTART;TZID=Asia/Tokyo:20260328T100000',
        'DTEND;TZID=Europe/Berlin:20260328T120000',
      ],
      [
        'isAllDay over midnights',
        { start: dateTime('2026-03-28T00:00:00'), end: dateTime('2026-03-30T00:00:00'), isAllDay: true },
        'DTSTART;VALUE=DATE:20260328',
        'DTEND;VALUE=DATE:20260330',
      ],
      [
        'the second of two equal wall-clock times: as the instant',
        { start: dateTime('2026-10-25T02:30:00', 'Europe/Berlin', 60) },
        'DTSTART:20261025T013000Z',
        'DTEND:20261025T023000Z',
      ],
      [
        'zero length, asked for',
        { start: dateTime('2026-03-28T10:00:00', 'UTC'), end: dateTime('2026-03-28T10:00:00', 'UTC') },
        'DTSTART:20260328T100000Z',
        'DTEND:20260328T100000Z',
      ],
    ])('%s', (_, input, dtstart, dtend) => {
      const { text } = create(input);
      expect(text).toContain(`\r\n${dtstart}\r\n`);
      expect(text).toContain(`\r\n${dtend}\r\n`);
    });

    it.each<[string, Partial<NewEventInput>, string]>([
      ['an end before the start', { end: dateTime('2026-03-28T09:59:59', 'Europe/Berlin') }, 'end'],
      [
        'an empty day',
        { start: { kind: 'date', date: '2026-03-28' }, end: { kind: 'date', date: '2026-03-28' } },
        'end',
      ],
      ['a date beside a time', { end: { kind: 'date', date: '2026-03-29' } }, 'end'],
      ['a date that is not all day', { start: { kind: 'date', date: '2026-03-28' }, isAllDay: false }, 'start'],
      ['a day that does not exist', { start: dateTime('2026-02-30T10:00:00') }, 'start'],
    ])('N17 refuses %s', (_, input, path) => {
      expect(() => create(input)).toThrow(
        expect.objectContaining({ code: 'ValidationFailed', details: [expect.objectContaining({ path })] }),
      );
    });

    it('all-day events keep their dates whatever the zone of the calendar, from -12 to +14', () => {
      for (const calendarTimeZone of [
        'Etc/GMT+12',
        'Pacific/Niue',
        'America/St_Johns',
        'UTC',
        'Asia/Kathmandu',
        'Pacific/Kiritimati',
      ]) {
        const context = { ...WRITING, calendarTimeZone };
        const { body } = create(
          { start: { kind: 'date', date: '2026-03-29' }, recurrence: ['RRULE:FREQ=DAILY;UNTIL=20260331'] },
          context,
        );
        const events = allExpanded(
          body,
          { ...READING, calendarTimeZone },
          { startMs: Date.UTC(2026, 2, 1), endMs: Date.UTC(2026, 4, 1) },
        );
        expect(events.map(({ start }) => start)).toEqual(
          ['29', '30', '31'].map((day) => ({ kind: 'date', date: `2026-03-${day}` })),
        );
      }
    });
  });

  describe('recurrence', () => {
    it.each([
      ['a bare rule', ['FREQ=DAILY;COUNT=3'], ['RRULE:FREQ=DAILY;COUNT=3']],
      [
        'UNTIL as a date on a timed series',
        ['RRULE:FREQ=DAILY;UNTIL=20260402'],
        ['RRULE:FREQ=DAILY;UNTIL=20260402T215959Z'],
      ],
      [
        'UNTIL as a local time',
        ['RRULE:FREQ=DAILY;UNTIL=20260402T100000'],
        ['RRULE:FREQ=DAILY;UNTIL=20260402T080000Z'],
      ],
      [
        'dates of other zones',
        ['RRULE:FREQ=DAILY;COUNT=9', 'EXDATE:20260330T080000Z', 'RDATE;TZID=America/New_York:20260501T060000'],
        [
          'RRULE:FREQ=DAILY;COUNT=9',
          'EXDATE;TZID=Europe/Berlin:20260330T100000',
          'RDATE;TZID=Europe/Berlin:20260501T120000',
        ],
      ],
      [
        'a date on a timed series',
        ['RRULE:FREQ=DAILY', 'EXDATE;VALUE=DATE:20260330'],
        ['RRULE:FREQ=DAILY', 'EXDATE;TZID=Europe/Berlin:20260330T100000'],
      ],
      [
        'a period',
        ['RDATE;VALUE=PERIOD:20260401T080000Z/PT30M'],
        ['RDATE;TZID=Europe/Berlin;VALUE=PERIOD:20260401T100000/PT30M'],
      ],
      ['EXRULE', ['RRULE:FREQ=DAILY', 'EXRULE:FREQ=WEEKLY'], ['RRULE:FREQ=DAILY', 'EXRULE:FREQ=WEEKLY']],
    ])('writes %s as the series needs it', (_, recurrence, lines) => {
      expect(read(create({ recurrence }).body).recurrence).toEqual(lines);
    });

    it('takes the lines that an event of another program is shown with', () => {
      const window = { startMs: Date.UTC(2026, 0, 1), endMs: Date.UTC(2026, 3, 1) };
      const event = reader.master(fixture('outlook-server-zones'), READING)!;
      const { body } = create({
        start: dateTime('2026-01-05T09:00:00', 'Europe/Berlin'),
        end: dateTime('2026-01-05T10:00:00', 'Europe/Berlin'),
        recurrence: event.recurrence,
      });
      const times = (object: Buffer) => allExpanded(object, READING, window).map(({ start, end }) => [start, end]);
      expect(times(body)).toEqual(times(fixture('outlook-server-zones')));
      expect(times(body).length).toBeGreaterThan(10);
    });

    it.each([
      ['DTSTART', ['DTSTART:20260101T000000Z', 'RRULE:FREQ=DAILY']],
      ['DTEND', ['DTEND:20260101T000000Z', 'RRULE:FREQ=DAILY']],
      ['an injected line', ['RRULE:FREQ=DAILY\r\nATTENDEE:mailto:x@example.com']],
      ['a component', ['BEGIN:VALARM', 'RRULE:FREQ=DAILY', 'END:VALARM']],
      ['the end of the event', ['END:VEVENT', 'BEGIN:VEVENT', 'RRULE:FREQ=DAILY']],
      ['an unknown part', ['RRULE:FREQ=DAILY;FOO=1']],
      ['COUNT and UNTIL', ['RRULE:FREQ=DAILY;COUNT=1;UNTIL=20270101T000000Z']],
      ['no FREQ', ['RRULE:COUNT=1']],
      ['UNTIL before the start', ['RRULE:FREQ=DAILY;UNTIL=20260101T000000Z']],
      ['another calendar', ['RRULE:RSCALE=HEBREW;FREQ=YEARLY']],
      ['a broken date', ['RRULE:FREQ=DAILY', 'EXDATE:2026xx01']],
      ['an unknown zone', ['RRULE:FREQ=DAILY', 'EXDATE;TZID=Nowhere/City:20260330T100000']],
      ['a line without value', ['RRULE']],
      ['exclusions alone', ['EXDATE:20260330T080000Z']],
      ['an empty line', ['']],
    ])('refuses %s', (_, recurrence) => {
      expect(() => create({ recurrence })).toThrow(
        expect.objectContaining({
          code: 'ValidationFailed',
          details: [expect.objectContaining({ path: expect.stringMatching(/^recurrence/) })],
        }),
      );
    });

    it('refuses a time of day in a rule for days', () => {
      const start = { kind: 'date', date: '2026-03-28' } as const;
      expect(() => create({ start, recurrence: ['RRULE:FREQ=DAILY;BYHOUR=9'] })).toThrow(/BYHOUR/);
    });
  });

  describe('hostile text', () => {
    it.each<[string, Partial<NewEventInput>]>([
      ['title', { title: 'a\u0000b' }],
      ['description', { description: 'bell \u0007' }],
      ['location', { location: 'escape \u001b[0m' }],
      ['title', { title: 'lone \ud800 surrogate' }],
      ['attendees.0.email', { attendees: [{ email: 'a@b.c\r\nATTENDEE:mailto:x@y.z' }] }],
      ['attendees.0.email', { attendees: [{ email: 'not an address' }] }],
      ['attendees.0.name', { attendees: [{ email: 'a@b.c', name: 'x\u0000' }] }],
      ['customColor', { customColor: 'red\r\nX:1' }],
      ['colorId', { colorId: '12' }],
      [
        'reminders.overrides.0.method',
        { reminders: { useDefault: false, overrides: [{ method: 'sms', minutes: 1 }] } },
      ],
      [
        'reminders.overrides.0.minutes',
        { reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 1.5 }] } },
      ],
      ['reminders.overrides', { reminders: { useDefault: true, overrides: [{ method: 'popup', minutes: 1 }] } }],
      ['publicExtendedProperties', { publicExtendedProperties: { a: 'x'.repeat(8 * 1024) } }],
      ['privateExtendedProperties', { privateExtendedProperties: { a: 'x'.repeat(8 * 1024) } }],
      [
        'publicExtendedProperties',
        { publicExtendedProperties: JSON.parse('{"__proto__":"x"}') as Record<string, string> },
      ],
    ])('N12 N13 refuses %s', (path, input) => {
      expect(() => create(input)).toThrow(
        expect.objectContaining({ code: 'ValidationFailed', details: [expect.objectContaining({ path })] }),
      );
    });

    it('any text that is accepted is read back and adds no line', () => {
      const baseline = create({ title: 'x', description: 'x', location: 'x' }).text;
      const components = (text: string) => text.split('\r\n').filter((line) => /^(?:BEGIN|END):/.test(line));
      fc.assert(
        fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }), (raw) => {
          // eslint-disable-next-line no-control-regex
          const text = `x${raw.replace(/[\0-\x08\x0b-\x1f\x7f]/g, '')}`;
          const { body, text: ics } = create({
            title: text,
            description: text,
            location: text,
            attendees: [{ email: 'b@example.com', name: text }],
          });
          const event = read(body);
          expect([event.title, event.description, event.location]).toEqual([text, text, text]);
          expect(event.attendees[0]?.name).toBe(text.trim());
          expect(components(ics)).toEqual(components(baseline));
          expect(ics.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
        }),
        { numRuns: 200 },
      );
    });
  });
});
