import type { ProviderAdapter } from '#providers/kit/adapter';
import type { GraphConnection } from '../connection.js';
import type { MicrosoftProviderDeps } from '../contract.js';
import { createEvent } from './create-event.js';
import { deleteByScope, updateEvent } from './edit-event.js';
import { EventReads } from './event-reads.js';
import { ignoredOptions } from './graph-writes.js';
import { PendingMeetings } from './meeting.js';
import { openCalendar, openForWriting } from './open-calendar.js';
import { respondToEvent } from './respond-event.js';

/** The event half of the adapter. */
export function createMicrosoftEvents(
  deps: Pick<MicrosoftProviderDeps, 'snapshots'>,
  meetings = new PendingMeetings(),
): ProviderAdapter<GraphConnection>['events'] {
  const reads = new EventReads(deps.snapshots);
  return {
    async list(connection, calendarId, list) {
      return reads.list(await openCalendar(connection, calendarId), list);
    },
    async occurrences(connection, calendarId, eventId, list) {
      return reads.occurrences(await openCalendar(connection, calendarId), eventId, list);
    },
    async get(connection, calendarId, eventId) {
      return reads.get(await openCalendar(connection, calendarId), eventId);
    },
    async create(connection, calendarId, input, options) {
      return createEvent(meetings, await openForWriting(connection, calendarId), input, options);
    },
    async update(connection, calendarId, eventId, input, options) {
      return updateEvent(meetings, await openForWriting(connection, calendarId), eventId, input, options);
    },
    async delete(connection, calendarId, eventId, options) {
      await deleteByScope(await openForWriting(connection, calendarId), eventId, options);
      return { ignoredFields: ignoredOptions(options) };
    },
    async respond(connection, calendarId, eventId, responseStatus, options) {
      return respondToEvent(await openForWriting(connection, calendarId), eventId, responseStatus, options);
    },
  };
}
