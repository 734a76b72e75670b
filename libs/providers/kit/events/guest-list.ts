import type { EventAttendeeInput } from '#domain/events';
import { invalid } from '#domain/system';

/**
 * Returns the guests by lower-case address, each once. Guests of the event may go by id, or by an invalid address.
 * @param listed guests of the event: lower-case addresses, or ids of guests without one
 * @throws DomainError ValidationFailed for an invalid address, or too many guests
 */
export function guestsByAddress(
  attendees: readonly EventAttendeeInput[],
  most: number,
  listed: ReadonlySet<string> = new Set(),
): Map<string, EventAttendeeInput> {
  if (attendees.length > Math.max(most, listed.size)) throw invalid('attendees', `must not be more than ${most}`);
  const wanted = new Map<string, EventAttendeeInput>();
  attendees.forEach(({ id, ...attendee }, index) => {
    const email = attendee.email.trim().replace(/^mailto:/i, '');
    const names = [
      attendee.email.toLowerCase(),
      email.toLowerCase(),
      ...(email === '' && id !== undefined ? [id] : []),
    ];
    const name = names.find((candidate) => listed.has(candidate));
    if (name === undefined && !isMailAddress(email)) {
      throw invalid(`attendees.${index}.email`, 'must be an e-mail address');
    }
    const key = name ?? email.toLowerCase();
    if (!wanted.has(key)) wanted.set(key, { ...attendee, email });
  });
  return wanted;
}

/** Loose on purpose: an address must only not break out of its line. */
export function isMailAddress(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return text.length <= 320 && text.isWellFormed() && /^[^\s\0-\x1f\x7f@"<>,;]+@[^\s\0-\x1f\x7f@"<>,;:]+$/.test(text);
}
