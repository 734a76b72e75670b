import { isDeepStrictEqual } from 'node:util';
import { isFullEvent, type CalendarEvent, type CancelledEvent, type EventItem } from '#domain/events';
import type { EventChangeBody } from './event-input.js';
import { showOriginalStart, showTime, type EventDateTimeView, type ShownIn } from './show-time.js';

/** Section 2.4 of the interface specification, as JSON. */
export interface EventView extends Omit<CalendarEvent, 'start' | 'end' | 'originalStart' | 'calendarTimeZone'> {
  start: EventDateTimeView;
  end: EventDateTimeView;
  isAllDay: boolean;
  originalStart?: EventDateTimeView;
}

export interface CancelledEventView extends Omit<CancelledEvent, 'originalStart'> {
  originalStart?: EventDateTimeView;
}

/** @param requestedZone IANA id; null for each event's own zone */
export function toEventView(event: CalendarEvent, requestedZone: string | null): EventView {
  const { start, end, originalStart, calendarTimeZone } = event;
  const shownIn: ShownIn = { requestedZone, calendarZone: calendarTimeZone ?? null };
  const view: EventView & Pick<CalendarEvent, 'calendarTimeZone'> = {
    ...event,
    start: showTime(start, shownIn),
    end: showTime(end, shownIn),
    isAllDay: start.kind === 'date',
    originalStart: originalStart === undefined ? undefined : showOriginalStart(originalStart, shownIn),
    // Set instead of omitted: a rest copy takes V8 three times as long, and pages have a thousand events.
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

/** Removes fields that equal the shown event, because callers send back what they read. */
export function withoutShown(body: EventChangeBody, views: readonly EventView[]): EventChangeBody {
  const isShown = ([field, value]: [string, unknown]) =>
    views.some((view) => isSameJson(value, (view as unknown as Record<string, unknown>)[field]));
  return Object.fromEntries(Object.entries(body).filter((entry) => entry[1] !== undefined && !isShown(entry)));
}

/** Ignores classes and undefined members. */
function isSameJson(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(asJson(one), asJson(other));
}

function asJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
