import type { IcsComponent, IcsTime } from '../model.js';
import { DAY_MS } from './civil.js';
import { type ZoneClock, type InstanceLength, type Moment, endOfInstance, wallOn } from './event-times.js';
import { basicDate, basicLocal, dateOf, localOf } from './wall-value.js';

export interface Occurrence {
  /** The master, or the override that replaces this instance or covers it by THISANDFUTURE. */
  component: IcsComponent;
  isOverride: boolean;
  isCancelled: boolean;
  /** Original start, in the value type and zone of the master's DTSTART. */
  recurrenceId: IcsTime;
  /**
   * Date of the instance's id: `YYYYMMDD`, `YYYYMMDDTHHMMSSZ` (zoned) or `YYYYMMDDTHHMMSS` (floating, undefined zone).
   */
  instanceDate: string;
  /** Instants. The floating zone applies to dates and floating times. */
  startMs: number;
  endMs: number;
  /** Clock of the start, and the start on it. */
  clock: ZoneClock;
  startWall: number;
  /** Clock of the end, which DTEND may set to another zone. */
  endClock: ZoneClock;
  endWall: number;
}

/** An instance excluded by EXDATE or a cancelled override. */
export interface ExcludedInstance {
  recurrenceId: IcsTime;
  instanceDate: string;
  /** Original start. */
  startMs: number;
  /** The cancelled override; null for EXDATE. */
  component: IcsComponent | null;
}

/** One instance in numbers. Free/busy needs no texts, which cost more than the rest. */
export interface Sighting {
  source: { component: IcsComponent; isCancelled: boolean };
  isOverride: boolean;
  start: Moment;
  length: InstanceLength;
  clock: ZoneClock;
  endClock: ZoneClock;
  original: Moment;
  originalClock: ZoneClock;
}

export function endOf({ start, length, clock }: Sighting): number {
  return endOfInstance(start, length, clock.zone);
}

export function toOccurrence(sighting: Sighting): Occurrence {
  const { source, isOverride, start, length, clock, endClock, original, originalClock } = sighting;
  const endMs = endOf(sighting);
  return {
    component: source.component,
    isOverride,
    isCancelled: source.isCancelled,
    recurrenceId: timeOn(originalClock, original.wallMs),
    instanceDate: instanceDateOf(original, originalClock),
    startMs: start.instantMs,
    endMs,
    clock,
    startWall: start.wallMs,
    endClock,
    endWall: clock.kind === 'date' ? start.wallMs + length.days * DAY_MS : wallOn(endClock.zone, endMs),
  };
}

/** Returns a wall-clock time in the value type and zone of its clock. */
export function timeOn({ kind, tzid }: ZoneClock, wallMs: number): IcsTime {
  if (kind === 'date') return { kind, date: dateOf(wallMs) };
  const local = localOf(wallMs);
  return kind === 'zoned' ? { kind, local, tzid: tzid! } : { kind, local };
}

export function instanceDateOf({ wallMs, instantMs }: Moment, clock: ZoneClock): string {
  if (clock.kind === 'date') return basicDate(wallMs);
  return clock.isAnchored ? `${basicLocal(instantMs)}Z` : basicLocal(wallMs);
}
