import { createHash } from 'node:crypto';
import type { EventItem, EventQuery, JsonValue, ListEvents, Page } from '#domain';
import { asksForContent, matchesQuery, overlaps, recordOf } from '#providers/kit/events';
import { hasUntouchedInstance } from '#providers/kit/series';
import { areTexts, cursorFields, tokenForeign, tooMuch, type ListPage } from '#providers/kit/sync';
import { toCalendarEvent } from './event-mapper.js';
import { changedInstances } from './instances.js';
import { fetchSeries, MAX_GRAPH_PAGE, pathIn, readPage, type OpenCalendar } from './open-calendar.js';
import { readOutlookEvent, type OutlookEvent } from './outlook-event.js';
import { EXPAND_OWN } from './own-properties.js';

/** Pages of Graph that one of ours may look through for events that a filter lets pass. */
const MAX_PAGES = 40;

/** An order that no change of an event moves; without one Graph promises none. What is new comes last. */
const ORDER = { $orderby: 'createdDateTime' };
/**
 * Events that are read once more before each page, to find where it goes on: Graph counts, and what is deleted meanwhile
 * moves all later events up. Further back where even these are gone.
 */
const OVERLAP = 16;
const FURTHER = MAX_GRAPH_PAGE - OVERLAP;
/** Digits of a digest that tell neighbours apart. */
const DIGEST_DIGITS = 8;

/** Where a page of a list without both bounds goes on. */
interface PlainCursor {
  kind: 'plain';
  /** Events of Graph that are done with. */
  skip: number;
  /** The last of those, by short digests of their ids: where they are now, others have gone or come before them. */
  done: string[];
  /** A series after them that was shown in part, with its changed instances: the id of the last item that was given out. */
  open: { event: string; after: string } | null;
}

/** Where a read is among Graph's events. */
type Place = Pick<PlainCursor, 'skip' | 'done'>;

/**
 * A page of the single events, series and changed instances of a calendar, oldest first. Graph tells no changes of these:
 * there is no sync token at the end.
 * @throws DomainError ValidationFailed when too much has to be looked through, PageTokenInvalid
 */
export async function plainPage(
  calendar: OpenCalendar,
  { query, pageSize, page }: ListEvents,
): Promise<Page<EventItem>> {
  // One more than wanted, since a full page of Graph has a link to the next one even where nothing follows.
  const top = isSifted(query) ? MAX_GRAPH_PAGE : Math.min(pageSize + 1, MAX_GRAPH_PAGE);
  let { skip, done, open } = page === null ? { skip: 0, done: [], open: null } : readCursor(page);
  const items: EventItem[] = [];
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
        // Only an item that is known to follow makes another page.
        const last = rest[room - 1]?.id ?? after;
        const begun = last === null ? null : { event, after: last };
        return { items, nextPage: { kind: 'plain', skip, done, open: begun }, nextSync: null };
      }
      skip += 1;
      done = [...done, event].slice(-OVERLAP);
      if (after !== null) open = null;
    }
    if (read.isLast) return { items, nextPage: null, nextSync: null };
    if (pages >= MAX_PAGES) throw tooMuch();
  }
}

/**
 * The events after those that are done with, wherever those are by now. When all of them that are known are gone the list
 * begins anew: an event that comes twice can be told, one that is missing cannot.
 */
async function rowsFrom(
  calendar: OpenCalendar,
  { skip, done }: Place,
  top: number,
): Promise<{ rows: readonly unknown[]; skip: number; isLast: boolean }> {
  const known = new Set(done);
  for (let from = Math.max(0, skip - OVERLAP); ; from = Math.max(0, from - FURTHER)) {
    const size = Math.min(top + OVERLAP, MAX_GRAPH_PAGE);
    const isNear = from >= skip - OVERLAP;
    const $top = String(done.length === 0 ? top : isNear ? size : MAX_GRAPH_PAGE);
    const { rows, next } = await fetchPage(calendar, { $skip: String(from), $top });
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

/** Whether many events may have to be read for one that is shown. */
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

async function fetchPage(calendar: OpenCalendar, place: Record<'$skip' | '$top', string>): Promise<ListPage<unknown>> {
  const call = {
    method: 'GET',
    path: pathIn(calendar, 'events'),
    query: { ...place, ...ORDER, $expand: EXPAND_OWN },
  } as const;
  return readPage(calendar, await calendar.connection.call('read', call));
}

/** What is shown of each row, in the order of ids: nothing, an event, or a series and its changed instances. */
async function shownOf(calendar: OpenCalendar, rows: readonly unknown[], query: EventQuery): Promise<EventItem[][]> {
  const seriesIds = rows.map(recordOf).flatMap(({ type, id }) => (type === 'seriesMaster' ? [String(id)] : []));
  const series = await fetchSeries(calendar, seriesIds);
  const changed = Map.groupBy(await changedInstances(calendar, ...series.values()), ({ seriesId }) => seriesId);
  return rows.map((row) => {
    const event = series.get(String(recordOf(row)['id'])) ?? readOutlookEvent(row, calendar.timeZone);
    // A series that is gone since is not shown; one that says nowhere when it is neither.
    if (event.start === null || (event.isSeries && !series.has(event.id))) return [];
    const exceptions = changed.get(event.id) ?? [];
    const present = exceptions.filter((exception) => isIn(calendar, exception, query));
    const isShown = event.isSeries
      ? present.length > 0 || hasUntouchedInstance(event, exceptions, query.window, calendar.timeZone)
      : isIn(calendar, event, query);
    return [...(isShown ? [event] : []), ...present]
      .map((one) => toCalendarEvent(one, calendar))
      .filter((item) => matchesQuery(item, query))
      .sort((one, other) => (one.id < other.id ? -1 : 1));
  });
}

function isIn({ timeZone }: OpenCalendar, { start, end }: OutlookEvent, { window }: EventQuery): boolean {
  return start !== null && overlaps({ start, end: end ?? start }, window, timeZone);
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
