import { parseTimeValue, wallMsOf } from '../ics-time.js';
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

/** What a DATE or DATE-TIME text says by itself; TZID stands in a parameter. */
export type WallForm = 'date' | 'utc' | 'local';

export interface WallValue {
  form: WallForm;
  /** Wall-clock time as `Date.UTC` milliseconds of its fields; midnight for a date. */
  wallMs: number;
}

const ZERO = 48;
const T = 84;
const Z = 90;

/**
 * The value of a DATE or DATE-TIME, in numbers. The two forms that RFC 5545 has are read without a string in between:
 * one calendar has tens of thousands of them. Whatever else `parseTimeValue` understands is left to it.
 *
 * @returns null when it is no time that exists
 */
export function parseWallValue(text: string): WallValue | null {
  const length = text.length;
  if (length === 15 || length === 16 || length === 8) {
    const year = digits(text, 0, 4);
    const month = digits(text, 4, 2);
    const day = digits(text, 6, 2);
    if (year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)) {
      const midnight = dayNumber(year, month, day) * DAY_MS;
      if (length === 8) return { form: 'date', wallMs: midnight };
      const hour = digits(text, 9, 2);
      const minute = digits(text, 11, 2);
      const second = digits(text, 13, 2);
      if (
        text.charCodeAt(8) === T &&
        hour <= 23 &&
        minute <= 59 &&
        second <= 59 &&
        (length === 15 || text.charCodeAt(15) === Z)
      ) {
        const wallMs = midnight + hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS;
        return { form: length === 16 ? 'utc' : 'local', wallMs };
      }
    }
  }
  const time = parseTimeValue(text);
  if (time === null) return null;
  const form = time.kind === 'date' || time.kind === 'utc' ? time.kind : 'local';
  return { form, wallMs: wallMsOf(time) };
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

/** `YYYYMMDDTHHMMSS` of a wall-clock time. */
export function basicLocal(wallMs: number): string {
  return `${dateText(wallMs, '')}T${timeText(wallMs, '')}`;
}

/** `YYYYMMDD` of a wall-clock time. */
export function basicDate(wallMs: number): string {
  return dateText(wallMs, '');
}

/** `YYYY-MM-DDTHH:MM:SS` of a wall-clock time: `localOf`, for tens of thousands of them. */
export function extendedLocal(wallMs: number): string {
  return `${dateText(wallMs, '-')}T${timeText(wallMs, ':')}`;
}

/** `YYYY-MM-DD` of a wall-clock time. */
export function extendedDate(wallMs: number): string {
  return dateText(wallMs, '-');
}

const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));

function dateText(wallMs: number, separator: string): string {
  const { year, month, dayOfMonth } = civilDay(dayOfWall(wallMs));
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
