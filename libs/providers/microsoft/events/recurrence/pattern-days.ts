import type { DayOfWeek, WeekIndex } from '@microsoft/microsoft-graph-types';

/** Graph's names, Monday first as in `WeekdayRule`. */
export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const satisfies readonly DayOfWeek[];

export const RULE_WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;

/** Positions of a weekday in its month; negative ones count from the end. */
export const WEEK_INDEXES: ReadonlyMap<number, WeekIndex> = new Map([
  [1, 'first'],
  [2, 'second'],
  [3, 'third'],
  [4, 'fourth'],
  [-1, 'last'],
]);

/** Outlook moves a later day to the end of a short month. RFC 5545 skips the month. */
export const LAST_COMMON_DAY = 28;

/** Assumes a leap year without a year. */
export function daysInMonth(month: number, year = 2_000): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
