import { isFullEvent, type CalendarEvent, type CancelledEvent, type EventItem } from '#domain';
import { showOriginalStart, showTime, type EventDateTimeView, type ShownIn } from './show-time.js';

/** Section 2.4 of the interface specification, as JSON. */
export interface EventView extends Omit<CalendarEvent, 'start' | 'end' | 'originalStart' | 'calendarTimeZone'> {
  start: EventDateTimeView;
  end: EventDateTimeView;
  isAllDay: boolean;
  originalStart?: EventDateTimeView;
}

/** An event that is gone since the sync token was issued. */
export interface CancelledEventView extends Omit<CancelledEvent, 'originalStart'> {
  originalStart?: EventDateTimeView;
}

/** `requestedZone`: IANA id, or null for each event's own zone. */
export function toEventView(event: CalendarEvent, requestedZone: string | null): EventView {
  const { start, end, originalStart, calendarTimeZone } = event;
  const shownIn: ShownIn = { requestedZone, calendarZone: calendarTimeZone ?? null };
  const view: EventView & Pick<CalendarEvent, 'calendarTimeZone'> = {
    ...event,
    start: showTime(start, shownIn),
    end: showTime(end, shownIn),
    isAllDay: start.kind === 'date',
    originalStart: originalStart === undefined ? undefined : showOriginalStart(originalStart, shownIn),
    // Set, not left out: copying all fields but some takes V8 three times as long, and pages have a thousand events.
    calendarTimeZone: undefined,
  };
  return view;
}

export function toEventItemView(item: EventItem, requestedZone: string | null): EventView | CancelledEventView {
  if (isFullEvent(item)) return toEventView(item, requestedZone);
  const { originalStart, ...rest } = item;
  return {
    ...rest,
    ...(originalStart !== undefined && {
      originalStart: showOriginalStart(originalStart, { requestedZone, calendarZone: null }),
    }),
  };
}
