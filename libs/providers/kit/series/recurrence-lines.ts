import type { EventTime } from '#domain';
import { formatContentLine, formatIcsTime, formatTimeValue, parseIcsTimes, type EditableComponent } from '#icalendar';
import * as recurrence from './recurrence.js';
import { icsTimeOf, lineTimes, type IcsTimes } from './times.js';

/** When a series starts, and the zone in which dates are lived. */
export interface SeriesFrame {
  start: EventTime;
  /** IANA id. */
  calendarZone: string;
}

/** `DTSTART;TZID=Europe/Berlin:20260101T090000`, and the like for a list of times of one kind. */
export function formatTimes(name: string, times: readonly [EventTime, ...EventTime[]]): string {
  const values = times.map((time) => formatTimeValue(icsTimeOf(time)));
  return formatContentLine(name, values.join(','), formatIcsTime(icsTimeOf(times[0])).parameters);
}

/** True for the lines that make instances by a rule, not by naming them. */
export function isRuleLine(line: string): boolean {
  return /^(?:RRULE|EXRULE)[;:]/i.test(line);
}

/** True for a line that names single dates, of that name. */
export function isDateLine(line: string, name: 'RDATE' | 'EXDATE'): boolean {
  return line.toUpperCase().startsWith(name) && recurrence.isRecurrenceLine(line);
}

/**
 * Recurrence as callers write it, in the form that this series needs: names added, times in the kind and zone of its
 * start, UNTIL in UTC or a date.
 * @throws DomainError ValidationFailed, NotSupportedByProvider
 */
export function readRecurrence(lines: readonly string[], { start, calendarZone }: SeriesFrame): string[] {
  const times = lineTimes(calendarZone);
  return recurrence.parseRecurrence(lines).map((property) => {
    const line = recurrence.lineLike(property, icsTimeOf(start), times, { takesPeriods: false });
    return formatContentLine(property.name, line.value, line.parameters);
  });
}

/**
 * The recurrence of a series that starts at another time: what names instances moves by as much as the start does, on
 * the new clock.
 */
export function shiftRecurrence(lines: readonly string[], frame: SeriesFrame, start: EventTime): string[] {
  return edited(lines, frame, (event, before, times) => {
    const after = icsTimeOf(start);
    recurrence.shiftRecurrence(event, recurrence.recurrenceLines(event), { before, after }, times);
  });
}

/**
 * The recurrence up to an instance, without it.
 * @param countBefore how many instances the rule makes before it
 */
export function endBefore(lines: readonly string[], instance: EventTime, frame: SeriesFrame, countBefore: number) {
  return edited(lines, frame, (event, _start, times) =>
    recurrence.endBefore(event, icsTimeOf(instance), times, () => countBefore),
  );
}

/** The recurrence from an instance on, which becomes the first one. @param countBefore as in {@link endBefore} */
export function continueFrom(lines: readonly string[], instance: EventTime, frame: SeriesFrame, countBefore: number) {
  return edited(lines, frame, (event, _start, times) =>
    recurrence.continueFrom(event, icsTimeOf(instance), times, () => countBefore),
  );
}

/** The dates that the lines of one name hold, as the series has its own. */
export function datesOf(lines: readonly string[], name: 'RDATE' | 'EXDATE', frame: SeriesFrame): EventTime[] {
  const times = lineTimes(frame.calendarZone);
  return recurrence
    .eventOf(...lines.filter(recurrence.isRecurrenceLine))
    .propertiesNamed(name)
    .flatMap(parseIcsTimes)
    .map((time) => times.toEventTime(times.like(icsTimeOf(frame.start), time)));
}

/** Lines after a change of an event that has them; what cannot be read stays as it is. */
function edited(
  lines: readonly string[],
  { start, calendarZone }: SeriesFrame,
  edit: (event: EditableComponent, start: ReturnType<typeof icsTimeOf>, times: IcsTimes) => void,
): string[] {
  const event = recurrence.eventOf(...lines.filter(recurrence.isRecurrenceLine));
  edit(event, icsTimeOf(start), lineTimes(calendarZone));
  const unread = lines.filter((line) => !recurrence.isRecurrenceLine(line));
  return [...recurrence.recurrenceLines(event).map(({ line }) => line), ...unread];
}
