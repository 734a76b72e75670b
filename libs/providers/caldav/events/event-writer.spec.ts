import type { CalendarEvent, EventInput, EventTime, EventTimeInput } from '#domain/events';
import type { EditScope } from '#domain/providers';
import { DomainError } from '#domain/system';
import { EventReader } from './event-reader.js';
import { EventWriter } from './event-writer.js';
import { CORPUS, fixture, lineChanges, objectOf, ownChanges, READING, WRITING } from '../testing/corpus.js';

const reader = new EventReader();
const writer = new EventWriter();
const MARA = { ...WRITING, ownAddresses: ['mara@example.com'], organizer: 'mailto:mara@example.com' };

const dateTime = (local: string, timeZone: string | null = null, offsetMinutes: number | null = null) =>
  ({ kind: 'dateTime', local, timeZone, offsetMinutes }) as const;

function update(
  name: string,
  input: EventInput,
  instanceDate: string | null = null,
  scope: EditScope = instanceDate === null ? 'all' : 'this',
) {
  const before = fixture(name);
  const written = writer.update(before, instanceDate, scope, input, MARA);
  return { ...written, before, changes: ownChanges(before, written.body), text: written.body.toString('utf8') };
}

/** A caller that sends back what it read. */
function echo(event: CalendarEvent): EventInput {
  const timeOf = (time: EventTime): EventTimeInput =>
    time.kind === 'date' ? time : { ...time, timeZone: time.timeZone ?? event.calendarTimeZone ?? null };
  return {
    title: event.title,
    description: event.description ?? null,
    location: event.location ?? null,
    start: timeOf(event.start),
    end: timeOf(event.end),
    isAllDay: event.start.kind === 'date',
    publicExtendedProperties: event.publicExtendedProperties,
    recurrence: event.recurrence,
    colorId: event.colorId ?? null,
    customColor: event.customColor ?? null,
    ...(event.myResponseStatus !== undefined && { myResponseStatus: event.myResponseStatus }),
    attendees: event.attendees.map(({ email, name, responseStatus }) => ({ email, name, responseStatus })),
    visibility: event.visibility,
    transparency: event.transparency,
    eventType: event.eventType,
    reminders: event.reminders,
  };
}

describe('update: bytes that are not concerned', () => {
  const writable = [...CORPUS.keys()].filter((name) => name !== 'two-uids' && name !== 'override-only');

  it.each(writable)('%s: sending back what was read changes no byte', (name) => {
    const event = reader.master(fixture(name), READING);
    const { body, ignoredFields } = writer.update(fixture(name), null, 'all', echo(event!), WRITING);
    expect(lineChanges(fixture(name), body)).toEqual([]);
    expect(ignoredFields).toEqual([]);
  });

  it('one exclusion more leaves those alone that are shown with other zones than they are stored with', () => {
    const before = fixture('outlook-server-zones');
    const recurrence = [...reader.master(before, READING)!.recurrence!, 'EXDATE:20260120T080000Z'];
    const { body } = writer.update(before, null, 'all', { recurrence }, WRITING);
    expect(ownChanges(before, body)).toEqual(['+EXDATE;TZID=W. Europe Standard Time:20260120T090000']);
    // The lines as they are stored go on to be known.
    const stored = [...recurrence.slice(0, 1), 'EXDATE;TZID=W. Europe Standard Time:20260112T090000,20260113T090000'];
    expect(ownChanges(before, writer.update(before, null, 'all', { recurrence: stored }, WRITING).body)).toEqual(
      expect.not.arrayContaining([expect.stringContaining('20260112T090000')]),
    );
  });

  it('an exclusion that is taken out of a line takes effect, whatever zone the line is stored with', () => {
    const before = fixture('outlook-server-zones');
    const recurrence = reader.master(before, READING)!.recurrence!.filter((line) => !line.includes('20260115'));
    const { body } = writer.update(before, null, 'all', { recurrence }, WRITING);
    expect(ownChanges(before, body)).toEqual(['-EXDATE;TZID=Customized Time Zone 1:20260115T131700']);
  });

  it.each(writable)('%s: a title changes its line and the time stamps', (name) => {
    const { body } = writer.update(fixture(name), null, 'all', { title: 'Changed' }, WRITING);
    const added = lineChanges(fixture(name), body).filter((line) => line.startsWith('+'));
    expect(added.filter((line) => !/^\+(?:DTSTAMP|LAST-MODIFIED):20260501T120000Z$/.test(line))).toEqual([
      expect.stringMatching(/^\+SUMMARY(?:;LANGUAGE=en-us)?:Changed$/),
    ]);
    expect(lineChanges(fixture(name), body).some((line) => line.includes('SEQUENCE'))).toBe(false);
  });

  it('keeps LF line ends, a byte-order mark and a missing last line end', () => {
    const bytes = Buffer.from('\ufeff' + fixture('thunderbird').toString('utf8').replaceAll('\r\n', '\n').trimEnd());
    const { body } = writer.update(bytes, null, 'all', { title: 'Changed' }, WRITING);
    const text = body.toString('utf8');
    expect(text).toMatch(/^\ufeffBEGIN:VCALENDAR\n/);
    expect(text).not.toContain('\r');
    expect(text).toMatch(/END:VCALENDAR$/);
  });
});

