import type { EventTime, Pattern } from '../model.js';
import { checkRecurrence, fits, instanceOf, instancesIn, takesPlaceIn } from '../recurrence.js';

const at = (instant: string): EventTime => ({
  kind: 'instant',
  instantMs: Date.parse(instant),
  timeZone: 'Europe/Berlin',
});
const timed = (...recurrence: string[]): Pattern => ({
  start: at('2026-03-27T01:30:00Z'),
  end: at('2026-03-27T02:30:00Z'),
  recurrence,
});
const ofDays = (...recurrence: string[]): Pattern => ({
  start: { kind: 'date', date: '2026-01-31' },
  end: { kind: 'date', date: '2026-02-02' },
  recurrence,
});
const window = (from: string, to: string) => ({ startMs: Date.parse(from), endMs: Date.parse(to) });
const YEAR = window('2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z');
const suffixes = (pattern: Pattern, within = YEAR) =>
  instancesIn(pattern, within, 'Europe/Berlin').map(({ suffix }) => suffix);

describe('the lines of a recurrence', () => {
  it.each([
    [timed('rrule:freq=daily;count=3')],
    [timed('RRULE:FREQ=MONTHLY;BYDAY=MO,TU,-1FR;BYSETPOS=-1;WKST=SU;UNTIL=20270101T000000Z')],
    [timed('RDATE;TZID="Europe/Berlin":20260401T090000,20260402T090000')],
    [timed('RRULE:FREQ=DAILY', 'EXRULE:FREQ=WEEKLY', 'EXDATE;VALUE=DATE:20260328')],
    [ofDays('RRULE:FREQ=YEARLY;UNTIL=20300131', 'EXDATE;VALUE=DATE:20270131')],
  ])('are taken: %j', (pattern) => {
    expect(() => checkRecurrence(pattern)).not.toThrow();
  });

  it.each([
    ['a month that is none', timed('RRULE:FREQ=YEARLY;BYMONTH=13')],
    ['one value of many that is none', timed('RRULE:FREQ=MONTHLY;BYMONTHDAY=1,32')],
    ['a part that is none', timed('RRULE:FREQ=DAILY;BYEASTER=0')],
    ['a part twice', timed('RRULE:FREQ=DAILY;INTERVAL=2;INTERVAL=3')],
    ['a place in the set without a set', timed('RRULE:FREQ=MONTHLY;BYSETPOS=1')],
    ['an ordinal weekday of a week', timed('RRULE:FREQ=WEEKLY;BYDAY=1MO')],
    ['a day for the end of a timed series', timed('RRULE:FREQ=DAILY;UNTIL=20260401')],
    ['a local time for it', timed('RRULE:FREQ=DAILY;UNTIL=20260401T090000')],
    ['a time for the end of a series of days', ofDays('RRULE:FREQ=DAILY;UNTIL=20260401T000000Z')],
    ['hours of a day', ofDays('RRULE:FREQ=DAILY;BYHOUR=9')],
    ['a period', timed('RDATE;VALUE=PERIOD:20260401T090000Z/PT1H')],
    ['a day added to a timed series', timed('RDATE;VALUE=DATE:20260401')],
    ['a day that does not exist', timed('RRULE:FREQ=DAILY', 'EXDATE;VALUE=DATE:20260230')],
  ])('are refused with %s', (_, pattern) => {
    expect(() => checkRecurrence(pattern)).toThrow('Invalid recurrence rule.');
  });
});

describe('the instances of a series', () => {
  it('leave out an hour that the clocks skip, and do not count it (RFC 5545 §3.3.10)', () => {
    expect(suffixes(timed('RRULE:FREQ=DAILY;COUNT=3'))).toEqual([
      '20260327T013000Z',
      '20260328T013000Z',
      '20260330T003000Z',
    ]);
  });

  it('leave out days that do not exist', () => {
    expect(suffixes(ofDays('RRULE:FREQ=MONTHLY;COUNT=3'))).toEqual(['20260131', '20260331', '20260531']);
  });

  it('begin with DTSTART, which counts though the rule does not make it', () => {
    expect(suffixes(timed('RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2'))).toEqual(['20260327T013000Z', '20260330T003000Z']);
  });

  it('are those of all rules and dates, less what EXRULE and EXDATE take out', () => {
    const series = timed(
      'RRULE:FREQ=DAILY;COUNT=2',
      'RRULE:FREQ=WEEKLY;COUNT=3',
      'EXRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=2',
      'RDATE;TZID=Europe/Berlin:20260501T090000',
      'EXDATE;VALUE=DATE:20260328',
    );
    expect(suffixes(series)).toEqual(['20260403T003000Z', '20260501T070000Z']);
    expect(instanceOf(series, '20260328T013000Z')).toBeNull();
    expect(instanceOf(series, '20260501T070000Z')).toMatchObject({ end: at('2026-05-01T08:00:00Z') });
    expect(fits(series, at('2026-03-28T01:30:00Z'))).toBe(true);
    expect(fits(series, at('2026-03-27T01:30:00Z'))).toBe(false);
  });

  it('count where they overlap a window, days from midnight to midnight of the calendar', () => {
    const days = ofDays('RRULE:FREQ=YEARLY');
    const night = window('2026-02-01T22:59:59Z', '2026-02-01T23:00:00Z');
    expect(suffixes(days, night)).toEqual(['20260131']);
    expect(suffixes(days, window('2026-02-01T23:00:00Z', '2026-02-01T23:30:00Z'))).toEqual([]);
    expect(takesPlaceIn(days, night, 'Europe/Berlin')).toBe(true);
    expect(takesPlaceIn(days, { startMs: Date.parse('2500-01-01T00:00:00Z'), endMs: null }, 'UTC')).toBe(true);
    expect(takesPlaceIn(days, { startMs: null, endMs: Date.parse('2026-01-30T22:00:00Z') }, 'Europe/Berlin')).toBe(
      false,
    );
  });

  it('of a rule that names no day are DTSTART alone, without a long search', () => {
    const never = timed('RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30');
    expect(suffixes(never)).toEqual(['20260327T013000Z']);
    expect(takesPlaceIn(never, { startMs: Date.parse('2027-01-01T00:00:00Z'), endMs: null }, 'UTC')).toBe(false);
  });
});
