import type { CalendarApiRequest } from '../contract.js';
import { tzDatabaseName } from '../../time-zones.js';
import { parseInstant } from './event-time.js';
import { conditionNotMet, invalid, timeRangeEmpty } from './errors.js';

export function textParameter({ query }: CalendarApiRequest, name: string): string | undefined {
  const value = query[name];
  return typeof value === 'string' ? value : undefined;
}

export function flagParameter({ query }: CalendarApiRequest, name: string): boolean | undefined {
  const value = query[name];
  return typeof value === 'boolean' ? value : undefined;
}

export function numberParameter({ query }: CalendarApiRequest, name: string): number | undefined {
  const value = query[name];
  return typeof value === 'number' ? value : undefined;
}

export function listParameter({ query }: CalendarApiRequest, name: string): readonly string[] {
  const value = query[name];
  if (typeof value === 'string') return [value];
  return typeof value === 'object' ? value : [];
}

/** `maxResults`, limited to the largest page. */
export function pageSizeOf(request: CalendarApiRequest, usual: number, largest: number): number {
  return Math.min(numberParameter(request, 'maxResults') ?? usual, largest);
}

/** @throws GoogleErrorResponse 400 unless it is an RFC 3339 instant with offset */
export function instantParameter(request: CalendarApiRequest, name: string): number | null {
  const text = textParameter(request, name);
  if (text === undefined) return null;
  const instantMs = parseInstant(text);
  if (instantMs === null) throw invalid(`Invalid value for: ${name}.`, name);
  return instantMs;
}

/** `timeMin` and `timeMax`. @throws GoogleErrorResponse 400 `invalid`, `timeRangeEmpty` */
export function boundsOf(request: CalendarApiRequest): { minMs: number | null; maxMs: number | null } {
  const minMs = instantParameter(request, 'timeMin');
  const maxMs = instantParameter(request, 'timeMax');
  if (minMs !== null && maxMs !== null && minMs >= maxMs) throw timeRangeEmpty('timeMax');
  return { minMs, maxMs };
}

/** Returns the zone of the times in the response. @throws GoogleErrorResponse 400 */
export function timeZoneOf(timeZone: string | null | undefined, otherwise: string): string {
  if (timeZone == null) return otherwise;
  const name = tzDatabaseName(timeZone);
  if (name === null) throw invalid('Invalid time zone value.', 'timeZone');
  return name;
}

/** @throws GoogleErrorResponse 412 for another version */
export function checkIfMatch({ headers }: CalendarApiRequest, etag: string): void {
  const condition = headers['if-match'];
  if (condition !== undefined && !includesEtag(condition, etag)) throw conditionNotMet();
}

/** True when the client has this version (`If-None-Match`). */
export function isUnchanged({ headers }: CalendarApiRequest, etag: string): boolean {
  const condition = headers['if-none-match'];
  return condition !== undefined && includesEtag(condition, etag);
}

function includesEtag(condition: string, etag: string): boolean {
  return condition.split(',').some((part) => part.trim() === '*' || part.trim().replace(/^W\//, '') === etag);
}

/**
 * Fingerprint of the parameters that all pages of a list must share.
 * @param without parameters that may differ
 */
export function fingerprintOf({ query }: CalendarApiRequest, without: readonly string[]): string {
  const kept = Object.entries(query).filter(([name]) => !without.includes(name));
  return JSON.stringify(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
}
