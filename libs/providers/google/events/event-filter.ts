import type { EventQuery } from '#domain';
import { asksForContent } from '#providers/kit/events';

/** A read of everything as it is: the only kind that Google's own sync token can go on from. */
export function isWholeCalendar(query: EventQuery): boolean {
  const { window, expandRecurrences, isCancelled, iCalUid } = query;
  const isOpen = window.startMs === null && window.endMs === null && !expandRecurrences;
  return isOpen && isCancelled === null && iCalUid === null && !asksForContent(query);
}
