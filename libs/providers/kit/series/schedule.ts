import { DomainError, type EventInput, type EventTime } from '#domain';
import { RecurrenceError } from '#icalendar';
import { isSameTime, wallOf, withWall } from './event-time.js';
import { changedSpan, shiftedSpan, type Span } from './input-times.js';
import { asInvalid, isDateLine, readRecurrence, shiftRecurrence } from './recurrence-lines.js';
import { RecurringSeries, type RecurringTimes } from './recurring-series.js';

/** When a series takes place: its first instance, and what makes the others. */
export interface Schedule {
  span: Span;
  /** Empty: a single event. */
  recurrence: string[];
}

/** @throws DomainError ProviderUnavailable for an event that says nowhere when it is */
export function scheduleOf({ start, end, recurrence }: RecurringTimes): Schedule {
  if (start === null) throw new DomainError('ProviderUnavailable', 'The provider described an event without a time.');
  return { span: { start, end: end ?? start }, recurrence };
}

/** @throws DomainError ProviderUnavailable for an event that says nowhere when it is */
export function spanOf(event: RecurringTimes): Span {
  return scheduleOf(event).span;
}

/**
 * What an input makes of a schedule.
 * @param anchor times of the instance that the caller looks at: new times are compared with those, and the series moves
 * by the difference; null when the caller looks at the series itself
 * @throws DomainError ValidationFailed, NotSupportedByProvider
 */
export function changedSchedule(
  current: Schedule,
  anchor: Span | null,
  input: EventInput,
  calendarZone: string,
): Schedule {
  const { span: own } = current;
  const staysSeries =
    input.recurrence === undefined ? current.recurrence.length > 0 : (input.recurrence?.length ?? 0) > 0;
  const asked = changedSpan(anchor ?? own, input, { calendarZone, isSeries: staysSeries });
  const span =
    asked === null || anchor === null ? (asked ?? own) : shiftedSpan(asked, wallOf(own.start) - wallOf(anchor.start));
  const frame = { start: own.start, calendarZone };
  const moved = isSameTime(span.start, own.start)
    ? current.recurrence
    : shiftedLines(current.recurrence, frame, span.start);
  if (input.recurrence === undefined || isEcho(input.recurrence, current.recurrence))
    return { span, recurrence: moved };
  if (input.recurrence === null || input.recurrence.length === 0) return { span, recurrence: [] };
  const asWritten = readRecurrence(input.recurrence, { start: span.start, calendarZone });
  // A rule says nothing about single instances that were taken out before.
  const kept = asWritten.some((line) => isDateLine(line, 'EXDATE'))
    ? []
    : moved.filter((line) => isDateLine(line, 'EXDATE'));
  return { span, recurrence: [...asWritten, ...kept] };
}

/** Where an instance of the series before is in the series after; null when it is gone. */
export type Relocation = (originalStart: EventTime) => EventTime | null;

/**
 * Where an instance went. When the rule names its days (BYDAY=MO) and the start moved to another day, the instances
 * keep their days and only change their time.
 */
export function relocation(from: EventTime, to: Schedule, calendarZone: string): Relocation {
  const { start, end } = to.span;
  const series = to.recurrence.length === 0 ? null : new RecurringSeries(start, end, to.recurrence, calendarZone);
  const deltaMs = wallOf(start) - wallOf(from);
  return (originalStart) => {
    if (series === null) return null;
    const along = withWall(start, wallOf(originalStart) + deltaMs);
    if (hasInstance(series, along)) return along;
    const sameDay = withWall(start, dayOf(originalStart) + wallOf(start) - dayOf(start));
    return hasInstance(series, sameDay) ? sameDay : null;
  };
}

function hasInstance(series: RecurringSeries, time: EventTime): boolean {
  try {
    return series.has(time);
  } catch (error) {
    // A rule that only the provider understands keeps its instances where the provider finds them.
    if (error instanceof RecurrenceError) return false;
    throw error;
  }
}

function shiftedLines(
  lines: readonly string[],
  frame: { start: EventTime; calendarZone: string },
  start: EventTime,
): string[] {
  try {
    return shiftRecurrence(lines, frame, start);
  } catch (error) {
    throw asInvalid(error);
  }
}

/** Whether a caller sends back the recurrence that it read. */
export function isEcho(lines: readonly string[] | null, current: readonly string[]): boolean {
  return lines !== null && lines.length === current.length && lines.every((line, at) => line.trim() === current[at]);
}

function dayOf(time: EventTime): number {
  return Math.floor(wallOf(time) / 86_400_000) * 86_400_000;
}
