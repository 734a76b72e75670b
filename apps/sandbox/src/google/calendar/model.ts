import type { calendar_v3 } from '@googleapis/calendar';
import type { GoogleUser } from '../contract.js';
import type { EventShelf } from './event-shelf.js';

export type WireEvent = calendar_v3.Schema$Event;
export type Reminder = calendar_v3.Schema$EventReminder;

/** A day of the calendar, or an instant with the zone that the event is planned in. */
export type EventTime =
  | { readonly kind: 'date'; readonly date: string }
  | { readonly kind: 'instant'; readonly instantMs: number; readonly timeZone: string };

/** Half-open, epoch milliseconds. */
export interface Window {
  startMs: number;
  endMs: number;
}

export interface Person {
  readonly email: string;
  readonly displayName?: string;
}

export interface Attendee extends Person {
  readonly responseStatus: string;
  readonly optional: boolean;
  readonly resource: boolean;
  readonly comment?: string;
  readonly additionalGuests: number;
}

/** When an event takes place. Of a series: its first instance and its rules. */
export interface Pattern {
  readonly start: EventTime;
  readonly end: EventTime;
  /** RRULE, EXRULE, RDATE and EXDATE lines; null unless it is a series. */
  readonly recurrence: readonly string[] | null;
}

export interface Reminders {
  readonly useDefault: boolean;
  readonly overrides: readonly Reminder[];
}

/** A conference, or the request for one. */
export interface Conference {
  readonly data: calendar_v3.Schema$ConferenceData;
  /** When the request is decided, epoch milliseconds; null once it is. */
  readonly pendingUntilMs: number | null;
}

/** What all copies of an event have in common. Only the organizer changes it, unless guests may. */
export interface SharedFields {
  readonly status: 'confirmed' | 'tentative';
  readonly summary?: string;
  readonly description?: string;
  readonly location?: string;
  readonly guestsCanInviteOthers: boolean;
  readonly guestsCanModify: boolean;
  readonly guestsCanSeeOtherGuests: boolean;
  readonly anyoneCanAddSelf: boolean;
  readonly attachments: readonly calendar_v3.Schema$EventAttachment[];
  readonly properties: Readonly<Record<string, string>>;
  readonly conference: Conference | null;
}

/** What belongs to the copy on one calendar. */
export interface OwnFields {
  readonly colorId?: string;
  readonly transparency: string;
  readonly visibility: string;
  readonly properties: Readonly<Record<string, string>>;
  /** By e-mail of the user: everybody with access to a calendar has reminders of their own. */
  readonly reminders: Readonly<Record<string, Reminders>>;
  /** Seen by the creator only. */
  readonly source?: calendar_v3.Schema$Event['source'];
  readonly eventType: string;
  /** `outOfOfficeProperties` and its like, by the name of the property. */
  readonly typeProperties: Readonly<Partial<WireEvent>>;
  readonly privateCopy: boolean;
}

/**
 * One event as it stands on one calendar: a single event, a series, or an exception of a series. Never changed: every
 * write puts another in its place, so that whoever walks through pages sees one state.
 */
export interface EventRecord extends Pattern {
  readonly id: string;
  readonly iCalUID: string;
  /** Null unless it is an instance. */
  readonly recurringEventId: string | null;
  readonly originalStart: EventTime | null;
  /** `cancelled`: an instance that does not take place, of a series that does. */
  readonly life: 'live' | 'cancelled' | 'deleted';
  /** The guest has taken it off this calendar: later changes of the organizer do not bring it back. */
  readonly isRemovedByGuest: boolean;
  /** Of the last change: makes the etag, and says what a sync token has not seen. */
  readonly revision: number;
  readonly createdMs: number;
  readonly updatedMs: number;
  readonly sequence: number;
  readonly creator: Person;
  /** The calendar that owns the event: a user's address, or the id of a secondary calendar. */
  readonly organizer: Person;
  readonly attendees: readonly Attendee[];
  readonly shared: SharedFields;
  readonly own: OwnFields;
  /** How a series looked before, newest first: tells what has vanished since a sync token was given out. */
  readonly former: readonly FormerPattern[];
}

export interface FormerPattern extends Pattern {
  /** The revision that replaced it. */
  readonly untilRevision: number;
}

export const ROLES = ['none', 'freeBusyReader', 'reader', 'writerWithoutPrivateAccess', 'writer', 'owner'] as const;
export type Role = (typeof ROLES)[number];

export interface AclRule {
  readonly id: string;
  readonly scope: { readonly type: string; readonly value?: string };
  /** `none` marks a rule that was deleted. */
  readonly role: Role;
  readonly revision: number;
}

export interface CalendarRecord {
  readonly id: string;
  readonly kind: 'primary' | 'secondary' | 'holidays';
  /** E-mail; null for generated calendars. */
  readonly dataOwner: string | null;
  summary: string;
  description?: string;
  location?: string;
  timeZone: string;
  /** Of the calendar itself, not of its events. */
  revision: number;
  updatedMs: number;
  readonly acl: Map<string, AclRule>;
  readonly events: EventShelf;
}

/** A calendar on the list of one user. */
export interface ListEntry {
  readonly calendarId: string;
  readonly summaryOverride?: string;
  readonly colorId: string;
  readonly backgroundColor: string;
  readonly foregroundColor: string;
  readonly hidden: boolean;
  readonly selected: boolean;
  readonly defaultReminders: readonly Reminder[];
  readonly notificationSettings?: calendar_v3.Schema$CalendarListEntry['notificationSettings'];
  readonly isDeleted: boolean;
  readonly revision: number;
}

export interface Account {
  readonly user: GoogleUser;
  /** By calendar id, lower case. */
  readonly list: Map<string, ListEntry>;
}
