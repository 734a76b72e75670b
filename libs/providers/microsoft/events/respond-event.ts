import type { ResponseStatus } from '#domain/events';
import type { NotifyParticipants, WriteOptions } from '#domain/providers';
import { DomainError, invalid } from '#domain/system';
import { eventNotFound } from '#providers/kit/series';
import { orNull } from '#providers/kit/calls';
import { ownResponse } from './attendees.js';
import { findLiveEvent } from './find-event.js';
import { writtenEvent } from './graph-writes.js';
import { pathIn, type OutlookCalendarHandle } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';

type Reply = Exclude<ResponseStatus, 'needsAction'>;

/** Graph's action for a reply, and its status afterwards. */
const REPLIES = {
  accepted: { action: 'accept', response: 'accepted' },
  tentative: { action: 'tentativelyAccept', response: 'tentativelyAccepted' },
  declined: { action: 'decline', response: 'declined' },
} as const satisfies Readonly<Record<Reply, unknown>>;

/** @throws DomainError NotFound, ValidationFailed (organizer), NotSupportedByProvider (back to `needsAction`) */
export async function respondToEvent(
  calendar: OutlookCalendarHandle,
  eventId: string,
  responseStatus: ResponseStatus,
  { notifyParticipants = 'all' }: WriteOptions,
): Promise<{ ignoredFields: string[] }> {
  const { raw, graphId } = await findLiveEvent(calendar, eventId);
  if (raw.isOrganizer === true) throw invalid('responseStatus', 'is for guests; this account organises the event');
  const ignoredFields = ignoredOfReply(notifyParticipants);
  if (responseStatus === 'needsAction') {
    if (ownResponse(raw) === 'needsAction') return { ignoredFields };
    throw new DomainError('NotSupportedByProvider', 'responseStatus: an answer cannot be taken back to needsAction.');
  }
  await sendReply(calendar, graphId, responseStatus, notifyParticipants);
  return { ignoredFields };
}

/**
 * Sends a reply, unless it was sent before: no other write can change it.
 * @returns the event afterwards; a declined one as before, since Outlook deletes it; null when nothing was sent
 * @throws DomainError NotFound
 */
export async function replyTo(
  calendar: OutlookCalendarHandle,
  event: OutlookEvent,
  wanted: ResponseStatus | undefined,
  notifyParticipants: NotifyParticipants,
): Promise<OutlookEvent | null> {
  const { raw, graphId } = event;
  if (wanted === undefined || wanted === 'needsAction' || wanted === ownResponse(raw)) return null;
  await sendReply(calendar, graphId, wanted, notifyParticipants);
  const { response } = REPLIES[wanted];
  const replied = { ...event, raw: { ...raw, responseStatus: { ...raw.responseStatus, response } } };
  if (wanted === 'declined') return replied;
  return (await writtenEvent(calendar, graphId, () => replied)) ?? replied;
}

/** Outlook notifies any organizer or none. */
export function ignoredOfReply(notifyParticipants: NotifyParticipants): string[] {
  return notifyParticipants === 'external' ? ['notifyParticipants'] : [];
}

async function sendReply(
  calendar: OutlookCalendarHandle,
  graphId: string,
  reply: Reply,
  notifyParticipants: NotifyParticipants,
): Promise<void> {
  const response = await orNull(
    calendar.connection
      .call('idempotent', {
        method: 'POST',
        path: pathIn(calendar, 'events', graphId, REPLIES[reply].action),
        body: { sendResponse: notifyParticipants !== 'none' },
      })
      .then(() => true),
  );
  // Outlook deletes a declined event, so a repeat after a lost answer does not find it.
  if (response === null && reply !== 'declined') throw eventNotFound();
}
