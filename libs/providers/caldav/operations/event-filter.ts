import type { CalendarEvent, EventQuery } from '#domain';
import { matchesQuery } from '#providers/kit/events';

/** Everything of a query but its window: servers cannot be trusted with any of it, so all of it is judged here. */
export function isShown(event: CalendarEvent, query: EventQuery): boolean {
  return (query.isCancelled === true || isShownByDefault(event, query)) && matchesQuery(event, query);
}

/**
 * A cancelled event is gone and is not listed. A cancelled override of a live series is: whoever expands the series
 * himself must know that the instance does not take place; who has it expanded need not.
 */
function isShownByDefault(event: CalendarEvent, { expandRecurrences }: EventQuery): boolean {
  return !event.isCancelled || (event.recurringEventId !== undefined && !expandRecurrences);
}
