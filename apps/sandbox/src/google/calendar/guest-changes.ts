import { isDeepStrictEqual } from 'node:util';
import { readResponse } from './event-content.js';
import { isSelf } from './event-view.js';
import { withResponse } from './invitations.js';
import type { Attendee, CalendarRecord, EventRecord, WireEvent } from './model.js';
import { isSamePattern } from './recurrence.js';
import { forbiddenForNonOrganizer } from './errors.js';

/**
 * True when a guest's write changes more than the own copy, the own reply and further guests.
 * @throws GoogleErrorResponse 403 `forbiddenForNonOrganizer` for changes reserved to the organizer
 */
export function changesEvent(calendar: CalendarRecord, record: EventRecord, next: EventRecord): boolean {
  const others = (attendees: readonly Attendee[]) => attendees.filter(({ email }) => !isSelf(email, calendar));
  const before = new Map(others(record.attendees).map((attendee) => [attendee.email.toLowerCase(), attendee]));
  const now = others(next.attendees);
  const isKept = now.filter((attendee) => isDeepStrictEqual(before.get(attendee.email.toLowerCase()), attendee));
  const isAdded = now.some(({ email }) => !before.has(email.toLowerCase()));
  const changes =
    !isSamePattern(record, next) || !isDeepStrictEqual(record.shared, next.shared) || isKept.length < before.size;
  if (record.shared.guestsCanModify) return changes;
  if (changes || (isAdded && !record.shared.guestsCanInviteOthers)) throw forbiddenForNonOrganizer();
  return false;
}

/** Applies a write with `attendeesOmitted`, where only the own reply counts. @throws GoogleErrorResponse 400 */
export function respondedBy(
  calendar: CalendarRecord,
  record: EventRecord,
  { attendees }: WireEvent,
  violation: (message: string) => void,
): Attendee[] {
  const written = attendees?.find(({ email }) => email != null && isSelf(email, calendar));
  if (written === undefined) violation('attendeesOmitted without the answer of the calendar itself');
  const { responseStatus, comment, additionalGuests } = written ?? {};
  return withResponse(record.attendees, calendar, {
    ...(responseStatus == null ? {} : { responseStatus: readResponse(responseStatus) }),
    ...(comment == null ? {} : { comment }),
    ...(additionalGuests == null ? {} : { additionalGuests }),
  });
}
