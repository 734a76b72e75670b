import type { GoogleUser } from '../contract.js';
import { isAtLeast } from './access.js';
import { hangoutLinkOf } from './event-conference.js';
import { DEFAULT_REMINDERS } from './event-draft.js';
import { formatEventTime } from './event-time.js';
import { etagOf } from './ids.js';
import type { Attendee, CalendarRecord, EventRecord, Person, Role, WireEvent } from './model.js';

export interface Viewer {
  calendar: CalendarRecord;
  user: GoogleUser;
  role: Role;
  /** Zone of the times in the response: the requested one, else the calendar's. */
  timeZone: string;
}

/** An event as this viewer sees it, without default values, as in the API. */
export function viewEvent(record: EventRecord, viewer: Viewer): WireEvent {
  const { calendar, user, role } = viewer;
  const { shared, own } = record;
  const isHidden = hidesDetails(record, role);
  const base = {
    kind: 'calendar#event',
    etag: etagOf(record.revision),
    id: record.id,
    status: record.life === 'live' ? shared.status : 'cancelled',
    htmlLink: htmlLinkOf(record, calendar),
    created: timestamp(record.createdMs),
    updated: timestamp(record.updatedMs),
    ...timesOf(record, viewer),
    visibility: own.visibility === 'default' ? undefined : own.visibility,
    iCalUID: record.iCalUID,
    eventType: own.eventType,
  };
  if (isHidden) return compact({ ...base, htmlLink: undefined, visibility: 'private' });
  return compact({
    ...base,
    ...own.typeProperties,
    summary: shared.summary,
    description: shared.description,
    location: shared.location,
    colorId: own.colorId,
    creator: viewPerson(record.creator, calendar),
    organizer: viewPerson(record.organizer, calendar),
    recurrence: record.recurrence === null ? undefined : [...record.recurrence],
    transparency: own.transparency === 'opaque' ? undefined : own.transparency,
    sequence: record.sequence,
    ...viewAttendees(record, viewer),
    extendedProperties: viewProperties(record),
    hangoutLink: hangoutLinkOf(shared.conference),
    conferenceData: shared.conference?.data,
    anyoneCanAddSelf: shared.anyoneCanAddSelf || undefined,
    guestsCanInviteOthers: shared.guestsCanInviteOthers ? undefined : false,
    guestsCanModify: shared.guestsCanModify || undefined,
    guestsCanSeeOtherGuests: shared.guestsCanSeeOtherGuests ? undefined : false,
    privateCopy: own.privateCopy || undefined,
    reminders: viewReminders(record, user),
    source: record.creator.email === user.email ? own.source : undefined,
    attachments: shared.attachments.length === 0 ? undefined : [...shared.attachments],
  });
}

/** All that a sync reports of a deleted event. */
export function viewGone(record: EventRecord, viewer: Viewer): WireEvent {
  const { recurringEventId, originalStartTime } = timesOf(record, viewer);
  return compact({
    kind: 'calendar#event',
    etag: etagOf(record.revision),
    id: record.id,
    status: 'cancelled',
    recurringEventId,
    originalStartTime,
  });
}

/** Returns the calendar's own entry among the attendees. */
export function selfOf(record: EventRecord, calendar: CalendarRecord): Attendee | undefined {
  return record.attendees.find(({ email }) => isSelf(email, calendar));
}

export function isSelf(email: string, calendar: CalendarRecord): boolean {
  return email.toLowerCase() === calendar.id.toLowerCase();
}

export function isOrganizerCopy(record: EventRecord, calendar: CalendarRecord): boolean {
  return isSelf(record.organizer.email, calendar);
}

/** Readers see only existence and time of private events. */
export function hidesDetails({ own }: EventRecord, role: Role): boolean {
  if (!isAtLeast(role, 'reader')) return true;
  return !isAtLeast(role, 'writer') && (own.visibility === 'private' || own.visibility === 'confidential');
}

function timesOf(record: EventRecord, { timeZone }: Viewer) {
  return {
    start: formatEventTime(record.start, timeZone),
    end: formatEventTime(record.end, timeZone),
    recurringEventId: record.recurringEventId ?? undefined,
    originalStartTime: record.originalStart === null ? undefined : formatEventTime(record.originalStart, timeZone),
  };
}

function viewPerson({ email, displayName }: Person, calendar: CalendarRecord) {
  return {
    email,
    ...(displayName === undefined ? {} : { displayName }),
    ...(isSelf(email, calendar) ? { self: true } : {}),
  };
}

function viewAttendees(record: EventRecord, { calendar }: Viewer): Pick<WireEvent, 'attendees' | 'attendeesOmitted'> {
  const { attendees } = record;
  if (attendees.length === 0) return {};
  const isSecret = !record.shared.guestsCanSeeOtherGuests && !isOrganizerCopy(record, calendar);
  const shown = isSecret ? attendees.filter(({ email }) => isSelf(email, calendar)) : attendees;
  return {
    attendees: shown.map((attendee) => viewAttendee(attendee, record, calendar)),
    ...(shown.length < attendees.length ? { attendeesOmitted: true } : {}),
  };
}

function viewAttendee(attendee: Attendee, { organizer }: EventRecord, calendar: CalendarRecord) {
  const { email, displayName, comment, responseStatus, optional, resource, additionalGuests } = attendee;
  return {
    ...viewPerson({ email, displayName }, calendar),
    ...(email.toLowerCase() === organizer.email.toLowerCase() ? { organizer: true } : {}),
    ...(optional ? { optional } : {}),
    ...(resource ? { resource } : {}),
    responseStatus,
    ...(comment === undefined ? {} : { comment }),
    ...(additionalGuests === 0 ? {} : { additionalGuests }),
  };
}

function viewProperties({ shared, own }: EventRecord): WireEvent['extendedProperties'] {
  const isEmpty = (properties: object) => Object.keys(properties).length === 0;
  if (isEmpty(shared.properties) && isEmpty(own.properties)) return undefined;
  return {
    ...(isEmpty(own.properties) ? {} : { private: { ...own.properties } }),
    ...(isEmpty(shared.properties) ? {} : { shared: { ...shared.properties } }),
  };
}

function viewReminders({ own }: EventRecord, { email }: GoogleUser): WireEvent['reminders'] {
  const { useDefault, overrides } = own.reminders[email] ?? DEFAULT_REMINDERS;
  return overrides.length === 0
    ? { useDefault }
    : { useDefault, overrides: overrides.map((reminder) => ({ ...reminder })) };
}

function htmlLinkOf({ id }: EventRecord, calendar: CalendarRecord): string {
  const eid = Buffer.from(`${id} ${calendar.id}`).toString('base64url');
  return `https://www.google.com/calendar/event?eid=${eid}`;
}

export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}

export function compact<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
