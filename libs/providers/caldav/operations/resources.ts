import { createHash } from 'node:crypto';
import { calendarQuery, collectionQuery, DAVNamespace, DAVNamespaceShort, getDAVAttribute } from 'tsdav';
import type { BoundedWindow, TimeWindow } from '#domain/events';
import { parseTimeValue, textOfOctets, wallMsOf } from '#icalendar';
import { Pace } from '#platform/event-loop';
import { inFittingBatches, isResponseTooLarge } from '#providers/kit/calls';
import { sortedById } from '#providers/kit/sync';
import { RESOURCE_TYPE } from '../collection-properties.js';
import type { DavCalendarHandle } from '../account-client.js';
import type { CalendarCollection, DavResponse, Multistatus } from '../dav/contract.js';
import { DavStatusError, orIfRejected } from '../dav/dav-errors.js';
import { xmlText, type XmlContent } from '../dav/built-request.js';
import { utcStamp } from '../events/object-writer.js';
import { eventIdOfPath } from '../ids.js';

const ETAG = '{DAV:}getetag';
const LAST_MODIFIED = '{DAV:}getlastmodified';
const CALENDAR_DATA = '{urn:ietf:params:xml:ns:caldav}calendar-data';

export const LISTED_PROPERTIES = { 'd:getetag': {} };
export const OBJECT_PROPERTIES = { 'd:getetag': {}, 'd:getlastmodified': {}, 'c:calendar-data': {} };
const MULTIGET_BATCH = 50;
const PARALLEL_MULTIGETS = 2;
/** Servers may use another zone for floating and all-day items (RFC 4791 §7.3): queries are wider, results filtered. */
const WIDEN_MS = 26 * 3_600_000;
/** Replace open ends, because servers require both bounds. */
const FAR_FUTURE_MS = Date.UTC(2200, 0, 1);
const LONG_AGO_MS = Date.UTC(1900, 0, 1);

export interface ListedResource {
  id: string;
  href: string;
  /** As sent; null when the server sends none. */
  etag: string | null;
  /** The object, when the listing brought it. */
  content?: ObjectContent;
}

interface ObjectContent {
  text: string;
  /** HTTP date as sent, when known. */
  lastModified?: string | undefined;
}

export interface LoadedResource extends ListedResource, ObjectContent {
  unreadable?: string;
}

export function fingerprint(resource: LoadedResource): string {
  return resource.etag ?? `body:${createHash('sha256').update(resource.text).digest('base64url')}`;
}

/**
 * Lists resources with events in the window, in bytewise order of their ids. Servers may reject a time-range beyond
 * their limits (RFC 4791 §7.8); {@link listBeyondLimits} queries that part.
 */
export async function listResources(
  calendar: DavCalendarHandle,
  window: TimeWindow,
  withBodies = false,
): Promise<ListedResource[]> {
  if (isUnbounded(window)) return listEvents(calendar, {}, withBodies);
  const asked = widened(window);
  const { lowestMs, highestMs } = limitsOf(calendar.collection);
  return listRange(calendar, Math.max(asked.startMs, lowestMs), Math.min(asked.endMs, highestMs), withBodies);
}

/** Cyrus reports 32-bit limits but keeps all events. @throws DavStatusError when the server rejects the range */
export async function listBeyondLimits(calendar: DavCalendarHandle, window: TimeWindow): Promise<ListedResource[]> {
  if (isUnbounded(window)) return [];
  const { startMs, endMs } = widened(window);
  const { lowestMs, highestMs } = limitsOf(calendar.collection);
  return [
    ...(await listRange(calendar, startMs, Math.min(endMs, lowestMs))),
    ...(await listRange(calendar, Math.max(startMs, highestMs), endMs)),
  ];
}

async function listRange(
  calendar: DavCalendarHandle,
  startMs: number,
  endMs: number,
  withBodies = false,
): Promise<ListedResource[]> {
  if (endMs <= startMs) return [];
  const range = { start: utcStamp(startMs), end: utcStamp(endMs) };
  return listEvents(calendar, { 'time-range': { _attributes: range } }, withBodies);
}

