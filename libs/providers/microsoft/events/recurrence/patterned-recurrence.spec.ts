import type { RecurrencePattern } from '@microsoft/microsoft-graph-types';
import { DomainError } from '#domain/system';
import { instanceDateOf, onClock, readRecurrence, RecurringSeries, type TimeSpan } from '#providers/kit/series';
import { fromGraphRecurrence, toGraphSeries, toRuleLine } from './patterned-recurrence.js';

const ZONE = 'Europe/Berlin';
const days = (date: string): TimeSpan => ({
  start: { kind: 'date', date },
  end: { kind: 'date', date: new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10) },
});
const nine = (date: string): TimeSpan => ({
  start: onClock(`${date}T09:00:00`, ZONE),
  end: onClock(`${date}T10:00:00`, ZONE),
});
const series = (rule: string, span: TimeSpan) =>
  toGraphSeries(readRecurrence([rule], { start: span.start, calendarZone: ZONE }), span, ZONE);
const failure = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return error as DomainError;
  }
  throw new Error('nothing was refused');
};

/** Rule, first day, pattern. */
const FORMS: [string, string, RecurrencePattern][] = [
  ['FREQ=DAILY;INTERVAL=3', '2027-03-22', { type: 'daily', interval: 3 }],
  [
    'FREQ=DAILY;BYDAY=MO,TU',
    '2027-03-22',
    { type: 'weekly', interval: 1, daysOfWeek: ['monday', 'tuesday'], firstDayOfWeek: 'monday' },
  ],
  ['FREQ=WEEKLY', '2027-03-22', { type: 'weekly', interval: 1, daysOfWeek: ['monday'], firstDayOfWeek: 'monday' }],
  [
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=SU',
    '2027-03-22',
    { type: 'weekly', interval: 2, daysOfWeek: ['monday', 'sunday'], firstDayOfWeek: 'sunday' },
  ],
  ['FREQ=MONTHLY', '2027-03-22', { type: 'absoluteMonthly', interval: 1, dayOfMonth: 22 }],
  ['FREQ=MONTHLY;BYMONTHDAY=28', '2027-03-28', { type: 'absoluteMonthly', interval: 1, dayOfMonth: 28 }],
  ['FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=-1', '2027-03-31', { type: 'absoluteMonthly', interval: 2, dayOfMonth: 31 }],
  [
    'FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1',
    '2027-03-30',
    { type: 'absoluteMonthly', interval: 1, dayOfMonth: 30 },
  ],
  [
    'FREQ=MONTHLY;BYDAY=4MO',
    '2027-03-22',
    { type: 'relativeMonthly', interval: 1, daysOfWeek: ['monday'], index: 'fourth' },
  ],
  [
    'FREQ=MONTHLY;BYDAY=-1FR',
    '2027-03-26',
    { type: 'relativeMonthly', interval: 1, daysOfWeek: ['friday'], index: 'last' },
  ],
  [
    'FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=2',
    '2027-03-02',
    { type: 'relativeMonthly', interval: 1, daysOfWeek: ['monday', 'tuesday'], index: 'second' },
  ],
  [
    'FREQ=MONTHLY;BYDAY=MO',
    '2027-03-22',
    { type: 'weekly', interval: 1, daysOfWeek: ['monday'], firstDayOfWeek: 'monday' },
  ],
  ['FREQ=MONTHLY;BYMONTH=3', '2027-03-22', { type: 'absoluteYearly', interval: 1, month: 3, dayOfMonth: 22 }],
  ['FREQ=YEARLY', '2027-03-31', { type: 'absoluteYearly', interval: 1, month: 3, dayOfMonth: 31 }],
  [
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1',
    '2027-02-28',
    { type: 'absoluteYearly', interval: 1, month: 2, dayOfMonth: 29 },
  ],
  [
    'FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=-1',
    '2027-04-30',
    { type: 'absoluteYearly', interval: 1, month: 4, dayOfMonth: 30 },
  ],
  ['FREQ=YEARLY;BYMONTHDAY=22', '2027-03-22', { type: 'absoluteMonthly', interval: 1, dayOfMonth: 22 }],
  [
    'FREQ=YEARLY;INTERVAL=2;BYMONTH=3;BYDAY=1SU',
    '2027-03-07',
    { type: 'relativeYearly', interval: 2, month: 3, daysOfWeek: ['sunday'], index: 'first' },
  ],
  [
    'FREQ=YEARLY;BYMONTH=3;BYDAY=SA,SU;BYSETPOS=-1',
    '2027-03-28',
    { type: 'relativeYearly', interval: 1, month: 3, daysOfWeek: ['saturday', 'sunday'], index: 'last' },
  ],
  [
    'FREQ=YEARLY;BYDAY=MO',
    '2027-03-22',
    { type: 'weekly', interval: 1, daysOfWeek: ['monday'], firstDayOfWeek: 'monday' },
  ],
];

