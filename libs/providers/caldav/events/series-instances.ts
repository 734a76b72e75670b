import { type TimeWindow } from '#domain';
import {
  countInstancesBefore,
  eachOccurrence,
  excludedInstances,
  expandSeries,
  findInstance as findOccurrence,
  formatTimeValue,
  isInstance,
  occursIn,
  parseIcsTimes,
  parsePeriods,
  RecurrenceError,
  withWallMs,
  type EditableComponent,
  type ExcludedInstance,
  type ExpansionOptions,
  type IcsComponent,
  type IcsTime,
  type Occurrence,
} from '#icalendar';
import { type CalendarObject } from './calendar-object.js';
import { readSpan } from './event-span.js';
import { type Span } from './input-times.js';
import { recurrenceIdOf } from './override.js';
import { timeLike } from './recurrence-dates.js';
import { sequenceOf } from './revision.js';
import { atInstant, instantOf, type Clocks } from './wall-time.js';

/** One instance of a series. */
export interface Instance {
  /** The master, or the override that replaces this instance or all from an earlier one on. */
  component: EditableComponent;
  isOverride: boolean;
  isCancelled: boolean;
  span: Span;
  /** Where the series puts it, in the value type and zone of its DTSTART. */
  recurrenceId: IcsTime;
  /** Date part of its id. */
  instanceDate: string;
}

const ALWAYS = { startMs: Date.UTC(1, 0, 1), endMs: Date.UTC(9999, 0, 1) };

/** Instances that overlap a window, cancelled ones flagged; a single event is an instance of itself. @throws RecurrenceError, before the first one */
export function instancesIn(object: CalendarObject, window: { startMs: number; endMs: number }): Iterable<Instance> {
  return toInstances(eachOccurrence(object, object.clocks.zones, window, optionsOf(object.clocks)));
}

function* toInstances(occurrences: Iterable<Occurrence>): Iterable<Instance> {
  for (const occurrence of occurrences) yield toInstance(occurrence);
}

/** null when the series has no such instance. @throws RecurrenceError */
export function findInstance(object: CalendarObject, instanceDate: string): Instance | null {
  const occurrence = findOccurrence(object, instanceDate, object.clocks.zones, optionsOf(object.clocks));
  return occurrence === null ? null : toInstance(occurrence);
}

/** Excluded and cancelled instances whose original start lies in a window. @throws RecurrenceError */
export function cancelledIn(object: CalendarObject, window: TimeWindow): ExcludedInstance[] {
  return excludedInstances(object, object.clocks.zones, window, optionsOf(object.clocks));
}

/** Whether anything of the object takes place in a window. @throws RecurrenceError */
export function takesPlaceIn(object: CalendarObject, window: TimeWindow): boolean {
  const { zones } = object.clocks;
  if (!occursIn(object, zones, window, optionsOf(object.clocks))) return false;
  if (!object.overrides.some(isCancelled)) return true;
  return hasLiveInstance(object, { startMs: window.startMs ?? ALWAYS.startMs, endMs: window.endMs ?? ALWAYS.endMs });
}

/** Overrides as instances, the newest of each; those that cannot be read are left out. */
export function overrideInstances({ master, overrides, clocks }: CalendarObject): Instance[] {
  const seriesStart = master === null ? null : (readSpan(master, clocks)?.start ?? null);
  const byDate = new Map<string, Instance>();
  for (const component of overrides) {
    const id = recurrenceIdOf(component);
    const span = readSpan(component, clocks);
    if (id === null || span === null) continue;
    const recurrenceId = seriesStart === null ? id : timeLike(seriesStart, id, clocks);
    const instanceDate = instanceDateOf(recurrenceId, clocks);
    const other = byDate.get(instanceDate);
    if (other !== undefined && sequenceOf(other.component) > sequenceOf(component)) continue;
    byDate.set(instanceDate, {
      component,
      isOverride: true,
      isCancelled: isCancelled(component),
      span,
      recurrenceId,
      instanceDate,
    });
  }
  return [...byDate.values()];
}

/** Half-open overlap; what has no length counts when it stands inside (RFC 4791 §9.9). */
export function spanOverlaps({ start, end }: Span, window: TimeWindow, clocks: Clocks): boolean {
  const startMs = instantOf(start, clocks);
  const endMs = instantOf(end, clocks);
  if (window.endMs !== null && startMs >= window.endMs) return false;
  return window.startMs === null || endMs > window.startMs || (endMs === startMs && startMs >= window.startMs);
}