export function listWithProperty(calendar: DavCalendarHandle, name: 'RRULE' | 'RDATE'): Promise<ListedResource[]> {
  return listEvents(calendar, { 'prop-filter': { _attributes: { name } } });
}

/** @param condition part of a comp-filter (RFC 4791 §9.7.1) @param withBodies asks for the bodies, too */
export async function listEvents(
  { connection: { client }, collection }: DavCalendarHandle,
  condition: XmlContent,
  withBodies = false,
): Promise<ListedResource[]> {
  const events = { _attributes: { name: 'VEVENT' }, ...condition };
  const filters = { 'comp-filter': { _attributes: { name: 'VCALENDAR' }, 'comp-filter': events } };
  const { responses } = await client.report(collection.href, '1', (to) =>
    calendarQuery({ ...to, props: withBodies ? OBJECT_PROPERTIES : LISTED_PROPERTIES, filters }),
  );
  return toListed(collection, responses);
}

/** Returns the object resources, without the collection itself, sub-collections and foreign hrefs. */
export async function toListed(collection: CalendarCollection, responses: DavResponse[]): Promise<ListedResource[]> {
  const byId = new Map<string, ListedResource>();
  const pace = new Pace();
  for (const response of responses) {
    await pace.step();
    // A 404 in a propstat is only a missing property (RFC 6578 §3.5).
    const { status } = response;
    const isRemoved = status !== null && (status < 200 || status > 299);
    const id = response.path === null || isRemoved ? null : eventIdOfPath(collection, response.path);
    if (id === null || (response.properties.get(RESOURCE_TYPE)?.children.length ?? 0) > 0) continue;
    const etag = response.properties.get(ETAG)?.text.trim() || null;
    const content = contentOf(response);
    byId.set(id, {
      id,
      href: detached(response.href),
      etag: etag === null ? null : detached(etag),
      ...(content !== null && { content }),
    });
  }
  return sortedById([...byId.values()], pace);
}

function contentOf({ properties }: DavResponse): ObjectContent | null {
  const text = properties.get(CALENDAR_DATA)?.text;
  return text === undefined ? null : { text, lastModified: properties.get(LAST_MODIFIED)?.text.trim() };
}

