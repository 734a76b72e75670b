import type { IcsComponent, IcsTime, Zone, ZoneSource } from '../model.js';
import { wallValueOf } from '../ics-time.js';
import { FIRST_WALL_MS, LAST_WALL_MS } from './civil.js';
import { ZoneClocks, type EventTimes, type Moment, instantOn } from './event-times.js';
import { Expansion, type InstantWindow } from './expansion.js';
import { visitInstances, visitUnexcluded } from './expand-rule.js';
import type { RecurrenceRule } from './rule.js';
import { Work } from '../work.js';
import { UTC_ZONE } from '../zones/zone-arithmetic.js';
import { type ExcludedInstance, type Occurrence, type Sighting, instanceDateOf, toOccurrence } from './occurrence.js';
import { RecurrenceError } from '../errors.js';
import { type Series, SeriesGroups, keyOf, onClockOf, readPattern } from './series.js';

export interface ExpansionOptions {
  /** The calendar's zone, for dates, floating times and undefined zones. */
  floatingZone: Zone;
  /** Default 5,000; more instances are an error. */
  maxInstances?: number;
}

/** Half-open; null leaves a side open. */
export interface OpenWindow {
  startMs: number | null;
  endMs: number | null;
}

const MAX_INSTANCES = 5_000;

/** Groups the VEVENTs of a VCALENDAR by UID, in their order. See {@link SeriesGroups}. */
export function seriesOf(calendar: IcsComponent): Series[] {
  const groups = new SeriesGroups();
  for (const component of calendar.components) {
    if (component.name !== 'VEVENT') continue;
    groups.add(component, component.property('UID')?.value ?? '', component.property('RECURRENCE-ID') !== undefined);
  }
  return groups.all;
}

/**
 * Returns the occurrences in a window, ascending by start: DTSTART, RRULE and RDATE without EXRULE and EXDATE, with
 * overrides in place of their instances (RFC 5545 §3.8.4.4, §3.8.5). An override counts by its own times, even if it
 * replaces no instance. Includes cancelled instances, flagged.
 * @throws RecurrenceError `invalid`, `unsupported` about the object, `too-large` beyond the limits
 */
export function expandSeries(
  series: Series,
  zones: ZoneSource,
  window: InstantWindow,
  options: ExpansionOptions,
): Occurrence[] {
  return [...eachOccurrence(series, zones, window, options)];
}

/** Yields occurrences one by one. @throws RecurrenceError as {@link expandSeries}, before the first one */
export function eachOccurrence(
  series: Series,
  zones: ZoneSource,
  window: InstantWindow,
  options: ExpansionOptions,
): Iterable<Occurrence> {
  const max = options.maxInstances ?? MAX_INSTANCES;
  const found: { startMs: number; sighting: Sighting }[] = [];
  new Expansion(series, new ZoneClocks(zones, options.floatingZone)).visit(window, (startMs, _endMs, sighting) => {
    if (found.length >= max) {
      throw new RecurrenceError('too-large', 'RRULE', `has more than ${max} instances in this range`);
    }
    found.push({ startMs, sighting });
    return true;
  });
  const dateOf = ({ original, originalClock }: Sighting) => instanceDateOf(original, originalClock);
  found.sort((a, b) => a.startMs - b.startMs || (dateOf(a.sighting) < dateOf(b.sighting) ? -1 : 1));
  return toOccurrences(found.map(({ sighting }) => sighting));
}

function* toOccurrences(sightings: readonly Sighting[]): Iterable<Occurrence> {
  for (const sighting of sightings) yield toOccurrence(sighting);
}

/** True when any occurrence lies in the window. @throws RecurrenceError as {@link expandSeries} */
export function occursIn(series: Series, zones: ZoneSource, window: OpenWindow, options: ExpansionOptions): boolean {
  let found = false;
  new Expansion(series, new ZoneClocks(zones, options.floatingZone)).visit(closed(window), () => {
    found = true;
    return false;
  });
  return found;
}

