import type {
  CalendarEvent,
  EventOrder,
  EventQuery,
  EventTime,
  ExtendedProperties,
  MetadataFilters,
  TimeWindow,
} from '#domain';
import { ianaZoneArithmetic } from '#icalendar';

/** Everything of a query but its window: servers cannot be trusted with any of it, so all of it is judged here. */
export function matchesQuery(event: CalendarEvent, query: EventQuery): boolean {
  return (
    (query.isCancelled === null ? isShownByDefault(event, query) : event.isCancelled === query.isCancelled) &&
    (query.isAllDay === null || (event.start.kind === 'date') === query.isAllDay) &&
    (query.iCalUid === null || event.iCalUid === query.iCalUid) &&
    (query.updatedAfterMs === null ||
      (event.updatedAt !== undefined && Date.parse(event.updatedAt) > query.updatedAfterMs)) &&
    (query.search === null || fold(event.title).includes(fold(query.search))) &&
    (query.metadataFilters === null || matchesMetadata(event, query.metadataFilters))
  );
}

/**
 * A cancelled event is gone and is not listed. A cancelled override of a live series is: whoever expands the series
 * himself must know that the instance does not take place; who has it expanded need not.
 */
function isShownByDefault(event: CalendarEvent, { expandRecurrences }: EventQuery): boolean {
  return !event.isCancelled || (event.recurringEventId !== undefined && !expandRecurrences);
}

/** Unicode compatibility forms and case do not count (NFKC; upper-casing first also folds ß and final sigma). */
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

/** A text that sorts as the order asks, id as tie-break. */
export function sortKey(event: CalendarEvent, order: EventOrder): string {
  const major =
    order === 'startDateTime'
      ? sortableMs(startInstant(event))
      : sortableMs(Date.parse(event.updatedAt ?? '1970-01-01'));
  return `${major}|${event.id}`;
}

/** Overlap decides membership; an event of no length counts at its start. */
export function overlaps(event: CalendarEvent, { startMs, endMs }: TimeWindow): boolean {
  const start = startInstant(event);
  const end = instantOf(event.end, event.calendarTimeZone ?? 'UTC');
  return (
    (endMs === null || start < endMs) && (startMs === null || end > startMs || (start === end && start >= startMs))
  );
}

/** Instant of the start; dates and floating times are read in the calendar's zone. */
export function startInstant(event: CalendarEvent): number {
  return instantOf(event.start, event.calendarTimeZone ?? 'UTC');
}

function instantOf(time: EventTime, calendarTimeZone: string): number {
  const wallMs = Date.parse(time.kind === 'date' ? `${time.date}T00:00:00Z` : `${time.local}Z`);
  if (time.kind === 'dateTime' && time.offsetMinutes !== null) return wallMs - time.offsetMinutes * 60_000;
  return ianaZoneArithmetic(calendarTimeZone).toInstant(wallMs) ?? wallMs;
}

/** Fixed width and never negative, so that text order is time order. */
function sortableMs(ms: number): string {
  return String(Math.trunc(ms) + 1e15).padStart(16, '0');
}
