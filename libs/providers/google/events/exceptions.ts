import { isDeepStrictEqual } from 'node:util';
import type { calendar_v3 } from '@googleapis/calendar';
import type { EventTime, WriteOptions } from '#domain';
import { instanceDateOf, isFrom, movedAlong, type Relocation } from '#providers/kit/series';
import { attendeesOf } from './attendees.js';
import { spanPatch } from './event-body.js';
import { listEvents, MAX_GOOGLE_PAGE, walk } from './event-pages.js';
import { deleteEvent, patchEvent } from './google-writes.js';
import type { GoogleEvent } from './google-event.js';
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
  const { rows } = await walk((pageToken) =>
    listEvents(calendar, { iCalUID: iCalUid, maxResults: MAX_GOOGLE_PAGE, pageToken }),
  );
  return rows.filter(({ seriesId, originalStart }) => seriesId === series.id && originalStart !== null);
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

/**
 * What a PATCH says to make one resource of another: objects are merged, everything else is replaced, null takes a
 * member out (RFC 7396, which is what the Calendar API means by patch).
 * @returns an empty object when they are the same
 */
export function patchBetween(before: object, after: object): Record<string, unknown> {
  const [old, now] = [new Map(entriesOf(before)), new Map(entriesOf(after))];
  const dropped = [...old.keys()].filter((key) => !now.has(key)).map((key) => [key, null] as const);
  const written = [...now].flatMap(([key, value]) => {
    const present = old.get(key);
    if (isDeepStrictEqual(present, value)) return [];
    return [[key, isObject(present) && isObject(value) ? patchBetween(present, value) : value] as const];
  });
  return Object.fromEntries([...dropped, ...written]);
}

/** Members that are null are not there. */
function entriesOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member != null);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
