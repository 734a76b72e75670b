import fc from 'fast-check';
import type { EventInput } from '#domain/events';
import type { EditScope } from '#domain/providers';
import { EventReader } from './event-reader.js';
import { EventWriter } from './event-writer.js';
import { fixture, objectOf, ownChanges, READING, WRITING } from '../testing/corpus.js';
import { allExpanded } from '../testing/read-events.js';

const reader = new EventReader();
const writer = new EventWriter();
const YEAR = { startMs: Date.UTC(2026, 0, 1), endMs: Date.UTC(2027, 0, 1) };
const BERLIN = 'Europe/Berlin';

const dateTime = (local: string, timeZone: string | null = BERLIN, offsetMinutes: number | null = null) =>
  ({ kind: 'dateTime', local, timeZone, offsetMinutes }) as const;

function update(
  bytes: Buffer,
  input: EventInput,
  instanceDate: string | null = null,
  scope: EditScope = instanceDate === null ? 'all' : 'this',
) {
  return writer.update(bytes, instanceDate, scope, input, WRITING);
}

/** `start title` of each instance, wall-clock times. */
function instances(bytes: Buffer): string[] {
  return allExpanded(bytes, READING, YEAR)
    .filter(({ isCancelled }) => !isCancelled)
    .map(({ start, title }) => `${start.kind === 'date' ? start.date : start.local.slice(0, 16)} ${title}`);
}

function daily(...more: string[]): Buffer {
  return objectOf(
    'SUMMARY:Old',
    'SEQUENCE:7',
    'DTSTART;TZID=Europe/Berlin:20260326T090000',
    'DTEND;TZID=Europe/Berlin:20260326T100000',
    ...more,
  );
}

