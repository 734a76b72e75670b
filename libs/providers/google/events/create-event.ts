import type { calendar_v3 } from '@googleapis/calendar';
import type { NewEventInput } from '#domain/events';
import type { WriteOptions } from '#domain/providers';
import { DomainError, invalid } from '#domain/system';
import { SeriesTimes, newSpan, readRecurrence } from '#providers/kit/series';
import { settled } from './conference.js';
import { changedFields, spanPatch, withoutNulls } from './event-body.js';
import { derivedEventId, randomEventId } from './event-id.js';
import { toCalendarEvent } from './event-mapper.js';
import { insertEvent } from './google-writes.js';
import type { GoogleCalendarHandle } from './open-calendar.js';

/** @throws DomainError ValidationFailed, NotSupportedByProvider, Conflict */
export async function createEvent(calendar: GoogleCalendarHandle, input: NewEventInput, options: WriteOptions) {
  const { timeZone: calendarZone } = calendar.facts;
  const isSeries = (input.recurrence?.length ?? 0) > 0;
  const span = newSpan(input, { times: new SeriesTimes(calendarZone), isSeries });
  const id = newEventId(calendar, options.idempotencyKey);
  const type = newEventType(input, span.start, calendar.entry.primary === true);
  const { body, ignoredFields } = await changedFields(calendar, input, null, id);
  const recurrence = isSeries ? readRecurrence(input.recurrence ?? [], { start: span.start, calendarZone }) : null;
  const whole = withoutNulls({ ...body, ...spanPatch(span), recurrence, ...type });
  const { event } = await insertEvent(calendar, { ...whole, id }, options);
  if (event.isCancelled) {
    throw new DomainError('Conflict', 'The event that this request made before has been deleted since.');
  }
  return { event: toCalendarEvent(await settled(calendar, event), calendar.facts), ignoredFields };
}

/** A repeated request gets the same id, so Google reports that the event exists (hardening F23). */
function newEventId({ connection, id }: GoogleCalendarHandle, idempotencyKey: string | undefined): string {
  if (idempotencyKey === undefined) return randomEventId();
  const { applicationId, accountId } = connection.session;
  return derivedEventId('create', applicationId, accountId, id, idempotencyKey);
}

/**
 * Checks and builds a status event. Google has one error for all of its limits
 * (https://developers.google.com/workspace/calendar/api/guides/calendar-status), so they are checked here.
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
  if (input.transparency === 'transparent') {
    throw invalid('transparency', `must be opaque for an event of type ${type}`);
  }
  const given = {
    attendees: (input.attendees?.length ?? 0) > 0,
    generateMeetingUrlProvider: input.generateMeetingUrlProvider != null,
    conferenceData: input.conferenceData != null,
  };
  const [rejected] = Object.entries(given).find(([, isGiven]) => isGiven) ?? [];
  if (rejected !== undefined) throw invalid(rejected, `cannot be given for an event of type ${type}`);
  const properties = type === 'outOfOffice' ? { outOfOfficeProperties: {} } : { focusTimeProperties: {} };
  return { eventType: type, transparency: 'opaque', ...properties };
}
