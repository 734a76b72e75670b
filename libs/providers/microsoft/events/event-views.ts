import { createHash } from 'node:crypto';
import type { BoundedWindow, CalendarEvent } from '#domain/events';
import type { EventQuery, ListOccurrences } from '#domain/providers';
import { matchesQuery, overlaps, recordOf, sortKey } from '#providers/kit/events';
import { DAY_MS } from '#providers/kit/series';
import { type SnapshotView, type SnapshotItem, MAX_WALK, snapshotScope, tooMuch } from '#providers/kit/sync';
import { toCalendarEvent } from './event-mapper.js';
import { findLiveSeries, findSeries } from './find-event.js';
import { instancesIn, viewPieces, rangeQuery } from './instances.js';
import { fetchSeries, pathIn, readList, type OutlookCalendarHandle } from './open-calendar.js';
import { readInstance, readOutlookEvent, type OutlookEvent } from './outlook-event.js';
import { EXPAND_OWN } from './own-properties.js';

export type WindowQuery = EventQuery & { window: BoundedWindow };

export function windowView(calendar: OutlookCalendarHandle, query: WindowQuery): SnapshotView {
  return {
    scope: snapshotScope(calendar),
    hasOutline: false,
    async items() {
      const events = await eventsIn(calendar, widened(query.window));
      const shown = query.expandRecurrences ? events.instances : unexpanded(calendar, events, query.window);
      return shownOf(calendar, shown, query, query.orderBy);
    },
  };
}

/**
 * Instances of one series. A single event is its own instance.
 * @param isSync whether an event that is gone has no instances; otherwise reads of it throw NotFound
 */
export function occurrencesView(
  calendar: OutlookCalendarHandle,
  eventId: string,
  query: ListOccurrences['query'],
  isSync: boolean,
): SnapshotView {
  return {
    scope: snapshotScope(calendar),
    hasOutline: false,
    async items() {
      const event = await (isSync ? findSeries(calendar, eventId) : findLiveSeries(calendar, eventId));
      if (event === null) return [];
      const events = event.isSeries ? await instancesIn(calendar, event, widened(query.window)) : [event];
      return shownOf(calendar, events, { ...query, expandRecurrences: true }, query.orderBy ?? 'startDateTime');
    },
  };
}

/** A day wider on both sides: Graph reads all-day events in UTC, {@link shownOf} in the calendar's zone. */
export function widened({ startMs, endMs }: BoundedWindow): BoundedWindow {
  return { startMs: startMs - DAY_MS, endMs: endMs + DAY_MS };
}

interface ViewedEvents {
  /** Single events and all instances. */
  instances: OutlookEvent[];
  series: Map<string, OutlookEvent>;
}

async function eventsIn(calendar: OutlookCalendarHandle, range: BoundedWindow): Promise<ViewedEvents> {
  // By id, because two pieces may hold the same event.
  const rows = new Map<unknown, unknown>();
  for (const piece of viewPieces(range)) {
    const query = { ...rangeQuery(piece), $expand: EXPAND_OWN };
    const read = await readList(calendar, pathIn(calendar, 'calendarView'), query);
    for (const row of read.rows) rows.set(recordOf(row)['id'], row);
    if (rows.size > MAX_WALK) throw tooMuch();
  }
  const seriesIds = new Set([...rows.values()].flatMap((row) => seriesIdOf(row) ?? []));
  const series = await fetchSeries(calendar, [...seriesIds]);
  const instances = new Map<string, OutlookEvent>();
  for (const row of rows.values()) {
    const seriesId = seriesIdOf(row);
    const owner = seriesId === null ? undefined : series.get(seriesId);
    // A series that was deleted in between takes its instances with it.
    if (seriesId !== null && owner === undefined) continue;
    const event =
      owner === undefined ? readOutlookEvent(row, calendar.timeZone) : readInstance(row, owner, calendar.timeZone);
    if (event !== null) instances.set(event.id, event);
  }
  return { instances: [...instances.values()], series };
}
function unexpanded(calendar: OutlookCalendarHandle, { instances, series }: ViewedEvents, window: BoundedWindow) {
  const inWindow = instances.filter((event) => overlaps(event, window, calendar.timeZone));
  const alive = new Set(inWindow.flatMap(({ seriesId }) => seriesId ?? []));
  return [
    ...inWindow.filter(({ seriesId, isChanged }) => seriesId === null || isChanged),
    ...[...series.values()].filter(({ id }) => alive.has(id)),
  ];
}

function shownOf(
  calendar: OutlookCalendarHandle,
  events: readonly OutlookEvent[],
  query: WindowQuery,
  order: EventQuery['orderBy'],
): SnapshotItem[] {
  const byId = new Map<string, SnapshotItem>();
  for (const event of events) {
    // An event without a time must not fail the list.
    if (event.start === null || !(event.isSeries || overlaps(event, query.window, calendar.timeZone))) continue;
    const item = toCalendarEvent(event, calendar);
    if (!matchesQuery(item, query)) continue;
    byId.set(item.id, { item, key: sortKey(item, order, calendar.timeZone), version: versionOf(item) });
  }
  return [...byId.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
}

/** Digest of the shown item: Graph's tags ignore changed and deleted instances of a series. */
function versionOf({ calendarTimeZone: _calendarTimeZone, ...shown }: CalendarEvent): string {
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 16);
}

function seriesIdOf(row: unknown): string | null {
  const { seriesMasterId, type } = recordOf(row);
  return typeof seriesMasterId === 'string' && (type === 'occurrence' || type === 'exception') ? seriesMasterId : null;
}
