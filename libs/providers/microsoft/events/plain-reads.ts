import { createHash } from 'node:crypto';
import type { EventItem } from '#domain/events';
import type { EventQuery, ListEvents, Page } from '#domain/providers';
import type { JsonValue } from '#domain/system';
import { asksForContent, matchesQuery, overlaps, recordOf } from '#providers/kit/events';
import { hasUntouchedInstance } from '#providers/kit/series';
import { areTexts, cursorFields, tokenForeign, tooMuch, type ListPage } from '#providers/kit/sync';
import { MAX_GRAPH_PAGE } from '../account-client.js';
import { toCalendarEvent } from './event-mapper.js';
import { seriesExceptions } from './instances.js';
import { fetchSeries, pathIn, readPage, type OutlookCalendarHandle } from './open-calendar.js';
import { readOutlookEvent } from './outlook-event.js';
import { EXPAND_OWN } from './own-properties.js';

/** Maximum pages of Graph per page of ours. */
const MAX_PAGES = 40;
/** Characters of a page of ours, once an answer was too large; then it is short. */
const MAX_TEXT = 16 * 1024 * 1024;

/** A stable order: changes move no event, and new events come last. */
const ORDER = { $orderby: 'createdDateTime' };
/**
 * Events to read again before each page to find its place, because deletions move later events up. When all of these
 * are gone, the search goes further back.
 */
const OVERLAP = 16;
const FURTHER = MAX_GRAPH_PAGE - OVERLAP;
/** Enough to distinguish neighbours. */
const DIGEST_DIGITS = 8;

interface PlainCursor {
  kind: 'plain';
  skip: number;
  /** Digests of the last ids before this place, because deletions move it. */
  done: string[];
  /** A partly returned series, and its last returned id. */
  open: { event: string; after: string } | null;
}

/**
 * Pages through single events, series and changed instances, oldest first. Returns no sync token: Graph reports no
 * changes of such a list.
 * @throws DomainError ValidationFailed for too many events, PageTokenInvalid
 */
export async function plainPage(
  calendar: OutlookCalendarHandle,
  { query, pageSize, page }: ListEvents,
): Promise<Page<EventItem>> {
  // One more than wanted: Graph links from a full page to the next one even when nothing follows.
  const top = isSifted(query) ? MAX_GRAPH_PAGE : Math.min(pageSize + 1, MAX_GRAPH_PAGE);
  let { skip, done, open } = page === null ? { skip: 0, done: [], open: null } : readCursor(page);
  const items: EventItem[] = [];
  let length = 0;
  for (let pages = 0; ; pages += 1) {
    const read = await rowsFrom(calendar, { skip, done }, top);
    skip = read.skip;
    const shown = await shownOf(calendar, read.rows, query);
    for (const [at, row] of read.rows.entries()) {
      const event = digestOf(row);
      const after = open?.event === event ? open.after : null;
      const rest = (shown[at] ?? []).filter(({ id }) => after === null || id > after);
      const room = pageSize - items.length;
      items.push(...rest.slice(0, room));
      if (rest.length > room) {
        // Only a known further item makes a next page.
        const last = rest[room - 1]?.id ?? after;
        const begun = last === null ? null : { event, after: last };
        return { items, nextPage: { kind: 'plain', skip, done, open: begun }, nextSync: null };
      }
      skip += 1;
      done = [...done, event].slice(-OVERLAP);
      if (after !== null) open = null;
    }
    if (read.isLast) return { items, nextPage: null, nextSync: null };
    length += calendar.connection.pageSize.lengthOf(read.rows);
    if (length > MAX_TEXT && items.length > 0) {
      return { items, nextPage: { kind: 'plain', skip, done, open: null }, nextSync: null };
    }
    if (pages >= MAX_PAGES) throw tooMuch();
  }
}

/**
 * Finds the events after `done`. When all of `done` are gone, the list starts again: callers can detect a repeated
 * event, but not a missing one.
 */
