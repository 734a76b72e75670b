import type { CalendarEvent, ExtendedProperties } from '#domain/events';
import { EventReader } from './event-reader.js';
import { fixture, objectOf, READING } from '../testing/corpus.js';
import { allExpanded, allUnexpanded } from '../testing/read-events.js';

const reader = new EventReader();
const EVER = { startMs: null, endMs: null };
const at = (iso: string) => Date.parse(iso);

function single(name: string): CalendarEvent {
  const event = reader.master(fixture(name), READING);
  if (event === null) throw new Error('no event');
  return event;
}

function expanded(bytes: Buffer, from: string, to: string, context = READING): CalendarEvent[] {
  return allExpanded(bytes, context, { startMs: at(from), endMs: at(to) });
}

describe('EventReader: one event', () => {
  it('maps an Apple meeting completely', () => {
    expect(single('apple-meeting')).toEqual({
      id: 'event1',
      title: 'Quarterly review',
      description: 'Bring the numbers, please.\nRoom is booked.',
      etag: 'tag-1',
      createdAt: '2026-03-01T10:15:00Z',
      updatedAt: '2026-03-01T10:16:00Z',
      start: { kind: 'dateTime', local: '2026-03-10T10:00:00', timeZone: 'Europe/Berlin', offsetMinutes: 60 },
      end: { kind: 'dateTime', local: '2026-03-10T11:00:00', timeZone: 'Europe/Berlin', offsetMinutes: 60 },
      publicExtendedProperties: {},
      privateExtendedProperties: {},
      isRecurring: false,
      isException: false,
      isCancelled: false,
      recurrence: null,
      myResponseStatus: 'accepted',
      attendees: [
        { id: 'mara@example.com', name: 'Mara Field', email: 'mara@example.com', responseStatus: 'accepted' },
        {
          id: 'ravi.stone@example.com',
          name: 'Stone, Ravi',
          email: 'Ravi.Stone@example.com',
          responseStatus: 'needsAction',
        },
      ],
      visibility: 'default',
      location: 'Alexanderplatz 1\n10178 Berlin',
      webLink: '',
      iCalUid: '7F4C0B1E-5E0B-4C61-9C6C-0A3B7E1D2F10',
      transparency: 'opaque',
      eventType: 'default',
      organizer: { name: 'Mara Field', email: 'mara@example.com', isSelf: true },
      creator: { email: 'mara@example.com' },
      reminders: { useDefault: true },
      calendarTimeZone: 'Europe/Berlin',
    });
  });

  it('maps a Google invitation: year-0 CREATED, own answer in other case, quoted room, folded Unicode title', () => {
    const event = single('google-invitation');
    expect(event.createdAt).toBe('2026-05-10T09:15:00Z');
    expect(event.updatedAt).toBe('2026-05-11T07:15:00Z');
    expect(event.myResponseStatus).toBe('needsAction');
    expect(event.organizer).toEqual({ name: 'Ravi Stone', email: 'ravi.stone@example.com', isSelf: false });
    expect(event.attendees[2]).toEqual({
      id: 'room4@resource.example.com',
      name: 'Room: 4;B, "Big"',
      email: 'room4@resource.example.com',
      responseStatus: 'needsAction',
    });
    expect(event.title).toBe('Plänning 🗓️ und eine sehr lange Überschrift, die über mehrere Zeilen gefaltet ist');
    expect(event.start).toEqual({ kind: 'dateTime', local: '2026-06-01T13:00:00', timeZone: 'UTC', offsetMinutes: 0 });
    expect(event).not.toHaveProperty('location');
    expect(event).not.toHaveProperty('conferenceData');
  });

  it('shows a Windows TZID as its IANA zone, private and out of office', () => {
    const event = single('outlook-windows-zone');
    expect(event.start).toEqual({
      kind: 'dateTime',
      local: '2026-07-15T09:00:00',
      timeZone: 'Europe/Berlin',
      offsetMinutes: 120,
    });
    expect(event).toMatchObject({ visibility: 'private', eventType: 'outOfOffice', isRecurring: true });
    expect(event.recurrence).toEqual(['RRULE:FREQ=DAILY;UNTIL=20260720T070000Z']);
  });

  it('uses the offsets of a custom VTIMEZONE', () => {
    expect(single('outlook-custom-zone').start).toMatchObject({ local: '2026-07-15T09:00:00', offsetMinutes: 330 });
  });

  it('shows an Outlook all-day flag over midnights as dates, free', () => {
    const event = single('outlook-all-day');
    expect(event.start).toEqual({ kind: 'date', date: '2026-07-15' });
    expect(event.end).toEqual({ kind: 'date', date: '2026-07-17' });
    expect(event.transparency).toBe('transparent');
  });

  it('reads DURATION, prefixed TZID and an alarm related to the end (Thunderbird)', () => {
    const event = single('thunderbird');
    expect(event.start).toMatchObject({ timeZone: 'America/New_York', offsetMinutes: -240 });
    expect(event.end).toMatchObject({ local: '2026-07-01T09:15:00', timeZone: 'America/New_York' });
    expect(event).toMatchObject({ visibility: 'confidential', transparency: 'transparent' });
    expect(event.reminders).toEqual({
      useDefault: false,
      isReminderOn: true,
      overrides: [{ method: 'email', minutes: 15 }],
    });
  });

  it('keeps all-day dates, CSS colour and every recurrence line (Nextcloud)', () => {
    const event = single('nextcloud-all-day');
    expect(event.start).toEqual({ kind: 'date', date: '2026-03-28' });
    expect(event.end).toEqual({ kind: 'date', date: '2026-03-31' });
    expect(event.customColor).toBe('#ff6347');
    expect(event.visibility).toBe('public');
    expect(event.recurrence).toEqual(['RRULE:FREQ=MONTHLY;UNTIL=20260930', 'EXDATE;VALUE=DATE:20260528']);
  });

  it('names the zones of dates in a recurrence like those of times, or tells their instants', () => {
    expect(single('outlook-server-zones').recurrence).toEqual([
      'RRULE:FREQ=DAILY;COUNT=20',
      'EXDATE;TZID=Europe/Berlin:20260112T090000,20260113T090000',
      'EXDATE;TZID=Asia/Kolkata:20260114T133000',
      'EXDATE:20260115T080000Z',
      'EXDATE;TZID=Europe/Berlin:20260116T090000',
      'EXDATE:20260117T080000Z',
      'EXDATE;VALUE=DATE:20260118',
      'EXDATE:20260119T080000Z',
      'RDATE;VALUE=PERIOD:20260301T064300Z/20260301T074300Z,20260302T064300Z/PT30M,20260303T064300Z/20260304T064300Z',
      'RDATE;VALUE=PERIOD;TZID=Europe/Berlin:20260304T120000/PT30M',
    ]);
  });

  it.each([
    'EXDATE;TZID="Europe/Berlin";X-NOTE=a:20260112T090000',
    'exdate;tzid=Europe/Berlin:20260112T090000',
    'EXDATE;TZID=US/Eastern:20260112T090000',
    'EXDATE:20260112T090000',
    'EXDATE;VALUE=DATE-TIME:20260112T080000Z',
    'RDATE;VALUE=DATE:20260112,nonsense',
    'EXDATE;TZID=Nowhere/City:20260112T090000',
  ])('shows %s as it is written', (line) => {
    const bytes = objectOf('DTSTART;TZID=Europe/Berlin:20260105T090000', 'RRULE:FREQ=DAILY', line);
    expect(reader.master(bytes, READING)?.recurrence).toEqual(['RRULE:FREQ=DAILY', line]);
  });

  it.each([
    ['in other case', 'EXDATE;TZID=europe/berlin:20260112T090000', 'EXDATE;TZID=Europe/Berlin:20260112T090000'],
    [
      'behind a prefix',
      'EXDATE;X-NOTE=a;TZID=/mozilla.org/20050126_1/Europe/Berlin:20260112T090000',
      'EXDATE;X-NOTE=a;TZID=Europe/Berlin:20260112T090000',
    ],
    [
      'beside what is no time',
      'EXDATE;TZID=W. Europe Standard Time:20260112T090000,nonsense',
      'EXDATE;TZID=Europe/Berlin:20260112T090000,nonsense',
    ],
  ])('shows a zone %s by its IANA name', (_, line, shown) => {
    const bytes = objectOf('DTSTART;TZID=Europe/Berlin:20260105T090000', 'RRULE:FREQ=DAILY', line);
    expect(reader.master(bytes, READING)?.recurrence).toEqual(['RRULE:FREQ=DAILY', shown]);
  });

  it('passes a floating time on without zone and offset', () => {
    expect(single('floating').start).toEqual({
      kind: 'dateTime',
      local: '2026-01-05T07:00:00',
      timeZone: null,
      offsetMinutes: null,
    });
  });

  it('passes an unknown zone on by its name, without offset', () => {
    const bytes = objectOf('DTSTART;TZID=Nowhere/City:20260105T070000', 'SUMMARY:x');
    expect(reader.master(bytes, READING)?.start).toEqual({
      kind: 'dateTime',
      local: '2026-01-05T07:00:00',
      timeZone: 'Nowhere/City',
      offsetMinutes: null,
    });
  });

  it('treats an end before the start as the start, and a day without end as one day', () => {
    const bad = objectOf('DTSTART:20260105T070000Z', 'DTEND:20260105T060000Z');
    expect(reader.master(bad, READING)?.end).toMatchObject({ local: '2026-01-05T07:00:00' });
    expect(reader.master(objectOf('DTSTART;VALUE=DATE:20260105'), READING)?.end).toEqual({
      kind: 'date',
      date: '2026-01-06',
    });
  });

  it('answers null for an object without VEVENT and takes the first of several UIDs', () => {
    const todo = 'BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:t\r\nEND:VTODO\r\nEND:VCALENDAR\r\n';
    expect(reader.uid(todo)).toBeNull();
    expect(allUnexpanded(todo, READING, EVER)).toEqual([]);
    expect(allUnexpanded(fixture('two-uids'), READING, EVER).map(({ iCalUid }) => iCalUid)).toEqual(['FIRST']);
  });

  it('reads private properties from the store, those of the instance before those of the series', () => {
    const privateProperties = new Map<string, ExtendedProperties>([
      ['', { a: '1' }],
      ['20260316T080000Z', { b: '2' }],
    ]);
    const context = { ...READING, privateProperties };
    expect(reader.master(fixture('apple-series'), context)?.privateExtendedProperties).toEqual({ a: '1' });
    expect(reader.instance(fixture('apple-series'), context, '20260316T080000Z')?.privateExtendedProperties).toEqual({
      b: '2',
    });
    expect(reader.instance(fixture('apple-series'), context, '20260330T070000Z')?.privateExtendedProperties).toEqual({
      a: '1',
    });
  });

  it('N12 ignores hostile public properties and leaves the prototype alone', () => {
    const encode = (json: string) => Buffer.from(json).toString('base64url');
    const json = '{"__proto__":{"polluted":"yes"},"constructor":"c","n":1,"ok":"v"}';
    const event = reader.master(objectOf('DTSTART:20260105T070000Z', `X-UCAL-PUBLIC:${encode(json)}`), READING);
    expect(event?.publicExtendedProperties).toEqual({ constructor: 'c', ok: 'v' });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    for (const junk of ['%%%', encode('[1]'), encode('nope'), 'A'.repeat(9000)]) {
      const broken = objectOf('DTSTART:20260105T070000Z', `X-UCAL-PUBLIC:${junk}`);
      expect(reader.master(broken, READING)?.publicExtendedProperties).toEqual({});
    }
  });
});

