import { localOf, parseTimeValue, wallMsOf } from '../ics-time.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, dayNumber, daysInMonth } from './civil.js';

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
  const iso = localOf(wallMs);
  return iso.slice(0, 4) + iso.slice(5, 7) + iso.slice(8, 13) + iso.slice(14, 16) + iso.slice(17, 19);
}

/** `YYYYMMDD` of a wall-clock time. */
export function basicDate(wallMs: number): string {
  return basicLocal(wallMs).slice(0, 8);
}
