import {
  formatTimeValue,
  parseRule,
  wallMsOf,
  withRuleEnd,
  withWallMs,
  type EditableComponent,
  type IcsTime,
} from '#icalendar';
import { type CalendarObject } from './calendar-object.js';
import { changeTimes, timeLike } from './recurrence-dates.js';
import { countRuleInstancesBefore } from './series-instances.js';
import { recurrenceIdOf } from './override.js';
import { atInstant, DAY_MS, instantOf, type Clocks } from './wall-time.js';

/**
 * Ends a series just before one of its instances: COUNT is cut where there is one, else UNTIL is set; what names later
 * instances goes.
 * @throws RecurrenceError
 */
export function endBefore(object: CalendarObject, master: EditableComponent, recurrenceId: IcsTime): void {
  const { clocks } = object;
  const limit = instantOf(recurrenceId, clocks);
  for (const property of master.propertiesNamed('RRULE')) {
    const { count } = parseRule(property.value, { dtstartKind: recurrenceId.kind });
    const before = count === null ? null : countRuleInstancesBefore(master, recurrenceId, clocks);
    if (before === 0) master.removeProperty(property);
    else {
      const end = before === null ? { until: justBefore(recurrenceId, clocks) } : { count: before };
      master.replaceProperty(property, withRuleEnd(property.value, end));
    }
  }
  keepTimes(master, recurrenceId, clocks, (instantMs) => instantMs < limit);
  keepOverrides(object, recurrenceId, (instantMs) => instantMs < limit);
}

/** UNTIL is inclusive (RFC 5545 §3.3.10): the day or the second before. */
function justBefore(recurrenceId: IcsTime, clocks: Clocks): string {
  if (recurrenceId.kind === 'date' || recurrenceId.kind === 'floating') {
    const stepMs = recurrenceId.kind === 'date' ? DAY_MS : 1000;
    return formatTimeValue(withWallMs(recurrenceId, wallMsOf(recurrenceId) - stepMs));
  }
  return formatTimeValue(atInstant({ kind: 'utc', local: '' }, instantOf(recurrenceId, clocks) - 1000, clocks));
}

/** Drops EXDATE and RDATE values whose instant does not pass. */
export function keepTimes(
  master: EditableComponent,
  frame: IcsTime,
  clocks: Clocks,
  keeps: (instantMs: number) => boolean,
): void {
  for (const property of [...master.propertiesNamed('EXDATE'), ...master.propertiesNamed('RDATE')]) {
    changeTimes(master, property, frame, (time) =>
      keeps(instantOf(timeLike(frame, time, clocks), clocks)) ? time : null,
    );
  }
}

/** Drops overrides of instances that do not pass. */
export function keepOverrides(
  object: CalendarObject,
  frame: IcsTime,
  keeps: (instantMs: number, override: EditableComponent) => boolean,
): void {
  object.overrides = object.overrides.filter((override) => {
    const id = recurrenceIdOf(override);
    const stays = id === null || keeps(instantOf(timeLike(frame, id, object.clocks), object.clocks), override);
    if (!stays) object.calendar.removeComponent(override);
    return stays;
  });
}
