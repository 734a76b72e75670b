import type { EventTime, WallTime } from '#domain/events';
import {
  dateOf,
  formatTimeValue,
  ianaZone,
  ianaZoneArithmetic,
  localOf,
  unknownZone,
  UTC_ZONE,
  wallMsOf,
  withWallMs,
  type IcsTime,
  type Zone,
  type ZoneSource,
} from '#icalendar';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
export const MINUTE_MS = 60_000;

/** Reads dates and times of unknown zones in the calendar's zone. */
export function instantOf(time: EventTime, calendarZone: string): number {
  const wallMs = wallOf(time);
  if (time.kind === 'dateTime' && time.offsetMinutes !== null) return wallMs - time.offsetMinutes * MINUTE_MS;
  return ianaZoneArithmetic(calendarZone).toInstant(wallMs) ?? wallMs;
}

export function atInstant(instantMs: number, timeZone: string): WallTime {
  const wallMs = ianaZoneArithmetic(timeZone).toWall(instantMs) ?? instantMs;
  return {
    kind: 'dateTime',
    local: localOf(wallMs),
    timeZone,
    offsetMinutes: Math.round((wallMs - instantMs) / MINUTE_MS),
  };
}

/** A time that the zone skips becomes the time after the clock change. @param timeZone IANA id */
export function onClock(local: string, timeZone: string): WallTime {
  const wallMs = Date.parse(`${local}Z`);
  return atInstant(ianaZoneArithmetic(timeZone).toInstant(wallMs) ?? wallMs, timeZone);
}

export function wallOf(time: EventTime): number {
  return Date.parse(time.kind === 'date' ? `${time.date}T00:00:00Z` : `${time.local}Z`);
}

/** `YYYY-MM-DD`, or `+YYYYYY-MM-DD` of a year beyond 9999. */
export function dayOf(time: EventTime): string {
  return time.kind === 'date' ? time.date : time.local.slice(0, time.local.indexOf('T'));
}

export function withWall(time: EventTime, wallMs: number): EventTime {
  if (time.kind === 'date') return { kind: 'date', date: dateOf(wallMs) };
  const local = localOf(wallMs);
  return time.timeZone === null || time.offsetMinutes === null ? { ...time, local } : onClock(local, time.timeZone);
}

/** Default end: a date lasts a day, a time has no length (RFC 5545 §3.6.1). */
export function defaultEnd(start: EventTime): EventTime {
  return start.kind === 'date' ? withWall(start, wallOf(start) + DAY_MS) : start;
}

export function formatInstant(ms: number): string {
  return `${localOf(ms)}Z`;
}

/** Arithmetic for series: on `EventTime` for REST providers, on `IcsTime` for iCalendar. */
export interface Times<T extends EventTime | IcsTime> {
  /** IANA id. Dates, floating times and times of unknown zones are read in it. */
  readonly calendarZone: string;
  /** `Date.UTC` milliseconds of the fields of a time; midnight for a date. */
  wallOf(time: T): number;
  /** The same kind of time, on the same clock. */
  withWall(time: T, wallMs: number): T;
  instantOf(time: T): number;
  /** An instant on the clock of `frame`; its day when that is a date. */
  atInstant(frame: T, instantMs: number): T;
  /** Whether the wall times of both can be compared. */
  sameClock(one: T, other: T): boolean;
  clockKind(time: T): IcsTime['kind'];
  /** @param timeZone IANA id; null for the zone of `before`, or the calendar's when that has none */
  onClock(local: string, timeZone: string | null, before: T | null): T;
}

/** Compares instants, because a time after a clock change can be written in two ways. */
export function isSame<T extends EventTime | IcsTime>(times: Times<T>, one: T, other: T): boolean {
  return times.sameClock(one, other) && times.instantOf(one) === times.instantOf(other);
}

/** Moves a time by the distance between two starts of its series, onto the clock of the new one. */
export function shiftedTime<T extends EventTime | IcsTime>(
  times: Times<T>,
  time: T,
  { from, to }: { from: T; to: T },
): T {
  return times.withWall(to, times.wallOf(time) + times.wallOf(to) - times.wallOf(from));
}

export function startOfDay(wallMs: number): number {
  return Math.floor(wallMs / DAY_MS) * DAY_MS;
}

export class SeriesTimes implements Times<EventTime> {
  readonly wallOf = wallOf;
  readonly withWall = withWall;

  constructor(readonly calendarZone: string) {}

  instantOf(time: EventTime): number {
    return instantOf(time, this.calendarZone);
  }

  atInstant(frame: EventTime, instantMs: number): EventTime {
    const hasClock = frame.kind === 'dateTime' && frame.timeZone !== null && frame.offsetMinutes !== null;
    const time = atInstant(instantMs, (hasClock && frame.timeZone) || this.calendarZone);
    return hasClock ? time : withWall(frame, wallOf(time));
  }

  sameClock(one: EventTime, other: EventTime): boolean {
    if (one.kind === 'date' || other.kind === 'date') return one.kind === other.kind;
    return one.timeZone === other.timeZone && (one.offsetMinutes === null) === (other.offsetMinutes === null);
  }

  clockKind(time: EventTime): IcsTime['kind'] {
    if (time.kind === 'date') return 'date';
    if (time.offsetMinutes === null) return 'floating';
    return time.timeZone === 'UTC' ? 'utc' : 'zoned';
  }