describe('EventReader: series', () => {
  it('lists master and overrides, and says which one is cancelled', () => {
    const events = allUnexpanded(fixture('apple-series'), READING, EVER);
    expect(events.map(({ id, isCancelled }) => [id, isCancelled])).toEqual([
      ['event1', false],
      ['event1_20260330T070000Z', false],
      ['event1_20260406T070000Z', true],
    ]);
    expect(events[0]).toMatchObject({ isRecurring: true, isException: false });
    expect(events[1]).toMatchObject({
      isRecurring: false,
      isException: true,
      recurringEventId: 'event1',
      recurrence: null,
      originalStart: { local: '2026-03-30T09:00:00', timeZone: 'Europe/Berlin', offsetMinutes: 120 },
      start: { local: '2026-03-31T14:00:00' },
    });
  });

  it('lets overlap with the window decide for each', () => {
    const inWindow = (from: string, to: string) =>
      allUnexpanded(fixture('apple-series'), READING, { startMs: at(from), endMs: at(to) }).map(({ id }) => id);
    expect(inWindow('2026-03-31T00:00:00Z', '2026-04-01T00:00:00Z')).toEqual(['event1', 'event1_20260330T070000Z']);
    expect(inWindow('2026-03-23T00:00:00Z', '2026-03-24T00:00:00Z')).toEqual([]);
    expect(inWindow('2026-04-06T00:00:00Z', '2026-04-07T00:00:00Z')).toEqual(['event1_20260406T070000Z']);
    expect(inWindow('2026-04-13T00:00:00Z', '2026-04-14T00:00:00Z')).toEqual(['event1']);
  });

  it('expands over the clock change with the wall time kept', () => {
    const events = expanded(fixture('apple-series'), '2026-03-01T00:00:00Z', '2026-05-01T00:00:00Z');
    expect(events.map(({ id, start }) => [id, start])).toEqual([
      [
        'event1_20260316T080000Z',
        { kind: 'dateTime', local: '2026-03-16T09:00:00', timeZone: 'Europe/Berlin', offsetMinutes: 60 },
      ],
      [
        'event1_20260330T070000Z',
        { kind: 'dateTime', local: '2026-03-31T14:00:00', timeZone: 'Europe/Berlin', offsetMinutes: 120 },
      ],
      [
        'event1_20260406T070000Z',
        { kind: 'dateTime', local: '2026-04-06T09:00:00', timeZone: 'Europe/Berlin', offsetMinutes: 120 },
      ],
      [
        'event1_20260413T070000Z',
        { kind: 'dateTime', local: '2026-04-13T09:00:00', timeZone: 'Europe/Berlin', offsetMinutes: 120 },
      ],
      [
        'event1_20260420T070000Z',
        { kind: 'dateTime', local: '2026-04-20T09:00:00', timeZone: 'Europe/Berlin', offsetMinutes: 120 },
      ],
    ]);
    expect(
      events.every(({ isException, isRecurring, recurrence }) => isException && !isRecurring && recurrence === null),
    ).toBe(true);
    expect(events[1]?.title).toBe('Standup (moved)');
    expect(events.filter(({ isCancelled }) => isCancelled).map(({ id }) => id)).toEqual(['event1_20260406T070000Z']);
  });

  it('expands over the change back with a prefixed TZID', () => {
    const events = expanded(fixture('evolution'), '2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z');
    expect(events.map(({ start }) => start.kind === 'dateTime' && start.offsetMinutes)).toEqual([120, 60, 60]);
  });

  it('tells excluded and cancelled instances', () => {
    expect(reader.cancelledInstances(fixture('apple-series'), READING, EVER)).toEqual([
      {
        id: 'event1_20260323T080000Z',
        isCancelled: true,
        iCalUid: 'SERIES-1',
        recurringEventId: 'event1',
        originalStart: { kind: 'dateTime', local: '2026-03-23T09:00:00', timeZone: 'Europe/Berlin', offsetMinutes: 60 },
      },
      expect.objectContaining({ id: 'event1_20260406T070000Z', isCancelled: true }),
    ]);
    const window = { startMs: at('2026-04-01T00:00:00Z'), endMs: null };
    expect(reader.cancelledInstances(fixture('apple-series'), READING, window)).toHaveLength(1);
  });

  it('finds one instance by its date, also by a bare one, and none that is excluded or cancelled', () => {
    const find = (date: string) => reader.instance(fixture('apple-series'), READING, date)?.id ?? null;
    expect(find('20260413T070000Z')).toBe('event1_20260413T070000Z');
    expect(find('20260413')).toBe('event1_20260413T070000Z');
    expect(find('20260323T080000Z')).toBeNull();
    expect(find('20260406T070000Z')).toBeNull();
    expect(find('20260414T070000Z')).toBeNull();
    expect(find('nonsense')).toBeNull();
  });

  it('shows an override without its series', () => {
    const [event, ...others] = allUnexpanded(fixture('override-only'), READING, EVER);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ id: 'event1_20260506T080000Z', title: 'Guest talk', recurringEventId: 'event1' });
    expect(reader.master(fixture('override-only'), READING)).toBeNull();
    expect(reader.instance(fixture('override-only'), READING, '20260506T080000Z')?.title).toBe('Guest talk');
  });

  it('honours RANGE=THISANDFUTURE', () => {
    const events = expanded(fixture('this-and-future'), '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z');
    expect(
      events.map(({ id, title, start }) => [
        id.slice(7, 15),
        title,
        start.kind === 'dateTime' && start.local.slice(11),
      ]),
    ).toEqual([
      ['20260105', 'Old', '09:00:00'],
      ['20260106', 'Old', '09:00:00'],
      ['20260107', 'New', '11:00:00'],
      ['20260108', 'New', '11:00:00'],
      ['20260109', 'New', '11:00:00'],
      ['20260110', 'New', '11:00:00'],
    ]);
  });

  it('expands RDATE periods with their own length', () => {
    const events = expanded(fixture('rdate-period'), '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z');
    expect(events.map(({ end }) => end.kind === 'dateTime' && end.local)).toEqual([
      '2026-01-05T10:00:00',
      '2026-01-12T12:00:00',
      '2026-01-19T09:30:00',
    ]);
  });

  it('takes an UNTIL of type DATE as the end of that day in the zone of the series', () => {
    expect(expanded(fixture('until-date'), '2026-01-01T00:00:00Z', '2026-03-01T00:00:00Z')).toHaveLength(3);
  });

  it('a single event yields itself', () => {
    const events = expanded(fixture('apple-meeting'), '2026-03-10T00:00:00Z', '2026-03-11T00:00:00Z');
    expect(events.map(({ id, isException }) => [id, isException])).toEqual([['event1', false]]);
    expect(expanded(fixture('apple-meeting'), '2026-03-11T00:00:00Z', '2026-03-12T00:00:00Z')).toEqual([]);
  });

  it('lives floating and all-day times in the zone of the calendar', () => {
    const context = { ...READING, calendarTimeZone: 'Pacific/Auckland' };
    const days = (from: string, to: string) =>
      allExpanded(fixture('floating'), context, { startMs: at(from), endMs: at(to) }).length;
    expect(days('2026-01-04T18:00:00Z', '2026-01-04T18:10:00Z')).toBe(1);
    expect(days('2026-01-05T07:00:00Z', '2026-01-05T07:10:00Z')).toBe(0);
  });

  it('tells busy time', () => {
    const busy = (name: string, from: string, to: string) =>
      reader.busy(fixture(name), {
        window: { startMs: at(from), endMs: at(to) },
        floatingTimeZone: 'Europe/Berlin',
        ownAddresses: READING.ownAddresses,
      });
    expect(busy('apple-series', '2026-03-30T00:00:00Z', '2026-04-01T00:00:00Z')).toEqual([
      { startMs: at('2026-03-31T12:00:00Z'), endMs: at('2026-03-31T12:30:00Z') },
    ]);
    expect(busy('thunderbird', '2026-07-01T00:00:00Z', '2026-07-02T00:00:00Z')).toEqual([]);
    expect(busy('outlook-all-day', '2026-07-15T00:00:00Z', '2026-07-16T00:00:00Z')).toEqual([]);
  });
});

