import type { EventItem, EventQuery, ListEvents, Page } from '#domain';
import { asksForContent, matchesQuery, overlaps, recordOf, RecurringSeries } from '#event-rules';
import { RecurrenceError } from '#icalendar';
import { readPlainCursor } from './cursors.js';
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

const START = { skip: 0, given: 0 };

/**
 * A page of the single events, series and changed instances of a calendar, in Graph's own order. Graph tells no changes
 * of these: there is no sync token at the end.
 * @throws DomainError ValidationFailed when too much has to be looked through, PageTokenInvalid
 */
export async function plainPage(
  calendar: OpenCalendar,
  { query, pageSize, page }: ListEvents,
): Promise<Page<EventItem>> {
  // One more than wanted, since a full page of Graph has a link to the next one even where nothing follows.
  const top = isSifted(query) ? MAX_GRAPH_PAGE : Math.min(pageSize + 1, MAX_GRAPH_PAGE);
  let { skip, given } = page === null ? START : readPlainCursor(page);
  const items: EventItem[] = [];
  for (let pages = 0; ; pages += 1) {
    const { rows, next } = await fetchPage(calendar, { $skip: String(skip), $top: String(top) });
    for (const shown of await shownOf(calendar, rows, query)) {
      const rest = shown.slice(given);
      const room = pageSize - items.length;
      items.push(...rest.slice(0, room));
      // Only an item that is known to follow makes another page.
      if (rest.length > room) return { items, nextPage: { kind: 'plain', skip, given: given + room }, nextSync: null };
      skip += 1;
      given = 0;
    }
    if (next === null || rows.length === 0) return { items, nextPage: null, nextSync: null };
    if (pages >= MAX_PAGES) throw tooMuch();
  }
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

async function fetchPage(calendar: OpenCalendar, place: Record<'$skip' | '$top', string>): Promise<GraphPage> {
  const call = { method: 'GET', path: pathIn(calendar, 'events'), query: { ...place, $expand: EXPAND_OWN } } as const;
  return readPage(calendar, await calendar.connection.call('read', call));
}

/** What is shown of each row: nothing, an event, or a series and its changed instances. */
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
      ? present.length > 0 || hasUntouchedInstance(calendar, event, exceptions, query)
      : isIn(calendar, event, query);
    return [...(isShown ? [event] : []), ...present]
      .map((one) => toCalendarEvent(one, calendar))
      .filter((item) => matchesQuery(item, query));
  });
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
