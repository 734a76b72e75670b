import type { BoundedWindow, ExtendedProperties, TimeWindow } from '#domain/events';
import { EVENT_ORDERS, type EventOrder, type EventQuery, type MetadataFilters } from '#domain/providers';
import { invalid } from '#domain/system';
import { ianaZoneArithmetic } from '#icalendar';
import { parseIsoDate, parseIsoDateTime, wallMsOf } from './iso-time.js';

/** Query of an event list. Types are checked, values are not. */
export interface EventQueryParameters {
  pageSize?: number;
  pageToken?: string;
  syncToken?: string;
  startDateTime?: string;
  endDateTime?: string;
  timeZone?: string;
  /** JSON text. */
  metadataFilters?: string;
  expandRecurrences?: boolean;
  search?: string;
  orderBy?: string;
  updatedAfter?: string;
  isAllDay?: boolean;
  isCancelled?: boolean;
  iCalUid?: string;
}

const MAX_PAGE_SIZE = 1000;
const MAX_METADATA_KEYS = 10;
const MAX_WINDOW_MS = 36_500 * 86_400_000;

/** Clamps larger sizes. @throws DomainError ValidationFailed below 1 */
export function readPageSize(pageSize: number | undefined, byDefault: number, max = MAX_PAGE_SIZE): number {
  const size = pageSize ?? byDefault;
  if (!Number.isInteger(size) || size < 1) throw invalid('pageSize', 'must be a whole number of at least 1');
  return Math.min(size, max);
}

/** @throws DomainError ValidationFailed */
export function readEventQuery(parameters: EventQueryParameters, requestedZone: string | null): EventQuery {
  const query = readParameters(parameters, requestedZone);
  const { window, expandRecurrences, orderBy } = query;
  checkWindow(window);
  if (expandRecurrences && (window.startMs === null || window.endMs === null)) {
    throw invalid('expandRecurrences', 'needs startDateTime and endDateTime');
  }
  if (orderBy !== null && !expandRecurrences) {
    throw invalid('orderBy', 'is only available with expandRecurrences=true');
  }
  return query;
}

/** Does not check combinations. @throws DomainError ValidationFailed */
export function readParameters(parameters: EventQueryParameters, requestedZone: string | null): EventQuery {
  const instant = (name: 'startDateTime' | 'endDateTime' | 'updatedAfter') => {
    const text = parameters[name];
    return text === undefined ? null : readInstant(name, text, requestedZone);
  };
  return {
    window: { startMs: instant('startDateTime'), endMs: instant('endDateTime') },
    expandRecurrences: parameters.expandRecurrences ?? false,
    search: emptyToNull(parameters.search),
    metadataFilters: readMetadataFilters(parameters.metadataFilters),
    orderBy: readOrder(parameters.orderBy),
    updatedAfterMs: instant('updatedAfter'),
    isAllDay: parameters.isAllDay ?? null,
    isCancelled: parameters.isCancelled ?? null,
    iCalUid: emptyToNull(parameters.iCalUid),
  };
}

/** Requires both bounds, and always expands. @throws DomainError ValidationFailed */
export function readOccurrencesQuery(
  parameters: EventQueryParameters,
  requestedZone: string | null,
): EventQuery & { window: BoundedWindow } {
  for (const name of ['startDateTime', 'endDateTime'] as const) {
    if (parameters[name] === undefined) throw invalid(name, 'is required');
  }
  const query = readEventQuery({ ...parameters, expandRecurrences: true }, requestedZone);
  return { ...query, window: query.window as BoundedWindow };
}

/** @throws DomainError ValidationFailed */
export function readBoundedWindow(
  { startDateTime, endDateTime }: { startDateTime: string; endDateTime: string },
  requestedZone: string | null,
): BoundedWindow {
  const window = {
    startMs: readInstant('startDateTime', startDateTime, requestedZone),
    endMs: readInstant('endDateTime', endDateTime, requestedZone),
  };
  checkWindow(window);
  return window;
}

function checkWindow({ startMs, endMs }: TimeWindow): void {
  if (endMs === null) return;
  if (startMs === null) throw invalid('endDateTime', 'is to be given together with startDateTime');
  if (endMs <= startMs) throw invalid('endDateTime', 'must be after startDateTime');
  if (endMs - startMs > MAX_WINDOW_MS) throw invalid('endDateTime', 'must be less than 100 years after startDateTime');
}

/** A + of a query is a space (application/x-www-form-urlencoded). */
const UNESCAPED_PLUS = /T\S+ \d{2}:?\d{2}$/i;

/** Reads an instant. Without an offset it is in the requested zone, else UTC. */
export function readInstant(path: string, text: string, requestedZone: string | null): number {
  const date = parseIsoDate(text);
  const parsed = date !== null ? { local: `${date}T00:00:00`, offsetMinutes: null } : parseIsoDateTime(text);
  if (parsed === null) {
    const hint = UNESCAPED_PLUS.test(text) ? '; write + as %2B in a URL' : '';
    throw invalid(path, `must be an ISO 8601 date-time between the years 1900 and 2199${hint}`);
  }
  const wallMs = wallMsOf(parsed.local);
  if (parsed.offsetMinutes !== null) return wallMs - parsed.offsetMinutes * 60_000;
  if (requestedZone === null) return wallMs;
  return ianaZoneArithmetic(requestedZone).toInstant(wallMs) ?? wallMs;
}

function readOrder(orderBy: string | undefined): EventOrder | null {
  if (orderBy === undefined) return null;
  const order = EVENT_ORDERS.find((known) => known === orderBy);
  if (order === undefined) throw invalid('orderBy', `must be ${EVENT_ORDERS.join(' or ')}`);
  return order;
}

function readMetadataFilters(text: string | undefined): MetadataFilters | null {
  if (text === undefined || text === '') return null;
  let filters: unknown;
  try {
    filters = JSON.parse(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw invalid('metadataFilters', 'must be a JSON object');
  }
  if (!isPlainObject(filters)) throw invalid('metadataFilters', 'must be a JSON object of strings');
  const scoped = isPlainObject(filters['private']) || isPlainObject(filters['public']);
  if (scoped && Object.keys(filters).some((key) => key !== 'private' && key !== 'public')) {
    throw invalid('metadataFilters', 'holds "private" and "public" only, or plain keys only');
  }
  const read: MetadataFilters = scoped
    ? { any: {}, private: readStrings(filters['private']), public: readStrings(filters['public']) }
    : { any: readStrings(filters), private: {}, public: {} };
  const keys = [read.any, read.private, read.public].flatMap((part) => Object.keys(part)).length;
  if (keys > MAX_METADATA_KEYS) throw invalid('metadataFilters', `must not have more than ${MAX_METADATA_KEYS} keys`);
  return keys === 0 ? null : read;
}

function readStrings(value: unknown): ExtendedProperties {
  if (value === undefined) return {};
  if (!isPlainObject(value)) throw invalid('metadataFilters', 'must be a JSON object of strings');
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => {
      if (typeof entry !== 'string')
        throw invalid('metadataFilters', `the value of "${key.slice(0, 64)}" must be a string`);
      return [key, entry];
    }),
  );
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function emptyToNull(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}
