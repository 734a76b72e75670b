import { parseTimeValue } from './ics-time.js';
import type { IcsProperty, IcsTime } from './model.js';

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
  const tzid = property.parameter('TZID');
  return property.value
    .split(',')
    .map((value) => parsePeriod(value, tzid))
    .filter((period) => period !== null);
}

/** Avoids the negative zero. */
function signed(sign: number, amount: number): number {
  return amount === 0 ? 0 : sign * amount;
}
