import type { calendar_v3 } from '@googleapis/calendar';
import {
  DomainError,
  EVENT_TYPES,
  RESPONSE_STATUSES,
  VISIBILITIES,
  type CalendarEvent,
  type CancelledEvent,
  type ConferenceData,
  type EventAttendee,
  type EventItem,
  type EventOrganizer,
  type EventReminder,
  type EventReminders,
  type EventTime,
  type ExtendedProperties,
  type ResponseStatus,
} from '#domain';
import { listOf, plainEtag, recordOf, textOf } from '#providers/kit/events';
import { DAY_MS, readInstant, wallOf, withWall } from '#providers/kit/series';
import { readColors } from './event-colors.js';
import { visibleProperties } from './extended-properties.js';
import type { GoogleEvent } from './google-event.js';

/** An instant as Google usually writes it. */

/** What an event says only together with its calendar. */
export interface CalendarFacts {
  /** IANA id. */
  timeZone: string;
  /** Whether the calendar reminds of events that say nothing else. */
  hasDefaultReminders: boolean;
}

export function calendarFacts(calendar: calendar_v3.Schema$CalendarListEntry, timeZone: string): CalendarFacts {
  return { timeZone, hasDefaultReminders: listOf(calendar.defaultReminders).length > 0 };
}

/**
 * An event of the unified model: Google leaves out what has its default value.
 * @throws DomainError ProviderUnavailable when it says nowhere when it is
 */
export function toCalendarEvent(event: GoogleEvent, calendar: CalendarFacts): CalendarEvent {
  const { raw, start } = event;
  if (start === null) throw new DomainError('ProviderUnavailable', 'Google described an event without a time.');
  const attendees = listOf(raw.attendees).map(recordOf);
  const organizer = readOrganizer(raw.organizer);
  const creator = textOf(recordOf(raw.creator)['email']);
  const properties = recordOf(raw.extendedProperties);
  const privateProperties = readProperties(properties['private']);
  const { colorId, customColor } = readColors(raw.colorId, privateProperties);
  // One shape for all events, fields that are not there included: V8 copies and writes hundreds of them in half the time.
  return {
    id: event.id,
    title: textOf(raw.summary) ?? '',
    description: textOf(raw.description),
    etag: event.etag === null ? undefined : plainEtag(event.etag),
    createdAt: readInstant(raw.created),
    updatedAt: readInstant(raw.updated),
    start,
    end: event.end ?? defaultEnd(start),
    publicExtendedProperties: readProperties(properties['shared']),
    privateExtendedProperties: visibleProperties(privateProperties),
    isRecurring: event.recurrence.length > 0,
    isException: event.seriesId !== null,
    isCancelled: event.isCancelled,
    recurrence: event.recurrence.length > 0 ? event.recurrence : null,
    originalStart: event.originalStart ?? undefined,
    recurringEventId: event.seriesId ?? undefined,
    colorId,
    customColor,
    myResponseStatus: readMyResponse(attendees, organizer),
    attendees: attendees.flatMap(readAttendee),
    visibility: VISIBILITIES.find((known) => known === raw.visibility) ?? 'default',
    location: textOf(raw.location),
    conferenceData: readConference(raw),
    generateMeetingUrlProvider: pendingMeeting(raw),
    webLink: textOf(raw.htmlLink) ?? '',
    iCalUid: event.iCalUid ?? undefined,
    transparency: raw.transparency === 'transparent' ? 'transparent' : 'opaque',
    eventType: EVENT_TYPES.find((known) => known === raw.eventType) ?? 'default',
    organizer,
    creator: creator === undefined ? undefined : { email: creator },
    reminders: readReminders(raw.reminders, calendar),
    calendarTimeZone: calendar.timeZone,
  };
}

/** What is left to say of an event that is gone. */
function toStub({ id, iCalUid, seriesId, originalStart }: GoogleEvent): CancelledEvent {
  return {
    id,
    isCancelled: true,
    ...(iCalUid !== null && { iCalUid }),
    ...(seriesId !== null && { recurringEventId: seriesId }),
    ...(originalStart !== null && { originalStart }),
  };
}

/** Nothing for an event that says nowhere when it is: it must not cost the caller the rest of the list. */
export function toEventItem(event: GoogleEvent, calendar: CalendarFacts): EventItem[] {
  if (event.isCancelled) return [toStub(event)];
  return event.start === null ? [] : [toCalendarEvent(event, calendar)];
}

