import type { IcsProperty, IcsTime, PropertyParameters } from './model.js';
import { dateOf, digits, localOf, parseWallValue, type WallValue } from './recurrence/wall-value.js';

/** Longer durations count as 100 years, because dates would otherwise leave the supported range. */
const MAX_DAYS = 36_525;
const DAY_SECONDS = 86_400;

const DURATION = /^([+-])?P(?=\d|T\d)(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/i;

/** A DURATION (RFC 5545 §3.3.6). Days are nominal (23 to 25 hours), seconds exact. Both carry the sign. */
export interface IcsDuration {
  days: number;
  seconds: number;
}

/** A PERIOD (RFC 5545 §3.3.9). */
export type IcsPeriod = { start: IcsTime; end: IcsTime } | { start: IcsTime; duration: IcsDuration };

export interface WrittenTime {
  value: string;
  parameters: PropertyParameters;
}

/**
 * Parses a DATE or DATE-TIME property. The form of the value decides, not VALUE, because servers and exporters confuse
 * them. `Z` takes precedence over a TZID.
 * @returns null for a time that does not exist
 */
export function parseIcsTime(property: IcsProperty): IcsTime | null {
  return parseTimeValue(property.value, property.parameter('TZID'));
}

/** Parses a list property (EXDATE, RDATE without periods). Skips other values. */
export function parseIcsTimes(property: IcsProperty): IcsTime[] {
  return parseList(property, parseTimeValue);
}

function parseList<T>(property: IcsProperty, parse: (text: string, tzid: string | undefined) => T | null): T[] {
  const tzid = property.parameter('TZID');
  return property.value
    .split(',')
    .map((value) => parse(value, tzid))
    .filter((value) => value !== null);
}

/** Parses one value; see {@link parseWallValue}. */
export function parseTimeValue(text: string, tzid?: string): IcsTime | null {
  const value = parseWallValue(text);
  if (value === null) return null;
  if (value.form === 'date') return { kind: 'date', date: dateOf(value.wallMs) };
  const local = localOf(value.wallMs);
  if (value.form === 'utc') return { kind: 'utc', local };
  return tzid ? { kind: 'zoned', local, tzid } : { kind: 'floating', local };
}

/** Formats `20260105`, `20260105T090000` or `20260105T090000Z`, without the TZID. */
export function formatTimeValue(time: IcsTime): string {
  if (time.kind === 'date') return time.date.replaceAll('-', '');
  return time.local.replace(/[-:]/g, '') + (time.kind === 'utc' ? 'Z' : '');
}

export function formatIcsTime(time: IcsTime): WrittenTime {
  const zone: PropertyParameters = time.kind === 'zoned' ? { TZID: time.tzid } : {};
  return { value: formatTimeValue(time), parameters: time.kind === 'date' ? { VALUE: 'DATE' } : zone };
}

/** Returns the wall-clock time as `Date.UTC` milliseconds of its fields; midnight for a date. */
export function wallMsOf(time: IcsTime): number {
  const text = time.kind === 'date' ? time.date : time.local;
  // Time zones and durations can move the last day of year 9999 to a year with six digits: `+010000-01-01`.
  if (text.startsWith('+')) return Date.parse(time.kind === 'date' ? `${text}T00:00:00Z` : `${text}Z`);
  const wall = new Date(0);
  // Date.UTC reads the years 0 to 99 as 1900 to 1999.
  wall.setUTCFullYear(digits(text, 0, 4), digits(text, 5, 2) - 1, digits(text, 8, 2));
  const midnight = wall.getTime();
  if (time.kind === 'date') return midnight;
  return midnight + ((digits(text, 11, 2) * 60 + digits(text, 14, 2)) * 60 + digits(text, 17, 2)) * 1000;
}

/** Returns the same kind of time, with the same TZID, at another wall-clock time. A date takes its day. */
export function withWallMs(time: IcsTime, wallMs: number): IcsTime {
  return time.kind === 'date' ? { kind: 'date', date: dateOf(wallMs) } : { ...time, local: localOf(wallMs) };
}

export function wallValueOf(time: IcsTime): WallValue {
  const form = time.kind === 'date' || time.kind === 'utc' ? time.kind : 'local';
  return { form, wallMs: wallMsOf(time) };
}

/**
 * Also accepts weeks beside days and a sign before P, which many programs write. Limits the length to 100 years.
 * @returns null for an invalid duration
 */
export function parseDuration(text: string): IcsDuration | null {
  // No real duration is longer; the limit bounds the cost of the pattern.
  if (text.length > 100) return null;
  const match = DURATION.exec(text.trim());
  if (!match) return null;
  const parts = match.slice(2).map((part = '0') => Number(part));
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts;
  const sign = match[1] === '-' ? -1 : 1;
  return {
    days: signed(sign, Math.min(weeks * 7 + days, MAX_DAYS)),
    seconds: signed(sign, Math.min((hours * 60 + minutes) * 60 + seconds, MAX_DAYS * DAY_SECONDS)),
  };
}

/** Formats `P1D`, `-PT15M`, `P1DT2H`, `PT0S`. Days and seconds must not differ in sign. */
export function formatDuration({ days, seconds }: IcsDuration): string {
  const sign = days < 0 || seconds < 0 ? '-' : '';
  const wholeDays = Math.abs(days);
  const rest = Math.abs(seconds);
  const time = [
    [Math.floor(rest / 3600), 'H'],
    [Math.floor(rest / 60) % 60, 'M'],
    [rest % 60, 'S'],
  ] as const;
  const date = wholeDays > 0 ? `${wholeDays}D` : '';
  const clock = time.map(([amount, unit]) => (amount > 0 ? `${amount}${unit}` : '')).join('');
  if (date === '' && clock === '') return 'PT0S';
  return `${sign}P${date}${clock && `T${clock}`}`;
}

/** Parses `start/end` or `start/duration`; null for anything else. @param tzid of the property */
export function parsePeriod(text: string, tzid?: string): IcsPeriod | null {
  const slash = text.indexOf('/');
  if (slash === -1) return null;
  const start = parseTimeValue(text.slice(0, slash), tzid);
  if (!start) return null;
  const tail = text.slice(slash + 1);
  const duration = parseDuration(tail);
  if (duration) return { start, duration };
  const end = parseTimeValue(tail, tzid);
  return end && { start, end };
}

/** Parses FREEBUSY or RDATE;VALUE=PERIOD. Skips other values. */
export function parsePeriods(property: IcsProperty): IcsPeriod[] {
  return parseList(property, parsePeriod);
}

/** Avoids the negative zero. */
function signed(sign: number, amount: number): number {
  return amount === 0 ? 0 : sign * amount;
}
