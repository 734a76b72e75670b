import { invalid, type EventAttendeeInput } from '#domain';

/**
 * The guests that a caller names, by their address in lower case, each once.
 * @throws DomainError ValidationFailed for what is no address, and for more than the provider takes
 */
export function guestsByAddress(
  attendees: readonly EventAttendeeInput[],
  most: number,
): Map<string, EventAttendeeInput> {
  if (attendees.length > most) throw invalid('attendees', `must not be more than ${most}`);
  const wanted = new Map<string, EventAttendeeInput>();
  attendees.forEach((attendee, index) => {
    const email = attendee.email.trim().replace(/^mailto:/i, '');
    if (!isMailAddress(email)) throw invalid(`attendees.${index}.email`, 'must be an e-mail address');
    if (!wanted.has(email.toLowerCase())) wanted.set(email.toLowerCase(), { ...attendee, email });
  });
  return wanted;
}

function isMailAddress(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return text.length <= 320 && text.isWellFormed() && /^[^\s\0-\x1f\x7f@"<>,;]+@[^\s\0-\x1f\x7f@"<>,;:]+$/.test(text);
}
