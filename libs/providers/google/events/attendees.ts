import { isDeepStrictEqual } from 'node:util';
import type { calendar_v3 } from '@googleapis/calendar';
import type { EventAttendeeInput, EventInput } from '#domain';
import { guestsByAddress, listOf, recordOf, textOf } from '#providers/kit/events';
import { readResponse } from './event-mapper.js';
import type { GoogleEvent } from './google-event.js';

type GoogleAttendee = calendar_v3.Schema$EventAttendee;

/** More than any event of Google's may have. */
const MAX_ATTENDEES = 2_000;

/** What a write says about who takes part. */
export interface AttendeeChange {
  body: Pick<calendar_v3.Schema$Event, 'attendees' | 'attendeesOmitted'>;
  ignoredFields: string[];
}

/** The guests of an event with what a client may write of them. */
export function attendeesOf(event: GoogleEvent): GoogleAttendee[] {
  return listOf(event.raw.attendees).flatMap((value) => {
    const attendee = recordOf(value) as GoogleAttendee;
    return textOf(attendee.email) === undefined ? [] : [writable(attendee)];
  });
}

/** All guests after a change: a new event is written with the whole list, never with one answer of it. */
export function guestsAfter(event: GoogleEvent, { attendees, attendeesOmitted }: AttendeeChange['body']) {
  if (attendees !== undefined && attendeesOmitted !== true) return attendees;
  const answers = new Map(attendees?.map((attendee) => [addressOf(attendee), attendee.responseStatus]));
  return attendeesOf(event).map((guest) => {
    const responseStatus = answers.get(addressOf(guest));
    return responseStatus === undefined ? guest : { ...guest, responseStatus };
  });
}

/** The calendar's own place on the list of guests; null when it has none. */
export function ownAttendee(event: GoogleEvent): GoogleAttendee | null {
  const own = listOf(event.raw.attendees)
    .map(recordOf)
    .find(({ self }) => self === true);
  return own === undefined || textOf(own['email']) === undefined ? null : own;
}

/** Says nothing of the other guests: of what is written with `attendeesOmitted` only the own answer counts. */
export function ownAnswer(own: GoogleAttendee, responseStatus: string): AttendeeChange['body'] {
  return { attendeesOmitted: true, attendees: [{ email: own.email, responseStatus }] };
}

/**
 * Makes the list of guests what the caller wants. A PATCH replaces the list as a whole, so those who stay are sent with
 * everything known of them: their answers would be forgotten otherwise. Their answers are theirs to give.
 * @param own addresses of the account, lower case
 * @throws DomainError ValidationFailed
 */
export function changedAttendees(
  { attendees, myResponseStatus }: EventInput,
  current: GoogleEvent | null,
  own: ReadonlySet<string>,
): AttendeeChange {
  const unchanged: AttendeeChange = { body: {}, ignoredFields: [] };
  if (attendees === undefined) {
    return myResponseStatus === undefined ? unchanged : changedAnswer(myResponseStatus, current);
  }
  const known = new Map(
    (current === null ? [] : listOf(current.raw.attendees))
      .map((value) => recordOf(value) as GoogleAttendee)
      .map((attendee) => [nameOf(attendee), attendee]),
  );
  const ignored = new Set<string>();
  const wanted = guestsByAddress(attendees ?? [], MAX_ATTENDEES, new Set(known.keys()));
  const named = [...wanted].map(([address, input]) => {
    const stays = known.get(address);
    const isOwn = stays?.self === true || own.has(address);
    const asked = isOwn ? (myResponseStatus ?? input.responseStatus) : input.responseStatus;
    if (stays === undefined) return newAttendee(input, isOwn ? (asked ?? 'accepted') : asked);
    const answer = readResponse(stays.responseStatus);
    if (!isOwn && asked !== undefined && asked !== answer) ignored.add('attendees.responseStatus');
    const isAnswered = isOwn && asked !== undefined && asked !== answer;
    return writable({
      ...stays,
      ...(input.name !== undefined && { displayName: input.name === '' ? null : input.name }),
      ...(isAnswered && { responseStatus: asked }),
    });
  });
  // Google takes nobody without an address, whom it knows by a profile.
  const written = named.filter((attendee) => addressOf(attendee) !== '');
  // Who organises is on the list without being a guest.
  const stay = [...known.values()].filter((guest) => guest.organizer === true && !wanted.has(addressOf(guest)));
  if (written.length > 0)
    written.unshift(...stay.map((organizer) => writable(answeredBy(organizer, myResponseStatus))));
  const isOwnOnList = written.some((attendee) => own.has(addressOf(attendee)) || known.get(addressOf(attendee))?.self);
  if (!isOwnOnList && !isTakingPart(myResponseStatus)) ignored.add('myResponseStatus');
  const isSame = current !== null && isDeepStrictEqual(sorted(written), sorted(attendeesOf(current)));
  const isNothing = current === null && written.length === 0;
  return { body: isSame || isNothing ? {} : { attendees: written }, ignoredFields: [...ignored] };
}

function changedAnswer(responseStatus: string, current: GoogleEvent | null): AttendeeChange {
  const own = current === null ? null : ownAttendee(current);
  if (own !== null) {
    const isSame = readResponse(own.responseStatus) === responseStatus;
    return { body: isSame ? {} : ownAnswer(own, responseStatus), ignoredFields: [] };
  }
  return { body: {}, ignoredFields: isTakingPart(responseStatus) ? [] : ['myResponseStatus'] };
}

/** Who organises an event without being on its list takes part in it: there is nothing else to answer. */
function isTakingPart(responseStatus: string | undefined): boolean {
  return responseStatus === undefined || responseStatus === 'accepted';
}

function answeredBy(attendee: GoogleAttendee, responseStatus: string | undefined): GoogleAttendee {
  return attendee.self === true && responseStatus !== undefined ? { ...attendee, responseStatus } : attendee;
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

/** How a caller names a guest: by address, or by the id of somebody whose address Google does not tell. */
function nameOf(attendee: GoogleAttendee): string {
  return addressOf(attendee) || (textOf(attendee.id) ?? '');
}

function sorted(attendees: readonly GoogleAttendee[]): GoogleAttendee[] {
  return [...attendees].sort((one, other) => (addressOf(one) < addressOf(other) ? -1 : 1));
}
