import type { Zone } from '../model.js';

/** A little more than a year, as a power of two: one or two clock changes in each slice of most zones. */
const SLICE_MS = 2 ** 35;
/** Farther than any distance between an instant and its wall-clock time read as UTC (at most 26 h). */
const MARGIN_MS = 2 * 86_400_000;
/** The Gregorian calendar, weekdays included, repeats after 400 years, and so do the last rules of a zone. */
const CYCLE_MS = 146_097 * 86_400_000;
/** tz data lists single changes to 2087 at most; from 2100 on only the repeating rules are left. */
const CYCLE_START_MS = Date.UTC(2100, 0, 1);
const CYCLE_END_MS = CYCLE_START_MS + CYCLE_MS;
/** Before this no zone has anything but local mean time. */
const OLDEST_MS = Date.UTC(1800, 0, 1);
const FIRST_SLICE = Math.floor(OLDEST_MS / SLICE_MS);

/** Names of the tz database are short words; ISO strings and offsets, which Temporal takes too, are none of them. */
const TZ_NAME = /^[A-Za-z][A-Za-z0-9_+-]{0,31}(?:\/[A-Za-z0-9_+-]{1,31}){0,3}$/;

/** Clock changes in and around one slice of time, ascending. */
interface Slice {
  /** Offset before the first change, ms east of UTC. */
  readonly before: number;
  /** Instant of each change. */
  readonly instants: readonly number[];
  /** First wall-clock time that is read with the offset after the change. */
  readonly walls: readonly number[];
  /** Offset after each change. */
  readonly offsets: readonly number[];
}

class IanaZone implements Zone {
  readonly isKnown = true;
  private readonly slices: (Slice | undefined)[] = [];
  private readonly oldestOffsetMs: number;

  constructor(readonly timeZone: string) {
    this.oldestOffsetMs = this.offsetFromTzData(OLDEST_MS);
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
    const endMs = startMs + SLICE_MS + MARGIN_MS;
    let cursor = at(startMs - MARGIN_MS, this.timeZone);
    const before = offsetMs(cursor);
    const instants: number[] = [];
    const walls: number[] = [];
    const offsets: number[] = [];
    for (let offset = before; ;) {
      const next = cursor.getTimeZoneTransition('next');
      if (next === null || next.epochMilliseconds >= endMs) break;
      const after = offsetMs(next);
      if (after !== offset) {
        instants.push(next.epochMilliseconds);
        // A time in a gap keeps the offset before it, a time that comes twice is the first one (RFC 5545 §3.3.5):
        // either way the offset after the change takes over once the later of the two clocks has passed.
        walls.push(next.epochMilliseconds + Math.max(offset, after));
        offsets.push(after);
        offset = after;
      }
      cursor = next;
    }
    return { before, instants, walls, offsets };
  }

  private offsetFromTzData(instantMs: number): number {
    return offsetMs(at(instantMs, this.timeZone));
  }
}

/** Whole 400-year cycles to take off so that a far future time falls into the years the tables are kept for. */
function cyclesAt(ms: number): number {
  return ms < CYCLE_END_MS ? 0 : Math.floor((ms - CYCLE_START_MS) / CYCLE_MS) * CYCLE_MS;
}

function canonicalName(timeZone: string): string {
  try {
    return at(0, timeZone).timeZoneId;
  } catch (cause) {
    throw new RangeError('No time zone of this name', { cause });
  }
}

function at(epochMs: number, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timeZone);
}

function offsetMs(time: Temporal.ZonedDateTime): number {
  return time.offsetNanoseconds / 1_000_000;
}

/** UTC needs no table; most rules of the world are expanded on it. */
class UtcZone implements Zone {
  readonly timeZone = 'UTC';
  readonly isKnown = true;

  toInstant(wallMs: number): number {
    return wallMs;
  }

  toWall(instantMs: number): number {
    return instantMs;
  }
}

export const UTC_ZONE: Zone = new UtcZone();

/** Keyed by canonical spelling: at most one entry for each name of the tz database. */
const zones = new Map<string, Zone>([['UTC', UTC_ZONE]]);

/**
 * Wall-clock arithmetic of an IANA zone, from the tz data of the runtime. Shared per zone; a lookup costs about as much
 * as an array access once the year was asked for before. Offsets are never null.
 *
 * @param timeZone IANA id or alias, any case
 * @throws RangeError when the runtime knows no zone of this name
 */
export function ianaZoneArithmetic(timeZone: string): Zone {
  const known = zones.get(timeZone);
  if (known !== undefined) return known;
  if (!TZ_NAME.test(timeZone)) throw new RangeError('Not the name of a time zone');
  const canonical = canonicalName(timeZone);
  const zone = zones.get(canonical) ?? new IanaZone(canonical);
  zones.set(canonical, zone);
  return zone;
}
