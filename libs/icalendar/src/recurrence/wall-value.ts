import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, WEEK_MS, dayNumber, daysInMonth } from './civil.js';

/** What a DATE or DATE-TIME text says by itself; TZID stands in a parameter. */
export type WallForm = 'date' | 'utc' | 'local';

export interface WallValue {
  form: WallForm;
  /** Wall-clock time as `Date.UTC` milliseconds of its fields; midnight for a date. */
  wallMs: number;
}

/** A duration in its two kinds of time: days are nominal (23 to 25 h), the rest is exact (RFC 5545 §3.3.6). */
export interface NominalDuration {
  days: number;
  exactMs: number;
}

/** Longer ones are nonsense and would make every window start in antiquity. */
const MAX_DURATION_DAYS = 36_600;

const ZERO = 48;

/** `20260131`, `20260131T090000`, `20260131T090000Z`; seconds may be missing. Null when it is no such value. */
export function parseWallValue(text: string): WallValue | null {
  const length = text.length;
  if (length !== 8 && length !== 15 && length !== 16 && length !== 13 && length !== 14) return null;
  const year = digits(text, 0, 4);
  const month = digits(text, 4, 2);
  const day = digits(text, 6, 2);
  if (!(month >= 1 && month <= 12 && day >= 1 && year >= 0) || day > daysInMonth(year, month)) return null;
  const midnight = dayNumber(year, month, day) * DAY_MS;
  if (length === 8) return { form: 'date', wallMs: midnight };

  if ((text.charCodeAt(8) | 32) !== 116) return null;
  const isUtc = (text.charCodeAt(length - 1) | 32) === 122;
  const fieldsEnd = isUtc ? length - 1 : length;
  if (fieldsEnd !== 15 && fieldsEnd !== 13) return null;
  const hour = digits(text, 9, 2);
  const minute = digits(text, 11, 2);
  const second = fieldsEnd === 15 ? digits(text, 13, 2) : 0;
  if (!(hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 && second >= 0 && second <= 60)) return null;
  // A leap second is read as the second before it (RFC 5545 §3.3.12).
  const wallMs = midnight + hour * HOUR_MS + minute * MINUTE_MS + Math.min(second, 59) * SECOND_MS;
  return { form: isUtc ? 'utc' : 'local', wallMs };
}

/** NaN when one of the characters is no digit. */
function digits(text: string, start: number, count: number): number {
  let value = 0;
  for (let index = start; index < start + count; index++) {
    const digit = text.charCodeAt(index) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return NaN;
    value = value * 10 + digit;
  }
  return value;
}

const DURATION = /^([+-]?)P(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/i;

/** `P1D`, `PT1H30M`, `-P1W`. Null when it is no duration or longer than a hundred years. */
export function parseNominalDuration(text: string): NominalDuration | null {
  const match = DURATION.exec(text);
  if (match === null || text.length < 3) return null;
  const [, sign, weeks = '0', days = '0', hours = '0', minutes = '0', seconds = '0'] = match;
  const factor = sign === '-' ? -1 : 1;
  const wholeDays = (Number(weeks) * WEEK_MS) / DAY_MS + Number(days);
  const exactMs = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * SECOND_MS;
  if (wholeDays + exactMs / DAY_MS > MAX_DURATION_DAYS) return null;
  return { days: factor * wholeDays, exactMs: factor * exactMs };
}

/** `YYYY-MM-DDTHH:MM:SS` of a wall-clock time. */
export function isoLocal(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 19);
}

/** `YYYY-MM-DD` of a wall-clock time. */
export function isoDate(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 10);
}

/** `YYYYMMDDTHHMMSS` of a wall-clock time. */
export function basicLocal(wallMs: number): string {
  const iso = isoLocal(wallMs);
  return iso.slice(0, 4) + iso.slice(5, 7) + iso.slice(8, 13) + iso.slice(14, 16) + iso.slice(17, 19);
}

/** `YYYYMMDD` of a wall-clock time. */
export function basicDate(wallMs: number): string {
  return basicLocal(wallMs).slice(0, 8);
}