/**
 * Returns the instance with this `instanceDate`; null without one or for an EXDATE. Accepts a bare date for a timed
 * series when exactly one instance originally starts on that day of the series' clock.
 * @throws RecurrenceError as {@link expandSeries}
 */
export function findInstance(
  series: Series,
  instanceDate: string,
  zones: ZoneSource,
  options: ExpansionOptions,
): Occurrence | null {
  return new Expansion(series, new ZoneClocks(zones, options.floatingZone)).find(instanceDate);
}

/**
 * True when DTSTART, RRULE or RDATE of a master yield an instance at this time. Ignores EXDATE and overrides, because
 * callers check whether these still match an instance.
 * @throws RecurrenceError as {@link expandSeries}
 */
export function isInstance(master: IcsComponent, time: IcsTime, zones: ZoneSource, options: ExpansionOptions): boolean {
  const clocks = new ZoneClocks(zones, options.floatingZone);
  const pattern = readPattern(master, clocks);
  const moment = momentOf(time, pattern.times, clocks);
  let found = false;
  visitUnexcluded(pattern, { fromWall: moment.wallMs, toWall: moment.wallMs + 1 }, (instance) => {
    found = keyOf(instance, pattern.times.clock) === keyOf(moment, pattern.times.clock);
    return !found;
  });
  return found;
}

/**
 * Counts the instances of DTSTART and RRULE before this one, which use up COUNT. EXDATE gives none back (RFC 5545
 * §3.8.5.1), RDATE adds none.
 * @throws RecurrenceError as {@link expandSeries}
 */
export function countInstancesBefore(
  master: IcsComponent,
  time: IcsTime,
  zones: ZoneSource,
  options: ExpansionOptions,
): number {
  const clocks = new ZoneClocks(zones, options.floatingZone);
  const pattern = readPattern(master, clocks);
  const { startWall } = pattern.times;
  const { wallMs } = momentOf(time, pattern.times, clocks);
  let count = 0;
  const generated = { ...pattern, added: [], exclusionRules: [] };
  visitUnexcluded(generated, { fromWall: startWall, toWall: wallMs }, () => (count += 1) > 0);
  return count;
}

/**
 * Returns the first day from `day` on that a rule itself names: DTSTART need not match its rule (RFC 5545 §3.8.5.3).
 * @param day midnight as `Date.UTC` milliseconds, as the result
 * @returns null for a rule without days @throws RecurrenceError as {@link expandSeries}
 */
export function firstDayOf(rule: RecurrenceRule, day: number): number | null {
  const endless = { ...rule, count: null, until: null };
  const seed = { wallMs: day, isDate: true, zone: UTC_ZONE, countsSeed: false, work: Work.ofRecurrence() };
  let first: number | null = null;
  visitInstances(endless, seed, { fromWall: day, toWall: LAST_WALL_MS }, (wallMs) => {
    first = wallMs;
    return false;
  });
  return first;
}

/**
 * Returns instances excluded by EXDATE or a cancelled override whose original start lies in the window. Ascending, each
 * once.
 * @throws RecurrenceError as {@link expandSeries}
 */
export function excludedInstances(
  series: Series,
  zones: ZoneSource,
  window: OpenWindow,
  options: ExpansionOptions,
): ExcludedInstance[] {
  const expansion = new Expansion(series, new ZoneClocks(zones, options.floatingZone));
  return expansion.excluded(closed(window)).sort((a, b) => a.startMs - b.startMs);
}

function closed({ startMs, endMs }: OpenWindow): InstantWindow {
  return { startMs: startMs ?? FIRST_WALL_MS, endMs: endMs ?? LAST_WALL_MS };
}

function momentOf(time: IcsTime, series: EventTimes, clocks: ZoneClocks): Moment {
  const { form, wallMs } = wallValueOf(time);
  const clock = clocks.of(form, time.kind === 'zoned' ? time.tzid : undefined);
  return onClockOf(series, { wallMs, instantMs: instantOn(clock.zone, wallMs) }, clock);
}
