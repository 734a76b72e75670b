import { wallOfText, zoneNamed } from '../../time-zones.js';
import { invalidParameter, invalidProperty, unknownTimeZone } from './errors.js';

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** A wall-clock time, as in request and response bodies. */
export interface DateTimeTimeZone {
  /** Without offset; seven decimals in responses. */
  dateTime: string;
  /** Windows name or IANA id. */
  timeZone: string;
}

const LOCAL = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(:\d{2})?(?:\.\d{1,7})?$/;
const INSTANT = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(:\d{2})?(?:\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?)?$/i;

/** @returns tz database id @throws GraphErrorResponse 400 `TimeZoneNotSupportedException` */
export function zoneOf(name: string): string {
  const zone = zoneNamed(name);
  if (zone === null) throw unknownTimeZone(name);
  return zone;
}

/** Returns `Date.UTC` milliseconds of the fields. @throws GraphErrorResponse 400 */
export function wallOf({ dateTime }: DateTimeTimeZone): number {
  const [, date, time, seconds = ':00'] = LOCAL.exec(dateTime) ?? [];
  const wallMs = wallOfText(`${date}T${time}${seconds}`);
  if (wallMs === null) throw invalidProperty('The DateTime value is not valid.');
  return wallMs;
}

/** Formats a time of a response: seven decimals, no offset. */
export function formatWall(wallMs: number): string {
  return `${new Date(wallMs).toISOString().slice(0, 19)}.0000000`;
}

/** Formats a timestamp such as `createdDateTime`. */
export function formatStamp(instantMs: number): string {
  return `${new Date(instantMs).toISOString().slice(0, -1)}0000Z`;
}

export function formatDate(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 10);
}

export function parseDate(date: string): number {
  const dayMs = wallOfText(date);
  if (dayMs === null) throw invalidProperty('The date is not valid.');
  return dayMs;
}

/** Reads a bound of a window; UTC without an offset. @throws GraphErrorResponse 400 */
export function instantParameter(query: Readonly<Record<string, string>>, name: string): number {
  const text = query[name];
  if (text === undefined) {
    throw invalidParameter(`This request requires a time window specified by the query string parameter ${name}.`);
  }
  const [, date, time = '00:00', seconds = ':00', offset = 'Z'] = INSTANT.exec(text) ?? [];
  const wallMs = wallOfText(`${date}T${time}${seconds}`);
  if (wallMs === null) throw invalidParameter(`The value of ${name} is not valid.`);
  return wallMs - offsetOf(offset);
}

function offsetOf(offset: string): number {
  if (offset.toUpperCase() === 'Z') return 0;
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
}