describe('update: one field', () => {
  it.each<[string, string, EventInput, string[]]>([
    [
      'a description takes the HTML twin away',
      'outlook-windows-zone',
      { description: 'New; text' },
      [
        '-DESCRIPTION:Plain',
        '+DESCRIPTION:New\\; text',
        '-X-ALT-DESC;FMTTYPE=text/html:<html><body>Plain</body></html>',
      ],
    ],
    [
      'a location takes the structured one away',
      'apple-meeting',
      { location: 'Elsewhere' },
      [
        '-LOCATION:Alexanderplatz 1\\n10178 Berlin',
        '+LOCATION:Elsewhere',
        '-X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-ADDRESS="Alexanderplatz 1\\\\n10178 ',
        '- Berlin";X-APPLE-RADIUS=70;X-TITLE=Alexanderplatz:geo:52.521918,13.413215',
      ],
    ],
    ['null clears', 'nextcloud-all-day', { customColor: null }, ['-COLOR:tomato']],
    ['visibility', 'nextcloud-all-day', { visibility: 'default' }, ['-CLASS:PUBLIC']],
    ['visibility of a folded object', 'google-invitation', { visibility: 'private' }, ['+CLASS:PRIVATE']],
    [
      'busy instead of free',
      'outlook-all-day',
      { transparency: 'opaque' },
      ['-X-MICROSOFT-CDO-BUSYSTATUS:FREE', '+X-MICROSOFT-CDO-BUSYSTATUS:BUSY', '+TRANSP:OPAQUE'],
    ],
    [
      'no longer out of office',
      'outlook-windows-zone',
      { eventType: 'default' },
      ['-X-MICROSOFT-CDO-BUSYSTATUS:OOF', '+X-MICROSOFT-CDO-BUSYSTATUS:BUSY'],
    ],
    [
      'a palette colour',
      'thunderbird',
      { colorId: '11' },
      ['+COLOR:red', '+X-UCAL-COLOR:#d50000', '+X-UCAL-COLOR-ID:11'],
    ],
    [
      'public properties',
      'thunderbird',
      { publicExtendedProperties: { a: 'b' } },
      [`+X-UCAL-PUBLIC:${Buffer.from('{"a":"b"}').toString('base64url')}`],
    ],
  ])('%s', (_, name, input, changes) => {
    expect(update(name, input).changes.sort()).toEqual([...changes].sort());
  });

  it('a colour that another client changed wins over ours', () => {
    const ours = writer.update(fixture('thunderbird'), null, 'all', { customColor: '#123456' }, WRITING).body;
    expect(reader.master(ours, READING)?.customColor).toBe('#123456');
    const theirs = Buffer.from(ours.toString('utf8').replace(/COLOR:[a-z]+\r/, 'COLOR:lime\r'));
    expect(reader.master(theirs, READING)?.customColor).toBe('#00ff00');
  });

  it('times raise SEQUENCE and keep TZID, DTSTAMP is now', () => {
    const { body, before } = update('apple-meeting', { start: dateTime('2026-03-10T10:30:00', 'Europe/Berlin') });
    expect(lineChanges(before, body)).toEqual([
      '-DTSTAMP:20260301T101600Z',
      '-DTSTART;TZID=Europe/Berlin:20260310T100000',
      '-LAST-MODIFIED:20260301T101600Z',
      '+DTSTAMP:20260501T120000Z',
      '+DTSTART;TZID=Europe/Berlin:20260310T103000',
      '+LAST-MODIFIED:20260501T120000Z',
      '-SEQUENCE:3',
      '+SEQUENCE:4',
    ]);
  });

  it('an attendee never raises SEQUENCE', () => {
    const { body } = writer.update(
      fixture('google-invitation'),
      null,
      'all',
      { start: dateTime('2026-06-01T12:00:00', 'UTC') },
      WRITING,
    );
    expect(body.toString()).toContain('SEQUENCE:0\r\n');
  });

  it('keeps the TZID of the object for the same zone and defines a new one once', () => {
    const same = update('outlook-windows-zone', { start: dateTime('2026-07-15T08:00:00', 'Europe/Berlin') });
    expect(same.changes).toContain('+DTSTART;TZID=W. Europe Standard Time:20260715T080000');
    expect(same.text.match(/BEGIN:VTIMEZONE/g)).toHaveLength(1);
    const other = update('apple-meeting', {
      start: dateTime('2026-03-10T10:00:00', 'Asia/Tokyo'),
      end: dateTime('2026-03-10T11:00:00', 'Asia/Tokyo'),
    });
    expect(other.text).toContain('DTSTART;TZID=Asia/Tokyo:20260310T100000');
    expect(other.text.match(/TZID:Asia\/Tokyo/g)).toHaveLength(1);
    expect(other.text).toContain('TZID:Europe/Berlin\r\n');
  });

  it('a time without zone goes on in the zone of the event; an offset becomes its reading there', () => {
    expect(update('thunderbird', { start: dateTime('2026-07-01T08:00:00') }).changes).toContain(
      '+DTSTART;TZID=/mozilla.org/20050126_1/America/New_York:20260701T080000',
    );
    expect(update('thunderbird', { start: dateTime('2026-07-01T12:00:00', null, 0) }).changes).toContain(
      '+DTSTART;TZID=/mozilla.org/20050126_1/America/New_York:20260701T080000',
    );
    expect(update('floating', { start: dateTime('2026-01-05T06:00:00') }).changes).toContain(
      '+DTSTART:20260105T060000',
    );
  });

  it('DURATION gives way to DTEND when times change', () => {
    const { text, changes } = update('thunderbird', { end: dateTime('2026-07-01T10:00:00', 'America/New_York') });
    expect(changes[0]).toBe('-DURATION:PT45M');
    expect(changes.filter((line) => line.startsWith('-'))).toHaveLength(1);
    expect(text.replaceAll('\r\n ', '')).toContain(
      'DTEND;TZID=/mozilla.org/20050126_1/America/New_York:20260701T100000\r\n',
    );
  });

  it('an end that is now before the start is refused', () => {
    expect(() => update('apple-meeting', { start: dateTime('2026-03-10T12:00:00', 'Europe/Berlin') })).toThrow(
      /end: must be after start/,
    );
  });

  it('an end after the year 9999 is refused', () => {
    const bytes = objectOf('DTSTART:99991231T235959Z');
    expect(() => writer.update(bytes, null, 'all', { isAllDay: true }, MARA)).toThrow(
      /end: must be before the year 10000/,
    );
  });

  it('a single event becomes all-day and back', () => {
    const day = update('apple-meeting', { isAllDay: true });
    expect(day.changes).toEqual([
      '-DTEND;TZID=Europe/Berlin:20260310T110000',
      '-DTSTART;TZID=Europe/Berlin:20260310T100000',
      '+DTEND;VALUE=DATE:20260311',
      '+DTSTART;VALUE=DATE:20260310',
    ]);
    const back = writer.update(
      day.body,
      null,
      'all',
      { start: dateTime('2026-03-10T10:00:00', 'Europe/Berlin') },
      MARA,
    );
    expect(back.body.toString()).toContain('DTEND;TZID=Europe/Berlin:20260310T110000');
    expect(() => writer.update(day.body, null, 'all', { isAllDay: false }, MARA)).toThrow(/start: needs a time of day/);
  });

  it('Outlook all-day becomes timed together with its flag', () => {
    const { changes } = update('outlook-all-day', {
      start: dateTime('2026-07-15T09:00:00'),
      end: dateTime('2026-07-15T10:00:00'),
    });
    expect(changes).toContain('-X-MICROSOFT-CDO-ALLDAYEVENT:TRUE');
    expect(changes).toContain('+X-MICROSOFT-CDO-ALLDAYEVENT:FALSE');
  });
});

