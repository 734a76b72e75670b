import type { CalendarEvent, EventItem, EventQuery, ListEvents, ListOccurrences, Page } from '#domain';
import { ComparedReads, tokenForeign } from '#providers/kit/sync';
import { toCalendarEvent } from './event-mapper.js';
import { occurrencesView, type WindowQuery } from './event-views.js';
import { checkEventId, findLiveEvent } from './find-event.js';
import type { OpenCalendar } from './open-calendar.js';
import { plainPage } from './plain-reads.js';
import { readWindow } from './window-reads.js';

/** @throws DomainError NotFound */
export async function readEvent(calendar: OpenCalendar, eventId: string): Promise<CalendarEvent> {
  return toCalendarEvent(await findLiveEvent(calendar, eventId), calendar);
}

/** @throws DomainError ValidationFailed (too large), PageTokenInvalid, SyncTokenExpired */
export async function readEvents(calendar: OpenCalendar, list: ListEvents): Promise<Page<EventItem>> {
  if (isWindow(list.query)) return readWindow(calendar, list.query, list);
  if (list.sync !== null) throw tokenForeign();
  return plainPage(calendar, list);
}

/** @throws DomainError NotFound, ValidationFailed (too large), PageTokenInvalid, SyncTokenExpired */
export async function readOccurrences(
  calendar: OpenCalendar,
  eventId: string,
  list: ListOccurrences,
): Promise<Page<EventItem>> {
  const view = occurrencesView(calendar, checkEventId(eventId), list.query);
  // A sync reports that the series is gone; a first read fails.
  if (list.sync === null) await findLiveEvent(calendar, eventId);
  return new ComparedReads(calendar.connection.snapshots).read(view, list);
}

function isWindow(query: EventQuery): query is WindowQuery {
  return query.window.startMs !== null && query.window.endMs !== null;
}
