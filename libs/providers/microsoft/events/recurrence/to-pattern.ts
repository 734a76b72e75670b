import type { RecurrencePattern } from '@microsoft/microsoft-graph-types';
import { DomainError } from '#domain/system';
import type { RecurrenceRule } from '#icalendar';
import { daysInMonth, LAST_COMMON_DAY, WEEK_INDEXES, WEEKDAYS } from './pattern-days.js';

/** Exchange's limits (AbsoluteMonthlyRecurrence, WeeklyRecurrence, …: Interval). */
const MAX_INTERVAL = 99;
const MAX_DAILY_INTERVAL = 999;

/**
 * Returns the equivalent pattern. RFC 5545 has many more rules than Graph has patterns.
 * @param start day of the first instance, for parts that the rule leaves open
 * @throws DomainError NotSupportedByProvider naming the part of the rule that no pattern expresses
 */
export function toPattern(rule: RecurrenceRule, start: Temporal.PlainDate): RecurrencePattern {
  const rejected = [
    ['BYSECOND', rule.bySecond],
    ['BYMINUTE', rule.byMinute],
    ['BYHOUR', rule.byHour],
    ['BYYEARDAY', rule.byYearDay],
    ['BYWEEKNO', rule.byWeekNo],
  ] as const;
  for (const [part, value] of rejected) if (value !== null) throw unsupported(part, 'has no counterpart');
  if (rule.skip !== 'OMIT') throw unsupported('SKIP', 'has no counterpart');
  const pattern = patternOf(rule, start);
  const limit = pattern.type === 'daily' ? MAX_DAILY_INTERVAL : MAX_INTERVAL;
  if (rule.interval > limit) throw unsupported('INTERVAL', `must not be more than ${limit} with FREQ=${rule.freq}`);
  return pattern;
}

export function unsupported(part: string, why: string): DomainError {
  return new DomainError('NotSupportedByProvider', `recurrence: Outlook cannot hold this rule: ${part} ${why}.`);
}

function patternOf(rule: RecurrenceRule, start: Temporal.PlainDate): RecurrencePattern {
  switch (rule.freq) {
    case 'DAILY':
      rejectDaysOfMonth(rule);
      return rule.byDay === null ? { type: 'daily', interval: rule.interval } : everySuchWeekday(rule, rule.byDay);
    case 'WEEKLY':
      rejectDaysOfMonth(rule);
      return weeklyOn(rule.byDay?.map(({ weekday }) => weekday) ?? [start.dayOfWeek - 1], rule);
    case 'MONTHLY':
      return monthly(rule, start);
    case 'YEARLY':
      return yearly(rule, start);
    case 'HOURLY':
    case 'MINUTELY':
    case 'SECONDLY':
      throw unsupported('FREQ', `=${rule.freq} has no counterpart`);
  }
}

function monthly(rule: RecurrenceRule, start: Temporal.PlainDate): RecurrencePattern {
  if (rule.byMonth !== null) {
    if (rule.interval > 1) throw unsupported('BYMONTH', 'needs INTERVAL=1 with FREQ=MONTHLY');
    return yearlyIn(oneMonth(rule.byMonth), rule, start);
  }
  if (rule.byDay !== null) {
    const relative = relativeDays(rule, rule.byDay);
    return relative === null
      ? everySuchWeekday(rule, rule.byDay)
      : { type: 'relativeMonthly', interval: rule.interval, ...relative };
  }
  return { type: 'absoluteMonthly', interval: rule.interval, dayOfMonth: dayOfEveryMonth(rule, start) };
}

function yearly(rule: RecurrenceRule, start: Temporal.PlainDate): RecurrencePattern {
  if (rule.byMonth !== null) return yearlyIn(oneMonth(rule.byMonth), rule, start);
  if (rule.byDay !== null) {
    if (rule.byMonthDay !== null) throw unsupported('BYDAY', 'cannot come with BYMONTHDAY');
    if (rule.bySetPos !== null) throw unsupported('BYSETPOS', 'needs BYMONTH with FREQ=YEARLY');
    if (rule.byDay.some(({ ordinal }) => ordinal !== 0)) {
      throw unsupported('BYDAY', 'with a number needs BYMONTH with FREQ=YEARLY');
    }
    return everySuchWeekday(rule, rule.byDay);
  }
  if (rule.byMonthDay === null) return yearlyIn(start.month, rule, start);
  if (rule.bySetPos !== null) throw unsupported('BYSETPOS', 'needs BYMONTH with FREQ=YEARLY');
  if (rule.interval > 1) throw unsupported('BYMONTHDAY', 'needs BYMONTH with FREQ=YEARLY and INTERVAL');
  return { type: 'absoluteMonthly', interval: 1, dayOfMonth: dayOfEveryMonth(rule, start) };
}

function yearlyIn(month: number, rule: RecurrenceRule, start: Temporal.PlainDate): RecurrencePattern {
  const { interval } = rule;
  if (rule.byDay === null) {
    return { type: 'absoluteYearly', interval, month, dayOfMonth: dayOfOneMonth(month, rule, start) };
  }
  const relative = relativeDays(rule, rule.byDay);
  if (relative === null) throw unsupported('BYDAY', 'with BYMONTH needs a number or BYSETPOS');
  return { type: 'relativeYearly', interval, month, ...relative };
}

