import type {
  CalendarEvent,
  ConferenceData,
  EventAttendee,
  EventReminders,
  EventType,
  ResponseStatus,
  Transparency,
  Visibility,
} from '#domain/events';
import { DomainError } from '#domain/system';
import { listOf, plainEtag, recordOf, textOf, textsOf } from '#providers/kit/events';
import { defaultEnd, readInstant } from '#providers/kit/series';
import { readBody } from './body-text.js';
import type { OutlookCalendarHandle } from './open-calendar.js';
import type { GraphEvent, OutlookEvent } from './outlook-event.js';
import { callersProperties } from './own-properties.js';

const HEX_COLOR = /^#[0-9a-f]{6}$/;
/** Maximum of callers: a year. */
const MAX_MINUTES = 525_600;
/** `colorId` of every provider. */
const PALETTE_ID = /^(?:[1-9]|1[01])$/;

/** @throws DomainError ProviderUnavailable for an event without a time */
export function toCalendarEvent(
  event: OutlookEvent,
  { timeZone, ownAddresses }: Pick<OutlookCalendarHandle, 'timeZone' | 'ownAddresses'>,
): CalendarEvent {
  const { raw, start, own } = event;
  if (start === null) throw new DomainError('ProviderUnavailable', 'Microsoft described an event without a time.');
  const conferenceData = readConference(raw);
  const customColor = own.get('ucHexColor') ?? '';
  const organizer = readOrganizer(raw);
  return {
    id: event.id,
    title: textOf(raw.subject) ?? '',
    description: readBody(raw.body, conferenceData?.joinUrl) || undefined,
    etag: event.etag === null ? undefined : plainEtag(event.etag),
    createdAt: readInstant(raw.createdDateTime),
    updatedAt: readInstant(raw.lastModifiedDateTime),
    start,
    end: event.end ?? defaultEnd(start),
    publicExtendedProperties: callersProperties(own, 'ucPublic'),
    privateExtendedProperties: callersProperties(own, 'ucPrivate'),
    isRecurring: event.isSeries,
    isException: event.seriesId !== null,
    isCancelled: event.isCancelled,
    recurrence: event.isSeries ? event.recurrence : null,
    originalStart: event.originalStart ?? undefined,
    recurringEventId: event.seriesId ?? undefined,
    colorId: paletteCategory(raw),
    customColor: HEX_COLOR.test(customColor) ? customColor : undefined,
    myResponseStatus: readMyResponse(raw),
    attendees: readAttendees(raw, ownAddresses),
    visibility: readVisibility(raw),
    location: textOf(recordOf(raw.location)['displayName']),
    conferenceData,
    generateMeetingUrlProvider: conferenceData?.joinUrl === undefined ? conferenceData?.conferenceType : undefined,
    webLink: textOf(raw.webLink) ?? '',
    iCalUid: event.iCalUid ?? undefined,
    transparency: readTransparency(raw),
    eventType: readEventType(event),
    organizer,
    creator: organizer === undefined || organizer.email === '' ? undefined : { email: organizer.email },
    reminders: readReminders(raw),
    calendarTimeZone: timeZone,
  };
}

export function paletteCategory({ categories }: GraphEvent): string | undefined {
  return textsOf(categories).find((category) => PALETTE_ID.test(category));
}

export function readTransparency({ showAs }: GraphEvent): Transparency {
  return showAs === 'free' || showAs === 'workingElsewhere' ? 'transparent' : 'opaque';
}

export function readEventType({ raw, own }: OutlookEvent): EventType {
  if (raw.showAs === 'oof') return 'outOfOffice';
  return own.get('ucEventType') === 'focusTime' ? 'focusTime' : 'default';
}

export function readVisibility({ sensitivity }: GraphEvent): Visibility {
  if (sensitivity === 'private' || sensitivity === 'personal') return 'private';
  return sensitivity === 'confidential' ? 'confidential' : 'default';
}

