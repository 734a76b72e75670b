import { isDeepStrictEqual } from 'node:util';
import type { calendar_v3 } from '@googleapis/calendar';
import type { EventTime } from '#domain/events';
import type { WriteOptions } from '#domain/providers';
import {
  instanceDateOf,
  isFrom,
  isSameSpan,
  SeriesTimes,
  shiftException,
  spanFrom,
  spanOf,
  startOfDay,
  type Relocation,
  type TimeSpan,
} from '#providers/kit/series';
import { attendeesOf } from './attendees.js';
import { spanPatch } from './event-body.js';
import { ANY_VERSION, deleteEvent, patchEvent } from './google-writes.js';
import type { GoogleEvent } from './google-event.js';
import { listEvents, walk, type GoogleCalendarHandle, type ReadableCalendar } from './open-calendar.js';

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
  const { rows } = await walk(calendar, (page) => listEvents(calendar, { ...page, iCalUID: iCalUid }));
  return rows.filter(({ seriesId, originalStart }) => seriesId === series.id && originalStart !== null);
}

/** @returns original starts */
export function deletedInstances(exceptions: readonly GoogleEvent[]): EventTime[] {
  return exceptions.flatMap(({ isCancelled, originalStart }) => (isCancelled ? (originalStart ?? []) : []));
}

/** @returns original starts */
export function changedStarts(exceptions: readonly GoogleEvent[]): EventTime[] {
  return exceptions.flatMap(({ isCancelled, originalStart }) => (isCancelled ? [] : (originalStart ?? [])));
}

interface CopyOfExceptions {
  from: GoogleEvent;
  to: GoogleEvent;
  relocate: Relocation;
  /** Exceptions that `to` already has. */
  present: readonly GoogleEvent[];
}

/**
 * Writes changed and deleted instances to another series, or again to a moved one, where Google drops those that no
 * longer fit.
 * @returns those that `to` has at places that none of them belongs to
 */
export async function copyExceptions(
  calendar: GoogleCalendarHandle,
  exceptions: readonly (GoogleEvent & { asked?: TimeSpan })[],
  { from, to, relocate, present }: CopyOfExceptions,
  options: WriteOptions,
): Promise<GoogleEvent[]> {
  const left = new Map(present.map((one) => [one.id, one]));
  const change = async (id: string, body: object) => {
    if (Object.keys(body).length > 0) await patchEvent(calendar, id, body, ANY_VERSION, options);
  };
  for (const [id, { exception, target }] of placesOf(exceptions, to, relocate)) {
    const there = left.get(id);
    left.delete(id);
    if (exception.isCancelled) {
      const isDone = there !== undefined && (there.isCancelled || id === exception.id);
      if (!isDone) await deleteEvent(calendar, id, ANY_VERSION, options);
      continue;
    }
    const place = plainSpan(to, target);
    const span = shiftException(exception, from, place);
    if (there !== undefined && id === exception.id) {
      // It keeps its place, but perhaps not the length of its series.
      const isKept = there.isCancelled || isSameSpan(spanOf(there), span ?? place, calendar.facts.timeZone);
      if (!isKept) await change(id, spanPatch(span ?? place));
      continue;
    }
    const fields = instanceFields(exception);
    const own = Object.keys(patchBetween(instanceFields(from), fields));
    const ownFields = Object.fromEntries(own.map((name) => [name, fields[name as keyof typeof fields]]));
    const wanted = { ...instanceFields(to), ...ownFields };
    if (there !== undefined) await change(id, rewritten(there, wanted, span ?? place));
    else await change(id, { ...patchBetween(instanceFields(to), wanted), ...(span !== null && spanPatch(span)) });
  }
  return exceptions.flatMap(({ id }) => left.get(id) ?? []);
}

/**
 * Finds the new place of each exception, by its id. Where two meet, a changed instance counts more than a deleted one,
 * and one that keeps its day more than one that comes from another.
 */
function placesOf<Exception extends GoogleEvent>(
  exceptions: readonly Exception[],
  to: GoogleEvent,
  relocate: Relocation,
) {
  const times = new SeriesTimes('UTC');
  const dayOf = (time: EventTime) => startOfDay(times.wallOf(time));
  const places = new Map<string, { exception: Exception; target: EventTime; rank: number }>();
  for (const exception of exceptions) {
    const target = exception.originalStart && relocate(exception.originalStart);
    if (exception.originalStart === null || target === null) continue;
    const id = `${to.id}_${instanceDateOf(target)}`;
    const keepsDay = dayOf(exception.originalStart) === dayOf(target);
    const rank = (exception.isCancelled ? 0 : 2) + (keepsDay ? 1 : 0);
    if (rank > (places.get(id)?.rank ?? -1)) places.set(id, { exception, target, rank });
  }
  return places;
}

/** Takes away what an exception has of its own. @param series that it is an instance of */
export async function makePlain(
  calendar: GoogleCalendarHandle,
  exception: GoogleEvent,
  series: GoogleEvent,
  options: WriteOptions,
): Promise<void> {
  const { id, originalStart } = exception;
  if (originalStart === null) return;
  const body = rewritten(exception, instanceFields(series), plainSpan(series, originalStart));
  await patchEvent(calendar, id, body, ANY_VERSION, options);
}

/** Builds a PATCH that brings a cancelled instance back, too. */
function rewritten(present: GoogleEvent, fields: calendar_v3.Schema$Event, span: TimeSpan) {
  const status = present.isCancelled ? { status: 'confirmed' } : {};
  return { ...status, ...patchBetween(instanceFields(present), fields), ...spanPatch(span) };
}

function plainSpan(series: GoogleEvent, start: EventTime): TimeSpan {
  return spanFrom(start, spanOf(series), new SeriesTimes('UTC'));
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
