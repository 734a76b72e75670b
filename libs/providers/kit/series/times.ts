import type { EventTime } from '#domain';
import {
  formatTimeValue,
  ianaZone,
  ianaZoneArithmetic,
  localOf,
  UTC_ZONE,
  wallMsOf,
  withWallMs,
  type IcsTime,
  type Zone,
  type ZoneSource,
} from '#icalendar';
import { atInstant, DAY_MS, instantOf, onClock, wallOf, withWall } from './event-time.js';

/** What the rules of series need to know of a time: `EventTime` of the REST providers, `IcsTime` of iCalendar. */
export interface Times<T extends EventTime | IcsTime> {
  /** IANA id: dates, floating times and clocks of unknown zones are read there. */
  readonly calendarZone: string;
  /** `Date.UTC` milliseconds of the fields of a time; midnight for a date. */
  wallOf(time: T): number;
  /** The same kind of time on the same clock at another reading. */
  withWall(time: T, wallMs: number): T;
  instantOf(time: T): number;
  /** An instant on the clock of `frame`; the day of it for a date. */
  atInstant(frame: T, instantMs: number): T;
  /** Whether two times are read on one clock, so that their walls can be compared. */
  sameClock(one: T, other: T): boolean;
  /** What kind of clock a time is read on. */
  clockKind(time: T): IcsTime['kind'];
  /** A reading of a zone's clock. @param timeZone IANA id; null: the zone of `before`, else the calendar's */
  onClock(local: string, timeZone: string | null, before: T | null): T;
}

/** True for two readings of one clock that mean the same instant; a time that a zone leaves out has two. */
export function isSame<T extends EventTime | IcsTime>(times: Times<T>, one: T, other: T): boolean {
  return times.sameClock(one, other) && times.instantOf(one) === times.instantOf(other);
}

/** Midnight before a reading. */
export function startOfDay(wallMs: number): number {
  return Math.floor(wallMs / DAY_MS) * DAY_MS;
}

/** Times of the REST providers. */
export class EventTimes implements Times<EventTime> {
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

/** Times of one iCalendar object. */
export class IcsTimes implements Times<IcsTime> {
  readonly wallOf = wallMsOf;
  readonly withWall = withWallMs;
  private readonly floating: Zone;

  constructor(
    readonly zones: ZoneSource,
    readonly calendarZone: string,
  ) {
    this.floating = ianaZoneArithmetic(calendarZone);
  }

  /** Options of the recurrence engine. */
  get options(): { floatingZone: Zone } {
    return { floatingZone: this.floating };
  }

  /** The clock that a time is read on. */
  clockOf(time: IcsTime): Zone {
    if (time.kind === 'utc') return UTC_ZONE;
    const zone = time.kind === 'zoned' ? this.zones.zone(time.tzid) : null;
    return zone?.isKnown === true ? zone : this.floating;
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

  /** Keeps the TZID that the object already uses for a zone: its clients know that one. */
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
   * A time of a list in the form of the series' start. A date among times means that day's instance; a time among dates
   * means its day; a clock without a zone is read on that of the series.
   */
  like(start: IcsTime, time: IcsTime): IcsTime {
    if (this.sameClock(start, time)) return time;
    if (start.kind === 'date') {
      const local = time.kind === 'utc' ? this.floating.toWall(wallMsOf(time)) : null;
      return withWallMs(start, local ?? wallMsOf(time));
    }
    if (time.kind === 'date') return withWallMs(start, wallMsOf(time) + wallMsOf(start) - startOfDay(wallMsOf(start)));
    if (time.kind === 'floating') return withWallMs(start, wallMsOf(time));
    return this.atInstant(start, this.instantOf(time));
  }

  /** Date part of the id of an instance. */
  instanceDateOf(recurrenceId: IcsTime): string {
    const isInstant = recurrenceId.kind === 'zoned' && this.zones.zone(recurrenceId.tzid).isKnown;
    return formatTimeValue(isInstant ? this.inUtc(recurrenceId) : recurrenceId);
  }

  toEventTime(time: IcsTime): EventTime {
    if (time.kind === 'date') return { kind: 'date', date: time.date };
    if (time.kind === 'utc') return { kind: 'dateTime', local: time.local, timeZone: 'UTC', offsetMinutes: 0 };
    const zone = time.kind === 'zoned' ? this.zones.zone(time.tzid) : null;
    // A wall-clock time that the zone leaves out is shown as the time it stands for (02:30 is 03:30 after the change).
    const instantMs = zone?.isKnown === true ? zone.toInstant(wallMsOf(time)) : null;
    const wallMs = instantMs === null ? null : (zone?.toWall(instantMs) ?? null);
    const timeZone = zone?.timeZone ?? null;
    return wallMs === null || instantMs === null
      ? { kind: 'dateTime', local: time.local, timeZone, offsetMinutes: null }
      : {
          kind: 'dateTime',
          local: localOf(wallMs),
          timeZone,
          offsetMinutes: Math.round((wallMs - instantMs) / 60_000),
        };
  }
}

/** Times of the lines of a REST provider: every zone has its own name. */
export function lineTimes(calendarZone: string): IcsTimes {
  return new IcsTimes(IANA_ZONES, calendarZone);
}

const IANA_ZONES: ZoneSource = {
  zone: (tzid) => {
    const timeZone = ianaZone(tzid);
    return timeZone === null
      ? { timeZone: tzid, isKnown: false, toInstant: () => null, toWall: () => null }
      : ianaZoneArithmetic(timeZone);
  },
};

/** A time as iCalendar writes it. A clock of a zone that nobody knows is read in the calendar's. */
export function icsTimeOf(time: EventTime | IcsTime): IcsTime {
  if (time.kind !== 'dateTime') return time;
  const zone = time.timeZone === null ? null : ianaZone(time.timeZone);
  if (zone === null) return { kind: 'floating', local: time.local };
  return zone === 'UTC' ? { kind: 'utc', local: time.local } : { kind: 'zoned', local: time.local, tzid: zone };
}
