import { isDeepStrictEqual } from 'node:util';
import type { EventInput, ResponseStatus } from '#domain/events';
import type { EditOptions, WriteOptions } from '#domain/providers';
import { invalid } from '#domain/system';
import {
  editEvent,
  readAfterWrite,
  recordOf,
  removeEvent,
  type EditTarget,
  versionToRemove,
} from '#providers/kit/events';
import {
  askedSpan,
  changedInstanceSpan,
  changedSchedule,
  assertCopyable,
  editRestEvent,
  eventNotFound,
  exclusionTest,
  SeriesTimes,
  instanceDateOf,
  isUnchangedRecurrence,
  isSameSchedule,
  isSameSpan,
  instanceTest,
  relocation,
  scheduleOf,
  spanFrom,
  spanOf,
  keepChangedInstances,
} from '#providers/kit/series';
import { ownReply, ownAttendee } from './attendees.js';
import { settled } from './conference.js';
import { fieldsFor, spanPatch, type GoogleEventEdit } from './event-body.js';
import { checkEventId } from './event-id.js';
import { toCalendarEvent } from './event-mapper.js';
import { changedStarts, copyExceptions, exceptionsOf, INSTANCE_FIELDS, makePlain } from './exceptions.js';
import { findEvent, seriesOf, type GoogleCalendarHandle } from './open-calendar.js';
import type { GoogleEvent } from './google-event.js';
import { ANY_VERSION, deleteById, deleteEvent, isVersionConflict, patchEvent, writtenEvent } from './google-writes.js';
import { endSeries, openSplit, splitSeries, type GoogleSeriesSplit } from './split-series.js';

interface GoogleEdited {
  event: GoogleEvent;
  ignoredFields: string[];
}

/** @throws DomainError NotFound, ValidationFailed, NotSupportedByProvider, PreconditionFailed, Conflict */
export async function updateEvent(
  calendar: GoogleCalendarHandle,
  eventId: string,
  input: EventInput,
  options: EditOptions,
) {
  const work: GoogleEventEdit = { calendar, input, options };
  const { event, ignoredFields } = await editEvent(options.ifMatch, editTarget(calendar, eventId), (found) =>
    editRestEvent(found, options.scope, {
      ...seriesSteps(calendar),
      instance: (instance) => updateInstance(work, instance),
      whole: (whole, seen) => updateWhole(work, whole, seen),
      following: (split) => splitSeries(work, split),
    }),
  );
  return { event: toCalendarEvent(await settled(calendar, event), calendar.facts), ignoredFields };
}

function editTarget(calendar: GoogleCalendarHandle, eventId: string): EditTarget<GoogleEvent> {
  return { find: () => findEvent(calendar, eventId), isVersionConflict };
}

function seriesSteps(calendar: GoogleCalendarHandle) {
  return {
    seriesOf: (id: string) => seriesOf(calendar, id),
    cut: (series: GoogleEvent, instance: GoogleEvent) => openSplit(calendar, series, instance),
  };
}

/** @throws DomainError NotFound (also when it is already gone), ValidationFailed, PreconditionFailed, Conflict */
export async function deleteByScope(calendar: GoogleCalendarHandle, eventId: string, options: EditOptions) {
  const version = versionToRemove(eventId, options);
  if (version !== undefined) {
    await deleteById(calendar, checkEventId(eventId), version, options);
    return { ignoredFields: [] };
  }
  const remove = (event: GoogleEvent) => deleteEvent(calendar, event.id, event, options);
  await removeEvent(options.ifMatch, editTarget(calendar, eventId), (found) =>
    editRestEvent(found, options.scope, {
      ...seriesSteps(calendar),
      instance: remove,
      whole: remove,
      following: (split: GoogleSeriesSplit) => endSeries(calendar, split, options),
    }),
  );
  return { ignoredFields: [] };
}

/**
 * Ignores the version of the event, because other guests' answers change it, too.
 * @throws DomainError NotFound, ValidationFailed (organizer, not invited)
 */
export async function respondToEvent(
  calendar: GoogleCalendarHandle,
  eventId: string,
  responseStatus: ResponseStatus,
  options: WriteOptions,
): Promise<{ ignoredFields: string[] }> {
  const event = await findEvent(calendar, eventId);
  if (recordOf(event.raw.organizer)['self'] === true) {
    throw invalid('responseStatus', 'is for guests; this account organises the event');
  }
  const own = ownAttendee(event);
  // Google would add an uninvited account as a guest.
  if (own === null) throw invalid('responseStatus', 'is for guests; this account is not invited to the event');
  await patchEvent(calendar, event.id, ownReply(own, responseStatus), ANY_VERSION, options);
  return { ignoredFields: [] };
}

async function updateInstance(work: GoogleEventEdit, event: GoogleEvent): Promise<GoogleEdited> {
  const { calendar, input } = work;
  const span = changedInstanceSpan(spanOf(event), input, new SeriesTimes(calendar.facts.timeZone));
  const { body, ignoredFields } = await fieldsFor(work, event);
  const edited = await write(work, event, { ...body, ...(span !== null && spanPatch(span)) }, ignoredFields);
  // Google lets no instance be more open than its series (https://developers.google.com/calendar/api/v3/reference/events).
  const isIgnored = body.visibility != null && body.visibility !== (edited.event.raw.visibility ?? 'default');
  return isIgnored ? { ...edited, ignoredFields: [...edited.ignoredFields, 'visibility'] } : edited;
}

