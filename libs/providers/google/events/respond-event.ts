import { invalid, type ResponseStatus, type WriteOptions } from '#domain';
import { recordOf } from '#providers/kit/events';
import { ownAnswer, ownAttendee } from './attendees.js';
import { patchEvent } from './google-writes.js';
import { findEvent } from './find-event.js';
import type { OpenCalendar } from './open-calendar.js';

/**
 * Answers an invitation. Answers of others, which Google notes in the same event, must not stand in the way: there is no
 * condition on the version.
 * @throws DomainError NotFound, ValidationFailed (organizer, not invited)
 */
export async function respondToEvent(
  calendar: OpenCalendar,
  eventId: string,
  responseStatus: ResponseStatus,
  options: WriteOptions,
): Promise<void> {
  const event = await findEvent(calendar, eventId);
  if (recordOf(event.raw.organizer)['self'] === true) {
    throw invalid('responseStatus', 'is for guests; this account organises the event');
  }
  const own = ownAttendee(event);
  // Google would add the account as a guest of an event that it was not invited to.
  if (own === null) throw invalid('responseStatus', 'is for guests; this account is not invited to the event');
  await patchEvent(calendar, event.id, ownAnswer(own, responseStatus), { etag: null }, options);
}
