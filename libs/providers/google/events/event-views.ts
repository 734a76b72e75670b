import type { calendar_v3 } from '@googleapis/calendar';
import { isFullEvent, type EventItem, type ExtendedProperties } from '#domain/events';
import type { EventQuery, ListOccurrences } from '#domain/providers';
import { matchesQuery, overlaps, sortKey } from '#providers/kit/events';
import { DAY_MS, formatInstant, hasUntouchedInstance, splitInstanceId } from '#providers/kit/series';
import { snapshotScope, type SnapshotView, type Extent, type SnapshotItem } from '#providers/kit/sync';
import { GoogleApiError } from '../errors.js';
import { toEventItem, type CalendarFacts } from './event-mapper.js';
import type { GoogleEvent } from './google-event.js';
import { listEvents, listInstances, walk, fetchEvent, findEvent, type ReadableCalendar } from './open-calendar.js';

const OUTLINE =
  'nextPageToken,timeZone,defaultReminders,items(id,etag,status,updated,start,end,recurrence,recurringEventId,originalStartTime,iCalUID,' +
  'summary,extendedProperties)';

export function listView(calendar: ReadableCalendar, query: EventQuery): SnapshotView {
  return {
    scope: snapshotScope(calendar),
    hasOutline: true,
    async items(extent) {
      const parameters = {
        ...nativeFilters(query),
        ...pageParameters(query, extent),
        singleEvents: query.expandRecurrences,
      };
      const { rows } = await walk(calendar, (page) => listEvents(calendar, { ...parameters, ...page }));
      return shownOf(calendar, rows, query, query.orderBy);
    },
  };
}

/**
 * Instances of one series. A single event is its own instance.
 * @param isSync whether an event that is gone has no instances; otherwise reads of it throw NotFound
 */
export function occurrencesView(
  calendar: ReadableCalendar,
  eventId: string,
  query: ListOccurrences['query'],
  isSync: boolean,
): SnapshotView {
  return {
    scope: snapshotScope(calendar),
    hasOutline: true,
    async items(extent) {
      const events = await instancesOf(calendar, eventId, pageParameters(query, extent), isSync);
      return shownOf(calendar, events, query, query.orderBy ?? 'startDateTime');
    },
  };
}

type PageParameters = ReturnType<typeof pageParameters>;

/** Asks for the instances first, which only a series has. */
async function instancesOf(
  calendar: ReadableCalendar,
  eventId: string,
  parameters: PageParameters,
  isSync: boolean,
): Promise<GoogleEvent[]> {
  const isInstance = splitInstanceId(eventId) !== null;
  const rows = isInstance ? null : await instancesOfSeries(calendar, eventId, parameters);
  if (rows?.some(({ seriesId, isCancelled }) => seriesId === eventId && !isCancelled) === true) return rows;
  await calendar.loadFacts();
  const event = await (isSync ? seriesNamedBy(calendar, eventId) : liveSeries(calendar, eventId));
  if (event === null || event.isCancelled) return [];
  if (event.recurrence.length === 0) return [event];
  return rows ?? (await instancesOfSeries(calendar, event.id, parameters)) ?? [];
}

/** Returns null for anything but a series. */
async function instancesOfSeries(
  calendar: ReadableCalendar,
  eventId: string,
  parameters: PageParameters,
): Promise<GoogleEvent[] | null> {
  try {
    const { rows } = await walk(calendar, (page) => listInstances(calendar, { ...parameters, ...page, eventId }));
    return rows;
  } catch (error) {
    if (error instanceof GoogleApiError && NO_SERIES.has(error.status)) return null;
    throw error;
  }
}

const NO_SERIES: ReadonlySet<number> = new Set([400, 404, 410]);

/** @throws DomainError NotFound */
async function liveSeries(calendar: ReadableCalendar, eventId: string): Promise<GoogleEvent | null> {
  const event = await findEvent(calendar, eventId);
  return event.seriesId === null ? event : fetchEvent(calendar, event.seriesId);
}

async function seriesNamedBy(calendar: ReadableCalendar, eventId: string): Promise<GoogleEvent | null> {
  const event = await fetchEvent(calendar, eventId);
  const seriesId = event === null ? splitInstanceId(eventId)?.seriesId : (event.seriesId ?? undefined);
  return seriesId === undefined ? event : fetchEvent(calendar, seriesId);
}

function shownOf(
  calendar: ReadableCalendar,
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
  { timeZone }: CalendarFacts,
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
