import { DomainError, invalid, type ResponseStatus, type WriteOptions } from '#domain';
import { eventNotFound, recordOf } from '#event-rules';
import { readResponse } from './event-mapper.js';
import { findLiveEvent } from './find-event.js';
import { orNull, pathIn, type OpenCalendar } from './open-calendar.js';

const ACTIONS: Readonly<Record<Exclude<ResponseStatus, 'needsAction'>, string>> = {
  accepted: 'accept',
  tentative: 'tentativelyAccept',
  declined: 'decline',
};

/** @throws DomainError NotFound, ValidationFailed (organizer), NotSupportedByProvider (back to `needsAction`) */
export async function respondToEvent(
  calendar: OpenCalendar,
  eventId: string,
  responseStatus: ResponseStatus,
  { notifyParticipants = 'all' }: WriteOptions,
): Promise<{ ignoredFields: string[] }> {
  const { raw, graphId } = await findLiveEvent(calendar, eventId);
  if (raw.isOrganizer === true) {
    throw invalid('responseStatus', 'is for guests; this account organises the event');
  }
  const ignoredFields = notifyParticipants === 'external' ? ['notifyParticipants'] : [];
  if (responseStatus === 'needsAction') {
    if (readResponse(recordOf(raw.responseStatus)['response']) === 'needsAction') return { ignoredFields };
    throw new DomainError('NotSupportedByProvider', 'responseStatus: an answer cannot be taken back to needsAction.');
  }
  const answer = await orNull(
    calendar.connection
      .call('idempotent', {
        method: 'POST',
        path: pathIn(calendar, 'events', graphId, ACTIONS[responseStatus]),
        body: { sendResponse: notifyParticipants !== 'none' },
      })
      .then(() => true),
  );
  // Outlook takes a declined event out of the calendar: a repeat whose first answer was lost does not find it any more.
  if (answer === null && responseStatus !== 'declined') throw eventNotFound();
  return { ignoredFields };
}
