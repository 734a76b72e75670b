import type { calendar_v3 } from '@googleapis/calendar';
import type { GoogleUser } from '../contract.js';
import { type ConferenceBehaviour, writeConference } from './event-conference.js';
import { DEFAULT_REMINDERS } from './event-draft.js';
import { instantOf, readEventTime } from './event-time.js';
import { checkEventType, typePropertiesOf } from './event-types.js';
import { compact } from './event-view.js';
import type {
  Attendee,
  CalendarRecord,
  Conference,
  EventRecord,
  OwnFields,
  Pattern,
  Reminders,
  SharedFields,
  WireEvent,
} from './model.js';
import { checkRecurrence } from './recurrence.js';
import { badCalendarRequest, invalid, required, timeRangeEmpty } from './errors.js';

/** Fields of an event that its writer decides. */
export interface EventContent {
  pattern: Pattern;
  attendees: readonly Attendee[];
  shared: SharedFields;
  own: OwnFields;
  /** As written; null when absent. */
  sequence: number | null;
}

export interface ContentContext {
  calendar: CalendarRecord;
  user: GoogleUser;
  /** The stored event; null for a new one. */
  base: EventRecord | null;
  mode: 'patch' | 'replace';
  /** `conferenceData` of the body itself, which a draft does not contain. */
  conferenceData: calendar_v3.Schema$ConferenceData | null | undefined;
  conferenceDataVersion: number;
  supportsAttachments: boolean;
  nowMs: number;
  behaviour: ConferenceBehaviour;
  meetingCode: () => string;
  violation: (message: string) => void;
}

const EMAIL = /^[^\s@,;<>]+@[^\s@,;<>]+$/;
const RESPONSES = ['needsAction', 'declined', 'tentative', 'accepted'];
const TRANSPARENCIES = ['opaque', 'transparent'];
const VISIBILITIES = ['default', 'public', 'private', 'confidential'];
const METHODS = ['email', 'popup'];
const MAX_REMINDERS = 5;
const MAX_REMINDER_MINUTES = 40_320;
const MAX_PROPERTY_KEY = 44;
const MAX_PROPERTY_VALUE = 1_024;
const MAX_PROPERTIES = 300;
const MAX_PROPERTIES_BYTES = 32_768;
const MAX_ATTACHMENTS = 25;
const COLORS = 11;

/** Reads a draft. @throws GoogleErrorResponse 400 for values that the API rejects */
export function readContent(draft: WireEvent, context: ContentContext): EventContent {
  const pattern = readPattern(draft, context);
  const conference = readConference(context);
  checkEventType({
    draft,
    pattern,
    hasConference: conference !== null,
    calendar: context.calendar,
    user: context.user,
  });
  return {
    pattern,
    attendees: readAttendees(draft.attendees ?? [], context),
    // Removes undefined fields, because records are compared with ones from JSON.
    shared: compact({
      status: readStatus(draft.status),
      summary: textOf(draft.summary),
      description: textOf(draft.description),
      location: textOf(draft.location),
      guestsCanInviteOthers: draft.guestsCanInviteOthers ?? true,
      guestsCanModify: draft.guestsCanModify ?? false,
      guestsCanSeeOtherGuests: draft.guestsCanSeeOtherGuests ?? true,
      anyoneCanAddSelf: draft.anyoneCanAddSelf ?? false,
      attachments: readAttachments(draft.attachments ?? [], context),
      properties: readProperties(draft.extendedProperties?.shared, 'shared', context),
      conference,
    }),
    own: compact({
      colorId: readColor(draft.colorId),
      transparency: oneOf(draft.transparency ?? 'opaque', TRANSPARENCIES, 'transparency'),
      visibility: oneOf(draft.visibility ?? 'default', VISIBILITIES, 'visibility'),
      properties: readProperties(draft.extendedProperties?.private, 'private', context),
      reminders: {
        ...context.base?.own.reminders,
        [context.user.email]: readReminders(draft.reminders),
      },
      source: readSource(draft.source),
      eventType: draft.eventType ?? 'default',
      typeProperties: typePropertiesOf(draft),
      privateCopy: draft.privateCopy ?? false,
    }),
    sequence: readSequence(draft.sequence, context.base),
  };
}

function readPattern(draft: WireEvent, { calendar, base }: ContentContext): Pattern {
  const recurrence = (draft.recurrence ?? []).length === 0 ? null : draft.recurrence!;
  if (recurrence !== null && base !== null && base.recurringEventId !== null) {
    throw invalid('Recurrence cannot be set on an instance of a recurring event.');
  }
  const isSeries = recurrence !== null;
  const start = readEventTime(draft.start, 'start', isSeries, calendar.timeZone);
  const end = readEventTime(draft.end, 'end', isSeries, calendar.timeZone);
  if (start.kind !== end.kind) {
    throw invalid('Start and end times must either both be date or both be dateTime.');
  }
  const length = instantOf(end, calendar.timeZone) - instantOf(start, calendar.timeZone);
  if (length < 0 || (start.kind === 'date' && length === 0)) throw timeRangeEmpty();
  const pattern: Pattern = { start, end, recurrence };
  if (isSeries) checkRecurrence(pattern);
  return pattern;
}

function readConference(context: ContentContext): Conference | null {
  const current = context.base?.shared.conference ?? null;
  if (context.conferenceDataVersion !== 1) {
    if (context.conferenceData != null) context.violation('conferenceData is ignored without conferenceDataVersion=1');
    return current;
  }
  return writeConference({ ...context, written: context.conferenceData, current });
}

