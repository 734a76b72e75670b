import { formatEventTime } from './event-time.js';
import { mergePatch } from './merge-patch.js';
import type { Attendee, EventRecord, Reminders, WireEvent } from './model.js';

/** Fields that only the service writes (events reference, "Read-only" and "Immutable"). */
const READ_ONLY = ['created', 'updated', 'creator', 'organizer', 'hangoutLink', 'htmlLink', 'locked', 'etag'] as const;
const IMMUTABLE = ['recurringEventId', 'originalStartTime'] as const;
/** Fixed at creation. */
const FIXED = ['privateCopy', 'birthdayProperties'] as const;

export const DEFAULT_REMINDERS: Reminders = { useDefault: true, overrides: [] };

/** Draft of an insert or an update (PUT): the body, with null as absent. */
export function draftOf(body: WireEvent): WireEvent {
  return mergePatch({}, body) as WireEvent;
}

/** Draft of a patch: the stored event with the body merged in. */
export function patchedDraft(record: EventRecord, body: WireEvent, email: string): WireEvent {
  return mergePatch(writableFields(record, email), body) as WireEvent;
}

function writableFields({ shared, own, ...record }: EventRecord, email: string): WireEvent {
  return {
    ...own.typeProperties,
    status: record.life === 'live' ? shared.status : 'cancelled',
    summary: shared.summary,
    description: shared.description,
    location: shared.location,
    colorId: own.colorId,
    start: formatEventTime(record.start, 'UTC'),
    end: formatEventTime(record.end, 'UTC'),
    recurrence: record.recurrence === null ? undefined : [...record.recurrence],
    transparency: own.transparency,
    visibility: own.visibility,
    attendees: record.attendees.map((attendee: Attendee) => ({ ...attendee })),
    extendedProperties: { private: { ...own.properties }, shared: { ...shared.properties } },
    reminders: remindersOf(own.reminders[email]),
    guestsCanInviteOthers: shared.guestsCanInviteOthers,
    guestsCanModify: shared.guestsCanModify,
    guestsCanSeeOtherGuests: shared.guestsCanSeeOtherGuests,
    anyoneCanAddSelf: shared.anyoneCanAddSelf,
    attachments: [...shared.attachments],
    source: own.source,
    eventType: own.eventType,
    privateCopy: own.privateCopy,
  };
}

function remindersOf({ useDefault, overrides }: Reminders = DEFAULT_REMINDERS): WireEvent['reminders'] {
  return overrides.length === 0 ? { useDefault } : { useDefault, overrides: [...overrides] };
}

/** Reports fields that the service ignores and correct clients do not send. */
export function recordIgnoredFields(
  body: WireEvent,
  write: 'insert' | 'import' | 'patch',
  violation: (message: string) => void,
): void {
  const isNew = write === 'insert' || write === 'import';
  const ignored = [...READ_ONLY, ...IMMUTABLE, ...(isNew ? [] : FIXED)].filter(
    (name) => body[name] !== undefined && !(write === 'import' && name === 'organizer'),
  );
  for (const name of ignored) violation(`events.${write}: ${name} is read-only`);
  if (body.conferenceData?.createRequest?.status !== undefined) {
    violation(`events.${write}: conferenceData.createRequest.status is read-only`);
  }
  if (body.attachments?.some(({ fileId }) => fileId !== undefined)) {
    violation(`events.${write}: attachments[].fileId is read-only`);
  }
  if (write === 'insert' && body.id != null && body.iCalUID != null) {
    violation('events.insert: only one of id and iCalUID should be given');
  }
}
