import type { IcsProperty, IcsTime, PropertyParameters } from './model.js';
import { dateOf, digits, localOf, parseWallValue, type WallValue } from './recurrence/wall-value.js';

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
  const tzid = property.parameter('TZID');
  return property.value
    .split(',')
    .map((value) => parseTimeValue(value, tzid))
    .filter((time) => time !== null);
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
