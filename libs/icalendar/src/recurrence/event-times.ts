import { parseDuration } from '../ics-time.js';
import type { IcsProperty, IcsTime, Zone, ZoneSource } from '../model.js';
import { UTC_ZONE } from '../zones/zone-arithmetic.js';
import { DAY_MS } from './civil.js';
import { RecurrenceError } from '../errors.js';
import { type WallValue, parseWallValue } from './wall-value.js';

/** Kind and zone in which a time is read. */
export interface ZoneClock {
  kind: IcsTime['kind'];
  /** As written; null unless zoned. */
  tzid: string | null;
  zone: Zone;
  /** False for an undefined TZID, whose times count as floating. */
  isAnchored: boolean;
}

/** Length of an instance: nominal days on the wall clock, then exact time. */
export interface InstanceLength {
  days: number;
  exactMs: number;
}

export interface EventTimes {
  clock: ZoneClock;
  startWall: number;
  startMs: number;
  length: InstanceLength;
  /** Clock of DTEND; that of the start for DURATION and for events without an end. */
  endClock: ZoneClock;
}

/** A moment on the clock of the series' DTSTART. The instant distinguishes the two passes of a repeated hour. */
export interface Moment {
  wallMs: number;
  instantMs: number;
}

/** The limit of parseDuration: a longer event would move the start of a search into antiquity. */
const MAX_LENGTH_MS = 36_525 * DAY_MS;
const ONE_DAY: InstanceLength = { days: 1, exactMs: 0 };
const NO_TIME: InstanceLength = { days: 0, exactMs: 0 };

const UTC_CLOCK: ZoneClock = { kind: 'utc', tzid: null, zone: UTC_ZONE, isAnchored: true };

export class ZoneClocks {
  private readonly dates: ZoneClock;
  private readonly floating: ZoneClock;
  private readonly zoned = new Map<string, ZoneClock>();
  private newest: ZoneClock | undefined;

  /** @param floatingZone for dates, floating times and undefined zones */
  constructor(
    private readonly zones: ZoneSource,
    private readonly floatingZone: Zone,
  ) {
    this.dates = { kind: 'date', tzid: null, zone: floatingZone, isAnchored: false };
    this.floating = { kind: 'floating', tzid: null, zone: floatingZone, isAnchored: false };
  }

  of(form: WallValue['form'], tzid: string | undefined): ZoneClock {
    if (form === 'utc') return UTC_CLOCK;
    if (form === 'date') return this.dates;
    if (tzid === undefined || tzid === '') return this.floating;
    if (this.newest?.tzid === tzid) return this.newest;
    return (this.newest = this.zoned.get(tzid) ?? this.resolve(tzid));
  }

  private resolve(tzid: string): ZoneClock {
    const zone = this.zones.zone(tzid);
    const { isKnown } = zone;
    const clock: ZoneClock = { kind: 'zoned', tzid, zone: isKnown ? zone : this.floatingZone, isAnchored: isKnown };
    this.zoned.set(tzid, clock);
    return clock;
  }
}

/** Clocks hold only known zones, which map every wall-clock time to an instant. */
export function instantOn(zone: Zone, wallMs: number): number {
  const instantMs = zone.toInstant(wallMs);
  if (instantMs === null) throw new TypeError(`The zone ${zone.timeZone} has no offsets`);
  return instantMs;
}

export function wallOn(zone: Zone, instantMs: number): number {
  const wallMs = zone.toWall(instantMs);
  if (wallMs === null) throw new TypeError(`The zone ${zone.timeZone} has no offsets`);
  return wallMs;
}

/**
 * @param dtstart DTSTART, or RECURRENCE-ID for an override without one
 * @throws RecurrenceError `invalid` for an unreadable start or end
 */
export function readEventTimes(
  dtstart: IcsProperty | undefined,
  dtend: IcsProperty | undefined,
  duration: IcsProperty | undefined,
  clocks: ZoneClocks,
): EventTimes {
  const start = dtstart === undefined ? null : parseWallValue(dtstart.value);
  if (start === null) throw new RecurrenceError('invalid', 'DTSTART', 'is missing or no time');
  const clock = clocks.of(start.form, start.form === 'local' ? dtstart!.parameter('TZID') : undefined);
  const startMs = instantOn(clock.zone, start.wallMs);
  const times: EventTimes = { clock, startWall: start.wallMs, startMs, length: NO_TIME, endClock: clock };

  // DTEND takes precedence over DURATION, because programs that write both show DTEND.
  if (dtend !== undefined) {
    const end = parseWallValue(dtend.value);
    if (end === null) throw new RecurrenceError('invalid', 'DTEND', 'is no time');
    return withEnd(times, end, dtend, clocks);
  }
  const length = duration === undefined ? null : parseDuration(duration.value);
  if (duration !== undefined && length === null) {
    throw new RecurrenceError('invalid', 'DURATION', 'is no duration');
  }
  times.length =
    length === null
      ? clock.kind === 'date'
        ? ONE_DAY
        : NO_TIME
      : lengthOf(length.days, length.seconds * 1_000, clock.kind === 'date');
  return times;
}

/** With DTEND all instances have the same exact length (RFC 5545 §3.8.5.3); before DTSTART it counts as DTSTART. */
function withEnd(times: EventTimes, end: WallValue, dtend: IcsProperty, clocks: ZoneClocks): EventTimes {
  const { clock, startWall, startMs } = times;
  if (clock.kind === 'date') {
    return { ...times, length: lengthOf(0, end.wallMs - startWall, true) };
  }
  const tzid = end.form === 'local' ? dtend.parameter('TZID') : undefined;
  // A DATE ends a timed event at midnight in the event's zone.
  const isSameClock = end.form === 'date' || (clock.kind === 'zoned' ? tzid === clock.tzid : false);
  const endClock = isSameClock ? clock : clocks.of(end.form, tzid);
  const exactMs = instantOn(endClock.zone, end.wallMs) - startMs;
  return { ...times, endClock, length: { days: 0, exactMs: Math.min(Math.max(0, exactMs), MAX_LENGTH_MS) } };
}

/** All-day events last whole days, at least one (RFC 5545 §3.6.1). */
export function lengthOf(days: number, exactMs: number, isDate: boolean): InstanceLength {
  if (isDate)
    return { days: Math.max(1, Math.ceil(Math.min(days * DAY_MS + exactMs, MAX_LENGTH_MS) / DAY_MS)), exactMs: 0 };
  return days < 0 || exactMs < 0 ? NO_TIME : { days, exactMs };
}

/** Returns the end instant. A nominal day may have 23 or 25 hours (RFC 5545 §3.3.6). */
export function endOfInstance(start: Moment, length: InstanceLength, zone: Zone): number {
  const afterDays = length.days === 0 ? start.instantMs : instantOn(zone, start.wallMs + length.days * DAY_MS);
  return afterDays + length.exactMs;
}

export function maxMs({ days, exactMs }: InstanceLength): number {
  return days === 0 ? exactMs : (days + 1) * DAY_MS + exactMs;
}

/** Half-open overlap. An event without length counts when it lies inside (RFC 4791 §9.9). */
export function overlaps(startMs: number, endMs: number, window: { startMs: number; endMs: number }): boolean {
  if (startMs >= window.endMs) return false;
  return endMs > window.startMs || (endMs === startMs && startMs >= window.startMs);
}
