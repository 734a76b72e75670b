import { DomainError } from '#domain/system';

const MAX_CALENDAR_ID_LENGTH = 1_100;
/** Longer than any id of an event. CalDAV ids hold paths. */
const MAX_EVENT_ID_LENGTH = 2_100;

/** Whether an id can be one segment of a path. */
export function isSendable(id: string, maxLength = MAX_CALENDAR_ID_LENGTH): boolean {
  return (
    id.length > 0 && id.length <= maxLength && id !== '.' && id !== '..' && id.isWellFormed() && !/\p{Cc}/u.test(id)
  );
}

export function calendarNotFound(): DomainError {
  return new DomainError('NotFound', 'There is no calendar with this id in the account.');
}

export function eventNotFound(): DomainError {
  return new DomainError('NotFound', 'There is no event with this id in the calendar.');
}

/** @throws DomainError NotFound, for an id that no event can have */
export function assertEventId(eventId: string): void {
  if (!isSendable(eventId, MAX_EVENT_ID_LENGTH)) throw eventNotFound();
}
