import { isDeepStrictEqual } from 'node:util';
import type { calendar_v3 } from '@googleapis/calendar';
import type { EventAttendeeInput, EventInput } from '#domain/events';
import { guestsByAddress, listOf, recordOf, textOf } from '#providers/kit/events';
import { readResponse } from './event-mapper.js';
import type { GoogleEventChange } from './event-body.js';
import type { GoogleEvent } from './google-event.js';

type GoogleAttendee = calendar_v3.Schema$EventAttendee;

/** Higher than Google's limit for any event. */
const MAX_ATTENDEES = 2_000;

type AttendeeBody = GoogleEventChange['body'];

/** Returns the guests with their writable fields. */
export function attendeesOf(event: GoogleEvent): GoogleAttendee[] {
  return listOf(event.raw.attendees).flatMap((value) => {
    const attendee = recordOf(value) as GoogleAttendee;
    return textOf(attendee.email) === undefined ? [] : [writable(attendee)];
  });
}

/** Returns all guests after a change, which may hold the own answer alone. A new event needs the whole list. */
export function guestsAfter(event: GoogleEvent, { attendees, attendeesOmitted }: AttendeeBody) {
  if (attendees !== undefined && attendeesOmitted !== true) return attendees;
  const responses = new Map(attendees?.map((attendee) => [addressOf(attendee), attendee.responseStatus]));
  return attendeesOf(event).map((guest) => {
    const responseStatus = responses.get(addressOf(guest));
    return responseStatus === undefined ? guest : { ...guest, responseStatus };
  });
}

export function ownAttendee(event: GoogleEvent): GoogleAttendee | null {
  const own = listOf(event.raw.attendees)
    .map(recordOf)
    .find(({ self }) => self === true);
  return own === undefined || textOf(own['email']) === undefined ? null : own;
}

/** With `attendeesOmitted` Google takes the own answer and keeps the other guests. */
export function ownReply(own: GoogleAttendee, responseStatus: string): AttendeeBody {
  return { attendeesOmitted: true, attendees: [{ email: own.email, responseStatus }] };
}

/**
 * Builds the list of guests. A PATCH replaces the whole list, so remaining guests keep all of their fields. Only guests
 * change their answers.
 * @param own lower-case addresses of the account
 * @throws DomainError ValidationFailed
 */
export function changedAttendees(
  { attendees, myResponseStatus }: EventInput,
  current: GoogleEvent | null,
  own: ReadonlySet<string>,
): GoogleEventChange {
  if (attendees === undefined) return changedReply(myResponseStatus, current);
  const present = listOf(current?.raw.attendees).map((value) => recordOf(value) as GoogleAttendee);
  // Google may withhold the address of a guest, whom callers then name by id.
  const known = new Map(present.map((guest) => [addressOf(guest) || (textOf(guest.id) ?? ''), guest]));
  const ignored = new Set<string>();
  const wanted = guestsByAddress(attendees ?? [], MAX_ATTENDEES, new Set(known.keys()));
  const named = [...wanted].map(([address, input]) => {
    const stays = known.get(address);
    const isOwn = stays?.self === true || own.has(address);
    const asked = isOwn ? (myResponseStatus ?? input.responseStatus) : input.responseStatus;
    if (stays === undefined) return newAttendee(input, isOwn ? (asked ?? 'accepted') : asked);
    const response = readResponse(stays.responseStatus);
    if (!isOwn && asked !== undefined && asked !== response) ignored.add('attendees.responseStatus');
    const isReply = isOwn && asked !== undefined && asked !== response;
    return writable({
      ...stays,
      ...(input.name !== undefined && { displayName: input.name === '' ? null : input.name }),
      ...(isReply && { responseStatus: asked }),
    });
  });
  // Google rejects a guest without an address.
  const written = named.filter((attendee) => addressOf(attendee) !== '');
  // An organizer stays on the list even when the input leaves them out.
  const stay = [...known.values()].filter((guest) => guest.organizer === true && !wanted.has(addressOf(guest)));
  const answered = (guest: GoogleAttendee) =>
    guest.self === true && myResponseStatus !== undefined ? { ...guest, responseStatus: myResponseStatus } : guest;
  if (written.length > 0) written.unshift(...stay.map((organizer) => writable(answered(organizer))));
  const isOwnOnList = written.some((attendee) => own.has(addressOf(attendee)) || known.get(addressOf(attendee))?.self);
  if (!isOwnOnList && !isTakingPart(myResponseStatus)) ignored.add('myResponseStatus');
  const isSame = current !== null && isDeepStrictEqual(sorted(written), sorted(attendeesOf(current)));
  const isNothing = current === null && written.length === 0;
  return { body: isSame || isNothing ? {} : { attendees: written }, ignoredFields: [...ignored] };
}

function changedReply(responseStatus: string | undefined, current: GoogleEvent | null): GoogleEventChange {
  const own = current === null ? null : ownAttendee(current);
  if (own === null) return { body: {}, ignoredFields: isTakingPart(responseStatus) ? [] : ['myResponseStatus'] };
  const isSame = responseStatus === undefined || readResponse(own.responseStatus) === responseStatus;
  return { body: isSame ? {} : ownReply(own, responseStatus), ignoredFields: [] };
}

/** An organizer who is not on the list takes part and cannot answer otherwise. */
function isTakingPart(responseStatus: string | undefined): boolean {
  return responseStatus === undefined || responseStatus === 'accepted';
}

function newAttendee({ email, name }: EventAttendeeInput, responseStatus: string | undefined): GoogleAttendee {
  return {
    email,
    ...(name !== undefined && name !== '' && { displayName: name }),
    ...(responseStatus !== undefined && { responseStatus }),
  };
}

function writable(attendee: GoogleAttendee): GoogleAttendee {
  const { email, displayName, optional, responseStatus, comment, additionalGuests, resource } = attendee;
  const fields = { email, displayName, optional, responseStatus, comment, additionalGuests, resource };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}

function addressOf({ email }: GoogleAttendee): string {
  return (textOf(email) ?? '').toLowerCase();
}

function sorted(attendees: readonly GoogleAttendee[]): GoogleAttendee[] {
  return [...attendees].sort((one, other) => (addressOf(one) < addressOf(other) ? -1 : 1));
}
