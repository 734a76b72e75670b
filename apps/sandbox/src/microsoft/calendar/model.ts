import type { MicrosoftUser } from '../contract.js';
import type { Recurrence } from './recurrence.js';

/** Instants; for an all-day event UTC midnights of days without zone. */
export interface Times {
  isAllDay: boolean;
  startMs: number;
  endMs: number;
  /** As written. */
  startZone: string;
  endZone: string;
}

export interface EmailAddress {
  name: string;
  address: string;
}

export type ResponseType = 'none' | 'organizer' | 'notResponded' | 'accepted' | 'tentativelyAccepted' | 'declined';

export interface Response {
  response: ResponseType;
  /** null without a reply. */
  atMs: number | null;
}

export interface Attendee {
  emailAddress: EmailAddress;
  type: 'required' | 'optional' | 'resource';
  status: Response;
}

export interface Body {
  contentType: 'text' | 'html';
  content: string;
}

export interface Meeting {
  provider: string;
  conferenceId: string;
  joinUrl: string | null;
  /** When the link appears; null when it exists or never appears. */
  dueMs: number | null;
}

export type Location = Readonly<Record<string, unknown>> & { displayName: string };

/** Content of an event, or of a changed instance. */
export interface Content {
  subject: string;
  body: Body;
  times: Times;
  importance: string;
  sensitivity: string;
  showAs: string;
  categories: readonly string[];
  locations: readonly Location[];
  attendees: readonly Attendee[];
  isReminderOn: boolean;
  reminderMinutesBeforeStart: number;
  responseRequested: boolean;
  allowNewTimeProposals: boolean;
  hideAttendees: boolean;
  meeting: Meeting | null;
  isCancelled: boolean;
  /** Reply of the mailbox owner. */
  response: Response;
  /** Extended properties by canonical id. */
  properties: Readonly<Record<string, string>>;
}

export interface Exception {
  content: Content;
  createdMs: number;
  modifiedMs: number;
  revision: number;
}

/** An event in one calendar. Immutable. */
export interface EventRecord {
  key: string;
  calendarKey: string;
  /** Shared by all copies of a meeting. */
  uid: string;
  /** Original day of the only instance to which this mailbox is invited; null for the whole event. */
  part: string | null;
  isOrganizer: boolean;
  organizer: EmailAddress;
  transactionId: string | null;
  createdMs: number;
  modifiedMs: number;
  revision: number;
  content: Content;
  recurrence: Recurrence | null;
  /** By original day. */
  exceptions: Readonly<Record<string, Exception>>;
  /** Original days of deleted instances. */
  cancelled: readonly string[];
}

/** A single event, a series, or (with `date`) an instance. */
export interface Item {
  record: EventRecord;
  /** Original day of the instance, `YYYY-MM-DD`; null for a whole event. */
  date: string | null;
  content: Content;
}

export interface CalendarRecord {
  key: string;
  mailboxKey: string;
  name: string;
  color: string;
  isDefault: boolean;
  properties: Readonly<Record<string, string>>;
  revision: number;
}

/** Another user's calendar in a mailbox. */
export interface SharedCalendar {
  key: string;
  calendarKey: string;
  /** Mailbox of the viewer. */
  viewerKey: string;
  canEdit: boolean;
  revision: number;
}

export interface CalendarView {
  calendar: CalendarRecord;
  /** Key of the id for this user. */
  key: string;
  revision: number;
  canEdit: boolean;
  isShared: boolean;
  owner: MicrosoftUser;
}