describe('EventReader: hostile recurrence', () => {
  const window = { startMs: at('2026-01-01T00:00:00Z'), endMs: at('2026-02-01T00:00:00Z') };

  it.each([
    ['N49 broken rule', 'FREQ=SOMETIMES'],
    ['N49 other calendar', 'RSCALE=CHINESE;FREQ=YEARLY'],
  ])('%s: the series is named and flagged, never given out unexpanded', (_, rule) => {
    const reasons: string[] = [];
    const bytes = objectOf('DTSTART:20260105T070000Z', 'DTEND:20260105T080000Z', `RRULE:${rule}`, 'SUMMARY:x');
    const context = { ...READING, onUnexpandable: (reason: string) => reasons.push(reason) };
    expect(() => allExpanded(bytes, context, window)).toThrow(
      expect.objectContaining({ code: 'ValidationFailed', message: expect.stringContaining('event1') }),
    );
    expect(reasons.length).toBeGreaterThan(0);
    expect(reader.instance(bytes, context, '20260105T070000Z')).toBeNull();
    expect(reader.cancelledInstances(bytes, context, EVER)).toEqual([]);
  });

  it('N49 a broken rule of what is cancelled, or of overrides alone, costs nobody the list', () => {
    const rule = ['DTSTART:20260105T070000Z', 'RRULE:FREQ=SOMETIMES'];
    const cancelled = allExpanded(objectOf(...rule, 'STATUS:CANCELLED'), READING, window);
    expect(cancelled.map(({ isCancelled }) => isCancelled)).toEqual([true]);
    expect(allExpanded(objectOf('DTSTART:nonsense', 'RRULE:FREQ=DAILY'), READING, window)).toEqual([]);
  });

  it('N49 every second since 1970: too large a range, quickly', () => {
    const bytes = objectOf('DTSTART:19700101T000000Z', 'RRULE:FREQ=SECONDLY');
    const started = performance.now();
    expect(() => allExpanded(bytes, READING, window)).toThrow(
      expect.objectContaining({ code: 'ValidationFailed', message: expect.stringContaining('event1') }),
    );
    expect(allUnexpanded(bytes, READING, window)).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe('all-day dates', () => {
  const zones = ['Etc/GMT+12', 'Pacific/Niue', 'America/New_York', 'UTC', 'Asia/Kolkata', 'Pacific/Kiritimati'];

  it.each(zones)('never shift in %s', (calendarTimeZone) => {
    const context = { ...READING, calendarTimeZone };
    const bytes = objectOf('DTSTART;VALUE=DATE:20260328', 'DTEND;VALUE=DATE:20260330', 'RRULE:FREQ=WEEKLY;COUNT=2');
    const events = allExpanded(bytes, context, {
      startMs: at('2026-03-01T00:00:00Z'),
      endMs: at('2026-05-01T00:00:00Z'),
    });
    expect(events.map(({ id, start, end, originalStart }) => ({ id, start, end, originalStart }))).toEqual([
      {
        id: 'event1_20260328',
        start: { kind: 'date', date: '2026-03-28' },
        end: { kind: 'date', date: '2026-03-30' },
        originalStart: { kind: 'date', date: '2026-03-28' },
      },
      {
        id: 'event1_20260404',
        start: { kind: 'date', date: '2026-04-04' },
        end: { kind: 'date', date: '2026-04-06' },
        originalStart: { kind: 'date', date: '2026-04-04' },
      },
    ]);
  });
});
