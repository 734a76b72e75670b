import { DAY_MS, formatDate, instantOn, parseDate, wallAt, zoneOf } from './clock-time.js';
import type { Times } from './model.js';
import { GraphRefusal } from '../contract.js';
import { invalidProperty } from './refusals.js';

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const INDEXES = ['first', 'second', 'third', 'fourth', 'last'] as const;
/** The last day that has a name. */
const LAST_DAY = Date.UTC(9_999, 11, 31) / DAY_MS;

type Weekday = (typeof WEEKDAYS)[number];

/** https://learn.microsoft.com/graph/api/resources/recurrencepattern */
export interface Pattern {
  type: 'daily' | 'weekly' | 'absoluteMonthly' | 'relativeMonthly' | 'absoluteYearly' | 'relativeYearly';
  interval: number;
  daysOfWeek?: readonly Weekday[];
  firstDayOfWeek?: Weekday;
  dayOfMonth?: number;
  month?: number;
  index?: (typeof INDEXES)[number];
}

/** https://learn.microsoft.com/graph/api/resources/recurrencerange */
export interface Range {
  type: 'endDate' | 'noEnd' | 'numbered';
  startDate: string;
  endDate?: string;
  numberOfOccurrences?: number;
  recurrenceTimeZone?: string;
}

export interface Recurrence {
  pattern: Pattern;
  range: Range & { recurrenceTimeZone: string };
}

/**
 * A recurrence as it is stored, and the times of its first instance: the range says on which day the series begins, the
 * event only at what hour.
 * @throws GraphRefusal 400
 */
export function readRecurrence(
  { pattern, range }: { pattern: Pattern; range: Range },
  times: Times,
): { recurrence: Recurrence; times: Times } {
  const recurrenceTimeZone = range.recurrenceTimeZone ?? times.startZone;
  zoneOf(recurrenceTimeZone);
  if (range.type === 'endDate' && parseDate(range.endDate!) < parseDate(range.startDate)) {
    throw invalidProperty('The recurrence pattern has an end date that is before its start date.');
  }
  parseDate(range.startDate);
  const asked = { pattern, range: { ...range, recurrenceTimeZone } };
  const first = datesOf(asked).next().value;
  if (first === undefined) {
    throw new GraphRefusal(400, 'ErrorRecurrenceHasNoOccurrence', 'The recurrence has no occurrence instances.');
  }
  const recurrence = { pattern, range: { ...asked.range, startDate: first } };
  return { recurrence, times: timesOn(times, recurrence, first) };
}

/**
 * Original days of the instances, ascending. A day past the end of a month means its last day
 * (https://learn.microsoft.com/exchange/client-developer/web-service-reference/absolutemonthlyrecurrence).
 * @param from those before are counted, and left out
 */
export function* datesOf({ pattern, range }: Recurrence, from = range.startDate): Generator<string, undefined> {
  const startDay = parseDate(range.startDate) / DAY_MS;
  const endDay = range.type === 'endDate' ? Math.min(parseDate(range.endDate!) / DAY_MS, LAST_DAY) : LAST_DAY;
  const fromDay = parseDate(from) / DAY_MS;
  let left = range.type === 'numbered' ? range.numberOfOccurrences! : Number.POSITIVE_INFINITY;
  for (const day of daysOf(pattern, startDay)) {
    if (day > endDay || left === 0) return;
    if (day < startDay) continue;
    left -= 1;
    if (day >= fromDay) yield formatDate(day * DAY_MS);
  }
}

/** Times of the instance that belongs to a day, as the series has them. */
export function timesOn(times: Times, { range }: Recurrence, date: string): Times {
  if (times.isAllDay) {
    const shift = parseDate(date) - times.startMs;
    return { ...times, startMs: times.startMs + shift, endMs: times.endMs + shift };
  }
  const zone = zoneOf(range.recurrenceTimeZone);
  const startWall = wallAt(zone, times.startMs);
  const shift = parseDate(date) - Math.floor(startWall / DAY_MS) * DAY_MS;
  const startMs = instantOn(zone, startWall + shift);
  return { ...times, startMs, endMs: Math.max(startMs, instantOn(zone, wallAt(zone, times.endMs) + shift)) };
}

/** The day of a time on the clock that the series lives by. */
export function dayIn(recurrence: Recurrence, times: Times): string {
  return formatDate(
    times.isAllDay ? times.startMs : wallAt(zoneOf(recurrence.range.recurrenceTimeZone), times.startMs),
  );
}

function daysOf(pattern: Pattern, startDay: number): Generator<number> {
  switch (pattern.type) {
    case 'daily':
      return everyDays(pattern.interval, startDay);
    case 'weekly':
      return weekly(pattern, startDay);
    case 'absoluteMonthly':
    case 'relativeMonthly':
      return monthly(pattern, startDay, monthOf(startDay), pattern.interval);
    case 'absoluteYearly':
    case 'relativeYearly': {
      const firstMonth = Math.floor(monthOf(startDay) / 12) * 12 + pattern.month! - 1;
      return monthly(pattern, startDay, firstMonth, pattern.interval * 12);
    }
  }
}

function* everyDays(interval: number, startDay: number): Generator<number> {
  for (let day = startDay; day <= LAST_DAY; day += interval) yield day;
}

function* weekly({ interval, daysOfWeek, firstDayOfWeek = 'sunday' }: Pattern, startDay: number) {
  const firstDay = startDay - ((weekdayOf(startDay) - WEEKDAYS.indexOf(firstDayOfWeek) + 7) % 7);
  for (let week = firstDay; week <= LAST_DAY; week += 7 * interval) {
    for (let day = week; day < week + 7; day += 1) if (isOneOf(daysOfWeek, day)) yield day;
  }
}

/** @param firstMonth months since year 0 */
function* monthly(pattern: Pattern, startDay: number, firstMonth: number, step: number) {
  for (let month = firstMonth; monthStart(month) <= LAST_DAY; month += step) {
    const day = pattern.dayOfMonth === undefined ? relativeDay(pattern, month) : absoluteDay(pattern.dayOfMonth, month);
    if (day >= startDay) yield day;
  }
}

function absoluteDay(dayOfMonth: number, month: number): number {
  return Math.min(monthStart(month) + dayOfMonth, monthStart(month + 1)) - 1;
}

function relativeDay({ daysOfWeek, index = 'first' }: Pattern, month: number): number {
  const days: number[] = [];
  for (let day = monthStart(month); day < monthStart(month + 1); day += 1) if (isOneOf(daysOfWeek, day)) days.push(day);
  return index === 'last' ? days.at(-1)! : days[INDEXES.indexOf(index)]!;
}

function isOneOf(daysOfWeek: readonly Weekday[] | undefined, day: number): boolean {
  return daysOfWeek?.includes(WEEKDAYS[weekdayOf(day)]!) === true;
}

function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}

function monthOf(day: number): number {
  const date = new Date(day * DAY_MS);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function monthStart(month: number): number {
  const date = new Date(0);
  date.setUTCFullYear(Math.floor(month / 12), month % 12, 1);
  return date.getTime() / DAY_MS;
}
