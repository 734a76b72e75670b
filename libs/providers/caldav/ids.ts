import type { CalendarCollection } from './dav/contract.js';
import { comparablePath, requestPath, withTrailingSlash } from './dav/hrefs.js';

// Ids are computed from paths, never stored: base64url of the comparable path, with `~` for `_`, which separates the
// date of an instance id. Ids omit the host, because iCloud moves accounts between hosts.

/** Prefix of an object outside its calendar's path, followed by the whole path. No name contains this byte. */
const OUTSIDE = '\u0000';
const MAX_ID_LENGTH = 2_048;

/** @param path comparable path of a collection, with or without trailing slash */
export function calendarIdOfPath(path: string): string {
  return encode(withTrailingSlash(path));
}

/** Returns the comparable path with trailing slash; null for an invalid id. */
export function pathOfCalendarId(calendarId: string): string | null {
  const path = decode(calendarId);
  return path !== null && path.endsWith('/') && isPath(path) ? path : null;
}

/** Returns null for anything but a direct member or an object elsewhere. @param path comparable */
export function eventIdOfPath(collection: CalendarCollection, path: string): string | null {
  const base = collectionPath(collection);
  if (path.endsWith('/') || `${path}/` === base) return null;
  if (!path.startsWith(base)) return encode(OUTSIDE + path);
  const name = path.slice(base.length);
  return name.includes('/') ? null : encode(name);
}

/** Returns the request path of an event; null for an invalid id. */
export function hrefOfEventId(collection: CalendarCollection, eventId: string): string | null {
  const decoded = decode(eventId);
  if (decoded === null) return null;
  if (decoded.startsWith(OUTSIDE)) {
    const path = decoded.slice(OUTSIDE.length);
    const isOutside = isPath(path) && !path.endsWith('/') && !path.startsWith(collectionPath(collection));
    return isOutside ? requestPath(path) : null;
  }
  return isSegment(decoded) ? withTrailingSlash(collection.href) + requestPath(decoded) : null;
}

/** Splits `<seriesId>_<date>` at the last `_`; `instanceDate` is null for a series or single event. */
export function splitEventId(id: string): { eventId: string; instanceDate: string | null } {
  const [, eventId, instanceDate] = /^(.*)_(\d{8}(?:T\d{6}Z?)?)$/s.exec(id) ?? [];
  return eventId === undefined || instanceDate === undefined
    ? { eventId: id, instanceDate: null }
    : { eventId, instanceDate };
}

function collectionPath({ href }: CalendarCollection): string {
  return withTrailingSlash(comparablePath(href.replace(/[?#].*$/s, '')));
}

function encode(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url').replaceAll('_', '~');
}

/** Accepts only the spelling that `encode` produces, so that an object has one id. */
function decode(id: string): string | null {
  if (id === '' || id.length > MAX_ID_LENGTH || !/^[A-Za-z0-9~-]+$/.test(id)) return null;
  const text = Buffer.from(id.replaceAll('~', '_'), 'base64url').toString('utf8');
  return encode(text) === id ? text : null;
}

// eslint-disable-next-line no-control-regex -- no path that a server gave has control characters once resolved
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Requires the comparable form without dot segments, backslashes or queries, which resolving would change. */
function isPath(path: string): boolean {
  if (!path.startsWith('/') || path.startsWith('//') || CONTROL.test(path)) return false;
  const segments = path.slice(1).replace(/\/$/, '').split('/');
  return path === '/' || segments.every((segment) => segment === '' || isSegment(segment));
}

function isSegment(segment: string): boolean {
  const isName = !['', '.', '..'].includes(segment) && !segment.includes('/');
  return isName && !CONTROL.test(segment) && comparablePath(segment) === segment;
}