describe('one instance', () => {
  it('becomes an override: a copy of the series less the rule, and one line more of each change', () => {
    const before = fixture('apple-series');
    const { body, instanceDate } = update(before, { title: 'Special' }, '20260413T070000Z');
    expect(instanceDate).toBe('20260413T070000Z');
    expect(ownChanges(before, body)).toEqual([
      '+BEGIN:VEVENT',
      '+UID:SERIES-1',
      '+CREATED:20260301T101500Z',
      '+SUMMARY:Special',
      '+DTSTART;TZID=Europe/Berlin:20260413T090000',
      '+DTEND;TZID=Europe/Berlin:20260413T093000',
      '+X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC',
      '+RECURRENCE-ID;TZID=Europe/Berlin:20260413T090000',
      '+BEGIN:VALARM',
      '+ACTION:DISPLAY',
      '+DESCRIPTION:Reminder',
      '+TRIGGER:-PT10M',
      '+END:VALARM',
      '+END:VEVENT',
    ]);
    expect(reader.instance(body, READING, '20260413T070000Z')).toMatchObject({ title: 'Special', isException: true });
  });

  it('that has an override is changed there; moved, it keeps its id', () => {
    const before = fixture('apple-series');
    const { body } = update(
      before,
      { start: dateTime('2026-04-01T08:00:00'), end: dateTime('2026-04-01T09:00:00') },
      '20260330T070000Z',
    );
    expect(body.toString().match(/BEGIN:VEVENT/g)).toHaveLength(3);
    expect(body.toString()).toContain('SEQUENCE:4\r\n');
    expect(reader.instance(body, READING, '20260330T070000Z')).toMatchObject({
      start: { local: '2026-04-01T08:00:00' },
      originalStart: { local: '2026-03-30T09:00:00' },
    });
  });

  it('that is moved in an override gets a SEQUENCE above that of the series too', () => {
    const bytes = daily(
      'RRULE:FREQ=DAILY;COUNT=3',
      'END:VEVENT',
      'BEGIN:VEVENT',
      'UID:TEST',
      'SEQUENCE:2',
      'RECURRENCE-ID;TZID=Europe/Berlin:20260327T090000',
      'DTSTART;TZID=Europe/Berlin:20260327T110000',
      'DTEND;TZID=Europe/Berlin:20260327T120000',
    );
    const { body } = update(bytes, { start: dateTime('2026-03-27T10:00:00') }, '20260327T080000Z');
    expect(body.toString()).toContain('SEQUENCE:8\r\n');
  });

  it('that does not change makes no override', () => {
    const before = fixture('apple-series');
    expect(update(before, { title: 'Standup', recurrence: null }, '20260413T070000Z').body.equals(before)).toBe(true);
  });

  it('of an all-day, a floating and a UTC series gets RECURRENCE-ID in their form', () => {
    const { body } = update(fixture('nextcloud-all-day'), { title: 'x' }, '20260428');
    expect(body.toString()).toContain('RECURRENCE-ID;VALUE=DATE:20260428\r\n');
    expect(body.toString()).toContain('DTEND;VALUE=DATE:20260501\r\n');
    expect(update(fixture('floating'), { title: 'x' }, '20260106T070000').body.toString()).toContain(
      'RECURRENCE-ID:20260106T070000\r\n',
    );
    const utc = objectOf('DTSTART:20260105T070000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY');
    const text = update(utc, { title: 'x' }, '20260106T070000Z').body.toString();
    expect(text).toContain('RECURRENCE-ID:20260106T070000Z\r\n');
    expect(text).toContain('DTEND:20260106T080000Z\r\n');
  });

  it('can be all-day in a timed series', () => {
    const { body } = update(daily('RRULE:FREQ=DAILY;COUNT=3'), { isAllDay: true }, '20260327T080000Z');
    expect(instances(body)).toEqual(['2026-03-26T09:00 Old', '2026-03-27 Old', '2026-03-28T09:00 Old']);
    expect(body.toString()).toContain('RECURRENCE-ID;TZID=Europe/Berlin:20260327T090000\r\n');
  });

  it.each(['20260323T080000Z', '20260406T070000Z', '20260414T070000Z', 'x'])('N19 %s is not there', (date) => {
    expect(() => update(fixture('apple-series'), { title: 'x' }, date)).toThrow(
      expect.objectContaining({ code: 'NotFound' }),
    );
  });

  it('has no rule of its own', () => {
    expect(() => update(daily('RRULE:FREQ=DAILY'), { recurrence: ['FREQ=DAILY'] }, '20260327T080000Z')).toThrow(
      /recurrence/,
    );
    expect(() => update(daily('RRULE:FREQ=DAILY'), { title: 'x' }, null, 'this')).toThrow(/scope/);
  });

  it('under RANGE=THISANDFUTURE is made of that override, which stays', () => {
    const { body } = update(fixture('this-and-future'), { title: 'One' }, '20260109T080000Z');
    expect(instances(body)).toEqual([
      '2026-01-05T09:00 Old',
      '2026-01-06T09:00 Old',
      '2026-01-07T11:00 New',
      '2026-01-08T11:00 New',
      '2026-01-09T11:00 One',
      '2026-01-10T11:00 New',
    ]);
    expect(body.toString()).toContain('RANGE=THISANDFUTURE');
    expect(() => update(fixture('this-and-future'), { title: 'x' }, '20260107T080000Z')).toThrow(
      expect.objectContaining({ code: 'Conflict' }),
    );
  });
});

