import type { EventTime } from '#domain/events';
import {
  formatContentLine,
  formatIcsTime,
  formatTimeValue,
  parseIcsTimes,
  type EditableComponent,
  type IcsTime,
} from '#icalendar';
import * as recurrence from './recurrence.js';
import { icsTimeOf, lineTimes, type IcsTimes } from './times.js';

export interface SeriesFrame {
  start: EventTime;
  /** IANA id of the zone of dates. */
  calendarZone: string;
}

/** Formats times of one kind as one line: `DTSTART;TZID=Europe/Berlin:20260101T090000`. */
export function formatTimes(name: string, times: readonly [EventTime, ...EventTime[]]): string {
  const values = times.map((time) => formatTimeValue(icsTimeOf(time)));
  return formatContentLine(name, values.join(','), formatIcsTime(icsTimeOf(times[0])).parameters);
}

export function isRuleLine(line: string): boolean {
  return /^(?:RRULE|EXRULE)[;:]/i.test(line);
}

export function isDateLine(line: string, name: 'RDATE' | 'EXDATE'): boolean {
  return line.toUpperCase().startsWith(name) && recurrence.isRecurrenceLine(line);
}

/**
 * Normalizes a caller's lines: property names, times in the kind and zone of the start, UNTIL in UTC or as a date.
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
 * Moves UNTIL and RDATEs by as much as the start of the series.
 * @param lines rules and RDATEs; an EXDATE goes where its instance goes
 * @throws DomainError ValidationFailed
 */
export function shiftRecurrence(lines: readonly string[], frame: SeriesFrame, start: EventTime): string[] {
  return edited(lines, frame, (event, from, times) => {
    recurrence.shiftRecurrence(event, recurrence.recurrenceLines(event), { from, to: icsTimeOf(start) }, times);
  });
}

/** @param countBefore number of instances of the rule before `instance` */
export function endBefore(lines: readonly string[], instance: EventTime, frame: SeriesFrame, countBefore: number) {
  return edited(lines, frame, (event, _start, times) =>
    recurrence.endBefore(event, icsTimeOf(instance), times, () => countBefore),
  );
}

export function continueFrom(lines: readonly string[], instance: EventTime, frame: SeriesFrame, countBefore: number) {
  return edited(lines, frame, (event, _start, times) =>
    recurrence.continueFrom(event, icsTimeOf(instance), times, () => countBefore),
  );
}

export function datesOf(lines: readonly string[], name: 'RDATE' | 'EXDATE', frame: SeriesFrame): EventTime[] {
  const times = lineTimes(frame.calendarZone);
  return recurrence
    .eventOf(...lines.filter(recurrence.isRecurrenceLine))
    .propertiesNamed(name)
    .flatMap(parseIcsTimes)
    .map((time) => times.toEventTime(times.like(icsTimeOf(frame.start), time)));
}

/** Rewrites the values of EXDATEs; `change` returns null to drop one. */
export function changeExclusions(
  lines: readonly string[],
  change: (time: EventTime) => EventTime | null,
  frame: SeriesFrame,
): string[] {
  return edited(lines, frame, (event, start, times) => {
    const place = (time: IcsTime) => {
      const was = times.toEventTime(times.like(start, time));
      const is = change(was);
      if (is === null) return null;
      return is === was ? time : icsTimeOf(is);
    };
    for (const property of event.propertiesNamed('EXDATE')) recurrence.changeDates(event, property, start, place);
  });
}

/** Edits the lines in a temporary event. Unreadable lines stay. */
function edited(
  lines: readonly string[],
  { start, calendarZone }: SeriesFrame,
  edit: (event: EditableComponent, start: IcsTime, times: IcsTimes) => void,
): string[] {
  const event = recurrence.eventOf(...lines.filter(recurrence.isRecurrenceLine));
  try {
    edit(event, icsTimeOf(start), lineTimes(calendarZone));
  } catch (error) {
    throw recurrence.asInvalid(error);
  }
  const unread = lines.filter((line) => !recurrence.isRecurrenceLine(line));
  return [...recurrence.recurrenceLines(event).map(({ line }) => line), ...unread];
}
