import { formatEventTime } from './event-time.js';
import { mergePatch } from './merge-patch.js';
import type { Attendee, EventRecord, Reminders, WireEvent } from './model.js';

export const DEFAULT_REMINDERS: Reminders = { useDefault: true, overrides: [] };

/** What an insert or an update (PUT) says: the body, null meaning absent. */
export function draftOf(body: WireEvent): WireEvent {
  return mergePatch({}, body) as WireEvent;
}

/** What a patch asks for: the event as it stands, with the body merged in. */
export function patchedDraft(record: EventRecord, body: WireEvent, email: string): WireEvent {
  return mergePatch(writableFields(record, email), body) as WireEvent;
}

/** The writable fields of an event as a client would write them. */
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
