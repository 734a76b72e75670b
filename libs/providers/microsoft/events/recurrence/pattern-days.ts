import type { DayOfWeek, RecurrencePattern, WeekIndex } from '@microsoft/microsoft-graph-types';

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

/** Our patterns have a day within two periods, of 99 years at most. */
const MAX_DAYS = 2 * 99 * 366;

/**
 * Returns the first day of a pattern from `start` on; null for a pattern without days. Unlike RFC 5545, Graph has no
 * first instance outside of the rule.
 */
export function firstDayOf(pattern: RecurrencePattern, start: Temporal.PlainDate): Temporal.PlainDate | null {
  for (let day = start, tried = 0; tried < MAX_DAYS; day = day.add({ days: 1 }), tried += 1) {
    if (isInPeriod(pattern, start, day) && isOnDay(pattern, day)) return day;
  }
  return null;
}

function isInPeriod(pattern: RecurrencePattern, start: Temporal.PlainDate, day: Temporal.PlainDate): boolean {
  const interval = pattern.interval ?? 1;
  switch (pattern.type) {
    case 'daily':
      return start.until(day).days % interval === 0;
    case 'weekly':
      return (weekOf(pattern, start, day) / 7) % interval === 0;
    case 'absoluteMonthly':
    case 'relativeMonthly':
      return ((day.year - start.year) * 12 + day.month - start.month) % interval === 0;
    case 'absoluteYearly':
    case 'relativeYearly':
      return (day.year - start.year) % interval === 0;
    case null:
    case undefined:
      return false;
  }
}

function weekOf({ firstDayOfWeek }: RecurrencePattern, start: Temporal.PlainDate, day: Temporal.PlainDate): number {
  const first = Math.max(0, (WEEKDAYS as readonly unknown[]).indexOf(firstDayOfWeek));
  const intoWeek = ({ dayOfWeek }: Temporal.PlainDate) => (dayOfWeek - 1 - first + 7) % 7;
  return start.until(day).days + intoWeek(start) - intoWeek(day);
}

function isOnDay(pattern: RecurrencePattern, day: Temporal.PlainDate): boolean {
  switch (pattern.type) {
    case 'daily':
      return true;
    case 'weekly':
      return isNamed(pattern, day);
    case 'absoluteMonthly':
      return isDayOfMonth(pattern, day);
    case 'absoluteYearly':
      return day.month === pattern.month && isDayOfMonth(pattern, day);
    case 'relativeMonthly':
      return isCounted(pattern, day);
    case 'relativeYearly':
      return day.month === pattern.month && isCounted(pattern, day);
    case null:
    case undefined:
      return false;
  }
}

function isNamed({ daysOfWeek }: RecurrencePattern, { dayOfWeek }: Temporal.PlainDate): boolean {
  const name = WEEKDAYS[dayOfWeek - 1];
  return name !== undefined && (daysOfWeek ?? []).includes(name);
}

function isDayOfMonth({ dayOfMonth }: RecurrencePattern, date: Temporal.PlainDate): boolean {
  return date.day === Math.min(dayOfMonth ?? date.day, date.daysInMonth);
}

function isCounted(pattern: RecurrencePattern, day: Temporal.PlainDate): boolean {
  if (!isNamed(pattern, day)) return false;
  const fromLast = pattern.index === 'last';
  const step = { days: fromLast ? 1 : -1 };
  let place = 1;
  for (let other = day.add(step); other.month === day.month; other = other.add(step)) {
    if (isNamed(pattern, other)) place += 1;
  }
  return WEEK_INDEXES.get(fromLast ? -place : place) === pattern.index;
}

/** Assumes a leap year without a year. */
export function daysInMonth(month: number, year = 2_000): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
