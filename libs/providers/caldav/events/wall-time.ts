import { type EventTime } from '#domain';
import { localOf, UTC_ZONE, wallMsOf, withWallMs, type IcsTime, type Zone, type ZoneSource } from '#icalendar';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** The clocks that the times of one object hang on. */
export interface Clocks {
  zones: ZoneSource;
  /** Where dates and floating times are lived: the calendar's zone. */
  floating: Zone;
}

/** The clock that a time is read on. A zone that nobody defines is read as floating. */
export function clockOf(time: IcsTime, { zones, floating }: Clocks): Zone {
  if (time.kind === 'utc') return UTC_ZONE;
  if (time.kind !== 'zoned') return floating;
  const zone = zones.zone(time.tzid);
  return zone.isKnown ? zone : floating;
}

export function instantOf(time: IcsTime, clocks: Clocks): number {
  const wallMs = wallMsOf(time);
  return clockOf(time, clocks).toInstant(wallMs) ?? wallMs;
}

/** An instant in the form of `frame`: its kind, on its clock. */
export function atInstant(frame: IcsTime, instantMs: number, clocks: Clocks): IcsTime {
  return withWallMs(frame, clockOf(frame, clocks).toWall(instantMs) ?? instantMs);
}

/** True when two times hang on the same clock, so that their walls can be compared. */
export function isSameFrame(one: IcsTime, other: IcsTime): boolean {
  return one.kind === other.kind && (one.kind !== 'zoned' || (other.kind === 'zoned' && one.tzid === other.tzid));
}

/** True for two readings of one clock that mean the same instant; a time that a zone leaves out has two. */
export function isSameTime(one: IcsTime, other: IcsTime, clocks: Clocks): boolean {
  return isSameFrame(one, other) && instantOf(one, clocks) === instantOf(other, clocks);
}

export function startOfDay(wallMs: number): number {
  return Math.floor(wallMs / DAY_MS) * DAY_MS;
}

export function toEventTime(time: IcsTime, zones: ZoneSource): EventTime {
  switch (time.kind) {
    case 'date':
      return { kind: 'date', date: time.date };
    case 'utc':
      return { kind: 'dateTime', local: time.local, timeZone: 'UTC', offsetMinutes: 0 };
    case 'floating':
      return { kind: 'dateTime', local: time.local, timeZone: null, offsetMinutes: null };
    case 'zoned': {
      const zone = zones.zone(time.tzid);
      if (!zone.isKnown) return { kind: 'dateTime', local: time.local, timeZone: zone.timeZone, offsetMinutes: null };
      // A wall-clock time that the zone leaves out is shown as the time it stands for (02:30 is 03:30 after the change).
      const instantMs = zone.toInstant(wallMsOf(time));
      const wallMs = instantMs === null ? null : zone.toWall(instantMs);
      if (instantMs === null || wallMs === null) {
        return { kind: 'dateTime', local: time.local, timeZone: zone.timeZone, offsetMinutes: null };
      }
      const offsetMinutes = Math.round((wallMs - instantMs) / 60_000);
      return { kind: 'dateTime', local: localOf(wallMs), timeZone: zone.timeZone, offsetMinutes };
    }
  }
}
