import { parseTimeValue, wallMsOf } from '../ics-time.js';
import { DAY_MS, dayNumber, daysInMonth, timeOfWall, weekdayOf } from '../recurrence/civil.js';
import { WEEKDAYS } from '../recurrence/rule.js';
import type { Work } from '../work.js';

const UNDERSTOOD = new Set(['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYMONTH', 'BYMONTHDAY', 'BYDAY', 'WKST']);
/** More onsets than any real rule with COUNT has. */
const MAX_COUNT = 1_000;
const MAX_NUMBERS = 31;
const WEEKS_OF_MONTH = 5;
/** 29 February, the rarest day of a rule, recurs within 8 years. */
const YEARS_WITHOUT_ONSET = 8;

/**
 * Yearly rule of a STANDARD or DAYLIGHT observance. Deliberately no general recurrence engine: real rules name a day of
 * a month, and any other rule may be hostile (a SECONDLY rule from 1601 on).
 */
export interface ObservanceRule {
  /** Returns the latest onset up to a wall-clock time (ms) of the clock before the change; null without one. */
  latestUpTo(wallMs: number): number | null;
  inYear(year: number): number[];
}

/**
 * @param value RRULE as written
 * @param dtstartMs first onset, wall-clock ms
 * @param offsetFromMs offset before each onset, for UNTIL in UTC
 * @param work limit of queries
 * @returns null for any other rule
 */
export function observanceRule(
  value: string,
  dtstartMs: number,
  offsetFromMs: number,
  work: Work,
): ObservanceRule | null {
  const parts = new Map(
    value.split(';', 20).map((part) => {
      const [name = '', text = ''] = part.split('=', 2);
      return [name.trim().toUpperCase(), text.trim().toUpperCase()];
    }),
  );
  if (parts.get('FREQ') !== 'YEARLY' || [...parts.keys()].some((name) => name !== '' && !UNDERSTOOD.has(name))) {
    return null;
  }
  const daysOfMonth = dayPicker(parts, dtstartMs);
  const months = parts.has('BYMONTH') ? numbers(parts.get('BYMONTH'), 1, 12) : [new Date(dtstartMs).getUTCMonth() + 1];
  const interval = Number(parts.get('INTERVAL') ?? 1);
  const untilMs = untilOf(parts.get('UNTIL'), offsetFromMs);
  if (!daysOfMonth || !months || untilMs === null || !Number.isInteger(interval) || interval < 1 || interval > 100)
    return null;

  const firstYear = new Date(dtstartMs).getUTCFullYear();
  const timeOfDayMs = timeOfWall(dtstartMs);
  const daysOfEachMonth = /^[A-Z]/.test(parts.get('BYDAY') ?? '')
    ? WEEKS_OF_MONTH
    : (parts.get('BYMONTHDAY')?.split(',', MAX_NUMBERS).length ?? 1);
  let lastMs = untilMs;
  let lastYear = Number.isFinite(untilMs) ? new Date(untilMs).getUTCFullYear() : Number.POSITIVE_INFINITY;
  const inYear = (year: number): number[] => {
    work.spend(1);
    if (year < firstYear || year > lastYear || (year - firstYear) % interval !== 0) return [];
    work.spend(months.length * daysOfEachMonth);
    return months
      .flatMap((month) => daysOfMonth(year, month).map((day) => dayNumber(year, month, day) * DAY_MS + timeOfDayMs))
      .filter((onset) => onset >= dtstartMs && onset <= lastMs)
      .sort((a, b) => a - b);
  };
  if (parts.has('COUNT')) {
    const count = Number(parts.get('COUNT'));
    if (!Number.isInteger(count) || count < 1 || count > MAX_COUNT) return null;
    lastMs = Math.min(lastMs, countedEnd(inYear, firstYear, interval, count));
    lastYear = Number.isFinite(lastMs) ? new Date(lastMs).getUTCFullYear() : lastYear;
  }

  return {
    inYear,
    latestUpTo(wallMs) {
      const from = Math.min(new Date(wallMs).getUTCFullYear(), lastYear);
      const aligned = firstYear + Math.floor((from - firstYear) / interval) * interval;
      for (let step = 0; step <= YEARS_WITHOUT_ONSET; step += 1) {
        const onset = inYear(aligned - step * interval).findLast((candidate) => candidate <= wallMs);
        if (onset !== undefined) return onset;
      }
      return null;
    },
  };
}

