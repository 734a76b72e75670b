import { hash } from 'node:crypto';
import type { EventAttendee, EventAttendeeInput, EventInput, EventOrganizer, ResponseStatus } from '#domain/events';
import { invalid } from '#domain/system';
import type { EditableComponent, IcsComponent, IcsProperty } from '#icalendar';
import { guestsByAddress } from '#providers/kit/events';
import type { WriteContext } from './contract.js';
import { checkText } from './event-fields.js';

/** Person or resource of an ATTENDEE or ORGANIZER line (CAL-ADDRESS, RFC 5545 §3.3.3). */
interface CalendarAddress {
  uri: string;
  /** From `mailto:` or the EMAIL parameter (RFC 7986 §6.2), as written; null without either. */
  email: string | null;
  /** Lower-cased e-mail, or a hash of the URI: servers identify their own users by principal path or `urn:uuid:`. */
  id: string;
}

export function readAddress(property: IcsProperty): CalendarAddress {
  const uri = property.value.trim();
  const email = mailOf(uri) ?? mailOf(property.parameter('EMAIL')?.trim() ?? '');
  return {
    uri,
    email,
    // Computed on demand: objects have thousands of attendees, and most readers need only the address.
    get id() {
      return email?.toLowerCase() ?? hash('sha256', uri, 'base64url').replaceAll('_', '~').slice(0, 22);
    },
  };
}

/** @param ownAddresses lower-cased e-mails and raw URIs */
export function isOwnAddress({ uri, email }: CalendarAddress, ownAddresses: readonly string[]): boolean {
  const forms = [uri, email ?? uri].map((form) => form.toLowerCase());
  return ownAddresses.some((own) => forms.includes(own.toLowerCase()));
}

/** Some servers and exports write a bare address instead of a URI. */
function mailOf(text: string): string | null {
  const address = /^mailto:/i.test(text) ? text.slice('mailto:'.length).split('?', 1)[0]!.trim() : text;
  return address.includes('@') && !/^[a-z][a-z0-9+.-]*:/i.test(address) && !address.startsWith('/') ? address : null;
}

export function ownEmail(ownAddresses: readonly string[]): string | undefined {
  return ownAddresses.find((address) => mailOf(address) === address);
}

const RESPONSE_BY_PARTSTAT: Readonly<Record<string, ResponseStatus>> = {
  ACCEPTED: 'accepted',
  DECLINED: 'declined',
  TENTATIVE: 'tentative',
};

const PARTSTAT_BY_RESPONSE: Readonly<Record<ResponseStatus, string>> = {
  needsAction: 'NEEDS-ACTION',
  accepted: 'ACCEPTED',
  declined: 'DECLINED',
  tentative: 'TENTATIVE',
};

/** NEEDS-ACTION is the default (RFC 5545 §3.2.12). DELEGATED and unknown values are no reply either. */
export function readResponse(attendee: IcsProperty): ResponseStatus {
  return RESPONSE_BY_PARTSTAT[attendee.parameter('PARTSTAT')?.toUpperCase() ?? ''] ?? 'needsAction';
}

export function readAttendees(event: IcsComponent): EventAttendee[] {
  return event.propertiesNamed('ATTENDEE').map((property) => {
    const { id, email } = readAddress(property);
    return { id, ...nameOf(property), email: email ?? '', responseStatus: readResponse(property) };
  });
}

function nameOf(property: IcsProperty): { name?: string } {
  const name = property.parameter('CN') ?? '';
  return name === '' ? {} : { name };
}

export function readOrganizer(event: IcsComponent, ownAddresses: readonly string[]): EventOrganizer | undefined {
  const property = event.property('ORGANIZER');
  if (property === undefined) return undefined;
  const address = readAddress(property);
  return { ...nameOf(property), email: address.email ?? '', isSelf: isOwnAddress(address, ownAddresses) };
}

export function ownAttendee(event: IcsComponent, ownAddresses: readonly string[]): IcsProperty | undefined {
  return event.propertiesNamed('ATTENDEE').find((property) => isOwnAddress(readAddress(property), ownAddresses));
}

