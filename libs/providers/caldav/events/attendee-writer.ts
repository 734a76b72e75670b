import { invalid, type EventAttendeeInput, type EventInput, type ResponseStatus } from '#domain';
import { guestsByAddress } from '#providers/kit/events';
import { type EditableComponent, type IcsProperty, type PropertyParameters } from '#icalendar';
import { type WriteContext } from './contract.js';
import { isOwnAddress, readAddress } from './calendar-address.js';
import { checkText } from './event-fields.js';
import { ownAttendee, PARTSTAT_BY_RESPONSE, readMyResponse, readResponse } from './participants.js';

/** As many as one event may have before it is refused when read again. */
const MAX_ATTENDEES = 2_000;

/**
 * Makes the list of attendees what the caller wants, keeping the lines of those who stay. Only their own client may say
 * how others answer (RFC 6638 §3.2.1), so that part is reported as ignored.
 * @returns names of fields that were not applied
 * @throws DomainError ValidationFailed
 */
export function writeAttendees(
  event: EditableComponent,
  { attendees }: EventInput,
  context: Pick<WriteContext, 'ownAddresses' | 'organizer'>,
): string[] {
  if (attendees === undefined) return [];
  const lines = event.propertiesNamed('ATTENDEE').map((property) => ({ property, ...readAddress(property) }));
  const wanted = guestsByAddress(attendees ?? [], MAX_ATTENDEES, new Set(lines.map(({ id }) => id)));
  // Who sends ids has seen the lines without an e-mail address, too; for others they are out of reach.
  const hasSeen = (attendees ?? []).some(({ id }) => id !== undefined);
  for (const { property, id, email } of lines) {
    const stays = wanted.has(id) || (email === null && !hasSeen && wanted.size > 0);
    if (!stays) event.removeProperty(property);
  }
  const places = new Map(lines.map(({ id, property }) => [id, property]).toReversed() as [string, IcsProperty][]);
  let ignoresResponse = false;
  for (const [id, guest] of wanted) {
    const property = places.get(id);
    const address = property === undefined ? { uri: `mailto:${id}`, email: id, id } : readAddress(property);
    const isOwn = isOwnAddress(address, context.ownAddresses);
    const attendee = { ...guest, name: newName(guest, property, attendees ?? []) };
    if (property === undefined) {
      ensureOrganizer(event, context.organizer);
      addAttendee(event, attendee, isOwn);
    } else changeAttendee(event, property, attendee, isOwn);
    const shown = property === undefined ? 'needsAction' : readResponse(property);
    ignoresResponse ||= !isOwn && attendee.responseStatus !== undefined && attendee.responseStatus !== shown;
  }
  return ignoresResponse ? ['attendees.responseStatus'] : [];
}

/** Our own answer, where we are on the list. @returns true when it could not be given */
export function writeMyResponse(
  event: EditableComponent,
  response: ResponseStatus | undefined,
  ownAddresses: readonly string[],
): boolean {
  if (response === undefined || readMyResponse(event, ownAddresses) === response) return false;
  const own = ownAttendee(event, ownAddresses);
  if (own === undefined) return true;
  setResponse(event, own, response);
  return false;
}

/** Sets PARTSTAT and takes RSVP away: the request for an answer is answered. */
export function setResponse(event: EditableComponent, attendee: IcsProperty, response: ResponseStatus): void {
  event.setParameter(attendee, 'PARTSTAT', PARTSTAT_BY_RESPONSE[response]);
  if (attendee.parameter('RSVP') !== undefined) event.setParameter(attendee, 'RSVP', null);
}

/** undefined: it stays. @throws DomainError ValidationFailed */
function newName(
  { email, name }: EventAttendeeInput,
  line: IcsProperty | undefined,
  attendees: readonly EventAttendeeInput[],
): string | undefined {
  if (name === undefined || name === line?.parameter('CN')) return undefined;
  const index = attendees.findIndex((attendee) => attendee.email.includes(email) && attendee.name === name);
  return checkText(`attendees.${index}.name`, name).trim();
}

function addAttendee(
  event: EditableComponent,
  { email, name, responseStatus }: EventAttendeeInput,
  isOwn: boolean,
): void {
  // Who writes down their own name has agreed to come.
  const response = isOwn ? (responseStatus ?? 'accepted') : 'needsAction';
  const parameters: PropertyParameters = {
    CUTYPE: 'INDIVIDUAL',
    ROLE: 'REQ-PARTICIPANT',
    PARTSTAT: PARTSTAT_BY_RESPONSE[response],
    ...(!isOwn && { RSVP: 'TRUE' }),
    ...(name !== undefined && name !== '' && { CN: name }),
  };
  event.addProperty('ATTENDEE', `mailto:${email}`, parameters);
}

function changeAttendee(
  event: EditableComponent,
  property: IcsProperty,
  { name, responseStatus }: EventAttendeeInput,
  isOwn: boolean,
): void {
  if (isOwn && responseStatus !== undefined && responseStatus !== readResponse(property)) {
    setResponse(event, property, responseStatus);
  }
  if (name === undefined || name === (property.parameter('CN') ?? '')) return;
  event.setParameter(property, 'CN', name === '' ? null : name);
}

/** ATTENDEE asks for ORGANIZER (RFC 5545 §3.8.4.3). */
function ensureOrganizer(event: EditableComponent, organizer: string | null): void {
  if (event.property('ORGANIZER') !== undefined) return;
  if (organizer === null) throw invalid('attendees', 'cannot be invited: the server tells no address of this account');
  event.setProperty('ORGANIZER', organizer);
}
