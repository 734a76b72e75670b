import type { calendar_v3 } from '@googleapis/calendar';
import type { EventInput } from '#domain/events';
import type { EditOptions } from '#domain/providers';
import { invalid } from '#domain/system';
import { recordOf } from '#providers/kit/events';
import type { TimeSpan } from '#providers/kit/series';
import { changedAttendees } from './attendees.js';
import { changedConference } from './conference.js';
import { changedColor, EXACT_COLOR, readColors } from './event-colors.js';
import { derivedEventId } from './event-id.js';
import { readEventType, readProperties } from './event-mapper.js';
import { propertiesPatch, visibleProperties } from './extended-properties.js';
import { type GoogleEvent, toGoogleTimePatch } from './google-event.js';
import type { GoogleCalendarHandle } from './open-calendar.js';
import { changedReminders } from './reminders.js';

/** Fields of a write: absent fields stay, null removes a field. */
export interface GoogleEventChange {
  body: calendar_v3.Schema$Event;
  ignoredFields: string[];
}

/**
 * Builds the change of everything but times, recurrence and type.
 * @param current null for a new event
 * @param writeId equal for all tries of one write
 * @throws DomainError ValidationFailed, NotSupportedByProvider
 */
export async function changedFields(
  calendar: GoogleCalendarHandle,
  input: EventInput,
  current: GoogleEvent | null,
  writeId: string,
): Promise<GoogleEventChange> {
  const properties = recordOf(current?.raw.extendedProperties);
  const ownProperties = readProperties(properties['private']);
  const color = await changedColor(input, readColors(current?.raw.colorId, ownProperties), () =>
    calendar.connection.eventPalette(),
  );
  const shared = propertiesPatch('publicExtendedProperties', input, readProperties(properties['shared']));
  const visible = propertiesPatch('privateExtendedProperties', input, visibleProperties(ownProperties));
  const exact = color === null || (color.exact ?? null) === (ownProperties[EXACT_COLOR] ?? null) ? null : color;
  const own = exact === null ? visible : { ...visible, [EXACT_COLOR]: exact.exact };
  const attendees = changedAttendees(input, current, ownAddresses(calendar));
  const conference = changedConference(input, current, calendar, writeId);
  const reminders = changedReminders(input.reminders, current);
  const body: calendar_v3.Schema$Event = {
    ...changedTexts(input, current),
    ...(color !== null && { colorId: color.colorId }),
    ...(reminders !== undefined && { reminders }),
    ...((shared !== null || own !== null) && {
      extendedProperties: { ...(shared !== null && { shared }), ...(own !== null && { private: own }) } as never,
    }),
    ...attendees.body,
    ...conference.body,
  };
  return { body, ignoredFields: [...attendees.ignoredFields, ...conference.ignoredFields] };
}

/** Callers send back fields that they read. Unchanged ones are left out, because a guest may not write them. */
function changedTexts(input: EventInput, current: GoogleEvent | null): calendar_v3.Schema$Event {
  const { summary, description, location, visibility, transparency } = current?.raw ?? {};
  const fields = [
    ['summary', input.title, summary ?? ''],
    ['description', input.description, description ?? ''],
    ['location', input.location, location ?? ''],
    ['visibility', input.visibility === null ? 'default' : input.visibility, visibility ?? 'default'],
    ['transparency', input.transparency === null ? 'opaque' : input.transparency, transparency ?? 'opaque'],
  ] as const;
  const changed = fields.filter(
    ([, wanted, present]) => wanted !== undefined && (current === null || (wanted ?? '') !== present),
  );
  return Object.fromEntries(changed.map(([field, wanted]) => [field, wanted]));
}

/** Writes both times, because one of them alone could make the event end before it starts. */
export function spanPatch({ start, end }: TimeSpan): calendar_v3.Schema$Event {
  return { start: toGoogleTimePatch(start), end: toGoogleTimePatch(end) };
}

/** An INSERT takes no nulls. */
export function withoutNulls<T extends object>(body: T): T {
  return Object.fromEntries(
    Object.entries(body).flatMap(([key, value]: [string, unknown]) => {
      if (value === null || value === undefined) return [];
      const isPlain = typeof value === 'object' && !Array.isArray(value);
      return [[key, isPlain ? withoutNulls(value) : value] as const];
    }),
  ) as T;
}

function ownAddresses({ connection, entry, id }: GoogleCalendarHandle): ReadonlySet<string> {
  return new Set([connection.session.email.toLowerCase(), ...(entry.primary === true ? [id.toLowerCase()] : [])]);
}

export interface GoogleEventEdit {
  calendar: GoogleCalendarHandle;
  input: EventInput;
  options: EditOptions;
}

/** Google rejects every PATCH with a type, even the same one. @throws DomainError ValidationFailed */
export function checkSameType({ eventType }: EventInput, { raw }: GoogleEvent): void {
  if (eventType !== undefined && (eventType ?? 'default') !== readEventType(raw)) {
    throw invalid('eventType', 'cannot be changed after the event was created');
  }
}

export async function fieldsFor(
  { calendar, input }: GoogleEventEdit,
  current: GoogleEvent,
): Promise<GoogleEventChange> {
  checkSameType(input, current);
  const writeId = derivedEventId('update', calendar.id, current.id, current.etag);
  return changedFields(calendar, input, current, writeId);
}
