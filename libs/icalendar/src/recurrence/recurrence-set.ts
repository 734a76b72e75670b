import type { IcsComponent, IcsTime, Zone, ZoneSource } from '../model.js';
import { wallValueOf } from '../ics-time.js';
import { FIRST_WALL_MS, LAST_WALL_MS } from './civil.js';
import { Clocks, type EventTimes, type Moment, instantOn } from './event-times.js';
import { Expansion, type InstantWindow } from './expansion.js';
import { visitUnexcluded } from './instances.js';
import { type ExcludedInstance, type Occurrence, type Sighting, instanceDateOf, toOccurrence } from './occurrence.js';
import { RecurrenceError } from '../errors.js';
import { type Series, SeriesGroups, keyOf, onClockOf, readPattern } from './series.js';

export interface ExpansionOptions {
  /** Zone in which dates, floating times and times of unknown zones are lived: the calendar's. */
  floatingZone: Zone;
  /** More instances than this are an error. Default 5,000. */
  maxInstances?: number;
}

/** Half-open, either side open when null. */
export interface OpenWindow {
  startMs: number | null;
  endMs: number | null;
}

const MAX_INSTANCES = 5_000;

/** The VEVENTs of a VCALENDAR by UID, in the order in which they appear. See {@link SeriesGroups}. */
export function seriesOf(calendar: IcsComponent): Series[] {
  const groups = new SeriesGroups();
  for (const component of calendar.components) {
    if (component.name !== 'VEVENT') continue;
    groups.add(component, component.property('UID')?.value ?? '', component.property('RECURRENCE-ID') !== undefined);
  }
  return groups.all;
}

/**
 * What takes place inside of a window: DTSTART, RRULE and RDATE without EXRULE and EXDATE, overrides in the place of
 * the instances they name (RFC 5545 §3.8.4.4, §3.8.5). Ascending by start. An override counts by its own times, wherever
 * its original was; one that names no instance is shown too. Cancelled instances are in, flagged. Of a single event that
 * event.
 * @throws RecurrenceError `invalid`, `unsupported` about the object, `too-large` beyond the caps
 */
export function expandSeries(
  series: Series,
  zones: ZoneSource,
  window: InstantWindow,
  options: ExpansionOptions,
): Occurrence[] {
  return [...eachOccurrence(series, zones, window, options)];
}

/**
 * The same one by one, so that the caller can let others go on in between.
 * @throws RecurrenceError as {@link expandSeries}, before the first one
 */
export function eachOccurrence(
  series: Series,
  zones: ZoneSource,
  window: InstantWindow,
  options: ExpansionOptions,
): Iterable<Occurrence> {
  const max = options.maxInstances ?? MAX_INSTANCES;
  const found: { startMs: number; sighting: Sighting }[] = [];
  new Expansion(series, new Clocks(zones, options.floatingZone)).visit(window, (startMs, _endMs, sighting) => {
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

/** Whether anything takes place inside of the window. @throws RecurrenceError as {@link expandSeries} */
export function occursIn(series: Series, zones: ZoneSource, window: OpenWindow, options: ExpansionOptions): boolean {
  let found = false;
  new Expansion(series, new Clocks(zones, options.floatingZone)).visit(closed(window), () => {
    found = true;
    return false;
  });
  return found;
}

/**
 * The instance with this `instanceDate`; null when the series has none or EXDATE took it out. A bare date is accepted
 * for a timed series when exactly one instance originally starts on that day of the series' clock.
 * @throws RecurrenceError as {@link expandSeries}
 */
export function findInstance(
  series: Series,
  instanceDate: string,
  zones: ZoneSource,
  options: ExpansionOptions,
): Occurrence | null {
  return new Expansion(series, new Clocks(zones, options.floatingZone)).find(instanceDate);
}

/**
 * Whether DTSTART, RRULE or RDATE of a master make an instance that starts at this time. EXDATE and overrides are not
 * looked at: it says whether they still have something to stand for.
 * @throws RecurrenceError as {@link expandSeries}
 */
export function isInstance(master: IcsComponent, time: IcsTime, zones: ZoneSource, options: ExpansionOptions): boolean {
  const clocks = new Clocks(zones, options.floatingZone);
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
 * How many instances DTSTART and RRULE make before this one: what a COUNT has used up. EXDATE does not give any back
 * (RFC 5545 §3.8.5.1), RDATE adds none.
 * @throws RecurrenceError as {@link expandSeries}
 */
export function countInstancesBefore(
  master: IcsComponent,
  time: IcsTime,
  zones: ZoneSource,
  options: ExpansionOptions,
): number {
  const clocks = new Clocks(zones, options.floatingZone);
  const pattern = readPattern(master, clocks);
  const { startWall } = pattern.times;
  const { wallMs } = momentOf(time, pattern.times, clocks);
  let count = 0;
  const generated = { ...pattern, added: [], exclusionRules: [] };
  visitUnexcluded(generated, { fromWall: startWall, toWall: wallMs }, () => (count += 1) > 0);
  return count;
}

/**
 * Instances that do not take place, by EXDATE or a cancelled override, whose original start lies inside of the window.
 * Ascending, each once.
 * @throws RecurrenceError as {@link expandSeries}
 */
export function excludedInstances(
  series: Series,
  zones: ZoneSource,
  window: OpenWindow,
  options: ExpansionOptions,
): ExcludedInstance[] {
  const expansion = new Expansion(series, new Clocks(zones, options.floatingZone));
  return expansion.excluded(closed(window)).sort((a, b) => a.startMs - b.startMs);
}

function closed({ startMs, endMs }: OpenWindow): InstantWindow {
  return { startMs: startMs ?? FIRST_WALL_MS, endMs: endMs ?? LAST_WALL_MS };
}

/** A written time as a moment on the clock of a series. */
function momentOf(time: IcsTime, series: EventTimes, clocks: Clocks): Moment {
  const { form, wallMs } = wallValueOf(time);
  const clock = clocks.of(form, time.kind === 'zoned' ? time.tzid : undefined);
  return onClockOf(series, { wallMs, instantMs: instantOn(clock.zone, wallMs) }, clock);
}
