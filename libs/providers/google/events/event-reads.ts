import type { CalendarEvent, EventItem, EventQuery, JsonValue, ListEvents, ListOccurrences, Page } from '#domain';
import { asksForContent } from '#providers/kit/events';
import { ComparedReads, cursorFields } from '#providers/kit/sync';
import type { GoogleConnection } from '../connection.js';
import { checkEventId } from './event-id.js';
import { toCalendarEvent } from './event-mapper.js';
import { listView, occurrencesView } from './event-views.js';
import { findEvent, openEvent, type OpenCalendar } from './open-calendar.js';
import { wholeCalendarChanges, wholeCalendarPage } from './whole-calendar.js';

/** @throws DomainError NotFound */
export async function readEvent(
  connection: GoogleConnection,
  calendarId: string,
  eventId: string,
): Promise<CalendarEvent> {
  const { calendar, event } = await openEvent(connection, calendarId, eventId);
  return toCalendarEvent(event, calendar.facts);
}

/** @throws DomainError ValidationFailed (too large), PageTokenInvalid, SyncTokenExpired */
export async function readEvents(
  calendar: OpenCalendar,
  { query, pageSize, page, sync }: ListEvents,
): Promise<Page<EventItem>> {
  const goesOn = sync ?? page;
  if (isWholeCalendar(query) && (goesOn === null || !isOfSnapshot(goesOn))) {
    if (sync !== null) return wholeCalendarChanges(calendar, { pageSize, page, sync });
    const given = await wholeCalendarPage(calendar, { pageSize, page });
    if (given !== null) return given;
  }
  const view = listView(calendar, query);
  const compared = new ComparedReads(calendar.connection.snapshots);
  return sync === null ? compared.page(view, { pageSize, page }) : compared.changes(view, { pageSize, page, sync });
}

/** @throws DomainError NotFound, ValidationFailed (too large), PageTokenInvalid, SyncTokenExpired */
export async function readOccurrences(
  calendar: OpenCalendar,
  eventId: string,
  { query, pageSize, page, sync }: ListOccurrences,
): Promise<Page<EventItem>> {
  const view = occurrencesView(calendar, checkEventId(eventId), query);
  const compared = new ComparedReads(calendar.connection.snapshots);
  // To a sync the series being gone is news, not an error.
  if (sync !== null) return compared.changes(view, { pageSize, page, sync });
  await findEvent(calendar, eventId);
  return compared.page(view, { pageSize, page });
}

/** A read of everything as it is: the only kind that Google's own sync token can go on from. */
function isWholeCalendar(query: EventQuery): boolean {
  const { window, expandRecurrences, isCancelled, iCalUid } = query;
  const isOpen = window.startMs === null && window.endMs === null && !expandRecurrences;
  return isOpen && isCancelled === null && iCalUid === null && !asksForContent(query);
}

/** Of which kind the read is that a cursor or basis belongs to. */
function isOfSnapshot(value: JsonValue): boolean {
  const { kind, basis } = cursorFields(value);
  return kind === 'snapshot' || (kind === 'keyed' && cursorFields(basis)['kind'] === 'snapshot');
}
