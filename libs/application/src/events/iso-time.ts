import { invalid } from '#domain/system';
import { ianaZone } from '#icalendar';

export interface IsoDateTime {
  /** `YYYY-MM-DDTHH:MM:SS` */
  local: string;
  /** Minutes. null when not written. */
  offsetMinutes: number | null;
}

const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(?:([Zz])|([+-])(\d{2}):?(\d{2}))?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** Providers are unreliable beyond these years, and window arithmetic stays far from every limit. */
const FIRST_YEAR = 1900;
const LAST_YEAR = 2199;

/** ISO 8601 date-time of an existing day, 1900 to 2199, else null. A leap second becomes :59. */
export function parseIsoDateTime(text: string): IsoDateTime | null {
  const match = DATE_TIME.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second = '00', zulu, sign, offsetHour = '0', offsetMinute = '0'] = match;
  const date = parseIsoDate(`${year}-${month}-${day}`);
  if (date === null || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return null;
  if (Number(offsetHour) > 18 || Number(offsetMinute) > 59) return null;
  const magnitude = Number(offsetHour) * 60 + Number(offsetMinute);
  return {
    local: `${date}T${hour}:${minute}:${second === '60' ? '59' : second}`,
    offsetMinutes: zulu !== undefined ? 0 : sign === undefined ? null : sign === '-' ? -magnitude : magnitude,
  };
}

/** Returns the date, or null unless it is an existing day, 1900 to 2199. */
export function parseIsoDate(text: string): string | null {
  if (!DATE.test(text)) return null;
  const year = Number(text.slice(0, 4));
  if (year < FIRST_YEAR || year > LAST_YEAR) return null;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? text : null;
}

/** Instant of an ISO 8601 date (its beginning in UTC) or date-time with an offset; null for other text. */
export function parseIsoInstant(text: string): Date | null {
  if (!/^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text)) return null;
  // `new Date` reads 30 February as 2 March.
  if (parseIsoDate(text.slice(0, 10)) === null) return null;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Wall-clock time as `Date.UTC` milliseconds. */
export function wallMsOf(local: string): number {
  return Date.parse(`${local}Z`);
}

/** `YYYY-MM-DDTHH:MM:SS` of {@link wallMsOf} milliseconds. */
export function localOf(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 19);
}

/** `Z` or `±HH:MM`. */
export function formatOffset(minutes: number): string {
  if (minutes === 0) return 'Z';
  const magnitude = Math.abs(minutes);
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(magnitude / 60))}:${pad(magnitude % 60)}`;
}

/** `YYYY-MM-DDTHH:MM:SSZ` */
export function formatInstant(ms: number): string {
  return `${localOf(ms)}Z`;
}

/** Keeps aliases, maps Windows names. @throws DomainError ValidationFailed */
export function readTimeZone(path: string, name: string): string {
  const timeZone = name.length > 200 ? null : ianaZone(name);
  if (timeZone === null) throw invalid(path, `"${name.slice(0, 64)}" is not a known time zone`);
  return timeZone;
}
