import { type EventAttendee, type EventOrganizer, type ResponseStatus } from '#domain';
import { type IcsComponent, type IcsProperty } from '#icalendar';
import { isOwnAddress, readAddress } from './calendar-address.js';

const RESPONSE_BY_PARTSTAT: Readonly<Record<string, ResponseStatus>> = {
  ACCEPTED: 'accepted',
  DECLINED: 'declined',
  TENTATIVE: 'tentative',
};

export const PARTSTAT_BY_RESPONSE: Readonly<Record<ResponseStatus, string>> = {
  needsAction: 'NEEDS-ACTION',
  accepted: 'ACCEPTED',
  declined: 'DECLINED',
  tentative: 'TENTATIVE',
};

/** NEEDS-ACTION is the default (RFC 5545 §3.2.12); DELEGATED and unknown ones have not answered for themselves either. */
export function readResponse(attendee: IcsProperty): ResponseStatus {
  return RESPONSE_BY_PARTSTAT[attendee.parameter('PARTSTAT')?.toUpperCase() ?? ''] ?? 'needsAction';
}

export function readAttendees(event: IcsComponent): EventAttendee[] {
  return event.propertiesNamed('ATTENDEE').map((property) => {
    const { id, email } = readAddress(property);
    const name = property.parameter('CN');
    return {
      id,
      ...(name !== undefined && name !== '' && { name }),
      email: email ?? '',
      responseStatus: readResponse(property),
    };
  });
}

export function readOrganizer(event: IcsComponent, ownAddresses: readonly string[]): EventOrganizer | undefined {
  const property = event.property('ORGANIZER');
  if (property === undefined) return undefined;
  const address = readAddress(property);
  const name = property.parameter('CN');
  return {
    ...(name !== undefined && name !== '' && { name }),
    email: address.email ?? '',
    isSelf: isOwnAddress(address, ownAddresses),
  };
}

export function ownAttendee<C extends IcsComponent>(
  event: C,
  ownAddresses: readonly string[],
): IcsProperty | undefined {
  return event.propertiesNamed('ATTENDEE').find((property) => isOwnAddress(readAddress(property), ownAddresses));
}

/** True for an event of our own: without ORGANIZER it was never sent to anybody. */
export function isOwnEvent(event: IcsComponent, ownAddresses: readonly string[]): boolean {
  return readOrganizer(event, ownAddresses)?.isSelf ?? true;
}

/** undefined: we are not invited. Who organises an event without being on its list takes part in it. */
export function readMyResponse(event: IcsComponent, ownAddresses: readonly string[]): ResponseStatus | undefined {
  const own = ownAttendee(event, ownAddresses);
  if (own !== undefined) return readResponse(own);
  return readOrganizer(event, ownAddresses)?.isSelf === true ? 'accepted' : undefined;
}
