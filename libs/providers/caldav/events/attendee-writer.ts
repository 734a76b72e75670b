import { invalid, type EventAttendeeInput, type EventInput, type ResponseStatus } from '#domain';
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
  context: Pick<WriteContext, 'ownAddresses' | 'organizerEmail'>,
): string[] {
  if (attendees === undefined) return [];
  const wanted = byAddress(attendees ?? []);
  for (const property of event.propertiesNamed('ATTENDEE')) {
    const { id, email } = readAddress(property);
    // A line without an e-mail address is not in the caller's reach by name; only clearing the list takes it away.
    const stays = email === null ? wanted.size > 0 : wanted.has(id);
    if (!stays) event.removeProperty(property);
  }
  if (wanted.size > 0) ensureOrganizer(event, context.organizerEmail);
  let ignoresResponse = false;
  for (const [address, attendee] of wanted) {
    const property = event.propertiesNamed('ATTENDEE').find((line) => readAddress(line).id === address);
    const isOwn = isOwnAddress({ uri: `mailto:${address}`, email: address, id: address }, context.ownAddresses);
    if (property === undefined) addAttendee(event, attendee, isOwn);
    else changeAttendee(event, property, attendee, isOwn);
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

function byAddress(attendees: readonly EventAttendeeInput[]): Map<string, EventAttendeeInput> {
  if (attendees.length > MAX_ATTENDEES) throw invalid('attendees', `must not be more than ${MAX_ATTENDEES}`);
  const byId = new Map<string, EventAttendeeInput>();
  attendees.forEach((attendee, index) => {
    const email = attendee.email.trim().replace(/^mailto:/i, '');
    if (!isMailAddress(email)) throw invalid(`attendees.${index}.email`, 'must be an e-mail address');
    if (!byId.has(email.toLowerCase())) {
      const name = attendee.name === undefined ? undefined : checkText(`attendees.${index}.name`, attendee.name).trim();
      byId.set(email.toLowerCase(), { ...attendee, email, name });
    }
  });
  return byId;
}

/** Loose on purpose: what matters is that it cannot leave its place in the line. */
function isMailAddress(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return text.length <= 320 && text.isWellFormed() && /^[^\s\0-\x1f\x7f@"<>,;]+@[^\s\0-\x1f\x7f@"<>,;:]+$/.test(text);
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
function ensureOrganizer(event: EditableComponent, organizerEmail: string | null): void {
  if (event.property('ORGANIZER') !== undefined) return;
  if (organizerEmail === null) throw invalid('attendees', 'cannot be invited: this account has no e-mail address');
  event.setProperty('ORGANIZER', `mailto:${organizerEmail}`);
}
