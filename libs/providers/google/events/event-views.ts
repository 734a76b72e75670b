import type { calendar_v3 } from '@googleapis/calendar';
import {
  isFullEvent,
  type EventItem,
  type EventOrder,
  type EventQuery,
  type ExtendedProperties,
  type ListOccurrences,
  type TimeWindow,
} from '#domain';
import { matchesQuery, overlaps, sortKey } from '#providers/kit/events';
import { DAY_MS, formatInstant, hasUntouchedInstance, splitInstanceId } from '#providers/kit/series';
import type { ComparedView, ShownItem } from '#providers/kit/sync';
import { toEventItem } from './event-mapper.js';
import { listEvents, listInstances, MAX_GOOGLE_PAGE, walk } from './event-pages.js';
import type { GoogleEvent } from './google-event.js';
import { fetchEvent, snapshotScope, type OpenCalendar } from './open-calendar.js';

const OUTLINE =
  'nextPageToken,items(id,etag,status,updated,start,end,recurrence,recurringEventId,originalStartTime,iCalUID,' +
  'summary,extendedProperties)';

/** A list of events, expanded or not, in a window or not. */
export function listView(calendar: OpenCalendar, query: EventQuery): ComparedView {
  return {
    scope: snapshotScope(calendar),
    async items(extent) {
      const parameters = {
        ...nativeFilters(query),
        ...widened(query.window),
        singleEvents: query.expandRecurrences,
        ...withCancelled(query),
        maxResults: MAX_GOOGLE_PAGE,
        ...(extent === 'outline' && { fields: OUTLINE }),
      };
      const { rows } = await walk((pageToken) => listEvents(calendar, { ...parameters, pageToken }));
      return shownOf(calendar, rows, query, query.orderBy);
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
    async items(extent) {
      const event = await seriesNamedBy(calendar, eventId);
      if (event === null || event.isCancelled) return [];
      const parameters = {
        eventId: event.id,
        ...widened(query.window),
        ...withCancelled(query),
        maxResults: MAX_GOOGLE_PAGE,
        ...(extent === 'outline' && { fields: OUTLINE }),
      };
      const events =
        event.recurrence.length === 0
          ? [event]
          : (await walk((pageToken) => listInstances(calendar, { ...parameters, pageToken }))).rows;
      return shownOf(calendar, events, query, query.orderBy ?? 'startDateTime');
    },
  };
}

/** The series or single event of an id, which may be that of an instance. */
async function seriesNamedBy(calendar: OpenCalendar, eventId: string): Promise<GoogleEvent | null> {
  const event = await fetchEvent(calendar, eventId);
  const seriesId = event === null ? splitInstanceId(eventId)?.seriesId : (event.seriesId ?? undefined);
  return seriesId === undefined ? event : fetchEvent(calendar, seriesId);
}

function shownOf(
  calendar: OpenCalendar,
  events: readonly GoogleEvent[],
  query: EventQuery,
  order: EventOrder | null,
): ShownItem[] {
  const { facts } = calendar;
  const byId = new Map<string, ShownItem>();
  const exceptions = Map.groupBy(events, ({ seriesId }) => seriesId);
  for (const event of events) {
    for (const item of toEventItem(event, facts)) {
      const isShown =
        matchesQuery(item, query) &&
        isInWindow(event, item, exceptions.get(event.id) ?? [], query.window, facts.timeZone);
      if (!isShown) continue;
      byId.set(event.id, { item, key: sortKey(item, order, facts.timeZone), version: versionOf(event) });
    }
  }
  return [...byId.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
}

/** A series is in a window when one of its instances is; what does not take place, when it would have been. */
function isInWindow(
  event: GoogleEvent,
  item: EventItem,
  exceptions: readonly GoogleEvent[],
  window: TimeWindow,
  calendarZone: string,
): boolean {
  if (window.startMs === null && window.endMs === null) return true;
  if (!isFullEvent(item)) {
    const start = event.originalStart ?? event.start;
    const end = event.originalStart ?? event.end ?? start;
    return start !== null && end !== null && overlaps({ start, end }, window, calendarZone);
  }
  if (!item.isRecurring) return overlaps(item, window, calendarZone);
  const isExceptionInWindow = exceptions.some(
    ({ isCancelled, start, end }) =>
      !isCancelled && start !== null && overlaps({ start, end: end ?? start }, window, calendarZone),
  );
  return isExceptionInWindow || hasUntouchedInstance(event, exceptions, window, calendarZone);
}

/** What stays the same as long as an event does. */
function versionOf({ etag, raw }: GoogleEvent): string {
  return etag ?? (typeof raw.updated === 'string' ? raw.updated : '');
}

/**
 * Google's own window, a day wider on both sides: what is in the window is judged here, with days lived in the
 * calendar's zone and events of no length, of which Google says nothing.
 */
function widened({ startMs, endMs }: TimeWindow): { timeMin?: string; timeMax?: string } {
  return {
    ...(startMs !== null && { timeMin: formatInstant(startMs - DAY_MS) }),
    ...(endMs !== null && { timeMax: formatInstant(endMs + DAY_MS) }),
  };
}

/**
 * What Google can narrow down by itself without missing anything. Its text search goes by words, ours by any part of a
 * title; its `updatedMin` shows deleted events, too.
 */
function nativeFilters({ iCalUid, metadataFilters }: EventQuery): Partial<calendar_v3.Params$Resource$Events$List> {
  const privateExtendedProperty = constraints(metadataFilters?.private);
  const sharedExtendedProperty = constraints(metadataFilters?.public);
  return {
    ...(iCalUid !== null && { iCalUID: iCalUid }),
    ...(privateExtendedProperty.length > 0 && { privateExtendedProperty }),
    ...(sharedExtendedProperty.length > 0 && { sharedExtendedProperty }),
  };
}

/** Google leaves out what was deleted, unless it is asked for. */
function withCancelled({ isCancelled }: EventQuery): { showDeleted?: true } {
  return isCancelled === true ? { showDeleted: true } : {};
}

/** `name=value`; a name that holds the sign cannot be said that way. */
function constraints(properties: ExtendedProperties = {}): string[] {
  return Object.entries(properties).flatMap(([key, value]) => (key.includes('=') ? [] : [`${key}=${value}`]));
}