describe('update: attendees', () => {
  it('keeps the lines of those who stay, adds and removes the others', () => {
    const { changes, ignoredFields } = update('apple-meeting', {
      attendees: [
        { email: 'RAVI.stone@example.com', responseStatus: 'accepted' },
        { email: 'new@example.com', name: 'New, One' },
      ],
    });
    expect(changes).toEqual([
      '-ATTENDEE;CN="Mara Field";CUTYPE=INDIVIDUAL;EMAIL="mara@example.com";PARTS',
      '- TAT=ACCEPTED;ROLE=CHAIR:mailto:mara@example.com',
      '+ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=',
      '+ TRUE;CN="New, One":mailto:new@example.com',
    ]);
    expect(ignoredFields).toEqual(['attendees.responseStatus']);
  });

  it('changes a name alone', () => {
    const { changes } = update('apple-meeting', {
      attendees: [{ email: 'mara@example.com' }, { email: 'ravi.stone@example.com', name: 'Ravi' }],
    });
    expect(changes.join('')).toContain('CN=Ravi;CUTYPE=INDIVIDUAL;PARTSTAT=NEEDS-ACTION');
    expect(changes.join('')).not.toContain('Mara');
  });

  it('null takes all away and keeps the organizer', () => {
    const { text } = update('apple-meeting', { attendees: null });
    expect(text).not.toContain('ATTENDEE');
    expect(text).toContain('ORGANIZER;CN="Mara Field"');
  });

  it('the first guests bring the organizer', () => {
    const { body } = writer.update(
      fixture('floating'),
      null,
      'all',
      { attendees: [{ email: 'b@example.com' }] },
      WRITING,
    );
    expect(body.toString()).toContain('\r\nORGANIZER:mailto:alice@example.com\r\n');
  });

  it('our own answer changes our own line', () => {
    const { body } = writer.update(
      fixture('google-invitation'),
      null,
      'all',
      { myResponseStatus: 'accepted' },
      WRITING,
    );
    expect(reader.master(body, READING)?.myResponseStatus).toBe('accepted');
    expect(
      writer.update(fixture('floating'), null, 'all', { myResponseStatus: 'accepted' }, WRITING).ignoredFields,
    ).toEqual(['myResponseStatus']);
  });
});

