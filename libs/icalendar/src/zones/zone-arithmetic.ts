import type { Zone } from '../model.js';
import { clockChanges, offsetAt } from './clock-changes.js';
import { tzDatabaseZone } from './zone-names.js';

/** A little more than a year, as a power of two: one or two clock changes per slice in most zones. */
const SLICE_MS = 2 ** 35;
/** Exceeds the distance between an instant and its wall-clock time read as UTC (at most 26 h). */
const MARGIN_MS = 2 * 86_400_000;
/** The Gregorian calendar, with weekdays, and the final rules of a zone repeat after 400 years. */
const CYCLE_MS = 146_097 * 86_400_000;
/** tz data lists single changes to 2087 at most; from 2100 on only repeating rules are left. */
const CYCLE_START_MS = Date.UTC(2100, 0, 1);
const CYCLE_END_MS = CYCLE_START_MS + CYCLE_MS;
/** Before this every zone has local mean time. */
const OLDEST_MS = Date.UTC(1800, 0, 1);
const FIRST_SLICE = Math.floor(OLDEST_MS / SLICE_MS);

/** Clock changes in and around one slice of time, ascending. */
interface Slice {
  /** Offset before the first change, ms east of UTC. */
  readonly before: number;
  readonly instants: readonly number[];
  /** First wall-clock time with the offset after each change. */
  readonly walls: readonly number[];
  readonly offsets: readonly number[];
}

class IanaZone implements Zone {
  readonly isKnown = true;
  private readonly slices: (Slice | undefined)[] = [];
  private readonly oldestOffsetMs: number;

  constructor(readonly timeZone: string) {
    this.oldestOffsetMs = offsetAt(timeZone, OLDEST_MS) * 1000;
  }

  toInstant(wallMs: number): number {
    const cycles = cyclesAt(wallMs);
    const wall = wallMs - cycles;
    if (wall < OLDEST_MS) return wallMs - this.oldestOffsetMs;
    const slice = this.sliceAt(wall);
    let index = slice.walls.length - 1;
    while (index >= 0 && slice.walls[index]! > wall) index -= 1;
    return wallMs - (index < 0 ? slice.before : slice.offsets[index]!);
  }

  toWall(instantMs: number): number {
    const instant = instantMs - cyclesAt(instantMs);
    if (instant < OLDEST_MS) return instantMs + this.oldestOffsetMs;
    const slice = this.sliceAt(instant);
    let index = slice.instants.length - 1;
    while (index >= 0 && slice.instants[index]! > instant) index -= 1;
    return instantMs + (index < 0 ? slice.before : slice.offsets[index]!);
  }

  private sliceAt(ms: number): Slice {
    const number = Math.floor(ms / SLICE_MS);
    return (this.slices[number - FIRST_SLICE] ??= this.readSlice(number * SLICE_MS));
  }

  private readSlice(startMs: number): Slice {
    const fromMs = startMs - MARGIN_MS;
    const changes = clockChanges(this.timeZone, fromMs + 1, startMs + SLICE_MS + MARGIN_MS);
    return {
      before: offsetAt(this.timeZone, fromMs) * 1000,
      instants: changes.map(({ instantMs }) => instantMs),
      // A time in a gap keeps the offset before it, a repeated time is the first one (RFC 5545 §3.3.5), so the new
      // offset applies once the later of the two clocks has passed.
      walls: changes.map(({ instantMs, offsetFrom, offsetTo }) => instantMs + Math.max(offsetFrom, offsetTo) * 1000),
      offsets: changes.map(({ offsetTo }) => offsetTo * 1000),
    };
  }
}

/** Returns whole 400-year cycles to subtract, so that a far future time falls into cached years. */
function cyclesAt(ms: number): number {
  return ms < CYCLE_END_MS ? 0 : Math.floor((ms - CYCLE_START_MS) / CYCLE_MS) * CYCLE_MS;
}

/** UTC needs no table; most rules are expanded in it. */
export const UTC_ZONE: Zone = { timeZone: 'UTC', isKnown: true, toInstant: (wallMs) => wallMs, toWall: (ms) => ms };

export function unknownZone(timeZone: string): Zone {
  return { timeZone, isKnown: false, toInstant: () => null, toWall: () => null };
}

/** Keyed by canonical name, so there is at most one entry per tz database name. */
const zones = new Map<string, Zone>([['UTC', UTC_ZONE]]);

/**
 * Returns wall-clock arithmetic of an IANA zone, from the runtime's tz data. Zones are shared and cache the changes of
 * queried years. Offsets are never null.
 * @param timeZone IANA id or alias, any case
 * @throws RangeError for an unknown zone
 */
export function ianaZoneArithmetic(timeZone: string): Zone {
  const known = zones.get(timeZone);
  if (known !== undefined) return known;
  const canonical = tzDatabaseZone(timeZone);
  if (canonical === null) throw new RangeError('No time zone of this name');
  const zone = zones.get(canonical) ?? new IanaZone(canonical);
  zones.set(canonical, zone);
  return zone;
}