/** @param seen the instance that the caller addressed; null for the event itself */
async function updateWhole(work: GoogleEventEdit, event: GoogleEvent, seen: GoogleEvent | null): Promise<GoogleEdited> {
  const { calendar, input, options } = work;
  const { timeZone: calendarZone } = calendar.facts;
  const before = scheduleOf(event);
  const asked = changedSchedule(before, seen && spanOf(seen), input, calendarZone);
  const { body, ignoredFields } = await fieldsFor(work, event);
  const keepsInstances = before.recurrence.length > 0 && asked.recurrence.length > 0;
  const isRescheduled = !isSameSchedule(before, asked, calendarZone);
  const exceptions = keepsInstances && isRescheduled ? await exceptionsOf(calendar, event) : [];
  assertCopyable(exceptions.length);
  const after = keepChangedInstances({ before, after: asked, input }, changedStarts(exceptions), calendarZone);
  const schedule = {
    ...(!isSameSpan(before.span, after.span, calendarZone) && spanPatch(after.span)),
    ...(!isUnchangedRecurrence(after.recurrence, before.recurrence) && {
      recurrence: after.recurrence.length === 0 ? null : after.recurrence,
    }),
  };
  const relocate = relocation(before.span.start, after, calendarZone);
  const ownChange = seen && keepsInstances ? await ownChangeOf(work, event, seen) : {};
  const edited = await write(work, event, { ...body, ...schedule }, ignoredFields);
  const changeNamed = async () => {
    const place = seen?.originalStart && relocate(seen.originalStart);
    if (!place || Object.keys(ownChange).length === 0) return;
    const id = `${event.id}_${instanceDateOf(place)}`;
    if (isPlain(seen, event, calendarZone) && isPlain(await findEvent(calendar, id), edited.event, calendarZone))
      return;
    await patchEvent(calendar, id, ownChange, ANY_VERSION, options);
  };
  if (exceptions.length === 0) {
    await changeNamed();
    return edited;
  }
  // After a failed read every instance is written again, which keeps those that Google kept.
  const present = await readAfterWrite<GoogleEvent[]>(
    calendar.connection.session.signal,
    () => exceptionsOf(calendar, event),
    () => [],
  );
  const to = edited.event;
  const moving = exceptions.map((exception) =>
    exception.id === seen?.id ? { ...exception, asked: askedSpan(spanOf(exception), input, calendarZone) } : exception,
  );
  const vacated = await copyExceptions(calendar, moving, { from: event, to, relocate, present }, options);
  const isInstance = instanceTest(after, calendarZone);
  const wasExcluded = exclusionTest(before, calendarZone);
  const isExcluded = exclusionTest(after, calendarZone);
  for (const exception of vacated) {
    const { originalStart } = exception;
    if (originalStart === null || !isInstance(originalStart)) continue;
    if (!isExcluded(originalStart)) await makePlain(calendar, exception, to, options);
    // A changed instance may be there beside an EXDATE.
    else if (!wasExcluded(originalStart) && !exception.isCancelled) {
      await deleteEvent(calendar, exception.id, ANY_VERSION, options);
    }
  }
  await changeNamed();
  return { ...edited, event: await writtenEvent(calendar, to) };
}

const OWN_FIELDS = [...INSTANCE_FIELDS, 'attendees'] as const;

/** True when an instance has no fields or times of its own. */
function isPlain(instance: GoogleEvent, series: GoogleEvent, calendarZone: string): boolean {
  const { originalStart } = instance;
  const place = originalStart && spanFrom(originalStart, spanOf(series), new SeriesTimes(calendarZone));
  return (
    (place === null || isSameSpan(spanOf(instance), place, calendarZone)) &&
    OWN_FIELDS.every((field) => isDeepStrictEqual(instance.raw[field], series.raw[field]))
  );
}

/**
 * The change of the instance that the caller named, when Google holds it apart from its series, whose changes reach it
 * no more: it has fields or times of its own, or had some and has a version of its own.
 */
async function ownChangeOf(work: GoogleEventEdit, series: GoogleEvent, seen: GoogleEvent) {
  if (seen.etag === series.etag && isPlain(seen, series, work.calendar.facts.timeZone)) return {};
  const { attendeesOmitted, ...body } = (await fieldsFor(work, seen)).body;
  // An answer of the user's own is that of the series.
  const given = OWN_FIELDS.filter(
    (field) => body[field] !== undefined && (field !== 'attendees' || attendeesOmitted !== true),
  );
  return Object.fromEntries(given.map((field) => [field, body[field]]));
}

async function write(
  work: GoogleEventEdit,
  event: GoogleEvent,
  body: object,
  ignoredFields: string[],
): Promise<GoogleEdited> {
  const { calendar, options } = work;
  if (Object.keys(body).length === 0) return { event, ignoredFields };
  const written = await patchEvent(calendar, event.id, body, event, options);
  if (written.isCancelled) throw eventNotFound();
  return { event: written, ignoredFields };
}
