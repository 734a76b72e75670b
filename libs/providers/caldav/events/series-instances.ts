import { type TimeWindow } from '#domain';
import { isCancelled, recurrenceIdOf, type IcsTimes } from '#providers/kit/series';
import {
  eachOccurrence,
  excludedInstances,
  findInstance as findOccurrence,
  withWallMs,
  type EditableComponent,
  type ExcludedInstance,
  type IcsTime,
  type Occurrence,
} from '#icalendar';
import { type CalendarObject } from './calendar-object.js';
import { readSpan, type IcsSpan } from './event-span.js';
import { sequenceOf } from './object-writer.js';

/** One instance of a series. */
export interface Instance {
  /** The master, or the override that replaces this instance or all from an earlier one on. */
  component: EditableComponent;
  isCancelled: boolean;
  span: IcsSpan;
  /** Where the series puts it, in the value type and zone of its DTSTART. */
  recurrenceId: IcsTime;
  /** Date part of its id. */
  instanceDate: string;
}

/** Instances that overlap a window, cancelled ones flagged; a single event is an instance of itself. @throws RecurrenceError, before the first one */
export function instancesIn(object: CalendarObject, window: { startMs: number; endMs: number }): Iterable<Instance> {
  return toInstances(eachOccurrence(object, object.times.zones, window, object.times.options));
}

function* toInstances(occurrences: Iterable<Occurrence>): Iterable<Instance> {
  for (const occurrence of occurrences) yield toInstance(occurrence);
}

/** null when the series has no such instance. @throws RecurrenceError */
export function findInstance(object: CalendarObject, instanceDate: string): Instance | null {
  const occurrence = findOccurrence(object, instanceDate, object.times.zones, object.times.options);
  return occurrence === null ? null : toInstance(occurrence);
}

/** Excluded and cancelled instances whose original start lies in a window. @throws RecurrenceError */
export function cancelledIn(object: CalendarObject, window: TimeWindow): ExcludedInstance[] {
  return excludedInstances(object, object.times.zones, window, object.times.options);
}

/** Overrides as instances, the newest of each; those that cannot be read are left out. */
export function overrideInstances({ master, overrides, times }: CalendarObject): Instance[] {
  const seriesStart = master === null ? null : (readSpan(master, times)?.start ?? null);
  const byDate = new Map<string, Instance>();
  for (const component of overrides) {
    const id = recurrenceIdOf(component);
    const span = readSpan(component, times);
    if (id === null || span === null) continue;
    const recurrenceId = seriesStart === null ? id : times.like(seriesStart, id);
    const instanceDate = times.instanceDateOf(recurrenceId);
    const other = byDate.get(instanceDate);
    if (other !== undefined && sequenceOf(other.component) > sequenceOf(component)) continue;
    byDate.set(instanceDate, {
      component,
      isCancelled: isCancelled(component),
      span,
      recurrenceId,
      instanceDate,
    });
  }
  return [...byDate.values()];
}

/** Half-open overlap; what has no length counts when it stands inside (RFC 4791 §9.9). */
export function spanOverlaps({ start, end }: IcsSpan, window: TimeWindow, times: IcsTimes): boolean {
  const startMs = times.instantOf(start);
  const endMs = times.instantOf(end);
  if (window.endMs !== null && startMs >= window.endMs) return false;
  return window.startMs === null || endMs > window.startMs || (endMs === startMs && startMs >= window.startMs);
}

function toInstance(occurrence: Occurrence): Instance {
  const { kind, tzid, startWall, endKind, endTzid, endWall } = occurrence;
  return {
    // It is one of the components that the series was made of, and those are editable.
    component: occurrence.component as EditableComponent,
    isCancelled: occurrence.isCancelled,
    span: { start: timeOf(kind, tzid, startWall), end: timeOf(endKind, endTzid, endWall) },
    recurrenceId: occurrence.recurrenceId,
    instanceDate: occurrence.instanceDate,
  };
}

function timeOf(kind: IcsTime['kind'], tzid: string | null, wallMs: number): IcsTime {
  if (kind === 'date') return withWallMs({ kind, date: '' }, wallMs);
  return withWallMs(kind === 'zoned' ? { kind, local: '', tzid: tzid ?? '' } : { kind, local: '' }, wallMs);
}
