import { isFullEvent, type EventItem, type EventQuery, type ListEvents, type Page } from '#domain';
import { asksForContent, matchesQuery, overlaps, recordOf, RecurringSeries } from '#event-rules';
import { RecurrenceError } from '#icalendar';
import { readPlainCursor, type PlainCursor } from './cursors.js';
import { toCalendarEvent } from './event-mapper.js';
import { changedInstances } from './instances.js';
import { EXPAND_OWN } from './own-properties.js';
import {
  fetchSeries,
  MAX_GRAPH_PAGE,
  pathIn,
  readPage,
  tooMuch,
  type GraphPage,
  type OpenCalendar,
} from './open-calendar.js';
import { readOutlookEvent, type OutlookEvent } from './outlook-event.js';

/** Pages of Graph that one of ours may look through for events that a filter lets pass. */
const MAX_PAGES = 40;

/**
 * A page of the single events, series and changed instances of a calendar, in Graph's own order. Graph tells no changes
 * of these: there is no sync token at the end.
 * @throws DomainError ValidationFailed when too much has to be looked through, PageTokenInvalid
 */
export async function plainPage(
  calendar: OpenCalendar,
  { query, pageSize, page }: ListEvents,
): Promise<Page<EventItem>> {
  const start = page === null ? firstCursor(query, pageSize) : readPlainCursor(page);
  const items: EventItem[] = [];
  for (let at = start, pages = 0; ; pages += 1) {
    const graph = await fetchPage(calendar, at);
    const shown = await shownOf(calendar, graph.rows, query);
    const room = pageSize - items.length;
    const rest = shown.slice(at.given);
    items.push(...rest.slice(0, room));
    // Only an item that is known to follow makes another page.
    if (rest.length > room) return next(items, { ...at, given: at.given + room });
    if (graph.next === null) return { items, nextPage: null, nextSync: null };
    if (pages >= MAX_PAGES) throw tooMuch();
    at = { ...at, state: graph.next, given: 0 };
  }
}

function next(items: EventItem[], cursor: PlainCursor): Page<EventItem> {
  return { items, nextPage: { ...cursor }, nextSync: null };
}

function firstCursor(query: EventQuery, pageSize: number): PlainCursor {
  const isFiltered =
    asksForContent(query) || query.window.startMs !== null || query.iCalUid !== null || query.isCancelled !== null;
  return { kind: 'plain', state: null, size: isFiltered ? MAX_GRAPH_PAGE : pageSize, given: 0 };
}

async function fetchPage(calendar: OpenCalendar, { state, size }: PlainCursor): Promise<GraphPage> {
  const { connection } = calendar;
  const query = { $top: String(Math.min(size, MAX_GRAPH_PAGE)), $expand: EXPAND_OWN };
  const call = { method: 'GET', path: pathIn(calendar, 'events'), query } as const;
  return readPage(calendar, state === null ? await connection.call('read', call) : await connection.follow(state));
}

async function shownOf(calendar: OpenCalendar, rows: readonly unknown[], query: EventQuery): Promise<EventItem[]> {
  const seriesIds = rows.map(recordOf).flatMap(({ type, id }) => (type === 'seriesMaster' ? [String(id)] : []));
  const series = await fetchSeries(calendar, seriesIds);
  const changed = Map.groupBy(await changedInstances(calendar, ...series.values()), ({ seriesId }) => seriesId);
  const shown: EventItem[] = [];
  for (const row of rows) {
    const event = series.get(String(recordOf(row)['id'])) ?? readOutlookEvent(row, calendar.timeZone);
    // A series that is gone since is not shown; one that says nowhere when it is neither.
    if (event?.start == null || (event.isSeries && !series.has(event.id))) continue;
    const exceptions = changed.get(event.id) ?? [];
    const present = exceptions.filter((exception) => isIn(calendar, exception, query));
    const isShown = event.isSeries
      ? present.length > 0 || hasUntouchedInstance(calendar, event, exceptions, query)
      : isIn(calendar, event, query);
    for (const one of [...(isShown ? [event] : []), ...present]) shown.push(toCalendarEvent(one, calendar));
  }
  return shown.filter((item) => isFullEvent(item) && matchesQuery(item, query));
}

function isIn({ timeZone }: OpenCalendar, { start, end }: OutlookEvent, { window }: EventQuery): boolean {
  return start !== null && overlaps({ start, end: end ?? start }, window, timeZone);
}

function hasUntouchedInstance(
  { timeZone }: OpenCalendar,
  series: OutlookEvent,
  exceptions: readonly OutlookEvent[],
  { window }: EventQuery,
): boolean {
  if (window.startMs === null && window.endMs === null) return true;
  const touched = exceptions.flatMap(({ originalStart }) => originalStart ?? []);
  try {
    return RecurringSeries.of(series, timeZone, touched)?.occursIn(window) ?? true;
  } catch (error) {
    // A pattern that only Outlook understands: nothing says that it is not in the window.
    if (error instanceof RecurrenceError) return true;
    throw error;
  }
}
