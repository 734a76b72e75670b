import { invalid, type EventAttendeeInput } from '#domain';

/** Nobody is on the list yet. */
const NOBODY: ReadonlySet<string> = new Set();

/**
 * The guests that a caller names, by their address in lower case, each once. Those on the list may be called whatever
 * they are called there, and by their id where that is no address.
 * @param listed addresses in lower case, and ids of those without one, of the guests that the event has
 * @throws DomainError ValidationFailed for what is no address, and for more than the provider takes
 */
export function guestsByAddress(
  attendees: readonly EventAttendeeInput[],
  most: number,
  listed: ReadonlySet<string> = NOBODY,
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

/** Loose on purpose: what matters is that it cannot leave its place in a line. */
export function isMailAddress(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return text.length <= 320 && text.isWellFormed() && /^[^\s\0-\x1f\x7f@"<>,;]+@[^\s\0-\x1f\x7f@"<>,;:]+$/.test(text);
}
