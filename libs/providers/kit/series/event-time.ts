import type { EventTime, WallTime } from '#domain';
import { ianaZoneArithmetic, localOf } from '#icalendar';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Reads dates and times of unknown zones in the calendar's zone. */
export function instantOf(time: EventTime, calendarZone: string): number {
  const wallMs = wallOf(time);
  if (time.kind === 'dateTime' && time.offsetMinutes !== null) return wallMs - time.offsetMinutes * MINUTE_MS;
  return ianaZoneArithmetic(calendarZone).toInstant(wallMs) ?? wallMs;
}

/** @param timeZone IANA id */
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

/** `Date.UTC` milliseconds of the fields of a time; midnight for a date. */
export function wallOf(time: EventTime): number {
  return Date.parse(time.kind === 'date' ? `${time.date}T00:00:00Z` : `${time.local}Z`);
}

/** The same kind of time, on the same clock. */
export function withWall(time: EventTime, wallMs: number): EventTime {
  const local = localOf(wallMs);
  if (time.kind === 'date') return { kind: 'date', date: local.slice(0, 10) };
  return time.timeZone === null || time.offsetMinutes === null ? { ...time, local } : onClock(local, time.timeZone);
}

/** `YYYY-MM-DDTHH:MM:SSZ`. */
export function formatInstant(ms: number): string {
  return `${localOf(ms)}Z`;
}