describe('update: reminders', () => {
  it('overrides replace the default alarm; the same ones again change nothing', () => {
    const reminders = { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] };
    const { body, text } = update('apple-meeting', { reminders });
    expect(text).not.toContain('X-APPLE-DEFAULT-ALARM');
    expect(reader.master(body, READING)?.reminders).toEqual({ ...reminders, isReminderOn: true });
    expect(writer.update(body, null, 'all', { reminders }, MARA).body.equals(body)).toBe(true);
  });

  it('keeps the lines of an alarm that stays, and alarms that are no reminders', () => {
    const bytes = objectOf(
      'DTSTART:20260105T070000Z',
      ...[
        'BEGIN:VALARM',
        'ACTION:DISPLAY',
        'TRIGGER:-PT10M',
        'UID:keep',
        'ACKNOWLEDGED:20260101T000000Z',
        'END:VALARM',
      ],
      ...['BEGIN:VALARM', 'ACTION:PROCEDURE', 'TRIGGER:-PT1M', 'END:VALARM'],
      ...['BEGIN:VALARM', 'ACTION:AUDIO', 'TRIGGER;VALUE=DATE-TIME:20260105T063000Z', 'END:VALARM'],
    );
    expect(reader.master(bytes, READING)?.reminders).toEqual({
      useDefault: false,
      isReminderOn: true,
      overrides: [
        { method: 'popup', minutes: 10 },
        { method: 'popup', minutes: 30 },
      ],
    });
    const overrides = [
      { method: 'popup', minutes: 10 },
      { method: 'popup', minutes: 60 },
    ];
    const { body } = writer.update(bytes, null, 'all', { reminders: { useDefault: false, overrides } }, WRITING);
    expect(ownChanges(bytes, body).filter((line) => line.startsWith('-'))).toEqual(
      expect.not.arrayContaining(['-UID:keep', '-ACTION:PROCEDURE']),
    );
    expect(body.toString()).toContain('UID:keep');
    expect(body.toString()).toContain('ACTION:PROCEDURE');
    expect(body.toString()).not.toContain('ACTION:AUDIO');
    expect(body.toString()).toContain('TRIGGER:-PT1H');
  });

  it('back to the default takes explicit ones away', () => {
    const { body } = update('apple-series', { reminders: { useDefault: true } });
    expect(reader.master(body, READING)?.reminders).toEqual({ useDefault: true });
    expect(update('apple-series', { reminders: { useDefault: false } }).changes).toEqual([]);
  });

  it('without the default, and with nothing else, an event has no alarm, unless it is to have one', () => {
    const { body, text } = update('apple-meeting', { reminders: { useDefault: false } });
    expect(text).not.toContain('X-APPLE-DEFAULT-ALARM');
    expect(reader.master(body, READING)?.reminders).toEqual({ useDefault: false, isReminderOn: false, overrides: [] });
    expect(update('apple-meeting', { reminders: { useDefault: false, isReminderOn: true } }).changes).toEqual([]);
  });
});

