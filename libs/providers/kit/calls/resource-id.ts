import { DomainError } from '#domain';

/** Longer than any id of a provider's (Google's event ids have up to 1,024 characters). */
const MAX_ID_LENGTH = 1_100;

/** Whether an id can be one segment of a path: what it cannot be, no provider has ever given out. */
export function isSendable(id: string): boolean {
  return (
    id.length > 0 && id.length <= MAX_ID_LENGTH && id !== '.' && id !== '..' && id.isWellFormed() && !/\p{Cc}/u.test(id)
  );
}

export function calendarNotFound(): DomainError {
  return new DomainError('NotFound', 'There is no calendar with this id in the account.');
}

/** @throws DomainError NotFound, for an id that no event can have */
export function sendableEventId(eventId: string): string {
  if (isSendable(eventId)) return eventId;
  throw new DomainError('NotFound', 'There is no event with this id in the calendar.');
}
