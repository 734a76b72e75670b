import { datesOf, type Pattern, type Range } from '../recurrence.js';

/** The first days of a pattern. */
function days(pattern: Pattern, startDate: string, range: Partial<Range> = {}): string[] {
  const whole = { type: 'noEnd' as const, startDate, recurrenceTimeZone: 'UTC', ...range };
  const found: string[] = [];
  for (const date of datesOf({ pattern, range: whole })) {
    found.push(date);
    if (found.length === 4) break;
  }
  return found;
}

describe('the days of a pattern', () => {
  it.each<[string, Pattern, string, string[]]>([
    ['daily', { type: 'daily', interval: 3 }, '2026-02-26', ['2026-02-26', '2026-03-01', '2026-03-04', '2026-03-07']],
    [
      'weekly',
      { type: 'weekly', interval: 2, daysOfWeek: ['sunday', 'tuesday'], firstDayOfWeek: 'monday' },
      '2026-12-01',
      ['2026-12-01', '2026-12-06', '2026-12-15', '2026-12-20'],
    ],
    [
      'weekly, of weeks that begin on Sunday',
      { type: 'weekly', interval: 2, daysOfWeek: ['sunday', 'tuesday'], firstDayOfWeek: 'sunday' },
      '2026-12-01',
      ['2026-12-01', '2026-12-13', '2026-12-15', '2026-12-27'],
    ],
    [
      'monthly, clamped to the last day',
      { type: 'absoluteMonthly', interval: 1, dayOfMonth: 31 },
      '2028-01-31',
      ['2028-01-31', '2028-02-29', '2028-03-31', '2028-04-30'],
    ],
    [
      'monthly on the 30th, clamped in February',
      { type: 'absoluteMonthly', interval: 1, dayOfMonth: 30 },
      '2026-12-30',
      ['2026-12-30', '2027-01-30', '2027-02-28', '2027-03-30'],
    ],
    [
      'monthly, on a day before the start of the range',
      { type: 'absoluteMonthly', interval: 2, dayOfMonth: 5 },
      '2026-12-06',
      ['2027-02-05', '2027-04-05', '2027-06-05', '2027-08-05'],
    ],
    [
      'monthly by weekday',
      { type: 'relativeMonthly', interval: 1, daysOfWeek: ['friday'], index: 'fourth' },
      '2026-12-01',
      ['2026-12-25', '2027-01-22', '2027-02-26', '2027-03-26'],
    ],
    [
      'monthly on the last working day',
      {
        type: 'relativeMonthly',
        interval: 1,
        daysOfWeek: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
        index: 'last',
      },
      '2027-01-01',
      ['2027-01-29', '2027-02-26', '2027-03-31', '2027-04-30'],
    ],
    [
      'yearly, clamped but in leap years',
      { type: 'absoluteYearly', interval: 1, month: 2, dayOfMonth: 29 },
      '2027-01-01',
      ['2027-02-28', '2028-02-29', '2029-02-28', '2030-02-28'],
    ],
    [
      'yearly by weekday',
      { type: 'relativeYearly', interval: 2, month: 3, daysOfWeek: ['sunday'], index: 'last' },
      '2026-04-01',
      ['2028-03-26', '2030-03-31', '2032-03-28', '2034-03-26'],
    ],
  ])('%s', (_, pattern, startDate, expected) => {
    expect(days(pattern, startDate)).toEqual(expected);
  });

  it('end with the range', () => {
    const daily: Pattern = { type: 'daily', interval: 1 };
    expect(days(daily, '2026-12-01', { type: 'numbered', numberOfOccurrences: 2 })).toHaveLength(2);
    expect(days(daily, '2026-12-01', { type: 'endDate', endDate: '2026-12-03' })).toHaveLength(3);
    expect(days(daily, '9999-12-30')).toEqual(['9999-12-30', '9999-12-31']);
  });
});
