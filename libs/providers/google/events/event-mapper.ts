import type { calendar_v3 } from '@googleapis/calendar';
import {
  EVENT_TYPES,
  RESPONSE_STATUSES,
  VISIBILITIES,
  type CalendarEvent,
  type ConferenceData,
  type EventAttendee,
  type EventItem,
  type EventOrganizer,
  type EventReminder,
  type EventReminders,
  type EventType,
  type ExtendedProperties,
  type ResponseStatus,
} from '#domain/events';
import { DomainError } from '#domain/system';
import { listOf, plainEtag, recordOf, textOf } from '#providers/kit/events';
import { defaultEnd, readInstant } from '#providers/kit/series';
import { readColors } from './event-colors.js';
import { visibleProperties } from './extended-properties.js';
import type { GoogleEvent } from './google-event.js';

export interface CalendarFacts {
  /** IANA id. */
  timeZone: string;
  hasDefaultReminders: boolean;
}

/** @throws DomainError ProviderUnavailable for an event without a time */
export function toCalendarEvent(event: GoogleEvent, calendar: CalendarFacts): CalendarEvent {
  const { raw, start } = event;
  if (start === null) throw new DomainError('ProviderUnavailable', 'Google described an event without a time.');
  const attendees = listOf(raw.attendees).map(recordOf);
  const organizer = readOrganizer(raw.organizer);
  const creator = textOf(recordOf(raw.creator)['email']);
  const properties = recordOf(raw.extendedProperties);
  const privateProperties = readProperties(properties['private']);
  const { colorId, customColor } = readColors(raw.colorId, privateProperties);
  // All events have the same shape, absent fields included: V8 copies and writes hundreds of them in half the time.
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
    generateMeetingUrlProvider: pendingConference(raw),
    webLink: textOf(raw.htmlLink) ?? '',
    iCalUid: event.iCalUid ?? undefined,
    transparency: raw.transparency === 'transparent' ? 'transparent' : 'opaque',
    eventType: readEventType(raw),
    organizer,
    creator: creator === undefined ? undefined : { email: creator },
    reminders: readReminders(raw.reminders, calendar),
    calendarTimeZone: calendar.timeZone,
  };
}

/** Returns nothing for an event without a time, so that the rest of the list stays readable. */
export function toEventItem(event: GoogleEvent, calendar: CalendarFacts): EventItem[] {
  const { id, iCalUid, seriesId, originalStart, isCancelled, start } = event;
  if (!isCancelled) return start === null ? [] : [toCalendarEvent(event, calendar)];
  return [
    {
      id,
      isCancelled,
      ...(iCalUid !== null && { iCalUid }),
      ...(seriesId !== null && { recurringEventId: seriesId }),
      ...(originalStart !== null && { originalStart }),
    },
  ];
}

export function readEventType({ eventType }: calendar_v3.Schema$Event): EventType {
  return EVENT_TYPES.find((known) => known === eventType) ?? 'default';
}

export function readProperties(value: unknown): ExtendedProperties {
  const properties = recordOf(value);
  const entries = Object.entries(properties);
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return texts.length === entries.length ? (properties as ExtendedProperties) : Object.fromEntries(texts);
}

export function readResponse(value: unknown): ResponseStatus {
  return RESPONSE_STATUSES.find((known) => known === value) ?? 'needsAction';
}

/** Google identifies a guest by address or profile id. */
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

/** Returns undefined for an account that is not invited. An organizer who is not on the list takes part. */
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

/** Entry points are missing while a meeting is pending and after a failure. Only the status differs. */
export function isConferencePending({ conferenceData }: calendar_v3.Schema$Event): boolean {
  const { createRequest } = recordOf(conferenceData);
  return recordOf(recordOf(createRequest)['status'])['statusCode'] === 'pending';
}

export function pendingConference(raw: calendar_v3.Schema$Event): string | undefined {
  if (!isConferencePending(raw)) return undefined;
  const { conferenceSolutionKey } = recordOf(recordOf(raw.conferenceData)['createRequest']);
  return textOf(recordOf(conferenceSolutionKey)['type']);
}

function readReminders(value: unknown, { hasDefaultReminders }: CalendarFacts): EventReminders {
  const { useDefault, overrides } = recordOf(value);
  if (useDefault !== false && (useDefault === true || overrides === undefined)) {
    // Absent when the calendar has no defaults: a caller who sends back false would turn reminders off for good.
    return { useDefault: true, ...(hasDefaultReminders && { isReminderOn: true }) };
  }
  const read = listOf(overrides).flatMap(readReminder);
  return { useDefault: false, isReminderOn: read.length > 0, overrides: read };
}

function readReminder(value: unknown): EventReminder[] {
  const { method, minutes } = recordOf(value);
  const isKnown = (method === 'popup' || method === 'email') && Number.isSafeInteger(minutes);
  return isKnown ? [{ method, minutes: minutes as number }] : [];
}