/** Copies a text, because a substring keeps the whole response in memory. */
function detached(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

/**
 * Loads resources in order, skips deleted ones, and holds few responses in memory.
 * @param expected number of resources that the caller probably needs
 */
export async function* loadResources(
  calendar: DavCalendarHandle,
  resources: readonly ListedResource[],
  expected = resources.length,
): AsyncGenerator<LoadedResource[]> {
  const batchSize = Math.min(MULTIGET_BATCH, Math.max(expected, 1));
  const parallel = expected > MULTIGET_BATCH ? PARALLEL_MULTIGETS : 1;
  const running: Promise<LoadedResource[]>[] = [];
  try {
    for (let next = 0; next < resources.length || running.length > 0;) {
      while (running.length < parallel && next < resources.length) {
        const batch = loadBatch(calendar, resources.slice(next, next + batchSize));
        // The loop awaits this failure later; until then it must not count as unhandled.
        batch.catch(() => undefined);
        running.push(batch);
        next += batchSize;
      }
      yield await running.shift()!;
    }
  } finally {
    // A consumer that stops early leaves running reads, whose failures are irrelevant.
    await Promise.allSettled(running);
  }
}

/** Some servers fail the whole report with 404 or 403 when one href is gone. */
const NO_MULTIGET: ReadonlySet<number> = new Set([403, 404, 501]);

async function loadBatch(calendar: DavCalendarHandle, batch: readonly ListedResource[]): Promise<LoadedResource[]> {
  const without = batch.filter(({ content }) => content === undefined);
  const read = new Map((await readBatch(calendar, without)).map((resource) => [resource.id, resource]));
  return batch.flatMap(({ content, ...resource }) =>
    content === undefined ? (read.get(resource.id) ?? []) : { ...resource, ...content },
  );
}

async function readBatch(calendar: DavCalendarHandle, batch: readonly ListedResource[]): Promise<LoadedResource[]> {
  if (batch.length === 0) return [];
  if (calendar.collection.supportsMultiget === false) return loadOneByOne(calendar, batch);
  return inFittingBatches(batch, (some) => readAtOnce(calendar, some));
}

async function readAtOnce(calendar: DavCalendarHandle, batch: readonly ListedResource[]): Promise<LoadedResource[]> {
  const { collection } = calendar;
  const asked = orIfRejected(multiget(calendar, batch), null, NO_MULTIGET);
  // A single object that is too large is skipped.
  const multistatus = await (batch.length === 1 ? unlessTooLarge(asked) : asked);
  if (multistatus === null) return loadOneByOne(calendar, batch);
  const found = new Map<string, LoadedResource>();
  for (const response of multistatus.responses) {
    const { path, href, properties } = response;
    const id = path === null ? null : eventIdOfPath(collection, path);
    const content = contentOf(response);
    if (id === null || content === null) continue;
    const etag = properties.get(ETAG)?.text.trim() || null;
    found.set(id, { id, href, etag, ...content });
  }
  // Omitted or 404 although just listed: it is gone, or the response is stale (iCloud). One GET decides.
  const missing = batch.filter(({ id }) => !found.has(id));
  for (const resource of await loadOneByOne(calendar, missing)) found.set(resource.id, resource);
  return batch.flatMap(({ id }) => found.get(id) ?? []);
}

function multiget(
  { connection: { client }, collection }: DavCalendarHandle,
  batch: readonly ListedResource[],
): Promise<Multistatus> {
  const query = {
    _attributes: getDAVAttribute([DAVNamespace.DAV, DAVNamespace.CALDAV]),
    'd:prop': OBJECT_PROPERTIES,
    // calendarMultiGet takes plain texts, which tsdav's writer processes three times as slowly (ADR 21).
    // Only paths, because iCloud rejects absolute URIs with 400.
    'd:href': batch.map(({ href }) => ({ _text: xmlText(href.replace(/^https?:\/\/[^/]*/i, '')) })),
  };
  return client.report(collection.href, '1', (to) =>
    collectionQuery({ ...to, defaultNamespace: DAVNamespaceShort.CALDAV, body: { 'calendar-multiget': query } }),
  );
}

async function loadOneByOne(
  { connection: { client } }: DavCalendarHandle,
  resources: readonly ListedResource[],
): Promise<LoadedResource[]> {
  const loaded: LoadedResource[] = [];
  for (const resource of resources) {
    const response = await client.get(resource.href).catch((error: unknown) => {
      if (isResponseTooLarge(error)) return null;
      throw error;
    });
    if (response === null) {
      // One large invitation must not cost the user the whole list (hardening N50).
      loaded.push({ ...resource, text: '', unreadable: 'it is larger than is read' });
      continue;
    }
    if (response.status === 404 || response.status === 410) continue;
    if (response.status !== 200) throw DavStatusError.of('GET', response);
    loaded.push({ ...resource, etag: response.etag ?? resource.etag, text: textOfOctets(response.body) });
  }
  return loaded;
}

/** Returns null for a response that is too large. */
export async function unlessTooLarge<T>(response: Promise<T>): Promise<T | null> {
  try {
    return await response;
  } catch (error) {
    if (isResponseTooLarge(error)) return null;
    throw error;
  }
}

function isUnbounded({ startMs, endMs }: TimeWindow): boolean {
  return startMs === null && endMs === null;
}

function widened({ startMs, endMs }: TimeWindow): BoundedWindow {
  return {
    startMs: startMs === null ? LONG_AGO_MS : Math.max(startMs - WIDEN_MS, LONG_AGO_MS),
    endMs: endMs === null ? FAR_FUTURE_MS : Math.min(endMs + WIDEN_MS, FAR_FUTURE_MS),
  };
}

/** min-date-time and max-date-time (RFC 4791 §5.2.6). */
function limitsOf({ minDateTime, maxDateTime }: CalendarCollection): { lowestMs: number; highestMs: number } {
  return { lowestMs: utcMsOf(minDateTime) ?? -Infinity, highestMs: utcMsOf(maxDateTime) ?? Infinity };
}

function utcMsOf(text: string | null): number | null {
  const time = parseTimeValue(text?.trim() ?? '');
  return time?.kind === 'utc' ? wallMsOf(time) : null;
}
