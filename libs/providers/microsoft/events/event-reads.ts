import type { CalendarEvent, EventItem, EventQuery, ListEvents, ListOccurrences, Page } from '#domain';
import { ComparedReads, tokenForeign } from '#providers/kit/sync';
import { toCalendarEvent } from './event-mapper.js';
import { occurrencesView, type WindowQuery } from './event-views.js';
import { checkEventId, findLiveEvent } from './find-event.js';
import type { OpenCalendar } from './open-calendar.js';
import { plainPage } from './plain-reads.js';
import { windowChanges, windowPage } from './window-reads.js';

/** @throws DomainError NotFound */
export async function readEvent(calendar: OpenCalendar, eventId: string): Promise<CalendarEvent> {
  return toCalendarEvent(await findLiveEvent(calendar, eventId), calendar);
}

/** @throws DomainError ValidationFailed (too large), PageTokenInvalid, SyncTokenExpired */
export async function readEvents(calendar: OpenCalendar, list: ListEvents): Promise<Page<EventItem>> {
  const { query, pageSize, page, sync } = list;
  if (!isWindow(query)) {
    if (sync !== null) throw tokenForeign();
    return plainPage(calendar, list);
  }
  return sync === null
    ? windowPage(calendar, query, { pageSize, page })
    : windowChanges(calendar, query, { pageSize, page, sync });
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
  await findLiveEvent(calendar, eventId);
  return compared.page(view, { pageSize, page });
}

function isWindow(query: EventQuery): query is WindowQuery {
  return query.window.startMs !== null && query.window.endMs !== null;
}
