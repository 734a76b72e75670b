import type { BoundedWindow, TimeWindow } from '#domain/events';
import { DomainError } from '#domain/system';
import {
  eachOccurrence,
  findInstance as findOccurrence,
  formatIcsTime,
  timeOn,
  type EditableComponent,
  type IcsComponent,
  type IcsTime,
  type Occurrence,
} from '#icalendar';
import {
  isCancelled,
  isSame,
  RECURRENCE_PROPERTIES,
  recurrenceIdOf,
  RecurringSeries,
  type IcsTimes,
} from '#providers/kit/series';
import { isOwnEvent } from './attendees.js';
import { isSeries, type CalendarObject } from './calendar-object.js';
import type { WriteContext } from './contract.js';
import { readSpan, writeSpan, writeTime, type IcsSpan } from './event-span.js';
import { finish, raiseSequence, sequenceOf } from './object-writer.js';

export interface DavInstance {
  /** The master, or the override that replaces this instance or covers it by THISANDFUTURE. */
  component: EditableComponent;
  isCancelled: boolean;
  span: IcsSpan;
  /** Original time in the series, in the value type and zone of its DTSTART. */
  recurrenceId: IcsTime;
  instanceDate: string;
}

/** Yields a single event as its own instance. @throws RecurrenceError, before the first one */
export function instancesIn(object: CalendarObject, window: BoundedWindow): Iterable<DavInstance> {
  return toInstances(eachOccurrence(object, object.times.zones, window, object.times.options));
}

function* toInstances(occurrences: Iterable<Occurrence>): Iterable<DavInstance> {
  for (const occurrence of occurrences) yield toInstance(occurrence);
}

/** Returns null when the series has no such instance. @throws RecurrenceError */
export function findInstance(object: CalendarObject, instanceDate: string): DavInstance | null {
  const occurrence = findOccurrence(object, instanceDate, object.times.zones, object.times.options);
  return occurrence === null ? null : toInstance(occurrence);
}

/** Returns the newest override of each instance; skips unreadable ones. */
export function overrideInstances({ master, overrides, times }: CalendarObject): DavInstance[] {
  const seriesStart = master === null ? null : (readSpan(master, times)?.start ?? null);
  const byDate = new Map<string, DavInstance>();
  for (const component of overrides) {
    const id = recurrenceIdOf(component);
    const span = readSpan(component, times);
    if (id === null || span === null) continue;
    const recurrenceId = seriesStart === null ? id : times.like(seriesStart, id);
    const instanceDate = times.instanceDateOf(recurrenceId);
    const other = byDate.get(instanceDate);
    if (other !== undefined && sequenceOf(other.component) > sequenceOf(component)) continue;
    byDate.set(instanceDate, { component, isCancelled: isCancelled(component), span, recurrenceId, instanceDate });
  }
  return [...byDate.values()];
}

/** Half-open overlap; a span without length counts when it lies inside (RFC 4791 §9.9). */
export function spanOverlaps({ start, end }: IcsSpan, window: TimeWindow, times: IcsTimes): boolean {
  const startMs = times.instantOf(start);
  const endMs = times.instantOf(end);
  if (window.endMs !== null && startMs >= window.endMs) return false;
  return window.startMs === null || endMs > window.startMs || (endMs === startMs && startMs >= window.startMs);
}

function toInstance(occurrence: Occurrence): DavInstance {
  const { clock, startWall, endClock, endWall } = occurrence;
  return {
    // The component is one of those that built the series, which are editable.
    component: occurrence.component as EditableComponent,
    isCancelled: occurrence.isCancelled,
    span: { start: timeOn(clock, startWall), end: timeOn(endClock, endWall) },
    recurrenceId: occurrence.recurrenceId,
    instanceDate: occurrence.instanceDate,
  };
}

export function isOverrideOf(component: IcsComponent, recurrenceId: IcsTime, times: IcsTimes): boolean {
  const id = recurrenceIdOf(component);
  return id !== null && isSame(times, times.like(recurrenceId, id), recurrenceId);
}

/** RANGE=THISANDFUTURE (RFC 5545 §3.2.13). */
export function coversLaterInstances(override: IcsComponent): boolean {
  return override.property('RECURRENCE-ID')?.parameter('RANGE')?.toUpperCase() === 'THISANDFUTURE';
}

/** Its RECURRENCE-ID has the value type and zone of DTSTART (RFC 5545 §3.8.4.4). @throws DomainError Conflict */
export function overrideOf(object: CalendarObject, instance: DavInstance): EditableComponent {
  if (isOverrideOf(instance.component, instance.recurrenceId, object.times)) {
    rejectRange(instance.component);
    return instance.component;
  }
  const override = object.calendar.addComponent(instance.component.text);
  for (const name of [...RECURRENCE_PROPERTIES, 'RECURRENCE-ID']) override.removeProperties(name);
  writeTime(override, 'RECURRENCE-ID', instance.recurrenceId);
  writeSpan(override, instance.span);
  object.overrides.push(override);
  return override;
}

/** @returns null when no instance is left. @throws DomainError Conflict; RecurrenceError */
export function removeInstance(object: CalendarObject, instance: DavInstance, context: WriteContext): Buffer | null {
  const { master, times } = object;
  const { recurrenceId } = instance;
  keepOverrides(object, (override) => {
    if (!isOverrideOf(override, recurrenceId, times)) return true;
    rejectRange(override);
    return false;
  });
  if (master === null) return object.overrides.length === 0 ? null : finish(object, [], context);
  // The series itself has no instance at the time of a stray override, so EXDATE is not needed.
  if (new RecurringSeries(object, times).has(recurrenceId)) {
    // An EXDATE of a single event would exclude nothing.
    if (!isSeries(master)) return withoutMaster(object, master, context);
    const { value, parameters } = formatIcsTime(recurrenceId);
    master.addProperty('EXDATE', value, parameters);
  }
  if (!new RecurringSeries(object, times).hasInstances()) return null;
  if (isOwnEvent(master, context.ownAddresses)) raiseSequence(master);
  return finish(object, [master], context);
}

function withoutMaster(object: CalendarObject, master: EditableComponent, context: WriteContext): Buffer | null {
  if (object.overrides.length === 0) return null;
  object.calendar.removeComponent(master);
  object.master = null;
  return finish(object, [], context);
}

export function keepOverrides(object: CalendarObject, keeps: (override: EditableComponent) => boolean): void {
  object.overrides = object.overrides.filter((override) => {
    const stays = keeps(override);
    if (!stays) object.calendar.removeComponent(override);
    return stays;
  });
}

/** An override of this and later instances has the same RECURRENCE-ID as one of this instance alone. */
function rejectRange(override: IcsComponent): void {
  const message = 'A change of this and all later instances begins here; use scope=following or scope=all';
  if (coversLaterInstances(override)) throw new DomainError('Conflict', message);
}
