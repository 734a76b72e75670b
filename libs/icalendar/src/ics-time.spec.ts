import fc from 'fast-check';
import {
  dateOf,
  formatDuration,
  formatIcsTime,
  IcsDocument,
  localOf,
  parseDuration,
  parseIcsTime,
  parseIcsTimes,
  parsePeriods,
  parseTimeValue,
  wallMsOf,
  withWallMs,
} from './index.js';

const property = (line: string) => {
  const found = IcsDocument.parse(`BEGIN:VCALENDAR\n${line}\nEND:VCALENDAR`).calendars[0]?.properties[0];
  if (!found) throw new Error(`not a property: ${line}`);
  return found;
};

describe('parseIcsTime', () => {
  it.each([
    ['DTSTART;VALUE=DATE:20260329', { kind: 'date', date: '2026-03-29' }],
    ['DTSTART:20260329', { kind: 'date', date: '2026-03-29' }],
    ['DTSTART;VALUE=DATE-TIME:20260329', { kind: 'date', date: '2026-03-29' }],
    ['DTSTART;VALUE=DATE;TZID=Europe/Berlin:20260329', { kind: 'date', date: '2026-03-29' }],
    ['DTSTART;VALUE=DATE:20260329T090000Z', { kind: 'utc', local: '2026-03-29T09:00:00' }],
    ['DTSTART:20260329T090000', { kind: 'floating', local: '2026-03-29T09:00:00' }],
    ['DTSTART;TZID=A/B:20260329T090000', { kind: 'zoned', local: '2026-03-29T09:00:00', tzid: 'A/B' }],
    ['DTSTART;TZID=A/B:20260329T090000Z', { kind: 'utc', local: '2026-03-29T09:00:00' }],
    ['DTSTART:20260329t090000z ', { kind: 'utc', local: '2026-03-29T09:00:00' }],
    ['DTSTART:20260329T0900', { kind: 'floating', local: '2026-03-29T09:00:00' }],
    ['DTSTART:2026-03-29T09:00:00Z', { kind: 'utc', local: '2026-03-29T09:00:00' }],
    ['DTSTART:20161231T235960Z', { kind: 'utc', local: '2016-12-31T23:59:59' }],
    ['DTSTART:00010101T000000', { kind: 'floating', local: '0001-01-01T00:00:00' }],
    ['DTSTART:20240229', { kind: 'date', date: '2024-02-29' }],
  ])('reads %s', (line, time) => {
    expect(parseIcsTime(property(line))).toEqual(time);
  });

  it.each([
    '',
    '2026',
    '20260230',
    '20250229',
    '19000229',
    '00000101T000000Z',
    '20261301',
    '20260100',
    '20260101T240000',
    '20260101T096000',
    '20260101T0900000',
    '20260101X090000',
    '20260101T09',
    '2026010１',
    'P1D',
    '9'.repeat(10_000),
  ])('finds no time in %j', (value) => {
    expect(parseTimeValue(value)).toBeNull();
  });

  it('reads lists and leaves out what is no time', () => {
    expect(parseIcsTimes(property('EXDATE;TZID=Z:20260101T090000,oops,20260102,20260103T090000Z'))).toEqual([
      { kind: 'zoned', local: '2026-01-01T09:00:00', tzid: 'Z' },
      { kind: 'date', date: '2026-01-02' },
      { kind: 'utc', local: '2026-01-03T09:00:00' },
    ]);
  });

  it('writes what it reads', () => {
    const lines = ['A;VALUE=DATE:20260329', 'A:20260329T090000Z', 'A:20260329T090000', 'A;TZID=x:20260329T090000'];
    const { calendars } = IcsDocument.parse('BEGIN:VCALENDAR\nEND:VCALENDAR');
    for (const line of lines) {
      const { value, parameters } = formatIcsTime(parseIcsTime(property(line))!);
      calendars[0]?.setProperty('A', value, parameters);
      expect(calendars[0]?.property('A')?.line).toBe(line);
    }
  });
});

