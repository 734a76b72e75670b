import type { EventItem } from '#domain/events';
import type { EventQuery, ListEvents, ListOccurrences, Page } from '#domain/providers';
import type { JsonValue } from '#domain/system';
import { asksForContent } from '#providers/kit/events';
import { SnapshotSync, cursorFields } from '#providers/kit/sync';
import type { GoogleAccountClient } from '../account-client.js';
import { checkEventId } from './event-id.js';
import { toCalendarEvent } from './event-mapper.js';
import { listView, occurrencesView } from './event-views.js';
import { openEvent, type ReadableCalendar } from './open-calendar.js';
import { wholeCalendarChanges, wholeCalendarPage } from './whole-calendar.js';

/** @throws DomainError NotFound */
export async function readEvent(connection: GoogleAccountClient, calendarId: string, eventId: string) {
  const { calendar, event } = await openEvent(connection, calendarId, eventId);
  return toCalendarEvent(event, calendar.facts);
}

/** @throws DomainError ValidationFailed (too large), PageTokenInvalid, SyncTokenExpired */
export async function readEvents(calendar: ReadableCalendar, list: ListEvents): Promise<Page<EventItem>> {
  const { query, page, sync } = list;
  const goesOn = sync ?? page;
  if (isWholeCalendar(query) && (goesOn === null || !isOfSnapshot(goesOn))) {
    if (sync !== null) return wholeCalendarChanges(calendar, { ...list, sync });
    const given = await wholeCalendarPage(calendar, list);
    if (given !== null) return given;
  }
  return new SnapshotSync(calendar.connection.snapshots, calendar.connection.reads).read(
    listView(calendar, query),
    list,
  );
}

/** @throws DomainError NotFound, ValidationFailed (too large), PageTokenInvalid, SyncTokenExpired */
export async function readOccurrences(calendar: ReadableCalendar, eventId: string, list: ListOccurrences) {
  // A sync reports that the series is gone; a first read fails.
  const view = occurrencesView(calendar, checkEventId(eventId), list.query, list.sync !== null);
  return new SnapshotSync(calendar.connection.snapshots, calendar.connection.reads).read(view, list);
}

/** Google's sync token covers no other read. */
function isWholeCalendar(query: EventQuery): boolean {
  const { window, expandRecurrences, isCancelled, iCalUid } = query;
  const isOpen = window.startMs === null && window.endMs === null && !expandRecurrences;
  return isOpen && isCancelled === null && iCalUid === null && !asksForContent(query);
}

function isOfSnapshot(value: JsonValue): boolean {
  const { kind, basis } = cursorFields(value);
  return kind === 'snapshot' || (kind === 'keyed' && cursorFields(basis)['kind'] === 'snapshot');
}
