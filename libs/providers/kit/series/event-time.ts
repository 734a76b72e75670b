import type { EventTime, WallTime } from '#domain';
import { ianaZoneArithmetic } from '#icalendar';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Instant of a time; dates and clocks of unknown zones are read in the calendar's zone. */
export function instantOf(time: EventTime, calendarZone: string): number {
  const wallMs = wallOf(time);
  if (time.kind === 'dateTime' && time.offsetMinutes !== null) return wallMs - time.offsetMinutes * MINUTE_MS;
  return ianaZoneArithmetic(calendarZone).toInstant(wallMs) ?? wallMs;
}

/** An instant on the clock of a zone (IANA id). */
export function atInstant(instantMs: number, timeZone: string): WallTime {
  const wallMs = ianaZoneArithmetic(timeZone).toWall(instantMs) ?? instantMs;
  return {
    kind: 'dateTime',
    local: localOf(wallMs),
    timeZone,
    offsetMinutes: Math.round((wallMs - instantMs) / MINUTE_MS),
  };
}

/** A reading of a zone's clock; one that the zone leaves out becomes the time it stands for. */
export function onClock(local: string, timeZone: string): WallTime {
  const wallMs = Date.parse(`${local}Z`);
  return atInstant(ianaZoneArithmetic(timeZone).toInstant(wallMs) ?? wallMs, timeZone);
}

/** `Date.UTC` milliseconds of the fields of a time; midnight for a date. */
export function wallOf(time: EventTime): number {
  return Date.parse(time.kind === 'date' ? `${time.date}T00:00:00Z` : `${time.local}Z`);
}

/** The same kind of time at another reading of its clock. */
export function withWall(time: EventTime, wallMs: number): EventTime {
  const local = localOf(wallMs);
  if (time.kind === 'date') return { kind: 'date', date: local.slice(0, 10) };
  return time.timeZone === null || time.offsetMinutes === null ? { ...time, local } : onClock(local, time.timeZone);
}

/** End of an event that says none: a date lasts a day, a time takes none (RFC 5545 §3.6.1). */
export function defaultEnd(start: EventTime): EventTime {
  return start.kind === 'date' ? withWall(start, wallOf(start) + DAY_MS) : start;
}

/** `YYYY-MM-DDTHH:MM:SSZ`. */
export function formatInstant(ms: number): string {
  return `${localOf(ms)}Z`;
}

function localOf(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 19);
}