describe('wall-clock milliseconds', () => {
  it('are Date.UTC of the fields, in every year', () => {
    expect(wallMsOf({ kind: 'floating', local: '2026-03-29T02:30:15' })).toBe(Date.UTC(2026, 2, 29, 2, 30, 15));
    expect(wallMsOf({ kind: 'date', date: '2026-03-29' })).toBe(Date.UTC(2026, 2, 29));
    expect(wallMsOf({ kind: 'date', date: dateOf(Date.UTC(10_000, 0)) })).toBe(Date.UTC(10_000, 0));
    expect(localOf(wallMsOf({ kind: 'utc', local: '0099-12-31T23:59:59' }))).toBe('0099-12-31T23:59:59');
    const milliseconds = fc.integer({ min: Date.UTC(1000, 0) / 1000, max: Date.UTC(10_100, 0) / 1000 });
    fc.assert(
      fc.property(milliseconds, (seconds) => {
        expect(wallMsOf({ kind: 'utc', local: localOf(seconds * 1000) })).toBe(seconds * 1000);
      }),
    );
  });

  it('move a time and keep its kind', () => {
    const wallMs = Date.UTC(2026, 0, 2, 3, 4, 5);
    expect(withWallMs({ kind: 'date', date: '2020-01-01' }, wallMs)).toEqual({ kind: 'date', date: dateOf(wallMs) });
    expect(withWallMs({ kind: 'zoned', local: '2020-01-01T00:00:00', tzid: 'A' }, wallMs)).toEqual({
      kind: 'zoned',
      local: '2026-01-02T03:04:05',
      tzid: 'A',
    });
  });
});

describe('durations', () => {
  it.each([
    ['P1D', 1, 0, 'P1D'],
    ['PT24H', 0, 86_400, 'PT24H'],
    ['-PT15M', 0, -900, '-PT15M'],
    ['+P2W', 14, 0, 'P14D'],
    ['P1W2DT3H4M5S', 9, 11_045, 'P9DT3H4M5S'],
    ['pt1h30m', 0, 5_400, 'PT1H30M'],
    ['-P0D', 0, 0, 'PT0S'],
    ['PT90S', 0, 90, 'PT1M30S'],
    ['-P1DT1H', -1, -3600, '-P1DT1H'],
    ['P99999999999999999999D', 36_525, 0, 'P36525D'],
    ['PT99999999999999999999H', 0, 36_525 * 86_400, 'PT876600H'],
  ])('read %s', (text, days, seconds, written) => {
    expect(parseDuration(text)).toEqual({ days, seconds });
    expect(formatDuration({ days, seconds })).toBe(written);
    expect(parseDuration(written)).toEqual({ days, seconds });
  });

  it.each(['', 'P', 'PT', 'P1', '1D', 'P1H', 'P-1D', 'PT1D', `P${'1'.repeat(10_000)}D`])('refuse %j', (text) => {
    expect(parseDuration(text)).toBeNull();
  });

  it('stand in periods, where an end may stand too', () => {
    const line = 'FREEBUSY;FBTYPE=BUSY:20260101T090000Z/PT1H,20260101T110000Z/20260101T120000Z,x/y,20260101/,/PT1H';
    expect(parsePeriods(property(line))).toEqual([
      { start: { kind: 'utc', local: '2026-01-01T09:00:00' }, duration: { days: 0, seconds: 3600 } },
      { start: { kind: 'utc', local: '2026-01-01T11:00:00' }, end: { kind: 'utc', local: '2026-01-01T12:00:00' } },
    ]);
    expect(parsePeriods(property('RDATE;VALUE=PERIOD;TZID=Z:20260101T090000/P1D'))).toEqual([
      { start: { kind: 'zoned', local: '2026-01-01T09:00:00', tzid: 'Z' }, duration: { days: 1, seconds: 0 } },
    ]);
  });
});
