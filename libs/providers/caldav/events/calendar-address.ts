import { hash } from 'node:crypto';
import { type IcsProperty } from '#icalendar';

/** Who an ATTENDEE or ORGANIZER line names (CAL-ADDRESS, RFC 5545 §3.3.3). */
export interface CalendarAddress {
  /** As written. */
  uri: string;
  /** From `mailto:` or the EMAIL parameter (RFC 7986 §6.2), as written; null when there is neither. */
  email: string | null;
  /** Lower-cased e-mail, or a hash of the URI: servers name their own users by principal path or `urn:uuid:`. */
  id: string;
}

export function readAddress(property: IcsProperty): CalendarAddress {
  const uri = property.value.trim();
  const email = mailOf(uri) ?? mailOf(property.parameter('EMAIL')?.trim() ?? '');
  return {
    uri,
    email,
    // Whose address it is, is asked more often than for its id, of thousands of attendees.
    get id() {
      return email?.toLowerCase() ?? hashOf(uri);
    },
  };
}

function hashOf(uri: string): string {
  return hash('sha256', uri, 'base64url').replaceAll('_', '~').slice(0, 22);
}

/** `ownAddresses`: lower-cased e-mails and raw URIs. */
export function isOwnAddress({ uri, email }: CalendarAddress, ownAddresses: readonly string[]): boolean {
  const lowerUri = uri.toLowerCase();
  return ownAddresses.some((own) => {
    const lowerOwn = own.toLowerCase();
    return lowerOwn === lowerUri || lowerOwn === email?.toLowerCase();
  });
}

/** A bare address is what some servers and exports write instead of a URI. */
function mailOf(text: string): string | null {
  const address = /^mailto:/i.test(text) ? text.slice('mailto:'.length).split('?', 1)[0]!.trim() : text;
  return address.includes('@') && !/^[a-z][a-z0-9+.-]*:/i.test(address) && !address.startsWith('/') ? address : null;
}

/** The first of our addresses that mail can be sent to; undefined for accounts that have none. */
export function ownEmail(ownAddresses: readonly string[]): string | undefined {
  return ownAddresses.find((address) => mailOf(address) === address);
}
