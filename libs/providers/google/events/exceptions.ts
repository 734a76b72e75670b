import { isDeepStrictEqual } from 'node:util';
import type { calendar_v3 } from '@googleapis/calendar';
import type { EventTime } from '#domain/events';
import type { WriteOptions } from '#domain/providers';
import { instanceDateOf, isFrom, shiftException, type Relocation } from '#providers/kit/series';
import { attendeesOf } from './attendees.js';
import { spanPatch } from './event-body.js';
import { ANY_VERSION, deleteEvent, patchEvent } from './google-writes.js';
import type { GoogleEvent } from './google-event.js';
import {
  listEvents,
  MAX_GOOGLE_PAGE,
  walk,
  type GoogleCalendarHandle,
  type ReadableCalendar,
} from './open-calendar.js';

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

export async function exceptionsOf(calendar: ReadableCalendar, series: GoogleEvent): Promise<GoogleEvent[]> {
  if (series.iCalUid === null) return [];
  const { iCalUid } = series;
  const { rows } = await walk((pageToken) =>
    listEvents(calendar, { iCalUID: iCalUid, maxResults: MAX_GOOGLE_PAGE, pageToken }),
  );
  return rows.filter(({ seriesId, originalStart }) => seriesId === series.id && originalStart !== null);
}

export function deletedInstances(exceptions: readonly GoogleEvent[]): EventTime[] {
  return exceptions.flatMap(({ isCancelled, originalStart }) => (isCancelled ? (originalStart ?? []) : []));
}

/**
 * Writes changed and deleted instances to another series, or again to a moved one, where Google drops those that no
 * longer fit.
 * @param kept ids of changed instances that `to` still has
 */
export async function copyExceptions(
  calendar: GoogleCalendarHandle,
  exceptions: readonly GoogleEvent[],
  { from, to, relocate, kept }: { from: GoogleEvent; to: GoogleEvent; relocate: Relocation; kept: ReadonlySet<string> },
  options: WriteOptions,
): Promise<void> {
  for (const exception of exceptions) {
    const target = exception.originalStart === null ? null : relocate(exception.originalStart);
    if (target === null) continue;
    const id = `${to.id}_${instanceDateOf(target)}`;
    if (kept.has(id)) continue;
    if (exception.isCancelled) {
      await deleteEvent(calendar, id, ANY_VERSION, options);
      continue;
    }
    const span = shiftException(exception, from, target);
    const body = {
      ...patchBetween(instanceFields(from), instanceFields(exception)),
      ...(span !== null && spanPatch(span)),
    };
    if (Object.keys(body).length > 0) await patchEvent(calendar, id, body, ANY_VERSION, options);
  }
}

function instanceFields(event: GoogleEvent): calendar_v3.Schema$Event {
  const guests = attendeesOf(event);
  return {
    ...Object.fromEntries(INSTANCE_FIELDS.map((field) => [field, event.raw[field]])),
    ...(guests.length > 0 && { attendees: guests }),
  };
}

/** Deletes changed instances that Google keeps after the end of their series. */
export async function dropExceptionsFrom(
  calendar: GoogleCalendarHandle,
  series: GoogleEvent,
  instance: EventTime,
  options: WriteOptions,
): Promise<void> {
  const { timeZone } = calendar.facts;
  for (const exception of await exceptionsOf(calendar, series)) {
    if (isFrom(exception, instance, timeZone) && !exception.isCancelled) {
      await deleteEvent(calendar, exception.id, ANY_VERSION, options);
    }
  }
}

/** Builds the PATCH between two resources (RFC 7396); empty when they are equal. */
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

function entriesOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member != null);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
