import { createHash } from 'node:crypto';
import { isFullEvent, type BoundedWindow, type EventItem, type EventQuery, type ListOccurrences } from '#domain';
import { matchesQuery, overlaps, recordOf, sortKey } from '#providers/kit/events';
import { DAY_MS } from '#providers/kit/series';
import { type ComparedView, type ShownItem, MAX_WALK, tooMuch } from '#providers/kit/sync';
import { toCalendarEvent } from './event-mapper.js';
import { findSeries } from './find-event.js';
import { instancesIn, piecesOf, rangeQuery, type InstantRange } from './instances.js';
import { fetchSeries, MAX_GRAPH_PAGE, pathIn, snapshotScope, walk, type OpenCalendar } from './open-calendar.js';
import { readInstance, readOutlookEvent, type OutlookEvent } from './outlook-event.js';
import { EXPAND_OWN } from './own-properties.js';

/** A list with both bounds, expanded or not. */
export type WindowQuery = EventQuery & { window: BoundedWindow };

export function windowView(calendar: OpenCalendar, query: WindowQuery): ComparedView {
  return {
    scope: snapshotScope(calendar),
    async items() {
      const events = await eventsIn(calendar, widened(query.window));
      const shown = query.expandRecurrences ? events.instances : unexpanded(calendar, events, query.window);
      return shownOf(calendar, shown, query, query.orderBy);
    },
  };
}

/** The instances of one series; a single event is an instance of itself. A series that is gone has none. */
export function occurrencesView(
  calendar: OpenCalendar,
  eventId: string,
  query: ListOccurrences['query'],
): ComparedView {
  return {
    scope: snapshotScope(calendar),
    async items() {
      const event = await findSeries(calendar, eventId);
      if (event === null) return [];
      const events = event.isSeries ? await instancesIn(calendar, event, widened(query.window)) : [event];
      return shownOf(calendar, events, { ...query, expandRecurrences: true }, query.orderBy ?? 'startDateTime');
    },
  };
}

/**
 * A day wider on both sides: Graph takes an all-day event for one of UTC. What is in the window is judged here, with days
 * lived in the calendar's zone.
 */
export function widened({ startMs, endMs }: BoundedWindow): InstantRange {
  return { startMs: startMs - DAY_MS, endMs: endMs + DAY_MS };
}

interface ViewedEvents {
  /** Single events and all instances, changed or not. */
  instances: OutlookEvent[];
  series: Map<string, OutlookEvent>;
}

async function eventsIn(calendar: OpenCalendar, range: InstantRange): Promise<ViewedEvents> {
  // What takes place in two pieces is in both.
  const rows = new Map<unknown, unknown>();
  for (const piece of piecesOf(range)) {
    const query = { ...rangeQuery(piece), $top: String(MAX_GRAPH_PAGE), $expand: EXPAND_OWN };
    const call = { method: 'GET', path: pathIn(calendar, 'calendarView'), query } as const;
    const read = await walk(calendar, () => calendar.connection.call('read', call));
    for (const row of read.rows) rows.set(recordOf(row)['id'], row);
    if (rows.size > MAX_WALK) throw tooMuch();
  }
  const seriesIds = new Set([...rows.values()].flatMap((row) => seriesIdOf(row) ?? []));
  const series = await fetchSeries(calendar, [...seriesIds]);
  const instances = new Map<string, OutlookEvent>();
  for (const row of rows.values()) {
    const event = readRow(calendar, row, series);
    if (event !== null) instances.set(event.id, event);
  }
  return { instances: [...instances.values()], series };
}

function readRow(calendar: OpenCalendar, row: unknown, series: ViewedEvents['series']): OutlookEvent | null {
  const seriesId = seriesIdOf(row);
  if (seriesId === null) return readOutlookEvent(row, calendar.timeZone);
  // A series that is gone since takes its instances with it.
  const owner = series.get(seriesId);
  return owner === undefined ? null : readInstance(row, owner, calendar.timeZone);
}

/** Single events, changed instances, and the series that have an instance in the window. */
function unexpanded(
  calendar: OpenCalendar,
  { instances, series }: ViewedEvents,
  window: BoundedWindow,
): OutlookEvent[] {
  const inWindow = instances.filter((event) => isIn(calendar, event, window));
  const alive = new Set(inWindow.flatMap(({ seriesId }) => seriesId ?? []));
  return [
    ...inWindow.filter(({ seriesId, isChanged }) => seriesId === null || isChanged),
    ...[...series.values()].filter(({ id }) => alive.has(id)),
  ];
}

function shownOf(
  calendar: OpenCalendar,
  events: readonly OutlookEvent[],
  query: WindowQuery,
  order: EventQuery['orderBy'],
): ShownItem[] {
  const byId = new Map<string, ShownItem>();
  for (const event of events) {
    // An event that says nowhere when it is must not cost the caller the rest of the list.
    if (event.start === null || !(event.isSeries || isIn(calendar, event, query.window))) continue;
    const item = toCalendarEvent(event, calendar);
    if (!matchesQuery(item, query)) continue;
    byId.set(item.id, { item, key: sortKey(item, order, calendar.timeZone), version: versionOf(item) });
  }
  return [...byId.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
}

function isIn({ timeZone }: OpenCalendar, { start, end }: OutlookEvent, window: BoundedWindow): boolean {
  return start !== null && overlaps({ start, end: end ?? start }, window, timeZone);
}

/**
 * Of all that is shown: an instance changes with its series, a series with every instance that is deleted, and the tags
 * of Graph do not tell of either.
 */
function versionOf(item: EventItem): string {
  const { calendarTimeZone: _calendarTimeZone, ...shown } = isFullEvent(item)
    ? item
    : { ...item, calendarTimeZone: '' };
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 16);
}

function seriesIdOf(row: unknown): string | null {
  const { seriesMasterId, type } = recordOf(row);
  return typeof seriesMasterId === 'string' && (type === 'occurrence' || type === 'exception') ? seriesMasterId : null;
}
