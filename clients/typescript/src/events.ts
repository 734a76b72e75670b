import type { Event, EventPage } from './generated/types.gen.js';

/** An event with the fields that every event has that is not removed. */
export type CalendarEvent = Event &
  Required<
    Pick<
      Event,
      | 'title'
      | 'start'
      | 'end'
      | 'isAllDay'
      | 'isRecurring'
      | 'isException'
      | 'recurrence'
      | 'attendees'
      | 'visibility'
      | 'transparency'
      | 'eventType'
      | 'reminders'
      | 'publicExtendedProperties'
      | 'privateExtendedProperties'
    >
  >;

/** What is known of an event that was removed since the sync token was given. */
export type RemovedEvent = Pick<Event, 'id' | 'iCalUid' | 'recurringEventId' | 'originalStart'> & { isCancelled: true };

/** A page of a list or, when read with a sync token, of what has changed. */
export type ChangedEvents = Omit<EventPage, 'data'> & { data: (CalendarEvent | RemovedEvent)[] };

export function isRemoved(event: Event | RemovedEvent): event is RemovedEvent {
  return !('start' in event);
}
