import type { ProviderAdapter } from '#providers/kit/adapter';
import type { GoogleConnection } from '../connection.js';
import type { GoogleProviderDeps } from '../contract.js';
import { PendingMeetings } from './conference.js';
import { createEvent, type EventWriterDeps } from './create-event.js';
import { deleteByScope, updateEvent } from './edit-event.js';
import { EventPalettes } from './event-palette.js';
import { EventReads } from './event-reads.js';
import { openCalendar } from './open-calendar.js';
import { respondToEvent } from './respond-event.js';

/** The event half of the adapter. */
export function createGoogleEvents(
  deps: Pick<GoogleProviderDeps, 'snapshots' | 'nowMs'>,
  meetings = new PendingMeetings(),
): ProviderAdapter<GoogleConnection>['events'] {
  const reads = new EventReads(deps.snapshots);
  const writing: EventWriterDeps = { palettes: new EventPalettes(() => deps.nowMs()), meetings };
  return {
    async list(connection, calendarId, list) {
      return reads.list(await openCalendar(connection, calendarId), list);
    },
    async occurrences(connection, calendarId, eventId, list) {
      return reads.occurrences(await openCalendar(connection, calendarId), eventId, list);
    },
    async get(connection, calendarId, eventId) {
      return reads.get(connection, calendarId, eventId);
    },
    async create(connection, calendarId, input, options) {
      return createEvent(writing, await openCalendar(connection, calendarId), input, options);
    },
    async update(connection, calendarId, eventId, input, options) {
      return updateEvent(writing, await openCalendar(connection, calendarId), eventId, input, options);
    },
    async delete(connection, calendarId, eventId, options) {
      await deleteByScope(await openCalendar(connection, calendarId), eventId, options);
      return { ignoredFields: [] };
    },
    async respond(connection, calendarId, eventId, responseStatus, options) {
      await respondToEvent(await openCalendar(connection, calendarId), eventId, responseStatus, options);
      return { ignoredFields: [] };
    },
  };
}
