import type { calendar_v3 } from '@googleapis/calendar';
import type { EventTime, WriteOptions } from '#domain';
import { instanceDateOf, isFrom, movedAlong, type Relocation } from '#providers/kit/series';
import { attendeesOf } from './attendees.js';
import { spanPatch } from './event-body.js';
import { listEvents, MAX_GOOGLE_PAGE, walk } from './event-pages.js';
import { deleteEvent, patchEvent } from './google-writes.js';
import type { GoogleEvent } from './google-event.js';
import { patchBetween } from './merge-patch.js';
import type { OpenCalendar } from './open-calendar.js';

/** What an instance may have of its own. */
export const INSTANCE_FIELDS = [
  'summary',
  'description',
  'location',
  'colorId',
  'transparency',
  'visibility',
  'reminders',
  'extendedProperties',
  'guestsCanInviteOthers',
  'guestsCanModify',
  'guestsCanSeeOtherGuests',
] as const satisfies readonly (keyof calendar_v3.Schema$Event)[];

/** Instances of a series that were changed or deleted one by one; the cancelled ones are the deleted. */
export async function exceptionsOf(calendar: OpenCalendar, series: GoogleEvent): Promise<GoogleEvent[]> {
  if (series.iCalUid === null) return [];
  const { iCalUid } = series;
  const { events } = await walk((pageToken) =>
    listEvents(calendar, { iCalUID: iCalUid, maxResults: MAX_GOOGLE_PAGE, pageToken }),
  );
  return events.filter(({ seriesId, originalStart }) => seriesId === series.id && originalStart !== null);
}

/** Where the series had put the instances that were deleted one by one. */
export function deletedInstances(exceptions: readonly GoogleEvent[]): EventTime[] {
  return exceptions.flatMap(({ isCancelled, originalStart }) => (isCancelled ? (originalStart ?? []) : []));
}

/**
 * Makes the changed and deleted instances of one series those of another one (or of the same one at other times): Google
 * drops what does not fit any more.
 * @param kept ids that `to` has as changed instances already
 */
export async function carryExceptions(
  calendar: OpenCalendar,
  exceptions: readonly GoogleEvent[],
  { from, to, relocate, kept }: { from: GoogleEvent; to: GoogleEvent; relocate: Relocation; kept: ReadonlySet<string> },
  options: WriteOptions,
): Promise<void> {
  for (const exception of exceptions) {
    const target = exception.originalStart === null ? null : relocate(exception.originalStart);
    if (target === null) continue;
    const id = `${to.id}_${instanceDateOf(target)}`;
    if (kept.has(id)) continue;
    const anything: { etag: null } = { etag: null };
    if (exception.isCancelled) {
      await deleteEvent(calendar, id, anything, options);
      continue;
    }
    const body = { ...ownFields(exception, from), ...ownTimes(exception, from, target) };
    if (Object.keys(body).length > 0) await patchEvent(calendar, id, body, anything, options);
  }
}

/** What an instance says that its series does not; null takes out what only the series says. */
function ownFields(exception: GoogleEvent, series: GoogleEvent): calendar_v3.Schema$Event {
  return patchBetween(fieldsOf(series), fieldsOf(exception));
}

function fieldsOf(event: GoogleEvent): calendar_v3.Schema$Event {
  const guests = attendeesOf(event);
  return {
    ...Object.fromEntries(INSTANCE_FIELDS.map((field) => [field, event.raw[field]])),
    ...(guests.length > 0 && { attendees: guests }),
  };
}

function ownTimes(exception: GoogleEvent, series: GoogleEvent, target: EventTime): calendar_v3.Schema$Event {
  const span = movedAlong(exception, series, target);
  return span === null ? {} : spanPatch(span);
}

/** Deletes changed instances from an instant on that Google has kept beside a series that ends before it. */
export async function dropExceptionsFrom(
  calendar: OpenCalendar,
  series: GoogleEvent,
  instance: EventTime,
  options: WriteOptions,
): Promise<void> {
  const { timeZone } = calendar.facts;
  for (const exception of await exceptionsOf(calendar, series)) {
    if (isFrom(exception, instance, timeZone) && !exception.isCancelled)
      await deleteEvent(calendar, exception.id, { etag: null }, options);
  }
}
