import type { EventInput, EventTime } from '#domain/events';
import { DomainError } from '#domain/system';
import { RecurrenceError } from '#icalendar';
import { placeAfter } from './series-exceptions.js';
import { changedSeriesSpan, type TimeSpan } from './input-times.js';
import { datesOf, isDateLine, readRecurrence, shiftRecurrence, changeExclusions } from './recurrence-lines.js';
import { instanceDateOf, RecurringSeries, type RecurringTimes } from './recurring-series.js';
import { isSame, shiftedTime, SeriesTimes } from './times.js';

export interface Schedule {
  span: TimeSpan;
  recurrence: string[];
}

/** @throws DomainError ProviderUnavailable for an event without a time */
export function scheduleOf({ start, end, recurrence }: RecurringTimes): Schedule {
  if (start === null) throw new DomainError('ProviderUnavailable', 'The provider described an event without a time.');
  return { span: { start, end: end ?? start }, recurrence };
}

/** @throws DomainError ProviderUnavailable for an event without a time */
export function spanOf(event: RecurringTimes): TimeSpan {
  return scheduleOf(event).span;
}

/** @param anchor as in {@link changedSeriesSpan} @throws DomainError ValidationFailed, NotSupportedByProvider */
export function changedSchedule(
  current: Schedule,
  anchor: TimeSpan | null,
  input: EventInput,
  calendarZone: string,
): Schedule {
  const { span: own, recurrence } = current;
  const times = new SeriesTimes(calendarZone);
  const isSeries = input.recurrence === undefined ? recurrence.length > 0 : (input.recurrence?.length ?? 0) > 0;
  const span = changedSeriesSpan(own, anchor, input, { times, isSeries }) ?? own;
  const isKept = input.recurrence === undefined || isUnchangedRecurrence(input.recurrence, recurrence);
  const isMoved = !isSame(times, span.start, own.start);
  if (isKept && !isMoved) return { span, recurrence };
  if (!isKept && !isSeries) return { span, recurrence: [] };
  const shift = (lines: readonly string[]) => shiftRecurrence(lines, { start: own.start, calendarZone }, span.start);
  const rules = isKept
    ? shift(recurrence.filter(isNoExclusion))
    : readRecurrence(input.recurrence ?? [], { start: span.start, calendarZone });
  const move = exclusionMove(current, { span, recurrence: rules }, calendarZone);
  const moveExclusion = (line: string) =>
    isMoved ? changeExclusions([line], move, { start: own.start, calendarZone }) : [line];
  if (isKept) {
    const moved = recurrence.flatMap((line) => (isNoExclusion(line) ? shift([line]) : moveExclusion(line)));
    return { span, recurrence: moved };
  }
  // A new rule does not bring back instances that were deleted before, unless the caller lists those that it excludes.
  const exclusions = rules.every(isNoExclusion) ? recurrence.filter((line) => !isNoExclusion(line)) : [];
  return { span, recurrence: [...rules, ...exclusions.flatMap(moveExclusion)] };
}

/** Finds the new place of an EXDATE: that of its instance. One that excludes nothing comes to no instance. */
function exclusionMove(before: Schedule, after: Schedule, calendarZone: string): Relocation {
  const times = new SeriesTimes(calendarZone);
  const move = { from: before.span.start, to: after.span.start };
  const placeOf = relocation(move.from, after, calendarZone);
  const wasInstance = instanceTest(before, calendarZone);
  const isInstance = instanceTest(after, calendarZone);
  return (time) => {
    const along = shiftedTime(times, time, move);
    if (wasInstance(time)) return placeOf(time) ?? along;
    return isInstance(along) ? null : along;
  };
}

/** Finds the place of an instance in the changed series; null when it is gone. */
export type Relocation = (originalStart: EventTime) => EventTime | null;

export function relocation(from: EventTime, schedule: Schedule, calendarZone: string): Relocation {
  const isInstance = instanceTest(schedule, calendarZone);
  const isExcluded = exclusionTest(schedule, calendarZone);
  const move = { from, to: schedule.span.start };
  return (originalStart) => {
    const place = placeAfter(new SeriesTimes(calendarZone), originalStart, move, isInstance);
    return place === null || isExcluded(place) ? null : place;
  };
}

/**
 * Drops the exclusions that a move brings to the place of a changed instance, which counts more than a deleted one.
 * Exclusions of the caller stay.
 * @param changed original starts of the changed instances
 */
export function keepChangedInstances(
  { before, after, input }: { before: Schedule; after: Schedule; input: EventInput },
  changed: readonly EventTime[],
  calendarZone: string,
): Schedule {
  const lines = input.recurrence ?? [];
  if (!lines.every(isNoExclusion) && !isUnchangedRecurrence(lines, before.recurrence)) return after;
  const wasExcluded = exclusionTest(before, calendarZone);
  const unexcluded = { ...after, recurrence: after.recurrence.filter(isNoExclusion) };
  const placeOf = relocation(before.span.start, unexcluded, calendarZone);
  const places = changed.flatMap((start) => (wasExcluded(start) ? [] : (placeOf(start) ?? [])));
  if (places.length === 0) return after;
  const taken = new Set(places.map(instanceDateOf));
  const isTaken = (time: EventTime) => taken.has(instanceDateOf(time));
  return {
    ...after,
    recurrence: changeExclusions(after.recurrence, (time) => (isTaken(time) ? null : time), {
      start: after.span.start,
      calendarZone,
    }),
  };
}

function isNoExclusion(line: string): boolean {
  return !isDateLine(line, 'EXDATE');
}

/** Whether an EXDATE of a series is at this time. */
export function exclusionTest({ span, recurrence }: Schedule, calendarZone: string): (time: EventTime) => boolean {
  const dates = new Set(datesOf(recurrence, 'EXDATE', { start: span.start, calendarZone }).map(instanceDateOf));
  return (time) => dates.has(instanceDateOf(time));
}

/** Whether a series has an instance at this time, EXDATEs aside. */
export function instanceTest({ span, recurrence }: Schedule, calendarZone: string): (time: EventTime) => boolean {
  const series = RecurringSeries.of({ ...span, recurrence }, calendarZone);
  return (time) => series !== null && hasInstance(series, time);
}

function hasInstance(series: RecurringSeries, time: EventTime): boolean {
  try {
    return series.has(time);
  } catch (error) {
    // Only the provider can place the instances of a rule that the recurrence engine does not understand.
    if (error instanceof RecurrenceError) return false;
    throw error;
  }
}

export function isUnchangedRecurrence(lines: readonly string[] | null, current: readonly string[]): boolean {
  return lines !== null && lines.length === current.length && lines.every((line, at) => line.trim() === current[at]);
}

export function isSameSchedule(one: Schedule, other: Schedule, calendarZone: string): boolean {
  return isSameSpan(one.span, other.span, calendarZone) && isUnchangedRecurrence(one.recurrence, other.recurrence);
}

export function isSameSpan(one: TimeSpan, other: TimeSpan, calendarZone: string): boolean {
  const times = new SeriesTimes(calendarZone);
  return isSame(times, one.start, other.start) && isSame(times, one.end, other.end);
}
