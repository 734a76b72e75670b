import type { calendar_v3 } from '@googleapis/calendar';
import type { WriteOptions } from '#domain/providers';
import { recordOf } from '#providers/kit/events';
import {
  askedSpan,
  changedSchedule,
  keepChangedInstances,
  assertCopyable,
  checkCut,
  cutSeries,
  instanceDateOf,
  isFrom,
  RecurringSeries,
  relocation,
  scheduleOf,
  type SeriesCut,
  spanOf,
} from '#providers/kit/series';
import { guestsAfter } from './attendees.js';
import { copiedConference } from './conference.js';
import { fieldsFor, spanPatch, withoutNulls, type GoogleEventEdit } from './event-body.js';
import { derivedEventId } from './event-id.js';
import {
  changedStarts,
  copyExceptions,
  deletedInstances,
  dropExceptionsFrom,
  exceptionsOf,
  INSTANCE_FIELDS,
} from './exceptions.js';
import { ANY_VERSION, deleteEvent, insertEvent, isVersionConflict, patchEvent, writtenEvent } from './google-writes.js';
import type { GoogleEvent } from './google-event.js';
import { seriesOf, type GoogleCalendarHandle } from './open-calendar.js';

export interface GoogleSeriesSplit extends SeriesCut {
  series: GoogleEvent;
  instance: GoogleEvent;
  exceptions: GoogleEvent[];
}

const COPIED_FIELDS = [
  ...INSTANCE_FIELDS,
  'attachments',
  'source',
  'eventType',
  'outOfOfficeProperties',
  'focusTimeProperties',
] as const satisfies readonly (keyof calendar_v3.Schema$Event)[];

/** @returns null when the instance is the first one @throws DomainError ValidationFailed for an impossible cut */
export async function openSplit(
  calendar: GoogleCalendarHandle,
  series: GoogleEvent,
  instance: GoogleEvent,
): Promise<GoogleSeriesSplit | null> {
  const { timeZone: calendarZone } = calendar.facts;
  const from = instance.originalStart ?? spanOf(instance).start;
  const exceptions = await exceptionsOf(calendar, series);
  const cut = cutSeries(scheduleOf(series), from, calendarZone, deletedInstances(exceptions));
  if (cut === null) return null;
  const { self, email } = recordOf(series.raw.organizer);
  checkCut({ isOrganizer: self === true || email === undefined, isOfRule: cut.isOfRule });
  return { ...cut, series, instance, exceptions };
}

/**
 * Changes an instance and all later ones in a new series, then ends the old one. In this order a crash in between shows
 * events twice, but loses none. The new id derives from the instance and the version of the series, so a repeat
 * continues the first request.
 */
export async function splitSeries(work: GoogleEventEdit, split: GoogleSeriesSplit) {
  const { calendar, input, options } = work;
  const { series, instance, from, rest } = split;
  const { timeZone: calendarZone } = calendar.facts;
  const later = split.exceptions.filter((exception) => isFrom(exception, from, calendarZone));
  assertCopyable(later.length);
  const asked = changedSchedule(rest, spanOf(instance), input, calendarZone);
  const schedule = keepChangedInstances({ before: rest, after: asked, input }, changedStarts(later), calendarZone);
  const { body, ignoredFields } = await fieldsFor(work, series);
  const id = derivedEventId('following', calendar.id, series.id, instanceDateOf(from), series.etag);
  const recurrence = schedule.recurrence.length === 0 ? {} : { recurrence: schedule.recurrence };
  const whole = withoutNulls({
    ...carried(series, id),
    ...merged(series, body),
    ...spanPatch(schedule.span),
    ...recurrence,
  });
  const carriedOn = await Promise.all(
    later.map(async (exception) => {
      const isTarget = exception.id === instance.id && !exception.isCancelled;
      return isTarget ? asChanged(work, exception) : exception;
    }),
  );
  const made = await insertEvent(calendar, { ...whole, id }, options);
  // A PATCH must not hold the type. The status restores an event that an earlier try has deleted.
  const again = { ...whole, eventType: undefined, status: 'confirmed' };
  const event = made.isNew ? made.event : await patchEvent(calendar, id, again, ANY_VERSION, options);
  const relocate = relocation(from, schedule, calendarZone);
  await copyExceptions(calendar, carriedOn, { from: series, to: event, relocate, present: [] }, options);
  await endSeries(calendar, split, options).catch(async (error: unknown) => {
    // The old series is unchanged. The next try derives another id from its new version.
    if (isVersionConflict(error)) await deleteEvent(calendar, id, ANY_VERSION, options);
    throw error;
  });
  return { event: await writtenEvent(calendar, event), ignoredFields };
}

/** Removes an instance and all later ones. @throws GoogleApiError 412 after a concurrent change */
export async function endSeries(
  calendar: GoogleCalendarHandle,
  split: GoogleSeriesSplit,
  options: WriteOptions,
): Promise<void> {
  const { series, from, ended } = split;
  try {
    await patchEvent(calendar, series.id, { recurrence: ended.length === 0 ? null : ended }, series, options);
  } catch (error) {
    // After another client has ended the series, only the new one holds these instances.
    if (!isVersionConflict(error) || !(await isEnded(calendar, split))) throw error;
  }
  await dropExceptionsFrom(calendar, series, from, options);
}

async function isEnded(calendar: GoogleCalendarHandle, { series, from }: GoogleSeriesSplit): Promise<boolean> {
  const { timeZone: calendarZone } = calendar.facts;
  const [now, before] = [await seriesOf(calendar, series.id), series].map((event) => {
    const { start, end } = spanOf(event);
    return RecurringSeries.ofLines(start, end, event.recurrence, calendarZone);
  });
  return now!.isEndOf(before!, from);
}

function carried(series: GoogleEvent, id: string): calendar_v3.Schema$Event {
  const { raw } = series;
  const conferenceData = copiedConference(series, id);
  return {
    ...Object.fromEntries(COPIED_FIELDS.map((field) => [field, raw[field]])),
    ...(conferenceData !== undefined && { conferenceData }),
  };
}

/** Builds the addressed instance, changed by itself before: moved with the series, with the caller's input. */
async function asChanged(work: GoogleEventEdit, exception: GoogleEvent) {
  const { body } = await fieldsFor(work, exception);
  return {
    ...exception,
    raw: { ...exception.raw, ...merged(exception, body) },
    asked: askedSpan(spanOf(exception), work.input, work.calendar.facts.timeZone),
  };
}

/** Applies a PATCH to a new body: it merges extended properties by key and may hold the own answer alone. */
function merged(
  series: GoogleEvent,
  { attendeesOmitted, ...body }: calendar_v3.Schema$Event,
): calendar_v3.Schema$Event {
  const attendees = guestsAfter(series, { attendees: body.attendees, attendeesOmitted });
  const { shared, private: own } = recordOf(series.raw.extendedProperties);
  return {
    ...body,
    attendees: attendees.length === 0 ? (null as never) : attendees,
    ...(body.extendedProperties != null && {
      extendedProperties: {
        shared: { ...recordOf(shared), ...body.extendedProperties.shared } as Record<string, string>,
        private: { ...recordOf(own), ...body.extendedProperties.private } as Record<string, string>,
      },
    }),
  };
}