function readAttendees(
  written: readonly calendar_v3.Schema$EventAttendee[],
  { base, violation }: ContentContext,
): Attendee[] {
  const attendees = new Map<string, Attendee>();
  const known = new Map(base?.attendees.map((attendee) => [attendee.email.toLowerCase(), attendee]));
  for (const attendee of written) {
    const { email, displayName, comment } = attendee;
    if (email == null || email === '') throw required('Missing attendee email.');
    if (!EMAIL.test(email)) throw invalid('Invalid attendee email.');
    for (const name of ['self', 'organizer', 'asyncOperation'] as const) {
      if (attendee[name] != null) violation(`attendees[].${name} is read-only`);
    }
    const before = known.get(email.toLowerCase());
    const additionalGuests = attendee.additionalGuests ?? 0;
    if (additionalGuests < 0) throw invalid('Invalid value for: additionalGuests.');
    attendees.set(email.toLowerCase(), {
      email,
      ...(textOf(displayName) === undefined ? {} : { displayName: displayName! }),
      ...(textOf(comment) === undefined ? {} : { comment: comment! }),
      responseStatus: readResponse(attendee.responseStatus ?? 'needsAction'),
      optional: attendee.optional ?? false,
      // Fixed when the attendee is added.
      resource: before?.resource ?? attendee.resource ?? false,
      additionalGuests,
    });
  }
  return [...attendees.values()];
}

function readAttachments(
  written: readonly calendar_v3.Schema$EventAttachment[],
  { supportsAttachments, base, violation }: ContentContext,
): readonly calendar_v3.Schema$EventAttachment[] {
  if (!supportsAttachments) {
    if (base === null && written.length > 0) violation('attachments are ignored without supportsAttachments=true');
    return base?.shared.attachments ?? [];
  }
  if (written.length > MAX_ATTACHMENTS) throw invalid('Too many attachments.');
  return written.map(({ fileUrl, title, mimeType, iconLink }) => {
    if (fileUrl == null) throw required('Missing attachment file URL.');
    return compact({ fileUrl, title, mimeType, iconLink });
  });
}

function readProperties(
  written: Readonly<Record<string, string>> | null | undefined,
  kind: 'private' | 'shared',
  { violation }: ContentContext,
): Record<string, string> {
  const kept: [string, string][] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(written ?? {})) {
    if (key.length > MAX_PROPERTY_KEY) {
      violation(`extendedProperties.${kind}: a key of more than ${MAX_PROPERTY_KEY} characters is dropped`);
      continue;
    }
    if (value.length > MAX_PROPERTY_VALUE) {
      violation(`extendedProperties.${kind}: a value of more than ${MAX_PROPERTY_VALUE} characters is cut`);
    }
    const cut = value.slice(0, MAX_PROPERTY_VALUE);
    bytes += Buffer.byteLength(key) + Buffer.byteLength(cut);
    kept.push([key, cut]);
  }
  if (kept.length > MAX_PROPERTIES || bytes > MAX_PROPERTIES_BYTES) {
    throw invalid('A provided value exceeds the allowed size limit.');
  }
  return Object.fromEntries(kept);
}

function readReminders(written: WireEvent['reminders']): Reminders {
  if (written == null) return DEFAULT_REMINDERS;
  const overrides = written.overrides ?? [];
  const useDefault = written.useDefault ?? false;
  if (useDefault && overrides.length > 0) {
    throw badCalendarRequest(
      'cannotUseDefaultRemindersAndSpecifyOverride',
      'Cannot specify both default reminders and overrides at the same time.',
    );
  }
  return { useDefault, overrides: readReminderList(overrides) };
}

/** Reads reminders of an event, or the default ones of a calendar. @throws GoogleErrorResponse 400 */
export function readReminderList(
  written: readonly calendar_v3.Schema$EventReminder[],
): calendar_v3.Schema$EventReminder[] {
  if (written.length > MAX_REMINDERS) throw invalid('Too many reminders.');
  return written.map(({ method, minutes }) => {
    if (method == null || minutes == null) throw required('Missing reminder method or minutes.');
    if (minutes < 0 || minutes > MAX_REMINDER_MINUTES)
      throw invalid('Invalid value for: reminders.overrides[].minutes.');
    return { method: oneOf(method, METHODS, 'reminders.overrides[].method'), minutes };
  });
}

/** @throws GoogleErrorResponse 400 */
export function readResponse(responseStatus: string): string {
  return oneOf(responseStatus, RESPONSES, 'attendees[].responseStatus');
}

function readStatus(status: string | null | undefined): 'confirmed' | 'tentative' {
  return oneOf(status ?? 'confirmed', ['confirmed', 'tentative'], 'status') as 'confirmed' | 'tentative';
}

function readColor(colorId: string | null | undefined): string | undefined {
  if (colorId == null || colorId === '') return undefined;
  if (!/^\d{1,2}$/.test(colorId) || Number(colorId) < 1 || Number(colorId) > COLORS) throw invalid('Invalid color id.');
  return colorId;
}

function readSource(source: WireEvent['source']): WireEvent['source'] {
  if (source == null) return undefined;
  if (!/^https?:\/\//i.test(source.url ?? '')) throw invalid('Invalid source URL.');
  return source;
}

function readSequence(sequence: number | null | undefined, base: EventRecord | null): number | null {
  if (sequence == null) return null;
  if (sequence < (base?.sequence ?? 0)) {
    throw invalid(
      'Invalid sequence value. The specified sequence number is below the current sequence number of the resource. ' +
        'Re-fetch the resource and use its sequence number on the following request.',
    );
  }
  return sequence;
}

function oneOf(value: string, values: readonly string[], name: string): string {
  if (!values.includes(value)) throw invalid(`Invalid value for: ${name}.`);
  return value;
}

function textOf(text: string | null | undefined): string | undefined {
  return text == null || text === '' ? undefined : text;
}