/** True for the user's own event; an event without ORGANIZER invited no one. */
export function isOwnEvent(event: IcsComponent, ownAddresses: readonly string[]): boolean {
  return readOrganizer(event, ownAddresses)?.isSelf ?? true;
}

/** Returns undefined when the user is not invited. An organizer outside the attendee list takes part. */
export function readMyResponse(event: IcsComponent, ownAddresses: readonly string[]): ResponseStatus | undefined {
  const own = ownAttendee(event, ownAddresses);
  if (own !== undefined) return readResponse(own);
  return readOrganizer(event, ownAddresses)?.isSelf === true ? 'accepted' : undefined;
}

/** The limit that reading an event enforces as well. */
const MAX_ATTENDEES = 2_000;

/**
 * Keeps the lines of remaining attendees. Only an attendee's own client may change the reply (RFC 6638 §3.2.1).
 * @returns names of fields that were not applied
 * @throws DomainError ValidationFailed
 */
export function writeAttendees(
  event: EditableComponent,
  input: EventInput,
  { ownAddresses, organizer }: WriteContext,
): string[] {
  if (input.attendees === undefined) return [];
  const attendees = input.attendees ?? [];
  const lines = event.propertiesNamed('ATTENDEE').map((property) => ({ property, ...readAddress(property) }));
  const wanted = guestsByAddress(attendees, MAX_ATTENDEES, new Set(lines.map(({ id }) => id)));
  // A caller who sends ids has seen lines without an e-mail address; other callers cannot name these, so they stay.
  const hasSeen = attendees.some(({ id }) => id !== undefined);
  for (const { property, id, email } of lines) {
    const stays = wanted.has(id) || (email === null && !hasSeen && wanted.size > 0);
    if (!stays) event.removeProperty(property);
  }
  const places = new Map(lines.map(({ id, property }) => [id, property]).toReversed() as [string, IcsProperty][]);
  let ignoresResponse = false;
  for (const [id, guest] of wanted) {
    const property = places.get(id);
    const address = property === undefined ? { uri: `mailto:${id}`, email: id, id } : readAddress(property);
    const isOwn = isOwnAddress(address, ownAddresses);
    const attendee = { ...guest, name: newName(guest, property, attendees) };
    if (property === undefined) {
      ensureOrganizer(event, organizer);
      addAttendee(event, attendee, isOwn);
    } else changeAttendee(event, property, attendee, isOwn);
    const shown = property === undefined ? 'needsAction' : readResponse(property);
    ignoresResponse ||= !isOwn && attendee.responseStatus !== undefined && attendee.responseStatus !== shown;
  }
  return ignoresResponse ? ['attendees.responseStatus'] : [];
}

/** Sets the user's own reply. @returns true when the user is not on the list and the reply was not set */
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

/** Sets PARTSTAT and removes RSVP, because the attendee has replied. */
export function setResponse(event: EditableComponent, attendee: IcsProperty, response: ResponseStatus): void {
  event.setParameter(attendee, 'PARTSTAT', PARTSTAT_BY_RESPONSE[response]);
  if (attendee.parameter('RSVP') !== undefined) event.setParameter(attendee, 'RSVP', null);
}

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
  // Users who add themselves accept.
  const response = isOwn ? (responseStatus ?? 'accepted') : 'needsAction';
  event.addProperty('ATTENDEE', `mailto:${email}`, {
    CUTYPE: 'INDIVIDUAL',
    ROLE: 'REQ-PARTICIPANT',
    PARTSTAT: PARTSTAT_BY_RESPONSE[response],
    ...(!isOwn && { RSVP: 'TRUE' }),
    ...(name !== undefined && name !== '' && { CN: name }),
  });
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

/** ATTENDEE requires ORGANIZER (RFC 5545 §3.8.4.3). */
function ensureOrganizer(event: EditableComponent, organizer: string | null): void {
  if (event.property('ORGANIZER') !== undefined) return;
  if (organizer === null) throw invalid('attendees', 'cannot be invited: the server tells no address of this account');
  event.setProperty('ORGANIZER', organizer);
}