/** For days from 29 on Graph uses the last day of a shorter month. */
function dayOfEveryMonth(rule: RecurrenceRule, start: Temporal.PlainDate): number {
  const last = lastOfSome(rule);
  if (last !== null) return last;
  const day = oneDay(rule, start);
  if (day === -1) return 31;
  if (day < 1) throw unsupported('BYMONTHDAY', `=${day} has no counterpart`);
  if (day > LAST_COMMON_DAY) {
    throw unsupported(
      'BYMONTHDAY',
      `=${day}: in shorter months Outlook takes their last day, which the rule leaves out`,
    );
  }
  return day;
}

function dayOfOneMonth(month: number, rule: RecurrenceRule, start: Temporal.PlainDate): number {
  const last = lastOfSome(rule);
  if (last !== null) return Math.min(last, daysInMonth(month));
  const day = oneDay(rule, start);
  if (day === -1) return daysInMonth(month);
  if (day < 1) throw unsupported('BYMONTHDAY', `=${day} has no counterpart`);
  if (day > daysInMonth(month, 2_001)) {
    throw unsupported('BYMONTHDAY', `=${day}: in years without that day Outlook takes the last one of the month`);
  }
  return day;
}

/** `BYMONTHDAY=28,29,30;BYSETPOS=-1` means day 30, or the last day of a shorter month. */
function lastOfSome({ byMonthDay, bySetPos }: RecurrenceRule): number | null {
  if (bySetPos === null) return null;
  const days = byMonthDay ?? [];
  const isRun = days[0] === LAST_COMMON_DAY && days.every((day, at) => day === LAST_COMMON_DAY + at);
  const last = days.at(-1);
  if (!isRun || last === undefined || bySetPos.length !== 1 || bySetPos[0] !== -1) {
    throw unsupported('BYSETPOS', 'beside BYMONTHDAY can only be -1 of 28 and the days that follow it');
  }
  return last;
}

function oneDay({ byMonthDay }: RecurrenceRule, start: Temporal.PlainDate): number {
  const [day, ...others] = byMonthDay ?? [start.day];
  if (day === undefined || others.length > 0) throw unsupported('BYMONTHDAY', 'can only be one day');
  return day;
}

function oneMonth([month, ...others]: readonly number[]): number {
  if (month === undefined || others.length > 0) throw unsupported('BYMONTH', 'can only be one month');
  return month;
}

/** Weekdays counted within a month; null for every one. */
function relativeDays(
  rule: RecurrenceRule,
  byDay: NonNullable<RecurrenceRule['byDay']>,
): Pick<RecurrencePattern, 'daysOfWeek' | 'index'> | null {
  if (rule.byMonthDay !== null) throw unsupported('BYDAY', 'cannot come with BYMONTHDAY');
  const ordinals = new Set(byDay.map(({ ordinal }) => ordinal));
  const days = ascending(byDay.map(({ weekday }) => weekday));
  if (rule.bySetPos !== null) {
    if (ordinals.size !== 1 || !ordinals.has(0)) throw unsupported('BYDAY', 'cannot have numbers beside BYSETPOS');
    return { daysOfWeek: named(days), index: indexOf('BYSETPOS', rule.bySetPos) };
  }
  if (ordinals.size === 1 && ordinals.has(0)) return null;
  if (byDay.length > 1) throw unsupported('BYDAY', 'can only have one day with a number');
  return { daysOfWeek: named(days), index: indexOf('BYDAY', [...ordinals]) };
}

function indexOf(part: string, [ordinal, ...others]: readonly number[]) {
  const index = ordinal === undefined || others.length > 0 ? undefined : WEEK_INDEXES.get(ordinal);
  if (index === undefined) throw unsupported(part, 'can only count 1, 2, 3, 4 or -1');
  return index;
}

function everySuchWeekday(rule: RecurrenceRule, byDay: NonNullable<RecurrenceRule['byDay']>): RecurrencePattern {
  if (rule.interval > 1) throw unsupported('BYDAY', `without a number needs INTERVAL=1 with FREQ=${rule.freq}`);
  return weeklyOn(
    byDay.map(({ weekday }) => weekday),
    rule,
  );
}

function weeklyOn(weekdays: readonly number[], { interval, weekStart }: RecurrenceRule): RecurrencePattern {
  const firstDayOfWeek = WEEKDAYS[weekStart] ?? 'monday';
  return { type: 'weekly', interval, daysOfWeek: named(ascending(weekdays)), firstDayOfWeek };
}

function named(weekdays: readonly number[]): NonNullable<RecurrencePattern['daysOfWeek']> {
  return weekdays.flatMap((weekday) => WEEKDAYS[weekday] ?? []);
}

function ascending(weekdays: readonly number[]): number[] {
  return [...new Set(weekdays)].sort((one, other) => one - other);
}

function rejectDaysOfMonth({ byMonth, byMonthDay, bySetPos, freq }: RecurrenceRule): void {
  for (const [part, value] of Object.entries({ BYMONTH: byMonth, BYMONTHDAY: byMonthDay, BYSETPOS: bySetPos })) {
    if (value !== null) throw unsupported(part, `cannot come with FREQ=${freq}`);
  }
}
