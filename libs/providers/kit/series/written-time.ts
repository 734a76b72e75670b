import { textOf } from '../events/json.js';

const FOUR_CENTURIES_MS = 146_097 * 86_400_000;
const DATE_LENGTH = 'YYYY-MM-DD'.length;
const LOCAL_LENGTH = 'YYYY-MM-DDTHH:MM:SS'.length;
const ZERO = '0'.charCodeAt(0);
const UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;

/** `Date.UTC` milliseconds of `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM:SS`; null for a day or time that does not exist. */
export function wallMsOf(text: string): number | null {
  // Parses digits for speed; `Date.parse` also takes the 30th of February for a day in March.
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hasTime = text.length > DATE_LENGTH;
  const hours = hasTime ? twoDigits(text, 11) : 0;
  const minutes = hasTime ? twoDigits(text, 14) : 0;
  const seconds = hasTime ? twoDigits(text, 17) : 0;
  if (month < 1 || month > 12 || day < 1 || hours > 23 || minutes > 59 || seconds > 59) return null;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  // Computed 400 years later, because `Date.UTC` takes the years before 100 for those from 1900.
  const ms = Date.UTC(year + 400, month - 1, day, hours, minutes, seconds) - FOUR_CENTURIES_MS;
  return day > 28 && new Date(ms).getUTCDate() !== day ? null : ms;
}

/** Returns an RFC 3339 instant as `YYYY-MM-DDTHH:MM:SSZ`; undefined for anything else. */
export function readInstant(value: unknown): string | undefined {
  const text = textOf(value) ?? '';
  const toTheSecond = text.slice(0, LOCAL_LENGTH);
  if (UTC.test(text) && wallMsOf(toTheSecond) !== null) return `${toTheSecond}Z`;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : `${new Date(ms).toISOString().slice(0, LOCAL_LENGTH)}Z`;
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
}
