import {
  type CalendarEvent,
  type EventItem,
  type ListEvents,
  type ListOccurrences,
  type Page,
  type SyncSnapshotStore,
} from '#domain';
import type { GoogleConnection } from '../connection.js';
import { isOfSnapshot } from './cursors.js';
import { checkEventId } from './event-id.js';
import { isWholeCalendar } from './event-filter.js';
import { toCalendarEvent } from './event-mapper.js';
import { listView, occurrencesView } from './event-views.js';
import { findEvent, openEvent } from './find-event.js';
import type { OpenCalendar } from './open-calendar.js';
import { SnapshotReads } from './snapshot-reads.js';
import { WholeCalendarReads } from './whole-calendar.js';

/** Everything that reads events. */
export class EventReads {
  private readonly compared: SnapshotReads;
  private readonly whole: WholeCalendarReads;

  constructor(snapshots: SyncSnapshotStore) {
    this.compared = new SnapshotReads(snapshots);
    this.whole = new WholeCalendarReads(snapshots);
  }

  /** @throws DomainError NotFound */
  async get(connection: GoogleConnection, calendarId: string, eventId: string): Promise<CalendarEvent> {
    const { calendar, event } = await openEvent(connection, calendarId, eventId);
    return toCalendarEvent(event, calendar.facts);
  }

  /** @throws DomainError ValidationFailed (too large), PageTokenInvalid, SyncTokenExpired */
  async list(calendar: OpenCalendar, { query, pageSize, page, sync }: ListEvents): Promise<Page<EventItem>> {
    const goesOn = sync ?? page;
    if (isWholeCalendar(query) && (goesOn === null || !isOfSnapshot(goesOn))) {
      if (sync !== null) return this.whole.changes(calendar, { pageSize, page, sync });
      const given = await this.whole.page(calendar, { pageSize, page });
      if (given !== null) return given;
    }
    const view = listView(calendar, query);
    return sync === null
      ? this.compared.page(view, { pageSize, page })
      : this.compared.changes(view, { pageSize, page, sync });
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
    await findEvent(calendar, eventId);
    return this.compared.page(view, { pageSize, page });
  }
}