export function readReminders({ isReminderOn, reminderMinutesBeforeStart }: GraphEvent): EventReminders {
  const minutes = Number.isSafeInteger(reminderMinutesBeforeStart) ? (reminderMinutesBeforeStart ?? 0) : 0;
  // Callers could not send back other values.
  const overrides = minutes >= 0 && minutes <= MAX_MINUTES ? [{ method: 'popup', minutes }] : [];
  return isReminderOn === true
    ? { useDefault: false, isReminderOn: true, overrides }
    : { useDefault: false, isReminderOn: false, overrides: [] };
}

export function readConference(raw: GraphEvent): ConferenceData | undefined {
  const conference = recordOf(raw.onlineMeeting);
  const joinUrl = textOf(conference['joinUrl']) ?? textOf(raw.onlineMeetingUrl);
  if (raw.isOnlineMeeting !== true && joinUrl === undefined) return undefined;
  const conferenceId = textOf(conference['conferenceId']);
  const conferenceType = raw.onlineMeetingProvider === 'unknown' ? undefined : textOf(raw.onlineMeetingProvider);
  const tollNumber = textOf(conference['tollNumber']);
  const entryPoints = [
    ...(joinUrl === undefined ? [] : [{ entryPointType: 'video', uri: joinUrl }]),
    // RFC 3966. Graph writes printed numbers.
    ...(tollNumber === undefined ? [] : [{ entryPointType: 'phone', uri: `tel:${tollNumber.replace(/[^+\d]/g, '')}` }]),
  ];
  // Texts only: lists and digests must not carry other data that Graph adds.
  const texts = Object.entries(conference).filter(([, value]) => textOf(value) !== undefined);
  return {
    ...(conferenceId !== undefined && { conferenceId }),
    ...(conferenceType !== undefined && { conferenceType }),
    ...(joinUrl !== undefined && { joinUrl }),
    conferenceDetails: { ...Object.fromEntries(texts), entryPoints },
  };
}

const RESPONSES: ReadonlyMap<unknown, ResponseStatus> = new Map([
  ['accepted', 'accepted'],
  ['organizer', 'accepted'],
  ['tentativelyAccepted', 'tentative'],
  ['declined', 'declined'],
]);

export function readResponse(value: unknown): ResponseStatus {
  return RESPONSES.get(value) ?? 'needsAction';
}

function readMyResponse(raw: GraphEvent): ResponseStatus | undefined {
  if (raw.isOrganizer === true) return 'accepted';
  const response = textOf(recordOf(raw.responseStatus)['response']);
  return response === undefined ? undefined : readResponse(response);
}

/**
 * Reads the guests. A guest's copy holds only the owner's answer, outside of the list
 * (https://learn.microsoft.com/graph/api/resources/event, `responseStatus`).
 * @param ownAddresses lower case
 */
export function readAttendees(raw: GraphEvent, ownAddresses: ReadonlySet<string>): EventAttendee[] {
  const response = raw.isOrganizer === true ? undefined : readMyResponse(raw);
  return listOf(raw.attendees)
    .flatMap(readAttendee)
    .map((guest) =>
      response !== undefined && ownAddresses.has(guest.id) ? { ...guest, responseStatus: response } : guest,
    );
}

function readAttendee(value: unknown): EventAttendee[] {
  const { emailAddress, status } = recordOf(value);
  const { address, name } = recordOf(emailAddress);
  const email = textOf(address);
  if (email === undefined) return [];
  const responseStatus = readResponse(recordOf(status)['response']);
  return [{ id: email.toLowerCase(), name: textOf(name), email, responseStatus }];
}

function readOrganizer(raw: GraphEvent): CalendarEvent['organizer'] {
  const { address, name } = recordOf(recordOf(raw.organizer)['emailAddress']);
  const email = textOf(address);
  const called = textOf(name);
  if (email === undefined && called === undefined && raw.isOrganizer !== true) return undefined;
  return { ...(called !== undefined && { name: called }), email: email ?? '', isSelf: raw.isOrganizer === true };
}