describe('a whole series', () => {
  it('moved later takes EXDATE, overrides and UNTIL along', () => {
    const { body } = update(fixture('apple-series'), {
      start: dateTime('2026-03-16T10:00:00'),
      end: dateTime('2026-03-16T10:30:00'),
    });
    const text = body.toString();
    expect(text).toContain('EXDATE;TZID=Europe/Berlin:20260323T100000\r\n');
    expect(text).toContain('RECURRENCE-ID;TZID=Europe/Berlin:20260330T100000\r\n');
    expect(instances(body)).toEqual([
      '2026-03-16T10:00 Standup',
      '2026-03-31T15:00 Standup (moved)',
      '2026-04-13T10:00 Standup',
      '2026-04-20T10:00 Standup',
    ]);
    const until = daily('RRULE:FREQ=DAILY;UNTIL=20260328T080000Z;WKST=MO');
    const moved = update(until, { start: dateTime('2026-03-26T20:00:00'), end: dateTime('2026-03-26T21:00:00') });
    expect(moved.body.toString()).toContain('RRULE:FREQ=DAILY;UNTIL=20260328T190000Z;WKST=MO\r\n');
    expect(instances(moved.body)).toHaveLength(3);
    expect(moved.body.toString()).toContain('SEQUENCE:8\r\n');
  });

  it('moved over the clock change keeps UNTIL on the wall clock', () => {
    const { body } = update(daily('RRULE:FREQ=DAILY;UNTIL=20260330T070000Z'), {
      start: dateTime('2026-03-25T09:00:00'),
      end: dateTime('2026-03-25T10:00:00'),
    });
    expect(body.toString()).toContain('UNTIL=20260329T070000Z');
    expect(instances(body)).toHaveLength(5);
  });

  it('in another zone keeps wall times', () => {
    const input = {
      start: dateTime('2026-03-26T09:00:00', 'America/New_York'),
      end: dateTime('2026-03-26T10:00:00', 'America/New_York'),
    };
    const { body } = update(daily('RRULE:FREQ=DAILY;COUNT=4', 'EXDATE;TZID=Europe/Berlin:20260328T090000'), input);
    expect(body.toString()).toContain('EXDATE;TZID=America/New_York:20260328T090000\r\n');
    expect(instances(body)).toEqual(['2026-03-26T09:00 Old', '2026-03-27T09:00 Old', '2026-03-29T09:00 Old']);
  });

  it('becomes all-day with everything that names its instances, and timed again', () => {
    const day = update(fixture('apple-series'), {
      start: { kind: 'date', date: '2026-03-16' },
      end: { kind: 'date', date: '2026-03-17' },
    });
    const text = day.body.toString();
    expect(text).toContain('EXDATE;VALUE=DATE:20260323\r\n');
    expect(text).toContain('RECURRENCE-ID;VALUE=DATE:20260330\r\n');
    expect(text).not.toMatch(/^(?:DTSTART|DTEND|EXDATE|RECURRENCE-ID);TZID/m);
    expect(instances(day.body)).toEqual([
      '2026-03-16 Standup',
      '2026-03-31 Standup (moved)',
      '2026-04-13 Standup',
      '2026-04-20 Standup',
    ]);
    const back = update(day.body, { start: dateTime('2026-03-16T08:00:00'), end: dateTime('2026-03-16T09:00:00') });
    expect(back.body.toString()).not.toContain('VALUE=DATE');
    expect(instances(back.body)).toEqual([
      '2026-03-16T08:00 Standup',
      '2026-03-31T08:00 Standup (moved)',
      '2026-04-13T08:00 Standup',
      '2026-04-20T08:00 Standup',
    ]);
    const until = update(daily('RRULE:FREQ=DAILY;UNTIL=20260328T080000Z'), { isAllDay: true });
    expect(until.body.toString()).toContain('UNTIL=20260328\r\n');
  });

  it('whose rule names its days keeps exclusions on those days when the start moves to another', () => {
    const bytes = objectOf(
      'DTSTART;TZID=Europe/Berlin:20260302T090000',
      'DTEND;TZID=Europe/Berlin:20260302T100000',
      'RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=4',
      'EXDATE;TZID=Europe/Berlin:20260309T090000',
    );
    const { body } = update(bytes, { start: dateTime('2026-03-03T10:00:00'), end: dateTime('2026-03-03T11:00:00') });
    expect(body.toString()).toContain('EXDATE;TZID=Europe/Berlin:20260309T100000\r\n');
  });

  it('with another rule drops exclusions and overrides of instances that are gone, and keeps the others', () => {
    const bytes = daily(
      'RRULE:FREQ=DAILY;COUNT=10',
      'EXDATE;TZID=Europe/Berlin:20260327T090000,20260328T090000',
      'END:VEVENT',
      'BEGIN:VEVENT',
      'UID:TEST',
      'RECURRENCE-ID:20260402T070000Z',
      'DTSTART;TZID=Europe/Berlin:20260402T150000',
      'SUMMARY:Gone',
    );
    const { body } = update(bytes, { recurrence: ['RRULE:FREQ=DAILY;INTERVAL=2;COUNT=3'] });
    expect(body.toString()).toContain('EXDATE;TZID=Europe/Berlin:20260328T090000\r\n');
    expect(instances(body)).toEqual(['2026-03-26T09:00 Old', '2026-03-30T09:00 Old']);
    const listed = update(bytes, {
      recurrence: ['RRULE:FREQ=DAILY;COUNT=10', 'EXDATE;TZID=Europe/Berlin:20260329T090000'],
    });
    expect(instances(listed.body).slice(0, 4)).toEqual([
      '2026-03-26T09:00 Old',
      '2026-03-27T09:00 Old',
      '2026-03-28T09:00 Old',
      '2026-03-30T09:00 Old',
    ]);
    expect(instances(listed.body)).toContain('2026-04-02T15:00 Gone');
  });

  it('without recurrence is a single event', () => {
    const { body } = update(fixture('apple-series'), { recurrence: null });
    expect(body.toString()).not.toMatch(/RRULE:FREQ=WEEKLY|EXDATE|RECURRENCE-ID/);
    expect(instances(body)).toEqual(['2026-03-16T09:00 Standup']);
  });

  it('made of a single event', () => {
    const { body } = update(daily(), { recurrence: ['FREQ=DAILY;COUNT=2'] });
    expect(instances(body)).toEqual(['2026-03-26T09:00 Old', '2026-03-27T09:00 Old']);
  });

  it('changed from one of its instances moves by the difference', () => {
    const { body, instanceDate } = update(
      daily('RRULE:FREQ=DAILY;COUNT=3'),
      { title: 'New', start: dateTime('2026-03-27T11:00:00'), end: dateTime('2026-03-27T12:30:00') },
      '20260327T080000Z',
      'all',
    );
    expect(instanceDate).toBeNull();
    expect(instances(body)).toEqual(['2026-03-26T11:00 New', '2026-03-27T11:00 New', '2026-03-28T11:00 New']);
    expect(body.toString()).toContain('DTEND;TZID=Europe/Berlin:20260326T123000');
  });

  it('made longer takes along overrides of the old length only', () => {
    const override = (date: string, end: string) => [
      'END:VEVENT',
      'BEGIN:VEVENT',
      'UID:TEST',
      `RECURRENCE-ID;TZID=Europe/Berlin:${date}T090000`,
      `DTSTART;TZID=Europe/Berlin:${date}T090000`,
      `DTEND;TZID=Europe/Berlin:${date}T${end}`,
    ];
    const bytes = daily(
      'RRULE:FREQ=DAILY;COUNT=3',
      ...override('20260327', '100000'),
      ...override('20260328', '093000'),
    );
    const { body } = update(bytes, { end: dateTime('2026-03-26T11:00:00') });
    const ends = allExpanded(body, READING, YEAR).map(({ end }) => end.kind === 'dateTime' && end.local.slice(5));
    expect(ends).toEqual(['03-26T11:00:00', '03-27T11:00:00', '03-28T09:30:00']);
  });

  it('moved to and fro is what it was', () => {
    const before = instances(fixture('apple-series'));
    fc.assert(
      fc.property(fc.integer({ min: -500, max: 500 }), (hours) => {
        const at = (shift: number) => new Date(Date.UTC(2026, 2, 16, 9) + shift * 3_600_000).toISOString().slice(0, 19);
        const times = (shift: number) => ({ start: dateTime(at(shift)), end: dateTime(at(shift + 0.5)) });
        // Sundays at two: on 29 March there is no such time, so there is no such instance (RFC 5545 §3.3.10).
        fc.pre(new Date(`${at(hours)}Z`).getUTCDay() !== 0 || !at(hours).endsWith('T02:00:00'));
        const moved = update(fixture('apple-series'), times(hours)).body;
        expect(instances(moved)).toHaveLength(before.length);
        expect(instances(update(moved, times(0)).body)).toEqual(before);
      }),
      { numRuns: 100 },
    );
  });

  it('shifts RDATE, periods included', () => {
    const { body } = update(fixture('rdate-period'), {
      start: dateTime('2026-01-06T10:00:00'),
      end: dateTime('2026-01-06T11:00:00'),
    });
    const ends = allExpanded(body, READING, YEAR).map(({ start, end }) =>
      [start, end].map((time) => time.kind === 'dateTime' && time.local.slice(5, 16)),
    );
    expect(ends).toEqual([
      ['01-06T10:00', '01-06T11:00'],
      ['01-13T10:00', '01-13T13:00'],
      ['01-20T10:00', '01-20T10:30'],
    ]);
  });

  it('N49 ten thousand exclusions move in a second', () => {
    const dates = Array.from({ length: 10_000 }, (_, day) =>
      new Date(Date.UTC(2026, 2, 27) + day * 86_400_000).toISOString().slice(0, 10).replaceAll('-', ''),
    );
    const bytes = daily(
      'RRULE:FREQ=DAILY',
      `EXDATE;TZID=Europe/Berlin:${dates.map((date) => `${date}T090000`).join(',')}`,
    );
    const started = process.threadCpuUsage();
    const { body } = update(bytes, { start: dateTime('2026-03-26T10:00:00'), end: dateTime('2026-03-26T11:00:00') });
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(3000);
    expect(instances(body)).toEqual(['2026-03-26T10:00 Old']);
  });
});

