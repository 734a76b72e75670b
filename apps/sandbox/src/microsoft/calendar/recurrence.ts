import { RRuleTemporal } from 'rrule-temporal';
import { instantOn, wallAt } from '../../time-zones.js';
import { DAY_MS, formatDate, parseDate, zoneOf } from './clock-time.js';
import type { Times } from './model.js';
import { GraphErrorResponse } from '../contract.js';
import { invalidProperty } from './errors.js';

const INDEXES = ['first', 'second', 'third', 'fourth', 'last'] as const;

type Weekday = 'sunday' | 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday';

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

/** The range determines the first day, the event only the time of day. @throws GraphErrorResponse 400 */
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
    throw new GraphErrorResponse(400, 'ErrorRecurrenceHasNoOccurrence', 'The recurrence has no occurrence instances.');
  }
  const recurrence = { pattern, range: { ...asked.range, startDate: first } };
  return { recurrence, times: timesOn(times, recurrence, first) };
}

/**
 * Original days of the instances, ascending. A day beyond the end of a month means its last day
 * (https://learn.microsoft.com/exchange/client-developer/web-service-reference/absolutemonthlyrecurrence).
 * @param from first returned day; earlier ones only count
 */
export function* datesOf({ pattern, range }: Recurrence, from = range.startDate): Generator<string, undefined> {
  const rule = new RRuleTemporal({
    rruleString: `DTSTART;VALUE=DATE:${range.startDate.replaceAll('-', '')}\nRRULE:${ruleOf(pattern)}${endOf(range)}`,
    strict: true,
  });
  const first = from > range.startDate ? from : range.startDate;
  for (let day = rule.next(new Date(first), true); day !== null && day.year <= 9_999; day = rule.next(day)) {
    yield day.toPlainDate().toString();
  }
}

/** Times of the series' instance on a day. */
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

/** Day of a time in the series' zone. */
export function dayIn(recurrence: Recurrence, times: Times): string {
  return formatDate(
    times.isAllDay ? times.startMs : wallAt(zoneOf(recurrence.range.recurrenceTimeZone), times.startMs),
  );
}

/** RFC 5545 §3.3.10. `index` selects among the days of a month that match `daysOfWeek`. */
function ruleOf({ type, interval, daysOfWeek = [], firstDayOfWeek = 'sunday', dayOfMonth = 1, month, index }: Pattern) {
  const days = daysOfWeek.map(codeOf).join(',');
  const relative = `BYDAY=${days};BYSETPOS=${index === 'last' ? -1 : INDEXES.indexOf(index ?? 'first') + 1}`;
  const absolute =
    dayOfMonth <= 28
      ? `BYMONTHDAY=${dayOfMonth}`
      : `BYMONTHDAY=${[28, 29, 30, 31].filter((day) => day <= dayOfMonth).join(',')};BYSETPOS=-1`;
  switch (type) {
    case 'daily':
      return `FREQ=DAILY;INTERVAL=${interval}`;
    case 'weekly':
      return `FREQ=WEEKLY;INTERVAL=${interval};BYDAY=${days};WKST=${codeOf(firstDayOfWeek)}`;
    case 'absoluteMonthly':
    case 'relativeMonthly':
      return `FREQ=MONTHLY;INTERVAL=${interval};${type === 'absoluteMonthly' ? absolute : relative}`;
    case 'absoluteYearly':
    case 'relativeYearly':
      return `FREQ=YEARLY;INTERVAL=${interval};BYMONTH=${month};${type === 'absoluteYearly' ? absolute : relative}`;
  }
}

function endOf({ type, endDate, numberOfOccurrences }: Range): string {
  if (type === 'noEnd') return '';
  return type === 'numbered' ? `;COUNT=${numberOfOccurrences}` : `;UNTIL=${endDate!.replaceAll('-', '')}`;
}

function codeOf(weekday: Weekday): string {
  return weekday.slice(0, 2).toUpperCase();
}