async function rowsFrom(
  calendar: OutlookCalendarHandle,
  { skip, done }: Pick<PlainCursor, 'skip' | 'done'>,
  top: number,
) {
  const known = new Set(done);
  for (let from = Math.max(0, skip - OVERLAP); ; from = Math.max(0, from - FURTHER)) {
    const size = Math.min(top + OVERLAP, MAX_GRAPH_PAGE);
    const isNear = from >= skip - OVERLAP;
    const wanted = done.length === 0 ? top : isNear ? size : MAX_GRAPH_PAGE;
    const { rows, next } = await fetchPage(calendar, { skip: from, top: wanted });
    const at = rows.findLastIndex((row) => known.has(digestOf(row)));
    const isLast = next === null || rows.length === 0;
    if (at !== -1 || from === 0) return { rows: rows.slice(at + 1), skip: from + at + 1, isLast };
  }
}

function digestOf(row: unknown): string {
  return createHash('sha256')
    .update(String(recordOf(row)['id']))
    .digest('base64url')
    .slice(0, DIGEST_DIGITS);
}

/** Whether one shown event may take many reads. */
function isSifted(query: EventQuery): boolean {
  const { window, iCalUid, isCancelled } = query;
  return (
    asksForContent(query) ||
    window.startMs !== null ||
    window.endMs !== null ||
    iCalUid !== null ||
    isCancelled !== null
  );
}

async function fetchPage(
  calendar: OutlookCalendarHandle,
  { skip, top }: { skip: number; top: number },
): Promise<ListPage<unknown>> {
  const path = pathIn(calendar, 'events');
  const { connection } = calendar;
  return connection.pageSize.fitting(async (size) => {
    // A page of the overlap alone would lead nowhere.
    const $top = String(Math.min(top, Math.max(size, OVERLAP + 1)));
    const query = { $skip: String(skip), $top, ...ORDER, $expand: EXPAND_OWN };
    return readPage(calendar, await connection.call('read', { method: 'GET', path, query }));
  });
}

/** Items shown for each row: none, an event, or a series with its changed instances; ordered by id. */
async function shownOf(
  calendar: OutlookCalendarHandle,
  rows: readonly unknown[],
  query: EventQuery,
): Promise<EventItem[][]> {
  const seriesIds = rows.map(recordOf).flatMap(({ type, id }) => (type === 'seriesMaster' ? [String(id)] : []));
  const series = await fetchSeries(calendar, seriesIds);
  const changed = Map.groupBy(await seriesExceptions(calendar, ...series.values()), ({ seriesId }) => seriesId);
  return rows.map((row) => {
    const event = series.get(String(recordOf(row)['id'])) ?? readOutlookEvent(row, calendar.timeZone);
    // Skips series that were deleted in between, and events without a time.
    if (event.start === null || (event.isSeries && !series.has(event.id))) return [];
    const exceptions = changed.get(event.id) ?? [];
    const present = exceptions.filter((exception) => overlaps(exception, query.window, calendar.timeZone));
    const isShown = event.isSeries
      ? present.length > 0 || hasUntouchedInstance(event, exceptions, query.window, calendar.timeZone)
      : overlaps(event, query.window, calendar.timeZone);
    return [...(isShown ? [event] : []), ...present]
      .map((one) => toCalendarEvent(one, calendar))
      .filter((item) => matchesQuery(item, query))
      .sort((one, other) => (one.id < other.id ? -1 : 1));
  });
}

function readCursor(value: JsonValue): PlainCursor {
  const { kind, skip, done, open } = cursorFields(value);
  const isCount = Number.isSafeInteger(skip) && (skip as number) >= 0;
  if (kind !== 'plain' || !isCount || !areTexts(done) || open === undefined) throw tokenForeign();
  return { kind, skip: skip as number, done, open: readOpen(open) };
}

function readOpen(value: JsonValue): PlainCursor['open'] {
  if (value === null) return null;
  const { event, after } = cursorFields(value);
  if (typeof event !== 'string' || typeof after !== 'string') throw tokenForeign();
  return { event, after };
}