/**
 * Tells whether DTSTART, RRULE or RDATE make an instance at a time; EXDATE and overrides are not looked at. The master
 * is read once: make a new test when it changed.
 * @throws RecurrenceError when used
 */
export function instanceTest(master: IcsComponent, clocks: Clocks): (time: IcsTime) => boolean {
  const rule = without(master, ['RDATE', 'EXDATE']);
  const options = optionsOf(clocks);
  const start = readSpan(master, clocks)?.start;
  const added = new Set(
    start === undefined
      ? []
      : master
          .propertiesNamed('RDATE')
          .flatMap((property) => [...parseIcsTimes(property), ...parsePeriods(property).map((period) => period.start)])
          .map((time) => instantOf(timeLike(start, time, clocks), clocks)),
  );
  return (time) => added.has(instantOf(time, clocks)) || isInstance(rule, time, clocks.zones, options);
}

/** Whether the rule itself makes this instance; an RDATE does not count. @throws RecurrenceError */
export function isRuleInstance(master: IcsComponent, time: IcsTime, clocks: Clocks): boolean {
  return isInstance(without(master, ['RDATE', 'EXDATE']), time, clocks.zones, optionsOf(clocks));
}

/** How much of COUNT the instances before this one have used up. @throws RecurrenceError */
export function countRuleInstancesBefore(master: IcsComponent, time: IcsTime, clocks: Clocks): number {
  return countInstancesBefore(without(master, ['RDATE', 'EXDATE']), time, clocks.zones, optionsOf(clocks));
}

/** Whether the series has an instance, neither excluded nor cancelled, before this one. @throws RecurrenceError */
export function hasInstanceBefore(object: CalendarObject, recurrenceId: IcsTime): boolean {
  const { clocks, overrides } = object;
  const limitMs = instantOf(recurrenceId, clocks);
  // One that was moved to a later day still counts by where the series had put it.
  const isEarlier = (id: IcsTime | null) =>
    id !== null && instantOf(timeLike(recurrenceId, id, clocks), clocks) < limitMs;
  if (overrides.some((override) => !isCancelled(override) && isEarlier(recurrenceIdOf(override)))) return true;
  return hasLiveInstance(object, { startMs: ALWAYS.startMs, endMs: limitMs }, (instance) =>
    isEarlier(instance.recurrenceId),
  );
}

/** Whether anything is left of the series. @throws RecurrenceError */
export function hasInstances(object: CalendarObject): boolean {
  return hasLiveInstance(object, ALWAYS);
}

export function instanceDateOf(recurrenceId: IcsTime, clocks: Clocks): string {
  const isInstant = recurrenceId.kind === 'zoned' && clocks.zones.zone(recurrenceId.tzid).isKnown;
  return formatTimeValue(
    isInstant ? atInstant({ kind: 'utc', local: '' }, instantOf(recurrenceId, clocks), clocks) : recurrenceId,
  );
}

function hasLiveInstance(
  object: CalendarObject,
  window: { startMs: number; endMs: number },
  counts: (instance: Occurrence) => boolean = () => true,
): boolean {
  try {
    return expandSeries(object, object.clocks.zones, window, optionsOf(object.clocks)).some(
      (occurrence) => !occurrence.isCancelled && counts(occurrence),
    );
  } catch (error) {
    // So many that they were not even looked at one by one.
    if (error instanceof RecurrenceError && error.reason === 'too-large') return true;
    throw error;
  }
}

function isCancelled(component: IcsComponent): boolean {
  return component.property('STATUS')?.value.trim().toUpperCase() === 'CANCELLED';
}

function optionsOf({ floating }: Clocks): ExpansionOptions {
  return { floatingZone: floating };
}

function toInstance(occurrence: Occurrence): Instance {
  const { kind, tzid, startWall, endKind, endTzid, endWall } = occurrence;
  return {
    // It is one of the components that the series was made of, and those are editable.
    component: occurrence.component as EditableComponent,
    isOverride: occurrence.isOverride,
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

/** A component as if lines of these names were not there. */
function without(component: IcsComponent, names: readonly string[]): IcsComponent {
  const properties = component.properties.filter(({ name }) => !names.includes(name));
  return {
    name: component.name,
    properties,
    components: component.components,
    property: (name) => properties.find((property) => property.name === name.toUpperCase()),
    propertiesNamed: (name) => properties.filter((property) => property.name === name.toUpperCase()),
    componentsNamed: (name) => component.componentsNamed(name),
  };
}
