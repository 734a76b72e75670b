import { DomainError, type EventWritten, type NewEventInput, type WriteOptions } from '#domain';
import { EventTimes, newSpan, readRecurrence } from '#providers/kit/series';
import { settled } from './conference.js';
import { changedFields, spanPatch, withoutNulls } from './event-body.js';
import { derivedEventId, randomEventId } from './event-id.js';
import { toCalendarEvent } from './event-mapper.js';
import { newEventType } from './event-type.js';
import { insertEvent } from './google-writes.js';
import type { OpenCalendar } from './open-calendar.js';

/** @throws DomainError ValidationFailed, NotSupportedByProvider, Conflict */
export async function createEvent(
  calendar: OpenCalendar,
  input: NewEventInput,
  options: WriteOptions,
): Promise<EventWritten> {
  const { timeZone: calendarZone } = calendar.facts;
  const isSeries = (input.recurrence?.length ?? 0) > 0;
  const span = newSpan(input, { times: new EventTimes(calendarZone), isSeries });
  const id = newEventId(calendar, options.idempotencyKey);
  const type = newEventType(input, span.start, calendar.entry.primary === true);
  const { body, ignoredFields } = await changedFields(input, {
    calendar,
    current: null,
    writeId: id,
  });
  const recurrence = isSeries ? readRecurrence(input.recurrence ?? [], { start: span.start, calendarZone }) : undefined;
  const { event } = await insertEvent(
    calendar,
    { ...withoutNulls({ ...body, ...spanPatch(span), ...(recurrence !== undefined && { recurrence }), ...type }), id },
    options,
  );
  if (event.isCancelled) {
    throw new DomainError('Conflict', 'The event that this request made before has been deleted since.');
  }
  return { event: toCalendarEvent(await settled(calendar, event), calendar.facts), ignoredFields };
}

/** The same request retried makes the same id, so that Google tells that it is already there (hardening F23). */
function newEventId({ connection, id }: OpenCalendar, idempotencyKey: string | undefined): string {
  if (idempotencyKey === undefined) return randomEventId();
  const { applicationId, accountId } = connection.session;
  return derivedEventId('create', applicationId, accountId, id, idempotencyKey);
}
