import type { calendar_v3 } from '@googleapis/calendar';
import { isFullEvent, type EventItem, type ExtendedProperties } from '#domain/events';
import type { EventQuery, ListOccurrences } from '#domain/providers';
import { matchesQuery, overlaps, sortKey } from '#providers/kit/events';
import { DAY_MS, formatInstant, hasUntouchedInstance, splitInstanceId } from '#providers/kit/series';
import { snapshotScope, type SnapshotView, type Extent, type SnapshotItem } from '#providers/kit/sync';
import { toEventItem } from './event-mapper.js';
import type { GoogleEvent } from './google-event.js';
import {
  listEvents,
  listInstances,
  MAX_GOOGLE_PAGE,
  walk,
  fetchEvent,
  type GoogleCalendarHandle,
} from './open-calendar.js';

const OUTLINE =
  'nextPageToken,items(id,etag,status,updated,start,end,recurrence,recurringEventId,originalStartTime,iCalUID,' +
  'summary,extendedProperties)';

export function listView(calendar: GoogleCalendarHandle, query: EventQuery): SnapshotView {
  return {
    scope: snapshotScope(calendar),
    async items(extent) {
      const parameters = {
        ...nativeFilters(query),
        ...pageParameters(query, extent),
        singleEvents: query.expandRecurrences,
      };
      const { rows } = await walk((pageToken) => listEvents(calendar, { ...parameters, pageToken }));
      return shownOf(calendar, rows, query, query.orderBy);
    },
  };
}

/** Instances of one series. A single event is its own instance. A deleted series has none. */
export function occurrencesView(
  calendar: GoogleCalendarHandle,
  eventId: string,
  query: ListOccurrences['query'],
): SnapshotView {
  return {
    scope: snapshotScope(calendar),
    async items(extent) {
      const event = await seriesNamedBy(calendar, eventId);
      if (event === null || event.isCancelled) return [];
      const parameters = { eventId: event.id, ...pageParameters(query, extent) };
      const events =
        event.recurrence.length === 0
          ? [event]
          : (await walk((pageToken) => listInstances(calendar, { ...parameters, pageToken }))).rows;
      return shownOf(calendar, events, query, query.orderBy ?? 'startDateTime');
    },
  };
}

async function seriesNamedBy(calendar: GoogleCalendarHandle, eventId: string): Promise<GoogleEvent | null> {
  const event = await fetchEvent(calendar, eventId);
  const seriesId = event === null ? splitInstanceId(eventId)?.seriesId : (event.seriesId ?? undefined);
  return seriesId === undefined ? event : fetchEvent(calendar, seriesId);
}

function shownOf(
  calendar: GoogleCalendarHandle,
  events: readonly GoogleEvent[],
  query: EventQuery,
  order: EventQuery['orderBy'],
): SnapshotItem[] {
  const { facts } = calendar;
  const byId = new Map<string, SnapshotItem>();
  const exceptions = Map.groupBy(events, ({ seriesId }) => seriesId);
  for (const event of events) {
    for (const item of toEventItem(event, facts)) {
      const isShown =
        matchesQuery(item, query) && isInWindow(event, item, exceptions.get(event.id) ?? [], query, facts);
      if (!isShown) continue;
      byId.set(event.id, { item, key: sortKey(item, order, facts.timeZone), version: versionOf(event) });
    }
  }
  return [...byId.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
}

/** A series counts by its instances, a cancelled event by its original time. */
function isInWindow(
  event: GoogleEvent,
  item: EventItem,
  exceptions: readonly GoogleEvent[],
  { window }: EventQuery,
  { timeZone }: GoogleCalendarHandle['facts'],
): boolean {
  if (window.startMs === null && window.endMs === null) return true;
  const { originalStart } = event;
  if (!isFullEvent(item)) {
    const span = { start: originalStart ?? event.start, end: originalStart ?? event.end };
    return overlaps(span, window, timeZone);
  }
  if (!item.isRecurring) return overlaps(item, window, timeZone);
  return (
    exceptions.some((exception) => !exception.isCancelled && overlaps(exception, window, timeZone)) ||
    hasUntouchedInstance(event, exceptions, window, timeZone)
  );
}

function versionOf({ etag, raw }: GoogleEvent): string {
  return etag ?? (typeof raw.updated === 'string' ? raw.updated : '');
}

/** A day wider on both sides: {@link isInWindow} handles all-day and empty events in the calendar's zone. */
function pageParameters({ window: { startMs, endMs }, isCancelled }: EventQuery, extent: Extent) {
  return {
    ...(startMs !== null && { timeMin: formatInstant(startMs - DAY_MS) }),
    ...(endMs !== null && { timeMax: formatInstant(endMs + DAY_MS) }),
    ...(isCancelled === true && { showDeleted: true }),
    maxResults: MAX_GOOGLE_PAGE,
    ...(extent === 'outline' && { fields: OUTLINE }),
  };
}

/** Filters without false negatives. Google's search matches words only; its `updatedMin` adds deleted events. */
function nativeFilters({ iCalUid, metadataFilters }: EventQuery): Partial<calendar_v3.Params$Resource$Events$List> {
  // Google's `name=value` cannot express a name with `=`.
  const constraints = (properties: ExtendedProperties = {}) =>
    Object.entries(properties).flatMap(([key, value]) => (key.includes('=') ? [] : [`${key}=${value}`]));
  const privateExtendedProperty = constraints(metadataFilters?.private);
  const sharedExtendedProperty = constraints(metadataFilters?.public);
  return {
    ...(iCalUid !== null && { iCalUID: iCalUid }),
    ...(privateExtendedProperty.length > 0 && { privateExtendedProperty }),
    ...(sharedExtendedProperty.length > 0 && { sharedExtendedProperty }),
  };
}