type DayPicker = (year: number, month: number) => number[];

function dayPicker(parts: Map<string, string>, dtstartMs: number): DayPicker | null {
  const monthDays = numbers(parts.get('BYMONTHDAY'), -31, 31);
  const byDay = parts.get('BYDAY');
  if (parts.has('BYMONTHDAY') && !monthDays) return null;
  if (byDay === undefined) {
    const wanted = monthDays ?? [new Date(dtstartMs).getUTCDate()];
    return (year, month) => wanted.map((day) => fromEnd(day, year, month)).filter((day) => day > 0);
  }
  const match = /^([+-]?[1-5])?(SU|MO|TU|WE|TH|FR|SA)$/.exec(byDay);
  // A weekday alone means every week; with days of the month it means one day.
  if (!match || (!match[1] && !monthDays) || !parts.has('BYMONTH')) return null;
  const weekday = WEEKDAYS.indexOf(match[2] ?? '');
  const ordinal = match[1] ? Number(match[1]) : null;
  return (year, month) => {
    const days = ordinal ? [nthWeekday(year, month, weekday, ordinal)] : weekdaysOf(year, month, weekday);
    const allowed = monthDays?.map((day) => fromEnd(day, year, month));
    return days.filter((day) => day > 0 && (allowed?.includes(day) ?? true));
  };
}

function weekdaysOf(year: number, month: number, weekday: number): number[] {
  return [1, 2, 3, 4, 5].map((ordinal) => nthWeekday(year, month, weekday, ordinal)).filter((day) => day > 0);
}

/** Returns the day of the month, or 0 when the month has no such weekday. @param weekday Monday is 0 */
export function nthWeekday(year: number, month: number, weekday: number, ordinal: number): number {
  const length = daysInMonth(year, month);
  if (ordinal > 0) {
    const day = 1 + ((weekday - weekdayOf(dayNumber(year, month, 1)) + 7) % 7) + (ordinal - 1) * 7;
    return day > length ? 0 : day;
  }
  const day = length - ((weekdayOf(dayNumber(year, month, length)) - weekday + 7) % 7) + (ordinal + 1) * 7;
  return Math.max(day, 0);
}

function fromEnd(day: number, year: number, month: number): number {
  const length = daysInMonth(year, month);
  const positive = day < 0 ? length + 1 + day : day;
  return positive > length ? 0 : Math.max(positive, 0);
}

/** Wall-clock ms of UNTIL; infinite without one, null when broken. A DATE covers its whole day. */
function untilOf(until: string | undefined, offsetFromMs: number): number | null {
  if (until === undefined) return Number.POSITIVE_INFINITY;
  const time = parseTimeValue(until);
  if (!time) return null;
  if (time.kind === 'date') return wallMsOf(time) + DAY_MS - 1;
  return time.kind === 'utc' ? wallMsOf(time) + offsetFromMs : wallMsOf(time);
}

function countedEnd(inYear: (year: number) => number[], firstYear: number, interval: number, count: number): number {
  let left = count;
  let last = Number.NEGATIVE_INFINITY;
  for (let step = 0, empty = 0; left > 0 && empty <= YEARS_WITHOUT_ONSET; step += 1) {
    const onsets = inYear(firstYear + step * interval).slice(0, left);
    empty = onsets.length === 0 ? empty + 1 : 0;
    left -= onsets.length;
    last = onsets.at(-1) ?? last;
  }
  return last;
}

function numbers(list: string | undefined, least: number, most: number): number[] | null {
  if (list === undefined) return null;
  const found = list.split(',', MAX_NUMBERS).map(Number);
  return found.every((number) => Number.isInteger(number) && number >= least && number <= most && number !== 0)
    ? found
    : null;
}
