import type { calendar_v3 } from '@googleapis/calendar';
import type { GoogleUser } from '../contract.js';
import type { EventShelf } from './event-shelf.js';

export type WireEvent = calendar_v3.Schema$Event;
export type Reminder = calendar_v3.Schema$EventReminder;

/** A day of the calendar, or an instant with the zone of the event. */
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

/** Times of an event; for a series, its first instance and its rules. */
export interface Pattern {
  readonly start: EventTime;
  readonly end: EventTime;
  /** RRULE, EXRULE, RDATE and EXDATE lines; null for a single event. */
  readonly recurrence: readonly string[] | null;
}

export interface Reminders {
  readonly useDefault: boolean;
  readonly overrides: readonly Reminder[];
}

/** A conference, or the request for one. */
export interface Conference {
  readonly data: calendar_v3.Schema$ConferenceData;
  /** Decision time of the request, epoch milliseconds; null once decided. */
  readonly pendingUntilMs: number | null;
}

/** Fields that all copies share. Only the organizer changes them, unless guests may. */
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

/** Fields of the copy on one calendar. */
export interface OwnFields {
  readonly colorId?: string;
  readonly transparency: string;
  readonly visibility: string;
  readonly properties: Readonly<Record<string, string>>;
  /** By the user's e-mail: everyone with access to a calendar has own reminders. */
  readonly reminders: Readonly<Record<string, Reminders>>;
  /** Visible only to the creator. */
  readonly source?: calendar_v3.Schema$Event['source'];
  readonly eventType: string;
  /** Objects such as `outOfOfficeProperties`, by property name. */
  readonly typeProperties: Readonly<Partial<WireEvent>>;
  readonly privateCopy: boolean;
}

/** One event on one calendar: a single event, a series, or an exception. Immutable, so paging reads one state. */
export interface EventRecord extends Pattern {
  readonly id: string;
  readonly iCalUID: string;
  /** null unless it is an instance. */
  readonly recurringEventId: string | null;
  readonly originalStart: EventTime | null;
  /** `cancelled`: a cancelled instance of a live series. */
  readonly life: 'live' | 'cancelled' | 'deleted';
  /** The guest has removed it; later changes by the organizer do not restore it. */
  readonly isRemovedByGuest: boolean;
  /** Revision of the last change, for the etag and for syncs. */
  readonly revision: number;
  readonly createdMs: number;
  readonly updatedMs: number;
  readonly sequence: number;
  readonly creator: Person;
  /** The owning calendar: a user's address, or the id of a secondary calendar. */
  readonly organizer: Person;
  readonly attendees: readonly Attendee[];
  readonly shared: SharedFields;
  readonly own: OwnFields;
  /** Earlier patterns of a series, newest first, from which a sync derives deleted instances. */
  readonly former: readonly FormerPattern[];
}

export interface FormerPattern extends Pattern {
  /** Revision that replaced it. */
  readonly untilRevision: number;
}

export const ROLES = ['none', 'freeBusyReader', 'reader', 'writerWithoutPrivateAccess', 'writer', 'owner'] as const;
export type Role = (typeof ROLES)[number];

export interface AclRule {
  readonly id: string;
  readonly scope: { readonly type: string; readonly value?: string };
  /** `none` marks a deleted rule. */
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
  /** Revision of the calendar itself, without its events. */
  revision: number;
  updatedMs: number;
  readonly acl: Map<string, AclRule>;
  readonly events: EventShelf;
}

/** A calendar on one user's list. */
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
  /** By lower-case calendar id. */
  readonly list: Map<string, ListEntry>;
}
