import type { calendar_v3 } from '@googleapis/calendar';
import { EVENT_TYPES, invalid, type EventInput, type EventType, type NewEventInput } from '#domain';
import type { GoogleEvent } from './google-event.js';

/**
 * What makes a new event one of the status events, whose limits Google names with one error for all of them
 * (https://developers.google.com/workspace/calendar/api/guides/calendar-status).
 * @throws DomainError ValidationFailed
 */
export function newEventType(
  input: NewEventInput,
  start: { kind: 'date' | 'dateTime' },
  isPrimary: boolean,
): calendar_v3.Schema$Event {
  const type = input.eventType ?? 'default';
  if (type === 'default') return {};
  if (!isPrimary) throw invalid('eventType', `${type} is for the primary calendar only`);
  if (start.kind === 'date') throw invalid('isAllDay', `must not be true for an event of type ${type}`);
  if (input.transparency === 'transparent')
    throw invalid('transparency', `must be opaque for an event of type ${type}`);
  if ((input.attendees?.length ?? 0) > 0) throw invalid('attendees', `cannot be given for an event of type ${type}`);
  if (input.generateMeetingUrlProvider != null) {
    throw invalid('generateMeetingUrlProvider', `cannot be given for an event of type ${type}`);
  }
  if (input.conferenceData != null) throw invalid('conferenceData', `cannot be given for an event of type ${type}`);
  return { eventType: type, transparency: 'opaque', ...typeProperties(type) };
}

/** Google refuses every PATCH that names a type, even the one the event has. @throws DomainError ValidationFailed */
export function checkSameType({ eventType }: EventInput, current: GoogleEvent): void {
  if (eventType !== undefined && (eventType ?? 'default') !== typeOf(current)) {
    throw invalid('eventType', 'cannot be changed after the event was created');
  }
}

function typeOf({ raw }: GoogleEvent): EventType {
  return EVENT_TYPES.find((known) => known === raw.eventType) ?? 'default';
}

function typeProperties(type: EventType): calendar_v3.Schema$Event {
  return type === 'outOfOffice' ? { outOfOfficeProperties: {} } : { focusTimeProperties: {} };
}
