import { clockChanges } from './clock-changes.js';
import type { ClockChange } from './clock-changes.js';
import { DAY_MS, dayOfWall, daysInMonth, weekdayOf } from '../recurrence/civil.js';
import { WEEKDAYS } from '../recurrence/rule.js';
import { nthWeekday } from './observance-rule.js';

/** From 2100 on the tz database has only repeating rules, and in 28 years every date falls on every weekday. */
const FIRST_YEAR = 2100;
const YEARS = 28;

/** A change that recurs every year; `rrule` is `FREQ=YEARLY;…`. */
export interface FinalRule {
  rrule: string;
  offsetFrom: number;
  offsetTo: number;
  includes(change: ClockChange): boolean;
}

/** Rules of a zone after its last change of law; empty for a fixed offset, null when no rule fits. */
export type FinalRules = readonly FinalRule[] | null;

const known = new Map<string, FinalRules>();

export function finalRules(timeZone: string): FinalRules {
  let rules = known.get(timeZone);
  if (rules === undefined) known.set(timeZone, (rules = findRules(timeZone)));
  return rules;
}

function findRules(timeZone: string): FinalRules {
  const changes = clockChanges(timeZone, Date.UTC(FIRST_YEAR, 0), Date.UTC(FIRST_YEAR + YEARS, 0));
  const groups = Map.groupBy(
    changes,
    ({ wallMs, offsetFrom, offsetTo }) => `${offsetFrom} ${offsetTo} ${new Date(wallMs).getUTCMonth()}`,
  );
  const rules: FinalRule[] = [];
  for (const group of groups.values()) {
    const rule = group.length === YEARS ? ruleOf(group) : null;
    if (!rule) return null;
    rules.push(rule);
  }
  return rules;
}

/** Returns the rule of one yearly change in a month; null unless it is a weekday near a fixed date. */
function ruleOf(changes: readonly ClockChange[]): FinalRule | null {
  const dates = changes.map(({ wallMs }) => new Date(wallMs));
  const [first, sample] = [dates[0], changes[0]];
  if (!first || !sample) return null;
  const weekday = weekdayOf(dayOfWall(sample.wallMs));
  const timeOfDay = sample.wallMs % DAY_MS;
  const isAlike = ({ wallMs }: ClockChange) =>
    weekdayOf(dayOfWall(wallMs)) === weekday && wallMs % DAY_MS === timeOfDay;
  if (!changes.every(isAlike)) return null;

  const month = first.getUTCMonth() + 1;
  const days = dates.map((date) => date.getUTCDate());
  const least = Math.min(...days);
  if (Math.max(...days) - least > 6) return null;
  const ordinal = dates.every((date) => nthWeekday(date.getUTCFullYear(), month, weekday, -1) === date.getUTCDate())
    ? -1
    : least % 7 === 1
      ? (least + 6) / 7
      : null;
  const week = Array.from({ length: 7 }, (_, index) => least + index);
  if (ordinal === null && week.some((day) => day > daysInMonth(2100, month))) return null;
  const day = WEEKDAYS[weekday] ?? '';
  const byDay = ordinal === null ? `BYMONTHDAY=${week.join()};BYDAY=${day}` : `BYDAY=${ordinal}${day}`;
  return {
    rrule: `FREQ=YEARLY;BYMONTH=${month};${byDay}`,
    offsetFrom: sample.offsetFrom,
    offsetTo: sample.offsetTo,
    includes(change) {
      const date = new Date(change.wallMs);
      if (change.offsetFrom !== sample.offsetFrom || change.offsetTo !== sample.offsetTo) return false;
      if (date.getUTCMonth() + 1 !== month || !isAlike(change)) return false;
      return ordinal === null
        ? week.includes(date.getUTCDate())
        : nthWeekday(date.getUTCFullYear(), month, weekday, ordinal) === date.getUTCDate();
    },
  };
}