describe('toGraphSeries', () => {
  it.each(FORMS)('says %s from %s', (rule, date, pattern) => {
    expect(series(rule, days(date))).toEqual({
      span: days(date),
      rule,
      recurrence: { pattern, range: { type: 'noEnd', startDate: date, recurrenceTimeZone: 'W. Europe Standard Time' } },
    });
  });

  it.each([
    ['FREQ=HOURLY', 'FREQ'],
    ['FREQ=MINUTELY', 'FREQ'],
    ['FREQ=DAILY;BYHOUR=9', 'BYHOUR'],
    ['FREQ=DAILY;BYMINUTE=9', 'BYMINUTE'],
    ['FREQ=DAILY;BYSECOND=9', 'BYSECOND'],
    ['FREQ=YEARLY;BYYEARDAY=9', 'BYYEARDAY'],
    ['FREQ=YEARLY;BYWEEKNO=9', 'BYWEEKNO'],
    ['FREQ=MONTHLY;RSCALE=GREGORIAN;SKIP=BACKWARD;BYMONTHDAY=31', 'SKIP'],
    ['FREQ=DAILY;BYMONTH=3', 'BYMONTH'],
    ['FREQ=DAILY;BYMONTHDAY=3', 'BYMONTHDAY'],
    ['FREQ=DAILY;INTERVAL=2;BYDAY=MO', 'BYDAY'],
    ['FREQ=DAILY;INTERVAL=1000', 'INTERVAL'],
    ['FREQ=WEEKLY;INTERVAL=100', 'INTERVAL'],
    ['FREQ=DAILY;COUNT=1000', 'COUNT'],
    ['FREQ=WEEKLY;BYMONTH=3', 'BYMONTH'],
    ['FREQ=WEEKLY;BYDAY=MO,TU;BYSETPOS=1', 'BYSETPOS'],
    ['FREQ=MONTHLY;BYMONTHDAY=31', 'BYMONTHDAY'],
    ['FREQ=MONTHLY;BYMONTHDAY=29', 'BYMONTHDAY'],
    ['FREQ=MONTHLY;BYMONTHDAY=-2', 'BYMONTHDAY'],
    ['FREQ=MONTHLY;BYMONTHDAY=1,15', 'BYMONTHDAY'],
    ['FREQ=MONTHLY;BYMONTHDAY=1,15;BYSETPOS=1', 'BYSETPOS'],
    ['FREQ=MONTHLY;BYDAY=5MO', 'BYDAY'],
    ['FREQ=MONTHLY;BYDAY=-2MO', 'BYDAY'],
    ['FREQ=MONTHLY;BYDAY=1MO,3MO', 'BYDAY'],
    ['FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1,2', 'BYSETPOS'],
    ['FREQ=MONTHLY;INTERVAL=2;BYDAY=MO', 'BYDAY'],
    ['FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13', 'BYDAY'],
    ['FREQ=MONTHLY;INTERVAL=2;BYMONTH=3', 'BYMONTH'],
    ['FREQ=MONTHLY;BYMONTH=3,4', 'BYMONTH'],
    ['FREQ=YEARLY;BYMONTH=3,4', 'BYMONTH'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', 'BYMONTHDAY'],
    ['FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=31', 'BYMONTHDAY'],
    ['FREQ=YEARLY;BYDAY=20MO', 'BYDAY'],
    ['FREQ=YEARLY;BYDAY=MO,TU;BYSETPOS=1', 'BYSETPOS'],
    ['FREQ=YEARLY;BYMONTHDAY=28,29;BYSETPOS=-1', 'BYSETPOS'],
    ['FREQ=YEARLY;BYMONTH=3;BYDAY=MO', 'BYDAY'],
    ['FREQ=YEARLY;INTERVAL=2;BYDAY=MO', 'BYDAY'],
    ['FREQ=YEARLY;INTERVAL=2;BYMONTHDAY=3', 'BYMONTHDAY'],
  ])('refuses %s naming %s', (rule, part) => {
    const error = failure(() => series(rule, nine('2027-03-22')));
    expect(error).toBeInstanceOf(DomainError);
    expect(error.code).toBe('NotSupportedByProvider');
    expect(error.message).toContain(`: ${part} `);
  });

  it.each(['2027-01-29', '2027-01-31'])('refuses a month by the day of its start where that is %s', (date) => {
    expect(failure(() => series('FREQ=MONTHLY', days(date))).message).toContain('BYMONTHDAY');
  });

  it('refuses a leap day every year', () => {
    expect(failure(() => series('FREQ=YEARLY', days('2028-02-29'))).message).toContain('BYMONTHDAY');
  });

  it('refuses extra dates, and a second rule', () => {
    const { start } = nine('2027-03-22');
    const lines = readRecurrence(['RRULE:FREQ=DAILY', 'RDATE:20270401T090000'], { start, calendarZone: ZONE });
    expect(failure(() => toGraphSeries(lines, nine('2027-03-22'), ZONE)).message).toContain('RDATE');
    expect(
      failure(() => toGraphSeries(['RRULE:FREQ=DAILY', 'RRULE:FREQ=WEEKLY'], nine('2027-03-22'), ZONE)),
    ).toMatchObject({ code: 'NotSupportedByProvider', message: expect.stringContaining('second RRULE') });
  });

  it('refuses a series in a zone that Outlook does not have', () => {
    const start = onClock('2027-03-22T09:00:00', 'Antarctica/Troll');
    expect(failure(() => toGraphSeries(['RRULE:FREQ=DAILY'], { start, end: start }, ZONE))).toMatchObject({
      code: 'NotSupportedByProvider',
    });
  });

  it('takes days of any zone: they are the same in all', () => {
    expect(toGraphSeries(['RRULE:FREQ=DAILY'], days('2027-03-22'), 'Antarctica/Troll').recurrence.range).toMatchObject({
      recurrenceTimeZone: 'UTC',
    });
  });

  it.each([
    ['FREQ=WEEKLY;BYDAY=FR', '2027-03-22', '2027-03-26'],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO', '2027-03-23', '2027-04-05'],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;WKST=SU', '2027-03-23', '2027-04-04'],
    ['FREQ=MONTHLY;BYMONTHDAY=10', '2027-03-22', '2027-04-10'],
    ['FREQ=MONTHLY;INTERVAL=3;BYDAY=1MO', '2027-03-22', '2027-06-07'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=14', '2027-03-22', '2028-02-14'],
  ])('begins %s of %s on the first day it names, %s', (rule, from, to) => {
    const { span, recurrence } = series(rule, nine(from));
    expect(span).toEqual(nine(to));
    expect(recurrence.range).toMatchObject({ startDate: to });
  });

  it.each([
    ['COUNT=3', { type: 'numbered', numberOfOccurrences: 3 }],
    ['UNTIL=20270324', { type: 'endDate', endDate: '2027-03-24' }],
    ['UNTIL=20270324T080000Z', { type: 'endDate', endDate: '2027-03-24' }],
    ['UNTIL=20270324T075959Z', { type: 'endDate', endDate: '2027-03-23' }],
    ['UNTIL=20270324T090000', { type: 'endDate', endDate: '2027-03-24' }],
    ['UNTIL=20270324T233000Z', { type: 'endDate', endDate: '2027-03-24' }],
    ['UNTIL=99991231T235959Z', { type: 'endDate', endDate: '9999-12-31' }],
  ])('ends a daily series with %s', (end, range) => {
    expect(series(`FREQ=DAILY;${end}`, nine('2027-03-22')).recurrence.range).toMatchObject(range);
  });

  it('refuses an end before the first day that the rule names', () => {
    expect(failure(() => series('FREQ=WEEKLY;BYDAY=FR;UNTIL=20270324', days('2027-03-22')))).toMatchObject({
      code: 'ValidationFailed',
    });
  });
});

describe('fromGraphRecurrence', () => {
  const range = { type: 'noEnd', startDate: '2027-03-22' };

  it.each([
    ['2027-03-22', { type: 'absoluteMonthly', interval: 1, dayOfMonth: 22 }, 'FREQ=MONTHLY'],
    ['2027-03-22', { type: 'absoluteMonthly', interval: 1, dayOfMonth: 23 }, 'FREQ=MONTHLY;BYMONTHDAY=23'],
    ['2027-03-22', { type: 'absoluteYearly', interval: 2, month: 3, dayOfMonth: 22 }, 'FREQ=YEARLY;INTERVAL=2'],
    [
      '2027-03-22',
      { type: 'absoluteYearly', interval: 1, month: 4, dayOfMonth: 22 },
      'FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=22',
    ],
    [
      '2027-03-22',
      { type: 'absoluteYearly', interval: 1, month: 3, dayOfMonth: 23 },
      'FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=23',
    ],
    [
      '2027-03-29',
      { type: 'absoluteYearly', interval: 1, month: 3, dayOfMonth: 29 },
      'FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=29',
    ],
    [
      '2027-03-22',
      { type: 'weekly', interval: 1, daysOfWeek: ['monday'], firstDayOfWeek: 'sunday' },
      'FREQ=WEEKLY;BYDAY=MO',
    ],
    [
      '2027-03-22',
      { type: 'weekly', interval: 2, daysOfWeek: ['sunday', 'monday'] },
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;WKST=SU',
    ],
    [
      '2027-03-29',
      { type: 'absoluteMonthly', interval: 1, dayOfMonth: 29 },
      'FREQ=MONTHLY;BYMONTHDAY=28,29;BYSETPOS=-1',
    ],
    ['2027-03-31', { type: 'absoluteMonthly', interval: 1, dayOfMonth: 31 }, 'FREQ=MONTHLY;BYMONTHDAY=-1'],
    [
      '2028-02-29',
      { type: 'absoluteYearly', interval: 1, month: 2, dayOfMonth: 31 },
      'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1',
    ],
    ['2027-03-07', { type: 'relativeMonthly', interval: 1, daysOfWeek: ['sunday'] }, 'FREQ=MONTHLY;BYDAY=1SU'],
  ])('reads from %s %j', (date, pattern, rule) => {
    expect(fromGraphRecurrence({ pattern, range }, days(date).start)).toBe(`RRULE:${rule}`);
  });

  it.each([
    [{ type: 'numbered', numberOfOccurrences: 4 }, 'FREQ=DAILY;COUNT=4'],
    [{ type: 'endDate', endDate: '2027-03-30' }, 'FREQ=DAILY;UNTIL=20270330T070000Z'],
  ])('reads the end %j', (end, rule) => {
    const pattern = { type: 'daily', interval: 1 };
    expect(fromGraphRecurrence({ pattern, range: end }, nine('2027-03-22').start)).toBe(`RRULE:${rule}`);
  });

  it.each([
    null,
    'x',
    {},
    { pattern: { type: 'hourly', interval: 1 }, range },
    { pattern: { type: 'daily', interval: 0 }, range },
    { pattern: { type: 'daily', interval: '1' }, range },
    { pattern: { type: 'weekly', interval: 1, daysOfWeek: [] }, range },
    { pattern: { type: 'weekly', interval: 1, daysOfWeek: ['caturday'] }, range },
    { pattern: { type: 'absoluteMonthly', interval: 1, dayOfMonth: 32 }, range },
    { pattern: { type: 'absoluteYearly', interval: 1, month: 13, dayOfMonth: 1 }, range },
    { pattern: { type: 'relativeMonthly', interval: 1, daysOfWeek: ['monday'], index: 'fifth' }, range },
    { pattern: { type: 'daily', interval: 1 }, range: { type: 'numbered', numberOfOccurrences: 0 } },
    { pattern: { type: 'daily', interval: 1 }, range: { type: 'endDate', endDate: '2027-99-99' } },
  ])('reads nothing out of %j', (value) => {
    expect(fromGraphRecurrence(value, nine('2027-03-22').start)).toBeNull();
  });

  const window = { startMs: Date.UTC(2027, 0, 1), endMs: Date.UTC(2033, 0, 1) };
  const expanded = (rule: string, { start, end }: TimeSpan) => {
    const dates: string[] = [];
    const all = RecurringSeries.ofLines(start, end, [rule], ZONE);
    for (let ms = window.startMs; ms < window.endMs; ms += 86_400_000) {
      const date = new Date(ms).toISOString().slice(0, 10);
      if (all.instanceDate(date.replaceAll('-', '')) !== null) dates.push(date);
    }
    return dates;
  };

  it.each(FORMS)('makes the same days as it was written with: %s from %s', (rule, date) => {
    const { span, recurrence } = series(rule, days(date));
    const read = fromGraphRecurrence(recurrence, span.start) ?? '';
    expect(expanded(read, span)).toEqual(expanded(`RRULE:${rule}`, span));
    expect(toGraphSeries([read], span, ZONE).recurrence).toEqual(recurrence);
    expect(instanceDateOf(span.start)).toBe(date.replaceAll('-', ''));
  });
});

describe('toRuleLine', () => {
  const startsOn = (rule: string, date: string) => {
    const { recurrence, span } = series(rule, nine(date));
    return { recurrence, start: span.start };
  };

  it.each([
    ['FREQ=WEEKLY', '2027-03-22'],
    ['FREQ=WEEKLY;BYDAY=MO;COUNT=10', '2027-03-22'],
    ['COUNT=10;BYDAY=WE,MO;FREQ=WEEKLY;WKST=SU', '2027-03-22'],
    ['FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR', '2027-03-22'],
    ['FREQ=WEEKLY;BYDAY=WE;COUNT=3', '2027-03-22'],
    ['FREQ=MONTHLY;BYMONTHDAY=22', '2027-03-22'],
    ['FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1', '2027-03-31'],
    ['FREQ=YEARLY', '2027-03-22'],
    ['FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=22', '2027-03-22'],
    ['FREQ=DAILY;UNTIL=20270326T235959Z', '2027-03-22'],
  ])('says %s as it was written for %s', (rule, date) => {
    const { recurrence, start } = startsOn(rule, date);
    expect(toRuleLine(recurrence, start, rule, ZONE)).toBe(`RRULE:${rule}`);
  });

  it('takes for the same what Outlook adds to a pattern', () => {
    const pattern = {
      type: 'weekly',
      interval: 1,
      month: 0,
      dayOfMonth: 0,
      daysOfWeek: ['monday'],
      firstDayOfWeek: 'sunday',
      index: 'first',
    };
    const range = {
      type: 'noEnd',
      startDate: '2027-03-22',
      endDate: '0001-01-01',
      recurrenceTimeZone: 'UTC',
      numberOfOccurrences: 0,
    };
    expect(toRuleLine({ pattern, range }, nine('2027-03-22').start, 'FREQ=WEEKLY', ZONE)).toBe('RRULE:FREQ=WEEKLY');
  });

  it('takes the first day that a rule leaves open from where the series starts by now', () => {
    const { recurrence, start } = startsOn('FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=23', '2027-03-23');
    expect(toRuleLine(recurrence, start, 'FREQ=YEARLY', ZONE)).toBe('RRULE:FREQ=YEARLY');
  });

  it.each([
    ['another day', 'FREQ=WEEKLY;BYDAY=TU', 'FREQ=WEEKLY;BYDAY=MO'],
    ['another interval', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO', 'FREQ=WEEKLY;BYDAY=MO'],
    ['another week', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;WKST=SU'],
    ['another count', 'FREQ=DAILY;COUNT=3', 'FREQ=DAILY;COUNT=4'],
    ['another end', 'FREQ=DAILY;UNTIL=20270325T075959Z', 'FREQ=DAILY;UNTIL=20270325T080000Z'],
    ['an end', 'FREQ=DAILY;COUNT=3', 'FREQ=DAILY'],
    ['none', '', 'FREQ=DAILY'],
    ['what is no rule', 'FREQ=DAILY\nDTSTART:20270101', 'FREQ=DAILY'],
    ['what Outlook cannot hold', 'FREQ=HOURLY', 'FREQ=DAILY'],
  ])('says what Outlook says beside a rule that names %s', (_name, kept, rule) => {
    const { recurrence, start } = startsOn(rule, '2027-03-22');
    expect(toRuleLine(recurrence, start, kept, ZONE)).toBe(`RRULE:${rule}`);
    expect(toRuleLine(recurrence, start, undefined, ZONE)).toBe(`RRULE:${rule}`);
  });

  it('reads a series that starts on the last day of the calendar, or ends on it', () => {
    const weekly = { type: 'weekly', interval: 1, daysOfWeek: ['saturday'], firstDayOfWeek: 'monday' };
    const noEnd = { type: 'noEnd', startDate: '9999-12-31' };
    const newYear = onClock('+010000-01-01T00:59:59', ZONE);
    expect(toRuleLine({ pattern: weekly, range: noEnd }, newYear, undefined, ZONE)).toBe('RRULE:FREQ=WEEKLY;BYDAY=SA');
    const evening = onClock('2027-03-22T22:00:00', 'America/New_York');
    const range = { type: 'endDate', startDate: '2027-03-22', endDate: '9999-12-31' };
    const rule = toRuleLine({ pattern: { type: 'daily', interval: 1 }, range }, evening, undefined, ZONE);
    expect(rule).toBe('RRULE:FREQ=DAILY;UNTIL=99991231T235959Z');
  });

  it('says nothing of what cannot be read, whatever is kept', () => {
    expect(toRuleLine({ pattern: { type: 'hourly' } }, nine('2027-03-22').start, 'FREQ=DAILY', ZONE)).toBeNull();
  });
});
