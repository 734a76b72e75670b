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
  method: string;
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
  /** ISO 8601 instants, `…Z`, with seconds precision. */
  createdAt?: string;
  updatedAt?: string;
  start: EventTime;
  end: EventTime;
  publicExtendedProperties: ExtendedProperties;
  privateExtendedProperties: ExtendedProperties;
  isRecurring: boolean;
  isException: boolean;
  isCancelled: boolean;
  /** `RRULE:…`, `RDATE…`, `EXDATE…` lines with the property name, in the series' zone. null when not a series. */
  recurrence: string[] | null;
  originalStart?: EventTime;
  recurringEventId?: string;
  colorId?: string;
  customColor?: string;
  myResponseStatus?: ResponseStatus;
  attendees: EventAttendee[];
  visibility: Visibility;
  location?: string;
  conferenceData?: ConferenceData;
  /** Only while the provider is still creating the conference. */
  generateMeetingUrlProvider?: string;
  webLink?: string;
  iCalUid?: string;
  transparency: Transparency;
  eventType: EventType;
  organizer?: EventOrganizer;
  creator?: { email: string };
  reminders: EventReminders;
  /** IANA id for dates and floating times of this event. Not part of the public model; for display only. */
  calendarTimeZone?: string;
}

/** An event deleted since the sync token was issued. */
export interface CancelledEvent {
  id: string;
  isCancelled: true;
  iCalUid?: string;
  recurringEventId?: string;
  originalStart?: EventTime;
}

export type EventItem = CalendarEvent | CancelledEvent;

export function isFullEvent(item: EventItem): item is CalendarEvent {
  return 'start' in item;
}

export interface EventAttendeeInput {
  /** Id of an attendee of the event. Identifies attendees without an email address. */
  id?: string;
  /** With an id, the value that the event shows; else an address. */
  email: string;
  /** Empty for no name. */
  name?: string;
  responseStatus?: ResponseStatus;
}

/** undefined keeps the current value, null clears it. */
export interface EventInput {
  title?: string;
  description?: string | null;
  start?: EventTimeInput;
  end?: EventTimeInput | null;
  /** Without `start`: converts a timed event to all-day, or keeps the times. */
  isAllDay?: boolean;
  publicExtendedProperties?: ExtendedProperties | null;
  privateExtendedProperties?: ExtendedProperties | null;
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

export interface NewEventInput extends EventInput {
  title: string;
  start: GivenTimeInput;
}

/** Half-open, in epoch milliseconds. */
export interface BusySlot {
  startMs: number;
  endMs: number;
}

/** Key of properties that the provider cannot store privately. Encrypted at rest. */
export interface PrivatePropertyKey {
  applicationId: string;
  accountId: string;
  calendarId: string;
  iCalUid: string;
  /** '' for an event or a series, else the date part of the instance id. */
  instance: string;
}

export abstract class PrivatePropertyStore {
  /** `uid → instance → properties` */
  abstract load(
    scope: { applicationId: string; accountId: string; calendarId: string },
    iCalUids: string[],
  ): Promise<Map<string, Map<string, ExtendedProperties>>>;
  /** An empty object deletes the entry of an event or series; an instance keeps it, and has none. */
  abstract save(key: PrivatePropertyKey, properties: ExtendedProperties): Promise<void>;
  /** Without `instance`, every instance of the uid. */
  abstract remove(key: Omit<PrivatePropertyKey, 'instance'> & { instance?: string }): Promise<void>;
}
