import { isDeepStrictEqual } from 'node:util';
import type { Attendee } from '@microsoft/microsoft-graph-types';
import type { EventInput, ResponseStatus } from '#domain/events';
import { invalid } from '#domain/system';
import { guestsByAddress, listOf, recordOf, textOf } from '#providers/kit/events';
import { readAttendees, readResponse } from './event-mapper.js';
import type { GraphEvent } from './outlook-event.js';

/** Outlook's limit per event. */
const MAX_ATTENDEES = 500;

/** Returns the guests with their writable fields. */
export function attendeesOf(raw: GraphEvent): Attendee[] {
  return listOf(raw.attendees).flatMap((value) => {
    const { emailAddress, type } = recordOf(value);
    const { address, name } = recordOf(emailAddress);
    const mailbox = textOf(address);
    return mailbox === undefined ? [] : [guest(mailbox, textOf(name), textOf(type) as Attendee['type'])];
  });
}

/**
 * Builds the list of guests. A PATCH replaces the whole list, so remaining guests keep their type. A write cannot
 * answer an invitation: the owner's answer takes a request of its own.
 * @param ownAddresses lower case
 * @returns `attendees` when they change
 * @throws DomainError ValidationFailed
 */
export function changedAttendees(
  { attendees, myResponseStatus }: EventInput,
  current: GraphEvent | null,
  ownAddresses: ReadonlySet<string>,
): { attendees?: Attendee[]; ignoredFields: string[] } {
  const ignored = new Set<string>();
  if (isIgnoredResponse(myResponseStatus, current)) ignored.add('myResponseStatus');
  if (attendees === undefined) return { ignoredFields: [...ignored] };
  const before = current === null ? [] : attendeesOf(current);
  const known = new Map(before.map((attendee) => [addressOf(attendee), attendee]));
  const guests = current === null ? [] : readAttendees(current, ownAddresses);
  const responses = new Map(guests.map(({ id, responseStatus }) => [id, responseStatus]));
  const wanted = [...guestsByAddress(attendees ?? [], MAX_ATTENDEES, new Set(known.keys()))].map(
    ([address, { email, name, responseStatus }]) => {
      const stays = known.get(address);
      const response = responses.get(address) ?? 'needsAction';
      if (responseStatus !== undefined && responseStatus !== response) ignored.add('attendees.responseStatus');
      const called = stays?.emailAddress?.name ?? undefined;
      const mailbox = stays?.emailAddress?.address ?? email;
      // Outlook shows the address of a guest without a name, and keeps an absent name.
      const isUnnamed = name === '' && called !== undefined;
      return guest(mailbox, isUnnamed ? mailbox : (name ?? called), stays?.type);
    },
  );
  const isSame = isDeepStrictEqual(sorted(wanted), sorted(before));
  return { ...(!isSame && { attendees: wanted }), ignoredFields: [...ignored] };
}

function guest(address: string, name: string | undefined, type: Attendee['type']): Attendee {
  return { emailAddress: { address, ...(name !== undefined && name !== '' && { name }) }, type: type ?? 'required' };
}

function isIgnoredResponse(wanted: ResponseStatus | undefined, current: GraphEvent | null): boolean {
  if (wanted === undefined) return false;
  // The organizer of a new event takes part.
  if (current === null) return wanted !== 'accepted';
  if (wanted === ownResponse(current)) return false;
  if (wanted === 'needsAction') return true;
  if (current.isOrganizer !== true) return false;
  throw invalid('myResponseStatus', 'is for guests; this account organises the event');
}

export function ownResponse({ isOrganizer, responseStatus }: GraphEvent): ResponseStatus {
  return isOrganizer === true ? 'accepted' : readResponse(recordOf(responseStatus)['response']);
}

function addressOf({ emailAddress }: Attendee): string {
  return (emailAddress?.address ?? '').toLowerCase();
}

function sorted(attendees: readonly Attendee[]): Attendee[] {
  return [...attendees].sort((one, other) => (addressOf(one) < addressOf(other) ? -1 : 1));
}