describe('this and following', () => {
  it('keeps the length of days when the first instance spans a clock change', () => {
    const ends = (bytes: Buffer) => allExpanded(bytes, READING, YEAR).map(({ end }) => end.kind === 'date' && end.date);
    const days = ['DTSTART;VALUE=DATE:20260327', 'DTEND;VALUE=DATE:20260330', 'RRULE:FREQ=WEEKLY;COUNT=3'];
    const { split } = update(objectOf(...days), { title: 'New' }, '20260403', 'following');
    expect(ends(split!.body)).toEqual(['2026-04-06', '2026-04-13']);
  });

  it('keeps a length in days that is not a number of hours', () => {
    const bytes = objectOf('DTSTART;TZID=Europe/Berlin:20260327T000000', 'DURATION:P1D', 'RRULE:FREQ=DAILY;COUNT=4');
    const { split } = update(bytes, { title: 'New' }, '20260327T230000Z', 'following');
    const ends = allExpanded(split!.body, READING, YEAR).map(
      ({ end }) => end.kind === 'dateTime' && end.local.slice(5),
    );
    expect(ends).toEqual(['03-29T00:00:00', '03-30T00:00:00', '03-31T00:00:00']);
  });

  const series = daily(
    'RRULE:FREQ=DAILY;COUNT=6',
    'EXDATE;TZID=Europe/Berlin:20260327T090000',
    'EXDATE;TZID=Europe/Berlin:20260331T090000',
    'X-KEEP:me',
    'END:VEVENT',
    'BEGIN:VEVENT',
    'UID:TEST',
    'RECURRENCE-ID;TZID=Europe/Berlin:20260330T090000',
    'DTSTART;TZID=Europe/Berlin:20260330T150000',
    'DTEND;TZID=Europe/Berlin:20260330T160000',
    'SUMMARY:Moved',
  );

  it('ends the series before the instance and goes on in a new one, losing nothing', () => {
    const { body, split, instanceDate } = update(series, { title: 'New' }, '20260329T070000Z', 'following');
    expect(instanceDate).toBeNull();
    expect(instances(body)).toEqual(['2026-03-26T09:00 Old', '2026-03-28T09:00 Old']);
    expect(body.toString()).toContain('RRULE:FREQ=DAILY;COUNT=3\r\n');
    expect(body.toString()).not.toContain('20260331T090000');
    expect(instances(split!.body)).toEqual(['2026-03-29T09:00 New', '2026-03-30T15:00 Moved']);
    const text = split!.body.toString();
    expect(text).toContain('RRULE:FREQ=DAILY;COUNT=3\r\n');
    expect(text).toContain('X-KEEP:me\r\n');
    expect(text.match(new RegExp(`UID:${split!.uid}\r\n`, 'g'))).toHaveLength(2);
    expect(text).toContain('SEQUENCE:0\r\n');
    expect(split!.uid).toMatch(/^[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$/);
  });

  it('from an instance that is moved or excluded besides takes its override to the new series', () => {
    const { body, split } = update(series, { location: 'Here' }, '20260330T070000Z', 'following');
    expect(body.toString()).not.toContain('Moved');
    expect(instances(split!.body)).toEqual(['2026-03-30T15:00 Moved']);
    expect(reader.master(split!.body, READING)?.start).toMatchObject({ local: '2026-03-30T09:00:00' });
  });

  it('counts an earlier instance that was moved to a later day as earlier', () => {
    const bytes = daily(
      'RRULE:FREQ=DAILY;COUNT=3',
      'END:VEVENT',
      'BEGIN:VEVENT',
      'UID:TEST',
      'RECURRENCE-ID;TZID=Europe/Berlin:20260326T090000',
      'DTSTART;TZID=Europe/Berlin:20260501T090000',
      'SUMMARY:Late',
    );
    const { body, split } = update(bytes, { title: 'New' }, '20260327T080000Z', 'following');
    expect(instances(body)).toEqual(['2026-05-01T09:00 Late']);
    expect(instances(split!.body)).toEqual(['2026-03-27T09:00 New', '2026-03-28T09:00 New']);
  });

  it('does not begin at an extra date beside a rule', () => {
    const bytes = daily('RRULE:FREQ=DAILY;COUNT=4', 'RDATE;TZID=Europe/Berlin:20260326T200000');
    expect(() => update(bytes, { title: 'x' }, '20260326T190000Z', 'following')).toThrow(/scope: .*extra date/);
  });

  it('is the same object when asked again', () => {
    const [one, other] = [1, 2].map(() => update(series, { title: 'New' }, '20260329T070000Z', 'following'));
    expect(one?.split?.uid).toBe(other?.split?.uid);
    expect(one?.split?.body.equals(other!.split!.body)).toBe(true);
  });

  it('with new times and zone moves what follows', () => {
    const input = { start: dateTime('2026-03-29T11:00:00'), end: dateTime('2026-03-29T12:00:00') };
    const { split } = update(series, input, '20260329T070000Z', 'following');
    expect(instances(split!.body)).toEqual(['2026-03-29T11:00 Old', '2026-03-30T17:00 Moved']);
    expect(split!.body.toString()).toContain('EXDATE;TZID=Europe/Berlin:20260331T110000\r\n');
  });

  it('with UNTIL: the second, or the day, before', () => {
    const timed = update(
      daily('RRULE:FREQ=DAILY;UNTIL=20260401T070000Z'),
      { title: 'New' },
      '20260328T080000Z',
      'following',
    );
    expect(timed.body.toString()).toContain('UNTIL=20260328T075959Z');
    expect(instances(timed.body)).toHaveLength(2);
    expect(instances(timed.split!.body)).toHaveLength(5);
    const days = update(fixture('nextcloud-all-day'), { title: 'New' }, '20260628', 'following');
    expect(days.body.toString()).toContain('UNTIL=20260627\r\n');
    expect(instances(days.body)).toEqual(['2026-03-28 Offsite', '2026-04-28 Offsite']);
    expect(instances(days.split!.body)).toEqual([
      '2026-06-28 New',
      '2026-07-28 New',
      '2026-08-28 New',
      '2026-09-28 New',
    ]);
    const endless = update(daily('RRULE:FREQ=DAILY'), { title: 'New' }, '20260328T080000Z', 'following');
    expect(instances(endless.body)).toHaveLength(2);
    expect(endless.split!.body.toString()).toContain('RRULE:FREQ=DAILY\r\n');
  });

  it('with another rule', () => {
    const { split } = update(series, { recurrence: ['RRULE:FREQ=WEEKLY;COUNT=2'] }, '20260329T070000Z', 'following');
    expect(instances(split!.body)).toEqual(['2026-03-29T09:00 Old', '2026-04-05T09:00 Old']);
  });

  it('splits RDATE', () => {
    const bytes = daily('RRULE:FREQ=DAILY;COUNT=4', 'RDATE;TZID=Europe/Berlin:20260326T200000,20260420T090000');
    const { body, split } = update(bytes, { title: 'New' }, '20260328T080000Z', 'following');
    expect(instances(body)).toEqual(['2026-03-26T09:00 Old', '2026-03-26T20:00 Old', '2026-03-27T09:00 Old']);
    expect(instances(split!.body)).toEqual(['2026-03-28T09:00 New', '2026-03-29T09:00 New', '2026-04-20T09:00 New']);
  });

  it('from the first instance is the whole series', () => {
    const { body, split } = update(series, { title: 'New' }, '20260326T080000Z', 'following');
    expect(split).toBeUndefined();
    expect(instances(body)).toContain('2026-03-26T09:00 New');
    expect(body.toString()).toContain('COUNT=6');
  });

  it('takes a change of this and future along', () => {
    const { body, split } = update(fixture('this-and-future'), { title: 'Third' }, '20260109T080000Z', 'following');
    expect(instances(body)).toEqual([
      '2026-01-05T09:00 Old',
      '2026-01-06T09:00 Old',
      '2026-01-07T11:00 New',
      '2026-01-08T11:00 New',
    ]);
    expect(instances(split!.body)).toEqual(['2026-01-09T11:00 Third', '2026-01-10T11:00 Third']);
  });

  it('is for the organizer', () => {
    const bytes = daily('RRULE:FREQ=DAILY', 'ORGANIZER:mailto:other@example.com', 'ATTENDEE:mailto:alice@example.com');
    expect(() => update(bytes, { title: 'x' }, '20260328T080000Z', 'following')).toThrow(/scope/);
  });
});

describe('remove', () => {
  const remove = (bytes: Buffer, date: string, scope: EditScope = 'this') => writer.remove(bytes, date, scope, WRITING);

  it('adds one EXDATE line and touches nothing else', () => {
    const before = fixture('apple-series');
    expect(ownChanges(before, remove(before, '20260413T070000Z')!)).toEqual([
      '+EXDATE;TZID=Europe/Berlin:20260413T090000',
    ]);
  });

  it('takes the override away with its instance', () => {
    const body = remove(fixture('apple-series'), '20260330T070000Z')!;
    expect(body.toString()).not.toContain('Standup (moved)');
    expect(body.toString()).toContain('EXDATE;TZID=Europe/Berlin:20260330T090000\r\n');
    expect(body.toString()).toContain('SEQUENCE:3\r\n');
  });

  it('of an all-day series excludes the date', () => {
    expect(remove(fixture('nextcloud-all-day'), '20260328')!.toString()).toContain('EXDATE;VALUE=DATE:20260328\r\n');
  });

  it('leaves nothing of the last instance', () => {
    const one = daily('RRULE:FREQ=DAILY;COUNT=2', 'EXDATE;TZID=Europe/Berlin:20260326T090000');
    expect(remove(one, '20260327T080000Z')).toBeNull();
    expect(remove(daily('RRULE:FREQ=DAILY'), '20260327T080000Z')).not.toBeNull();
  });

  it('of the changed instance of an event without a rule leaves nothing of it', () => {
    const changed = (start: string) => [
      ...['END:VEVENT', 'BEGIN:VEVENT', 'UID:TEST', `RECURRENCE-ID;TZID=Europe/Berlin:${start}`],
      `DTSTART;TZID=Europe/Berlin:${start}`,
    ];
    const own = changed('20260326T090000');
    expect(remove(daily(...own), '20260326T080000Z')).toBeNull();
    const stray = remove(daily(...own, ...changed('20260401T120000')), '20260326T080000Z')!;
    expect(instances(stray)).toEqual(['2026-04-01T12:00 ']);
  });

  it('of this and following ends the series; of the first, or of all, leaves nothing', () => {
    const body = remove(fixture('apple-series'), '20260413T070000Z', 'following')!;
    expect(instances(body)).toEqual(['2026-03-16T09:00 Standup', '2026-03-31T14:00 Standup (moved)']);
    expect(body.toString()).toContain('COUNT=4');
    expect(remove(fixture('apple-series'), '20260316T080000Z', 'following')).toBeNull();
    expect(remove(fixture('apple-series'), '20260413T070000Z', 'all')).toBeNull();
  });

  it.each(['20260323T080000Z', '20260406T070000Z', '20270101T080000Z'])('%s is not there', (date) => {
    expect(() => remove(fixture('apple-series'), date)).toThrow(expect.objectContaining({ code: 'NotFound' }));
  });
});

describe('a series that grows too large to be read again', () => {
  const before = daily('RRULE:FREQ=DAILY;COUNT=4', ...Array.from({ length: 9_970 }, (_, at) => `COMMENT:${at}`));
  const tooLarge = expect.objectContaining({
    code: 'ValidationFailed',
    message: 'The event is too large to be kept: iCalendar object has more than 10000 lines',
  }) as unknown as Error;

  it('is refused', () => {
    expect(() => update(before, { title: 'New' }, '20260327T080000Z')).toThrow(tooLarge);
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=4', ...Array.from({ length: 30 }, () => 'RDATE:20270101T090000Z')];
    expect(() => update(before, { recurrence })).toThrow(tooLarge);
  });

  it('can be changed as long as it does not', () => {
    const { body } = update(before, { title: 'New' });
    expect(instances(body)).toHaveLength(4);
    expect(instances(writer.remove(body, '20260327T080000Z', 'this', WRITING)!)).toHaveLength(3);
  });
});
