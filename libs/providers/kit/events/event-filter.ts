import {
  isFullEvent,
  type CalendarEvent,
  type EventItem,
  type EventTime,
  type ExtendedProperties,
  type TimeWindow,
} from '#domain/events';
import type { EventOrder, EventQuery, MetadataFilters } from '#domain/providers';
import { instantOf } from '../series/times.js';

/** Whether the item passes all filters but the window. */
export function matchesQuery(item: EventItem, query: EventQuery): boolean {
  if (query.isCancelled === false && item.isCancelled) return false;
  if (query.iCalUid !== null && item.iCalUid !== query.iCalUid) return false;
  // A cancelled item has no content to filter. Expanded series leave it out unless the query asks for it.
  if (!isFullEvent(item)) return (query.isCancelled === true || !query.expandRecurrences) && !asksForContent(query);
  return (
    (query.isAllDay === null || (item.start.kind === 'date') === query.isAllDay) &&
    (query.updatedAfterMs === null ||
      (item.updatedAt !== undefined && Date.parse(item.updatedAt) > query.updatedAfterMs)) &&
    (query.search === null || fold(item.title).includes(fold(query.search))) &&
    (query.metadataFilters === null || matchesMetadata(item, query.metadataFilters))
  );
}

/** Whether an event overlaps a window. Without length or end it counts at its start; without a start never. */
export function overlaps(
  event: { start: EventTime | null; end: EventTime | null },
  { startMs, endMs }: TimeWindow,
  calendarZone: string,
): boolean {
  if (event.start === null) return false;
  const start = instantOf(event.start, calendarZone);
  const end = instantOf(event.end ?? event.start, calendarZone);
  return (
    (endMs === null || start < endMs) && (startMs === null || end > startMs || (start === end && start >= startMs))
  );
}

export function sortKey(item: EventItem, order: EventOrder | null, calendarZone: string): string {
  if (order === null || !isFullEvent(item)) return item.id;
  const ms =
    order === 'startDateTime' ? instantOf(item.start, calendarZone) : Date.parse(item.updatedAt ?? '1970-01-01');
  // A fixed width without signs makes text order time order.
  return `${String(Math.trunc(ms) + 1e15).padStart(16, '0')}|${item.id}`;
}

export function asksForContent({ isAllDay, updatedAfterMs, search, metadataFilters }: EventQuery): boolean {
  return isAllDay !== null || updatedAfterMs !== null || search !== null || metadataFilters !== null;
}

/** Folds case and compatibility forms (NFKC). Upper-casing first also folds ß and final sigma. */
function fold(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase();
}

function matchesMetadata(event: CalendarEvent, filters: MetadataFilters): boolean {
  const { privateExtendedProperties: own, publicExtendedProperties: shared } = event;
  return (
    Object.entries(filters.any).every(([key, value]) => (read(own, key) ?? read(shared, key)) === value) &&
    Object.entries(filters.private).every(([key, value]) => read(own, key) === value) &&
    Object.entries(filters.public).every(([key, value]) => read(shared, key) === value)
  );
}

function read(properties: ExtendedProperties, key: string): string | undefined {
  return Object.hasOwn(properties, key) ? properties[key] : undefined;
}