  onClock(local: string, timeZone: string | null, before: EventTime | null): EventTime {
    const own = before?.kind === 'dateTime' && before.offsetMinutes !== null ? before.timeZone : null;
    return onClock(local, timeZone ?? own ?? this.calendarZone);
  }
}

const UTC_NAMES = /^(?:Etc\/)?(?:UTC|UCT|Zulu|Universal)$/i;
const ANY_UTC: IcsTime = { kind: 'utc', local: '' };

export class IcsTimes implements Times<IcsTime> {
  readonly wallOf = wallMsOf;
  readonly withWall = withWallMs;
  readonly options: { floatingZone: Zone };

  constructor(
    readonly zones: ZoneSource,
    readonly calendarZone: string,
  ) {
    this.options = { floatingZone: ianaZoneArithmetic(calendarZone) };
  }

  clockOf(time: IcsTime): Zone {
    if (time.kind === 'utc') return UTC_ZONE;
    const zone = time.kind === 'zoned' ? this.zones.zone(time.tzid) : null;
    return zone?.isKnown === true ? zone : this.options.floatingZone;
  }

  instantOf(time: IcsTime): number {
    const wallMs = wallMsOf(time);
    return this.clockOf(time).toInstant(wallMs) ?? wallMs;
  }

  atInstant(frame: IcsTime, instantMs: number): IcsTime {
    return withWallMs(frame, this.clockOf(frame).toWall(instantMs) ?? instantMs);
  }

  sameClock(one: IcsTime, other: IcsTime): boolean {
    return one.kind === other.kind && (one.kind !== 'zoned' || (other.kind === 'zoned' && one.tzid === other.tzid));
  }

  clockKind(time: IcsTime): IcsTime['kind'] {
    return time.kind;
  }

  /** Keeps the TZID that the object uses for the zone: its clients know it. */
  onClock(local: string, timeZone: string | null, before: IcsTime | null): IcsTime {
    if (timeZone === null && before !== null && before.kind !== 'date') return { ...before, local };
    const zone = timeZone ?? this.calendarZone;
    if (UTC_NAMES.test(zone)) return { kind: 'utc', local };
    const isOfBefore = before?.kind === 'zoned' && this.zones.zone(before.tzid).timeZone === zone;
    return { kind: 'zoned', local, tzid: isOfBefore ? before.tzid : zone };
  }

  inUtc(time: IcsTime): IcsTime {
    return this.atInstant(ANY_UTC, this.instantOf(time));
  }

  /**
   * Brings a time of a list into the form of the series' start. On a timed series a date means the instance of that
   * day. On a series of dates a time means its day. A time without a zone is on the clock of the series.
   */
  like(start: IcsTime, time: IcsTime): IcsTime {
    if (this.sameClock(start, time)) return time;
    if (start.kind === 'date') {
      const local = time.kind === 'utc' ? this.options.floatingZone.toWall(wallMsOf(time)) : null;
      return withWallMs(start, local ?? wallMsOf(time));
    }
    if (time.kind === 'date') return withWallMs(start, wallMsOf(time) + wallMsOf(start) - startOfDay(wallMsOf(start)));
    if (time.kind === 'floating') return withWallMs(start, wallMsOf(time));
    return this.atInstant(start, this.instantOf(time));
  }

  instanceDateOf(recurrenceId: IcsTime): string {
    const isInstant = recurrenceId.kind === 'zoned' && this.zones.zone(recurrenceId.tzid).isKnown;
    return formatTimeValue(isInstant ? this.inUtc(recurrenceId) : recurrenceId);
  }

  toEventTime(time: IcsTime): EventTime {
    if (time.kind === 'date') return { kind: 'date', date: time.date };
    if (time.kind === 'utc') return { kind: 'dateTime', local: time.local, timeZone: 'UTC', offsetMinutes: 0 };
    const zone = time.kind === 'zoned' ? this.zones.zone(time.tzid) : null;
    if (zone?.isKnown !== true) {
      return { kind: 'dateTime', local: time.local, timeZone: zone?.timeZone ?? null, offsetMinutes: null };
    }
    // 02:30 in a skipped hour becomes 03:30.
    const instantMs = this.instantOf(time);
    const wallMs = zone.toWall(instantMs) ?? instantMs;
    const offsetMinutes = Math.round((wallMs - instantMs) / MINUTE_MS);
    return { kind: 'dateTime', local: localOf(wallMs), timeZone: zone.timeZone, offsetMinutes };
  }
}

/** Times of recurrence lines of a REST provider, whose TZIDs are names of zones. */
export function lineTimes(calendarZone: string): IcsTimes {
  return new IcsTimes(IANA_ZONES, calendarZone);
}

const IANA_ZONES: ZoneSource = {
  zone: (tzid) => {
    const timeZone = ianaZone(tzid);
    return timeZone === null ? unknownZone(tzid) : ianaZoneArithmetic(timeZone);
  },
};

/** A time of an unknown zone becomes a floating one. */
export function icsTimeOf(time: EventTime | IcsTime): IcsTime {
  if (time.kind !== 'dateTime') return time;
  const zone = time.timeZone === null ? null : ianaZone(time.timeZone);
  if (zone === null) return { kind: 'floating', local: time.local };
  return zone === 'UTC' ? { kind: 'utc', local: time.local } : { kind: 'zoned', local: time.local, tzid: zone };
}
