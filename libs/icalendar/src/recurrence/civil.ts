/**
 * The proleptic Gregorian calendar in integers, without zones. A day is its number since 1970-01-01; a wall-clock time
 * is the `Date.UTC` milliseconds of its fields.
 */

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** DATE and DATE-TIME have years of four digits (RFC 5545 §3.3.4). */
export const FIRST_WALL_MS = Date.parse('0000-01-01T00:00:00Z');
export const LAST_WALL_MS = Date.UTC(10_000, 0, 1) - 1;

export interface CivilDay {
  year: number;
  month: number;
  dayOfMonth: number;
}

const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

export function daysInYear(year: number): number {
  return isLeapYear(year) ? 366 : 365;
}

export function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : MONTH_LENGTHS[month - 1]!;
}

export function firstDayOfYear(year: number): number {
  const before = year - 1;
  return 365 * (year - 1970) + Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400) - 477;
}

export function dayNumber(year: number, month: number, dayOfMonth: number): number {
  const leap = month > 2 && isLeapYear(year) ? 1 : 0;
  return firstDayOfYear(year) + DAYS_BEFORE_MONTH[month - 1]! + leap + dayOfMonth - 1;
}

/** Uses eras of 400 years from 1 March 0000, so that leap days come last (Hinnant, "chrono-compatible algorithms"). */
export function civilDay(day: number): CivilDay {
  const shifted = day + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfMonth };
}

export function yearOf(day: number): number {
  return civilDay(day).year;
}

/** Monday is 0, Sunday 6. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

/** @param weekStart first day of a week, Monday is 0 */
export function startOfWeek(day: number, weekStart: number): number {
  return day - ((weekdayOf(day) - weekStart + 7) % 7);
}

/** Week 1 is the first with at least four days in the year (RFC 5545 §3.3.10, BYWEEKNO). */
export function firstWeekOfYear(year: number, weekStart: number): number {
  return startOfWeek(firstDayOfYear(year) + 3, weekStart);
}

export function dayOfWall(wallMs: number): number {
  return Math.floor(wallMs / DAY_MS);
}

export function timeOfWall(wallMs: number): number {
  return wallMs - dayOfWall(wallMs) * DAY_MS;
}
