import type {
  CalendarEvent,
  EventItem,
  EventQuery,
  ListEvents,
  ListOccurrences,
  Page,
  SyncSnapshotStore,
} from '#domain';
import { ComparedReads, tokenForeign } from '#providers/kit/sync';
import { checkEventId } from './event-id.js';
import { toCalendarEvent } from './event-mapper.js';
import { occurrencesView, windowView, type WindowQuery } from './event-views.js';
import { findLiveEvent } from './find-event.js';
import type { OpenCalendar } from './open-calendar.js';
import { plainPage } from './plain-reads.js';
import { WindowReads } from './window-reads.js';

/** Everything that reads events. */
export class EventReads {
  private readonly windows: WindowReads;
  private readonly compared: ComparedReads;

  constructor(snapshots: SyncSnapshotStore) {
    this.windows = new WindowReads(snapshots);
    this.compared = new ComparedReads(snapshots);
  }

  /** @throws DomainError NotFound */
  async get(calendar: OpenCalendar, eventId: string): Promise<CalendarEvent> {
    return toCalendarEvent(await findLiveEvent(calendar, eventId), calendar);
  }

  /** @throws DomainError ValidationFailed (too large), PageTokenInvalid, SyncTokenExpired */
  async list(calendar: OpenCalendar, list: ListEvents): Promise<Page<EventItem>> {
    const { query, pageSize, page, sync } = list;
    if (!isWindow(query)) {
      if (sync !== null) throw tokenForeign();
      return plainPage(calendar, list);
    }
    const view = windowView(calendar, query);
    return sync === null
      ? this.windows.page(calendar, view, { query, pageSize, page })
      : this.windows.changes(calendar, view, { pageSize, page, sync });
  }

  /** @throws DomainError NotFound, ValidationFailed (too large), PageTokenInvalid, SyncTokenExpired */
  async occurrences(
    calendar: OpenCalendar,
    eventId: string,
    { query, pageSize, page, sync }: ListOccurrences,
  ): Promise<Page<EventItem>> {
    const view = occurrencesView(calendar, checkEventId(eventId), query);
    // To a sync the series being gone is news, not an error.
    if (sync !== null) return this.compared.changes(view, { pageSize, page, sync });
    await findLiveEvent(calendar, eventId);
    return this.compared.page(view, { pageSize, page });
  }
}

function isWindow(query: EventQuery): query is WindowQuery {
  return query.window.startMs !== null && query.window.endMs !== null;
}
