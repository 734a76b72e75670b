import { invalid, type EditOptions, type EventInput, type EventWritten } from '#domain';
import { editEvent } from '#providers/kit/events';
import {
  changedSchedule,
  changedSpan,
  checkCarriable,
  eventNotFound,
  relocation,
  scheduleOf,
  scopeOf,
  type Span,
  spanOf,
} from '#providers/kit/series';
import type { EventWriterDeps } from './create-event.js';
import { editTarget } from './edit.js';
import { spanPatch } from './event-body.js';
import { fieldsFor, seriesOf, type EventEdit } from './event-edit.js';
import { toCalendarEvent } from './event-mapper.js';
import { carryExceptions, exceptionsOf } from './exceptions.js';
import { afterWrite, patchEvent, writtenEvent } from './google-writes.js';
import type { GoogleEvent } from './google-event.js';
import type { OpenCalendar } from './open-calendar.js';
import { schedulePatch } from './series-edit.js';
import { openSplit, splitSeries } from './split-series.js';

interface Edited {
  event: GoogleEvent;
  ignoredFields: string[];
}

/** @throws DomainError NotFound, ValidationFailed, NotSupportedByProvider, PreconditionFailed, Conflict */
export async function updateEvent(
  deps: EventWriterDeps,
  calendar: OpenCalendar,
  eventId: string,
  input: EventInput,
  options: EditOptions,
): Promise<EventWritten> {
  const work: EventEdit = { deps, calendar, input, options };
  const { event, ignoredFields } = await editEvent(options.ifMatch, editTarget(calendar, eventId), (found) =>
    update(work, found),
  );
  const settled = await deps.meetings.settled(calendar, event);
  return { event: toCalendarEvent(settled, calendar.facts), ignoredFields };
}

async function update(work: EventEdit, event: GoogleEvent): Promise<Edited> {
  const scope = scopeOf({ ...event, isSeries: event.recurrence.length > 0 }, work.options.scope);
  if (event.seriesId === null) return updateWhole(work, event, null);
  if (scope === 'this') return updateInstance(work, event);
  const series = await seriesOf(work.calendar, event.seriesId);
  if (scope === 'following') {
    const split = await openSplit(work.calendar, series, event);
    if (split !== null) return splitSeries(work, split);
  }
  return updateWhole(work, series, spanOf(event));
}

async function updateInstance(work: EventEdit, event: GoogleEvent): Promise<Edited> {
  const { calendar, input } = work;
  if ((input.recurrence?.length ?? 0) > 0) {
    throw invalid('recurrence', 'belongs to the series; change it with scope=all or scope=following');
  }
  const span = changedSpan(spanOf(event), input, { calendarZone: calendar.facts.timeZone, isSeries: false });
  const { body, ignoredFields } = await fieldsFor(work, event);
  return write(work, event, { ...body, ...(span !== null && spanPatch(span)) }, ignoredFields);
}

/** @param anchor times of the instance that the caller looks at; null for the event itself */
async function updateWhole(work: EventEdit, event: GoogleEvent, anchor: Span | null): Promise<Edited> {
  const { calendar, input, options } = work;
  const before = scheduleOf(event);
  const after = changedSchedule(before, anchor, input, calendar.facts.timeZone);
  const { body, ignoredFields } = await fieldsFor(work, event);
  const schedule = schedulePatch(before, after, spanPatch);
  const keepsInstances = before.recurrence.length > 0 && after.recurrence.length > 0;
  const exceptions = keepsInstances && Object.keys(schedule).length > 0 ? await exceptionsOf(calendar, event) : [];
  checkCarriable(exceptions.length);
  const edited = await write(work, event, { ...body, ...schedule }, ignoredFields);
  if (exceptions.length === 0) return edited;
  // Unknown, all of them are written: those that are left stay as they are.
  const left = await afterWrite<GoogleEvent[]>(
    calendar,
    () => exceptionsOf(calendar, event),
    () => [],
  );
  const kept = new Set(left.map(({ id }) => id));
  const relocate = relocation(before.span.start, after, calendar.facts.timeZone);
  await carryExceptions(calendar, exceptions, { from: event, to: event, relocate, kept }, options);
  return { ...edited, event: await writtenEvent(calendar, edited.event) };
}

async function write(work: EventEdit, event: GoogleEvent, body: object, ignoredFields: string[]): Promise<Edited> {
  const { calendar, options } = work;
  if (Object.keys(body).length === 0) return { event, ignoredFields };
  const written = await patchEvent(calendar, event.id, body, event, options);
  if (written.isCancelled) throw eventNotFound();
  return { event: written, ignoredFields };
}
