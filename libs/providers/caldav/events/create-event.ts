import { invalid, type NewEventInput } from '#domain';
import { newSpan } from '#providers/kit/series';
import { checkSupported, writeFields } from './event-fields-writer.js';
import { openObject } from './calendar-object.js';
import { type WriteContext, type Written } from './contract.js';
import { writeSpan } from './event-span.js';
import { finish } from './object-writer.js';
import { planRecurrence, writeRecurrence } from './recurrence-input.js';
import { utcStamp } from './revision.js';

const PRODUCT_ID = '-//Unified Calendar Service//CalDAV//EN';

/** A calendar object with one event or series (RFC 4791 §4.1: one UID, no METHOD). @throws DomainError ValidationFailed, NotSupportedByProvider */
export function createEvent(uid: string, input: NewEventInput, context: WriteContext): Written & { body: Buffer } {
  checkSupported(input);
  const object = openObject(emptyObject(uid, context.nowMs), context.calendarTimeZone);
  const event = object?.master ?? null;
  if (object === null || event === null) throw invalid('', 'The event cannot be written');
  const { times } = object;
  const plan =
    input.recurrence === undefined || input.recurrence === null
      ? null
      : planRecurrence(input.recurrence, null, times.zones);
  const span = newSpan(input, { times, isSeries: plan !== null });
  writeSpan(event, span);
  if (plan !== null) writeRecurrence(event, plan, span.start, times);
  const ignoredFields = writeFields(event, input, span, times, context);
  return { body: finish(object, [event], context), ignoredFields };
}

function emptyObject(uid: string, nowMs: number): string {
  const now = utcStamp(nowMs);
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:${PRODUCT_ID}`,
    'CALSCALE:GREGORIAN',
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTAMP:${now}`,
    `CREATED:${now}`,
    `LAST-MODIFIED:${now}`,
    'SEQUENCE:0',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');
}
