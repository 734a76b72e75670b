import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  civilDay,
  dayNumber,
  dayOfWall,
  daysInMonth,
  timeOfWall,
} from './civil.js';

/** Form of a DATE or DATE-TIME text, without its TZID. */
export type WallForm = 'date' | 'utc' | 'local';

export interface WallValue {
  form: WallForm;
  /** Wall-clock time as `Date.UTC` milliseconds of its fields; midnight for a date. */
  wallMs: number;
}

const ZERO = 48;
const SMALL_T = 0x74;
const SMALL_Z = 0x7a;
const LOWER_CASE = 0x20;

/**
 * Parses a DATE or DATE-TIME (RFC 5545 §3.3.4, §3.3.5) to numbers, because one calendar has tens of thousands. Also
 * accepts lower-case `t` and `z`, missing seconds, the extended ISO 8601 form, blanks around it, and second 60 (as 59).
 * @returns null for a time that does not exist, such as 30 February or the year 0
 */
export function parseWallValue(text: string): WallValue | null {
  const value = text.length === 8 || text.length === 15 || text.length === 16 ? text : text.trim();
  const basic = value.includes('-') || value.includes(':') ? value.replace(/[-:]/g, '') : value;
  const year = digits(basic, 0, 4);
  const month = digits(basic, 4, 2);
  const day = digits(basic, 6, 2);
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  const midnight = dayNumber(year, month, day) * DAY_MS;
  if (basic.length === 8) return { form: 'date', wallMs: midnight };

  const isUtc = (basic.charCodeAt(basic.length - 1) | LOWER_CASE) === SMALL_Z;
  const end = isUtc ? basic.length - 1 : basic.length;
  if ((basic.charCodeAt(8) | LOWER_CASE) !== SMALL_T || (end !== 15 && end !== 13)) return null;
  const hour = digits(basic, 9, 2);
  const minute = digits(basic, 11, 2);
  const second = end === 13 ? 0 : digits(basic, 13, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return null;
  const wallMs = midnight + hour * HOUR_MS + minute * MINUTE_MS + Math.min(second, 59) * SECOND_MS;
  return { form: isUtc ? 'utc' : 'local', wallMs };
}

/** Returns -1 when a character is no digit. */
export function digits(text: string, start: number, count: number): number {
  let value = 0;
  for (let index = start; index < start + count; index++) {
    const digit = text.charCodeAt(index) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** `YYYYMMDDTHHMMSS` of a wall-clock time. */
export function basicLocal(wallMs: number): string {
  return `${dateText(wallMs, '')}T${timeText(wallMs, '')}`;
}

export function basicDate(wallMs: number): string {
  return dateText(wallMs, '');
}

/** `YYYY-MM-DDTHH:MM:SS` of a wall-clock time. */
export function localOf(wallMs: number): string {
  return `${dateOf(wallMs)}T${timeText(wallMs, ':')}`;
}

/** `YYYY-MM-DD` of a wall-clock time. */
export function dateOf(wallMs: number): string {
  return dateText(wallMs, '-');
}

const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));

function dateText(wallMs: number, separator: string): string {
  const { year, month, dayOfMonth } = civilDay(dayOfWall(wallMs));
  // A year of six digits. Date throws for what is no time.
  if (!(year >= 0 && year <= 9_999)) return new Date(wallMs).toISOString().split('T')[0]!.replaceAll('-', separator);
  const century = Math.floor(year / 100);
  return (
    TWO_DIGITS[century]! +
    TWO_DIGITS[year - century * 100]! +
    separator +
    TWO_DIGITS[month]! +
    separator +
    TWO_DIGITS[dayOfMonth]!
  );
}

function timeText(wallMs: number, separator: string): string {
  const seconds = Math.floor(timeOfWall(wallMs) / SECOND_MS);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return (
    TWO_DIGITS[hours]! + separator + TWO_DIGITS[minutes - hours * 60]! + separator + TWO_DIGITS[seconds - minutes * 60]!
  );
}
