import type { CalendarEvent, EventTime } from '#domain/events';
import { parseIcsTime, wallMsOf, type IcsComponent } from '#icalendar';
import { readReminders } from './alarms.js';
import { ownEmail, readAttendees, readMyResponse, readOrganizer } from './attendees.js';
import { isSeries, type CalendarObject } from './calendar-object.js';
import type { EventContext } from './contract.js';
import { readColors } from './colors.js';
import { readEventType, readPublicProperties, readText, readTransparency, readVisibility } from './event-fields.js';
import { asShown, type IcsSpan } from './event-span.js';
import type { DavInstance } from './instances.js';
import { shownLines } from './recurrence-lines.js';

/** Fields that all instances of a component share. */
export type ShownFields = ReturnType<typeof readFields>;

type InstanceIdentity = Pick<DavInstance, 'recurrenceId' | 'instanceDate'>;

/**
 * Converts one VEVENT to an event (caldav-apple.md §5.1).
 * @param span own times, or those of one of its instances
 * @param instance null for a series or single event
 */
export function toCalendarEvent(
  component: IcsComponent,
  span: IcsSpan,
  instance: InstanceIdentity | null,
  object: CalendarObject,
  context: EventContext,
): CalendarEvent {
  const { times } = object;
  const stored = context.privateProperties;
  const shown = asShown(component, span);
  let fields = object.shown.get(component);
  if (fields === undefined) object.shown.set(component, (fields = readFields(component, object, context)));
  const repeats = instance === null && isSeries(object.master) && component === object.master;
  return {
    ...fields,
    id: instance === null ? context.eventId : `${context.eventId}_${instance.instanceDate}`,
    start: times.toEventTime(shown.start),
    end: times.toEventTime(shown.end),
    // Properties of the instance take precedence over those of the series.
    privateExtendedProperties: { ...(stored.get(instance?.instanceDate ?? '') ?? stored.get('')) },
    isRecurring: repeats,
    isException: instance !== null,
    recurrence: repeats ? shownLines(component, times.zones) : null,
    ...(instance !== null && { originalStart: originalStart(instance, object), recurringEventId: context.eventId }),
    reminders: readReminders(component, times.instantOf(span.start), times.instantOf(span.end)),
  };
}

function readFields(component: IcsComponent, object: CalendarObject, context: EventContext) {
  const organizer = readOrganizer(component, context.ownAddresses);
  const creator = organizer?.email || ownEmail(context.ownAddresses);
  const myResponseStatus = readMyResponse(component, context.ownAddresses);
  const stampedAt = readInstant(component, 'DTSTAMP') ?? context.lastModified;
  const createdAt = readInstant(component, 'CREATED') ?? stampedAt;
  const updatedAt = readInstant(component, 'LAST-MODIFIED') ?? stampedAt;
  const description = readText(component, 'DESCRIPTION');
  const location = readText(component, 'LOCATION');
  return {
    title: readText(component, 'SUMMARY') ?? '',
    ...(description !== undefined && description !== '' && { description }),
    ...(context.etag !== undefined && { etag: context.etag }),
    ...(createdAt !== undefined && { createdAt }),
    ...(updatedAt !== undefined && { updatedAt }),
    publicExtendedProperties: readPublicProperties(component),
    isCancelled: component.property('STATUS')?.value.trim().toUpperCase() === 'CANCELLED',
    ...readColors(component),
    ...(myResponseStatus !== undefined && { myResponseStatus }),
    attendees: readAttendees(component),
    visibility: readVisibility(component),
    ...(location !== undefined && location !== '' && { location }),
    webLink: '',
    iCalUid: object.uid,
    transparency: readTransparency(component),
    eventType: readEventType(component),
    ...(organizer !== undefined && { organizer }),
    ...(creator !== undefined && creator !== '' && { creator: { email: creator } }),
    calendarTimeZone: context.calendarTimeZone,
  };
}

/** Returns the original time of an instance, in the same form as the other times of the series. */
export function originalStart({ recurrenceId }: InstanceIdentity, { master, times }: CalendarObject): EventTime {
  if (master === null) return times.toEventTime(recurrenceId);
  const shown = asShown(master, { start: recurrenceId, end: recurrenceId });
  return times.toEventTime(shown.start);
}

/** CREATED, LAST-MODIFIED and DTSTAMP are always in UTC. Some exporters write the year 0 for "unknown". */
function readInstant(component: IcsComponent, name: string): string | undefined {
  const property = component.property(name);
  const time = property === undefined ? null : parseIcsTime(property);
  if (time === null || wallMsOf(time) < 0) return undefined;
  return `${new Date(wallMsOf(time)).toISOString().slice(0, 19)}Z`;
}
