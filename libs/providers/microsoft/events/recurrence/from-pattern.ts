import { listOf, recordOf } from '#providers/kit/events';
import { daysInMonth, LAST_COMMON_DAY, RULE_WEEKDAYS, WEEK_INDEXES, WEEKDAYS } from './pattern-days.js';

const LARGEST = 999;

/**
 * Returns the parts of a rule, `FREQ` first, without its end; null for an invalid pattern. Leaves out a day of a month
 * that the start implies, so that it moves with the start.
 */
export function fromPattern(value: unknown, start: Temporal.PlainDate): string[] | null {
  const pattern = recordOf(value);
  const interval = integerOf(pattern['interval'], 1, LARGEST);
  if (interval === null) return null;
  const repeats = interval === 1 ? [] : [`INTERVAL=${interval}`];
  const of = (freq: string, days: string[] | null) => (days === null ? null : [`FREQ=${freq}`, ...repeats, ...days]);
  switch (pattern['type']) {
    case 'daily':
      return of('DAILY', []);
    case 'weekly':
      return of('WEEKLY', weekdays(pattern, interval));
    case 'absoluteMonthly':
      return of('MONTHLY', dayOfEveryMonth(pattern, start));
    case 'relativeMonthly':
      return of('MONTHLY', countedDays(pattern));
    case 'absoluteYearly':
      return of('YEARLY', dayOfEveryYear(pattern, start));
    case 'relativeYearly':
      return of('YEARLY', inMonth(pattern, countedDays));
    default:
      return null;
  }
}

type Pattern = Readonly<Record<string, unknown>>;

function weekdays(pattern: Pattern, interval: number): string[] | null {
  const days = daysOf(pattern);
  if (days === null) return null;
  const first = (WEEKDAYS as readonly unknown[]).indexOf(pattern['firstDayOfWeek'] ?? 'sunday');
  if (first === -1) return null;
  // WKST only matters for several days of every second or later week.
  const isCounting = interval > 1 && days.length > 1 && first !== 0;
  return [
    `BYDAY=${days.map((day) => RULE_WEEKDAYS[day]).join(',')}`,
    ...(isCounting ? [`WKST=${RULE_WEEKDAYS[first]}`] : []),
  ];
}

function dayOfEveryMonth(pattern: Pattern, start: Temporal.PlainDate): string[] | null {
  const day = integerOf(pattern['dayOfMonth'], 1, 31);
  if (day === null) return null;
  if (isSaidBy(start, day)) return [];
  if (day === 31) return ['BYMONTHDAY=-1'];
  return day <= LAST_COMMON_DAY ? [`BYMONTHDAY=${day}`] : lastUpTo(day);
}

function dayOfEveryYear(pattern: Pattern, start: Temporal.PlainDate): string[] | null {
  const isOfStart = pattern['month'] === start.month && isSaidBy(start, pattern['dayOfMonth']);
  return isOfStart ? [] : inMonth(pattern, dayOfOneMonth);
}

function isSaidBy(start: Temporal.PlainDate, day: unknown): boolean {
  return day === start.day && start.day <= LAST_COMMON_DAY;
}

function dayOfOneMonth(pattern: Pattern, month: number): string[] | null {
  const day = integerOf(pattern['dayOfMonth'], 1, 31);
  if (day === null) return null;
  const within = Math.min(day, daysInMonth(month));
  return within <= daysInMonth(month, 2_001) ? [`BYMONTHDAY=${within}`] : lastUpTo(within);
}

function lastUpTo(day: number): string[] {
  const days = Array.from({ length: day - LAST_COMMON_DAY + 1 }, (_, at) => LAST_COMMON_DAY + at);
  return [`BYMONTHDAY=${days.join(',')}`, 'BYSETPOS=-1'];
}

function countedDays(pattern: Pattern): string[] | null {
  const days = daysOf(pattern);
  const index = pattern['index'] ?? 'first';
  const place = [...WEEK_INDEXES].find(([, name]) => name === index)?.[0];
  if (days === null || place === undefined) return null;
  const [only, ...others] = days.map((day) => RULE_WEEKDAYS[day] ?? '');
  return others.length === 0
    ? [`BYDAY=${place}${only}`]
    : [`BYDAY=${[only, ...others].join(',')}`, `BYSETPOS=${place}`];
}

function inMonth(pattern: Pattern, days: (pattern: Pattern, month: number) => string[] | null): string[] | null {
  const month = integerOf(pattern['month'], 1, 12);
  const read = month === null ? null : days(pattern, month);
  return read === null ? null : [`BYMONTH=${month}`, ...read];
}

/** Monday first; null for an empty list or an unknown name. */
function daysOf(pattern: Pattern): number[] | null {
  const days = listOf(pattern['daysOfWeek']).map((day) => (WEEKDAYS as readonly unknown[]).indexOf(day));
  if (days.length === 0 || days.includes(-1)) return null;
  return [...new Set(days)].sort((one, other) => one - other);
}

export function integerOf(value: unknown, least: number, largest: number): number | null {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= largest
    ? (value as number)
    : null;
}
