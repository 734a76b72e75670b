import type { EventTime, EventTimeInput, GivenTimeInput } from './time.js';

export const RESPONSE_STATUSES = ['needsAction', 'declined', 'tentative', 'accepted'] as const;

export type ResponseStatus = (typeof RESPONSE_STATUSES)[number];

export const VISIBILITIES = ['default', 'public', 'private', 'confidential'] as const;

export type Visibility = (typeof VISIBILITIES)[number];

export const TRANSPARENCIES = ['transparent', 'opaque'] as const;

export type Transparency = (typeof TRANSPARENCIES)[number];

export const EVENT_TYPES = ['default', 'outOfOffice', 'focusTime'] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export type ExtendedProperties = Record<string, string>;

export interface EventAttendee {
  id: string;
  name?: string;
  email: string;
  responseStatus: ResponseStatus;
}

export interface EventOrganizer {
  name?: string;
  email: string;
  isSelf: boolean;
}

export interface EventReminder {
  /** `popup` or `email`. */
  method: string;
  /** Minutes before the start. */
  minutes: number;
}

export interface EventReminders {
  useDefault: boolean;
  isReminderOn?: boolean;
  overrides?: EventReminder[];
}

export interface ConferenceData {
  conferenceId?: string;
  conferenceType?: string;
  joinUrl?: string;
  conferenceDetails?: Record<string, unknown>;
}

/** An event, a series, or one instance of a series: section 2.4 of the interface specification. */
export interface CalendarEvent {
  id: string;
  title: string;
  description?: string;
  etag?: string;
  /** ISO 8601 instants, `…Z`, seconds precision. */
  createdAt?: string;
  updatedAt?: string;
  start: EventTime;
  /** Exclusive. */
  end: EventTime;
  publicExtendedProperties: ExtendedProperties;
  privateExtendedProperties: ExtendedProperties;
  isRecurring: boolean;
  isException: boolean;
  isCancelled: boolean;
  /** `RRULE:…`, `RDATE…`, `EXDATE…` lines, property name included, in the series' own zone; null when not a series. */
  recurrence: string[] | null;
  originalStart?: EventTime;
  recurringEventId?: string;
  colorId?: string;
  /** `#rrggbb`. */
  customColor?: string;
  myResponseStatus?: ResponseStatus;
  attendees: EventAttendee[];
  visibility: Visibility;
  location?: string;
  conferenceData?: ConferenceData;
  /** Only while the provider is still making the meeting. */
  generateMeetingUrlProvider?: string;
  webLink?: string;
  iCalUid?: string;
  transparency: Transparency;
  eventType: EventType;
  organizer?: EventOrganizer;
  creator?: { email: string };
  reminders: EventReminders;
  /** IANA id: where dates and floating times of this event are lived. Not part of the public model; for showing only. */
  calendarTimeZone?: string;
}

/** An event that is gone since the sync token was issued. Only what is known of it. */
export interface CancelledEvent {
  id: string;
  isCancelled: true;
  iCalUid?: string;
  recurringEventId?: string;
  originalStart?: EventTime;
}

export type EventItem = CalendarEvent | CancelledEvent;

/** Tells a full event from the stub of a cancelled one. */
export function isFullEvent(item: EventItem): item is CalendarEvent {
  return 'start' in item;
}

/** An attendee as a caller writes it. */
export interface EventAttendeeInput {
  /** Of somebody whom the event shows: tells who it is where there is no email address. */
  id?: string;
  /** With an id whatever the event shows, else an address. */
  email: string;
  /** An empty one: none. */
  name?: string;
  responseStatus?: ResponseStatus;
}

/** What a caller may write. undefined: leave as it is. null: clear. */
export interface EventInput {
  title?: string;
  description?: string | null;
  start?: EventTimeInput;
  end?: EventTimeInput | null;
  /** Given without `start`: convert what is there (timed to all-day), or keep. */
  isAllDay?: boolean;
  publicExtendedProperties?: ExtendedProperties | null;
  privateExtendedProperties?: ExtendedProperties | null;
  /** Lines as in {@link CalendarEvent.recurrence}; names may be left out of RRULE lines. */
  recurrence?: string[] | null;
  colorId?: string | null;
  customColor?: string | null;
  myResponseStatus?: ResponseStatus;
  attendees?: EventAttendeeInput[] | null;
  visibility?: Visibility | null;
  location?: string | null;
  transparency?: Transparency | null;
  eventType?: EventType | null;
  reminders?: EventReminders | null;
  conferenceData?: ConferenceData | null;
  generateMeetingUrlProvider?: string | null;
}

/** A new event: title and start are there. */
export interface NewEventInput extends EventInput {
  title: string;
  start: GivenTimeInput;
}

/** Busy time, epoch milliseconds, half-open. */
export interface BusySlot {
  startMs: number;
  endMs: number;
}

/** Properties that a provider has no private place for; encrypted at rest. `instance` is '' for the series or event. */
export interface PrivatePropertyKey {
  applicationId: string;
  accountId: string;
  calendarId: string;
  iCalUid: string;
  /** '' for an event or a series, else the date part of the instance id. */
  instance: string;
}

export abstract class PrivatePropertyStore {
  /** All instances of the uids asked: `uid → instance → properties`. */
  abstract load(
    scope: { applicationId: string; accountId: string; calendarId: string },
    iCalUids: string[],
  ): Promise<Map<string, Map<string, ExtendedProperties>>>;
  /** An empty object removes the entry. */
  abstract save(key: PrivatePropertyKey, properties: ExtendedProperties): Promise<void>;
  /** Removes the entries of every instance of a uid, or of one instance. */
  abstract remove(key: Omit<PrivatePropertyKey, 'instance'> & { instance?: string }): Promise<void>;
}