describe('objects that must not be written', () => {
  const conflict = expect.objectContaining({ code: 'Conflict' }) as unknown as Error;

  it('several UIDs in one resource', () => {
    expect(() => update('two-uids', { title: 'x' })).toThrow(conflict);
    expect(() => writer.remove(fixture('two-uids'), '20260105', 'this', WRITING)).toThrow(conflict);
  });

  it('a series of which only instances are known', () => {
    expect(() => update('override-only', { title: 'x' })).toThrow(conflict);
    expect(() => update('override-only', { title: 'x' }, '20260506T080000Z', 'all')).toThrow(conflict);
    expect(() => update('override-only', { title: 'x' }, '20260506T080000Z', 'following')).toThrow(conflict);
    expect(() => writer.remove(fixture('override-only'), '20260506T080000Z', 'following', WRITING)).toThrow(conflict);
    expect(update('override-only', { title: 'x' }, '20260506T080000Z').changes).toEqual([
      '-SUMMARY:Guest talk',
      '+SUMMARY:x',
    ]);
    expect(writer.remove(fixture('override-only'), '20260506T080000Z', 'this', WRITING)).toBeNull();
  });

  it('what is no calendar object, or no event', () => {
    expect(() => writer.update(Buffer.from('<html>'), null, 'all', { title: 'x' }, WRITING)).toThrow(conflict);
    const todo = Buffer.from('BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:t\r\nEND:VTODO\r\nEND:VCALENDAR\r\n');
    expect(() => writer.update(todo, null, 'all', { title: 'x' }, WRITING)).toThrow(
      expect.objectContaining({ code: 'NotFound' }),
    );
  });

  it('one with a TZID that must not be written again', () => {
    const bytes = objectOf('DTSTART;TZID=a\u0001b:20260105T090000', 'RRULE:FREQ=DAILY', 'SUMMARY:x');
    expect(writer.update(bytes, null, 'all', { title: 'y' }, WRITING).body.toString()).toContain('TZID=a\u0001b');
    expect(() => writer.remove(bytes, '20260106T090000', 'this', WRITING)).toThrow(conflict);
  });

  it('one that would not be read again', () => {
    expect(() => update('floating', { description: 'ü'.repeat(600_000) })).toThrow(DomainError);
  });

  it('N49 a hostile rule: the title can still be changed, what needs its instances is refused by name', () => {
    const bytes = objectOf(
      'DTSTART:19700101T000000Z',
      'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
      'EXDATE:19710101T000000Z',
    );
    expect(writer.update(bytes, null, 'all', { title: 'x' }, WRITING).body.toString()).toContain('SUMMARY:x');
    const broken = objectOf('DTSTART:19700101T000000Z', 'RRULE:FREQ=SOMETIMES', 'EXDATE:19710101T000000Z');
    expect(() => writer.update(broken, '19700101T000000Z', 'this', { title: 'x' }, WRITING)).toThrow(
      expect.objectContaining({ code: 'ValidationFailed', message: expect.stringContaining('FREQ') }),
    );
  });
});