/** A day for a date; a time without an end takes none (RFC 5545 §3.6.1). */
function defaultEnd(start: EventTime): EventTime {
  return start.kind === 'date' ? withWall(start, wallOf(start) + DAY_MS) : start;
}

export function readProperties(value: unknown): ExtendedProperties {
  const properties = recordOf(value);
  return areTexts(properties)
    ? properties
    : Object.fromEntries(Object.entries(properties).filter((entry): entry is [string, string] => isText(entry[1])));
}

function areTexts(properties: Readonly<Record<string, unknown>>): properties is Readonly<Record<string, string>> {
  return Object.values(properties).every(isText);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function readResponse(value: unknown): ResponseStatus {
  return RESPONSE_STATUSES.find((known) => known === value) ?? 'needsAction';
}

/** Google knows guests by address alone, but for some that have a profile. */
function readAttendee(attendee: Readonly<Record<string, unknown>>): EventAttendee[] {
  const email = textOf(attendee['email']);
  const name = textOf(attendee['displayName']);
  const id = textOf(attendee['id']) ?? email?.toLowerCase();
  if (id === undefined) return [];
  return [{ id, name, email: email ?? '', responseStatus: readResponse(attendee['responseStatus']) }];
}

function readOrganizer(value: unknown): EventOrganizer | undefined {
  const { email, displayName, self } = recordOf(value);
  const address = textOf(email);
  const name = textOf(displayName);
  if (address === undefined && name === undefined && self !== true) return undefined;
  return { name, email: address ?? '', isSelf: self === true };
}

/** undefined: not invited. Who organises an event without being on its list takes part in it. */
function readMyResponse(
  attendees: readonly Readonly<Record<string, unknown>>[],
  organizer: EventOrganizer | undefined,
): ResponseStatus | undefined {
  const own = attendees.find(({ self }) => self === true);
  if (own !== undefined) return readResponse(own['responseStatus']);
  return organizer?.isSelf === true ? 'accepted' : undefined;
}

export function readConference(raw: calendar_v3.Schema$Event): ConferenceData | undefined {
  const details = recordOf(raw.conferenceData);
  const link = textOf(raw.hangoutLink);
  if (Object.keys(details).length === 0) return link === undefined ? undefined : { joinUrl: link };
  const conferenceId = textOf(details['conferenceId']);
  const conferenceType =
    textOf(recordOf(recordOf(details['conferenceSolution'])['key'])['type']) ??
    textOf(recordOf(recordOf(details['createRequest'])['conferenceSolutionKey'])['type']);
  const video = listOf(details['entryPoints'])
    .map(recordOf)
    .find(({ entryPointType }) => entryPointType === 'video');
  const joinUrl = textOf(video?.['uri']) ?? link;
  return {
    ...(conferenceId !== undefined && { conferenceId }),
    ...(conferenceType !== undefined && { conferenceType }),
    ...(joinUrl !== undefined && { joinUrl }),
    conferenceDetails: { ...details },
  };
}

/** Entry points are missing while a meeting is pending and when it has failed; only the status tells one from the other. */
export function isMeetingPending({ conferenceData }: calendar_v3.Schema$Event): boolean {
  const { createRequest } = recordOf(conferenceData);
  return recordOf(recordOf(createRequest)['status'])['statusCode'] === 'pending';
}

/** The kind of meeting that Google is still making; undefined when it makes none. */
export function pendingMeeting(raw: calendar_v3.Schema$Event): string | undefined {
  if (!isMeetingPending(raw)) return undefined;
  const { conferenceSolutionKey } = recordOf(recordOf(raw.conferenceData)['createRequest']);
  return textOf(recordOf(conferenceSolutionKey)['type']);
}

function readReminders(value: unknown, { hasDefaultReminders }: CalendarFacts): EventReminders {
  const { useDefault, overrides } = recordOf(value);
  if (useDefault !== false && (useDefault === true || overrides === undefined)) {
    // Not said when there are none: sent back, it would turn reminders off for good.
    return { useDefault: true, ...(hasDefaultReminders && { isReminderOn: true }) };
  }
  const read = listOf(overrides).flatMap(readReminder);
  return { useDefault: false, isReminderOn: read.length > 0, overrides: read };
}

function readReminder(value: unknown): EventReminder[] {
  const { method, minutes } = recordOf(value);
  const known = textOf(method);
  const isKnown = known === 'popup' || known === 'email';
  return isKnown && Number.isSafeInteger(minutes) ? [{ method: known, minutes: minutes as number }] : [];
}
