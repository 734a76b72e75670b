import type { MicrosoftUser } from '../contract.js';
import type { Recurrence } from './recurrence.js';

/** An instant; of an all-day event the UTC midnight of a day that belongs to no zone. */
export interface Times {
  isAllDay: boolean;
  startMs: number;
  endMs: number;
  /** As they were written. */
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
  /** null: never. */
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
  /** When the link comes; null: it is there, or never comes. */
  dueMs: number | null;
}

export type Location = Readonly<Record<string, unknown>> & { displayName: string };

/** What an event says, and an instance that was changed says for itself. */
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
  /** Of the owner of the mailbox. */
  response: Response;
  /** Extended properties by their canonical ids. */
  properties: Readonly<Record<string, string>>;
}

export interface Exception {
  content: Content;
  createdMs: number;
  modifiedMs: number;
  revision: number;
}

/** An event in one calendar. Never changed in place. */
export interface EventRecord {
  key: string;
  calendarKey: string;
  /** The same in every copy of a meeting. */
  uid: string;
  /** Original day of the one instance that somebody is invited to who is not invited to its series. */
  part: string | null;
  isOrganizer: boolean;
  organizer: EmailAddress;
  transactionId: string | null;
  createdMs: number;
  modifiedMs: number;
  revision: number;
  content: Content;
  recurrence: Recurrence | null;
  /** By their original days. */
  exceptions: Readonly<Record<string, Exception>>;
  /** Original days of instances that were deleted. */
  cancelled: readonly string[];
}

/** A single event, a series, or (with a date) an instance of one. */
export interface Item {
  record: EventRecord;
  /** Original day of the instance, `YYYY-MM-DD`; null for a whole event. */
  date: string | null;
  content: Content;
}

export interface CalendarRecord {
  key: string;
  /** Of the mailbox that it is in. */
  mailboxKey: string;
  name: string;
  color: string;
  isDefault: boolean;
  properties: Readonly<Record<string, string>>;
  revision: number;
}

/** A calendar of somebody else among one's own. */
export interface SharedCalendar {
  key: string;
  calendarKey: string;
  /** Of the mailbox that it is seen from. */
  viewerKey: string;
  canEdit: boolean;
  revision: number;
}

/** A calendar as one user sees it. */
export interface CalendarView {
  calendar: CalendarRecord;
  /** Key of the id under which it is seen. */
  key: string;
  revision: number;
  canEdit: boolean;
  isShared: boolean;
  owner: MicrosoftUser;
}
