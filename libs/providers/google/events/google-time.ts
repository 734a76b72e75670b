import type { calendar_v3 } from '@googleapis/calendar';
import type { EventTime, WallTime } from '#domain';
import { ianaZone, ianaZoneArithmetic } from '#icalendar';
import { recordOf } from '../json.js';
import { textOf } from './json.js';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d+)?(?:(Z)|([+-])(\d{2}):(\d{2}))?$/i;

/**
 * A `start`, `end` or `originalStartTime`. Google shows the instant in the calendar's zone whatever zone the event has;
 * here it stands on the event's own clock. A zone that nobody knows leaves the wall time as it is written.
 * @returns null when it says no time that exists
 */
export function readGoogleTime(value: unknown, calendarZone: string): EventTime | null {
  const { date, dateTime, timeZone } = recordOf(value);
  const day = textOf(date);
  if (day !== undefined) return DATE.test(day) && wallMsOf(day) !== null ? { kind: 'date', date: day } : null;
  const [, written = '', zulu, sign, hours, minutes] = DATE_TIME.exec(textOf(dateTime) ?? '') ?? [];
  const local = written.toUpperCase();
  const wallMs = wallMsOf(local);
  if (wallMs === null) return null;
  const named = textOf(timeZone) ?? calendarZone;
  const zone = ianaZone(named);
  if (zone === null) return { kind: 'dateTime', local, timeZone: named, offsetMinutes: null };
  if (zulu !== undefined) return atInstant(wallMs, zone);
  if (sign === undefined) return onClock(local, zone);
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  return atInstant(sign === '-' ? wallMs + offsetMs : wallMs - offsetMs, zone);
}

/** As Google takes it. `dateTime` goes with its offset: of a time that comes twice only that says which one is meant. */
export function toGoogleTime(time: EventTime): calendar_v3.Schema$EventDateTime {
  if (time.kind === 'date') return { date: time.date };
  return { dateTime: time.local + formatOffset(time), timeZone: time.timeZone };
}

/** The same inside of a PATCH, which merges: what the other kind of time had has to be taken out by name. */
export function toGoogleTimePatch(time: EventTime): calendar_v3.Schema$EventDateTime {
  return time.kind === 'date'
    ? { date: time.date, dateTime: null, timeZone: null }
    : { ...toGoogleTime(time), date: null };
}

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

/** True for times that mean the same on the same clock. */
export function isSameTime(one: EventTime, other: EventTime): boolean {
  if (one.kind === 'date' || other.kind === 'date') {
    return one.kind === 'date' && other.kind === 'date' && one.date === other.date;
  }
  return one.local === other.local && one.timeZone === other.timeZone && one.offsetMinutes === other.offsetMinutes;
}

/** `YYYY-MM-DDTHH:MM:SSZ`: Google reads no fractions of a second. */
export function formatInstant(ms: number): string {
  return `${localOf(ms)}Z`;
}

function localOf(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 19);
}

function formatOffset({ local, timeZone, offsetMinutes }: WallTime): string {
  if (offsetMinutes === null || timeZone === null) return '';
  // Local mean times of old have seconds that no offset can say; the zone alone says them.
  const wallMs = Date.parse(`${local}Z`);
  const instantMs = ianaZoneArithmetic(timeZone).toInstant(wallMs) ?? wallMs;
  if ((wallMs - instantMs) % MINUTE_MS !== 0) return '';
  if (offsetMinutes === 0) return 'Z';
  const magnitude = Math.abs(offsetMinutes);
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${offsetMinutes < 0 ? '-' : '+'}${pad(Math.floor(magnitude / 60))}:${pad(magnitude % 60)}`;
}

/** null for a day or time of day that does not exist. */
function wallMsOf(text: string): number | null {
  if (text === '') return null;
  const ms = Date.parse(text.includes('T') ? `${text}Z` : `${text}T00:00:00Z`);
  return Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(text) ? null : ms;
}
