import { DomainError, type EditOptions, type EventInput } from '#domain';
import { editEvent, removeEvent, type EditTarget } from '#providers/kit/events';
import {
  changedInstanceSpan,
  changedSchedule,
  datesOf,
  editRestEvent,
  eventNotFound,
  EventTimes,
  instanceDateOf,
  isSame,
  isSameSchedule,
  relocation,
  type Schedule,
  scheduleOf,
  type Span,
  spanOf,
} from '#providers/kit/series';
import { bodyOf, changedFields, seriesBody, spanBody, type EventChange } from './event-body.js';
import { toCalendarEvent } from './event-mapper.js';
import { findEvent } from './find-event.js';
import { changeEvent, deleteEvent, ignoredOptions, isVersionConflict } from './graph-writes.js';
import { finishInstances, isNothing, EMPTY_JOURNAL, patchSeries, planExceptions, resumeFromJournal } from './instance-work.js';
import { seriesExceptions } from './instances.js';
import { settled } from './conference.js';
import { seriesOf, type OpenCalendar } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';
import { toGraphSeries } from './recurrence/patterned-recurrence.js';
import { ignoredOfReply, replyTo } from './respond-event.js';
import { finishedSplit, openSplit, planEnd, splitSeries, type Edited, type EventEdit } from './split-series.js';

/** @throws DomainError NotFound, ValidationFailed, NotSupportedByProvider, PreconditionFailed, Conflict */
export async function updateEvent(calendar: OpenCalendar, eventId: string, input: EventInput, options: EditOptions) {
  const work: EventEdit = { calendar, eventId, input, options };
  const { event, ignoredFields } = await edited(work);
  const { notifyParticipants = 'all' } = options;
  const replied = await replyTo(calendar, event, input.myResponseStatus, notifyParticipants);
  const final = replied ?? (await settled(calendar, event));
  // Outlook notifies no guests of a change in a guest's own copy.
  const ignoredOfOptions = replied === null ? ignoredOptions(options) : ignoredOfReply(notifyParticipants);
  return { event: toCalendarEvent(final, calendar), ignoredFields: [...ignoredFields, ...ignoredOfOptions] };
}

async function edited(work: EventEdit): Promise<Edited> {
  const { calendar, eventId, options } = work;
  try {
    return await editEvent(options.ifMatch, editTarget(calendar, eventId), async (event) => {
      if (event.isCancelled) throw eventNotFound();
      return editRestEvent(event, options.scope, {
        ...seriesSteps(calendar),
        instance: (instance) => updateInstance(work, instance),
        whole: (whole, seen) => updateWhole(work, whole, seen),
        following: (split) => splitSeries(work, split),
      });
    });
  } catch (error) {
    // An earlier try of this request may have ended the series before the instance.
    const isGone = options.scope === 'following' && error instanceof DomainError && error.code === 'NotFound';
    const done = isGone ? await finishedSplit(work) : null;
    if (done === null) throw error;
    return done;
  }
}

function editTarget(calendar: OpenCalendar, eventId: string): EditTarget<OutlookEvent> {
  return { find: () => findEvent(calendar, eventId, (series) => resumeFromJournal(calendar, series)), isVersionConflict };
}

function seriesSteps(calendar: OpenCalendar) {
  return {
    seriesOf: (id: string) => seriesOf(calendar, id),
    cut: async (series: OutlookEvent, instance: OutlookEvent) => openSplit(calendar, series, instance),
  };
}

/** @throws DomainError NotFound (also when it is already gone), ValidationFailed, PreconditionFailed, Conflict */
export async function deleteByScope(calendar: OpenCalendar, eventId: string, options: EditOptions) {
  const remove = (event: OutlookEvent) => deleteEvent(calendar, event, event);
  await removeEvent(options.ifMatch, editTarget(calendar, eventId), (found) =>
    editRestEvent(found, options.scope, {
      ...seriesSteps(calendar),
      instance: remove,
      whole: remove,
      following: async (split) => {
        const { series } = split;
        const { change, instances } = await planEnd(calendar, split, await seriesExceptions(calendar, series));
        await patchSeries(calendar, series, change, instances);
        if (!isNothing(instances)) await finishInstances(calendar, series.graphId, instances);
      },
    }),
  );
  return { ignoredFields: ignoredOptions(options) };
}

async function updateInstance({ calendar, input }: EventEdit, event: OutlookEvent): Promise<Edited> {
  const span = changedInstanceSpan(spanOf(event), input, new EventTimes(calendar.timeZone));
  const change = await changedFields(calendar, input, event);
  return write(calendar, event, withTimes(calendar, change, span));
}

/** @param seen the instance that the caller addressed; null for the event itself */
async function updateWhole({ calendar, input }: EventEdit, event: OutlookEvent, seen: OutlookEvent | null) {
  const { timeZone: calendarZone } = calendar;
  const before = scheduleOf(event);
  const after = changedSchedule(before, seen && spanOf(seen), input, calendarZone);
  checkExcluded(before, after, calendarZone);
  const change = await changedFields(calendar, input, event, { seen });
  if (isSameSchedule(before, after, calendarZone)) return write(calendar, event, change);
  const series = after.recurrence.length > 0 ? toGraphSeries(after.recurrence, after.span, calendarZone) : null;
  const { body, own, ignoredFields } = withTimes(calendar, change, series?.span ?? after.span);
  const relocate = relocation(before.span.start, after, calendarZone);
  const planned = series && { start: series.span.start, recurrence: after.recurrence, relocate };
  const instances =
    planned === null ? EMPTY_JOURNAL : await planExceptions(calendar, event, planned, await seriesExceptions(calendar, event));
  const recurrence = series !== null || event.isSeries ? seriesBody(series) : { body: {}, own: [] };
  const whole = { body: { ...body, ...recurrence.body }, own: new Map([...own, ...recurrence.own]), ignoredFields };
  if (isNothing(instances)) return write(calendar, event, whole);
  await patchSeries(calendar, event, whole, instances);
  return { event: await finishInstances(calendar, event.graphId, instances), ignoredFields };
}

/** @throws DomainError NotSupportedByProvider, because a deleted instance returns only with its whole series */
function checkExcluded(before: Schedule, after: Schedule, calendarZone: string): void {
  const isMoved = !isSame(new EventTimes(calendarZone), before.span.start, after.span.start);
  if (isMoved || after.recurrence.length === 0) return;
  const frame = { start: before.span.start, calendarZone };
  const kept = new Set(datesOf(after.recurrence, 'EXDATE', frame).map(instanceDateOf));
  if (datesOf(before.recurrence, 'EXDATE', frame).every((time) => kept.has(instanceDateOf(time)))) return;
  throw new DomainError('NotSupportedByProvider', 'recurrence: Outlook cannot bring back an instance by its EXDATE.');
}

function withTimes(calendar: OpenCalendar, change: EventChange, span: Span | null): EventChange {
  if (span === null) return change;
  const times = spanBody(span, calendar.timeZone);
  return { ...change, body: { ...change.body, ...times.body }, own: new Map([...change.own, ...times.own]) };
}

async function write(calendar: OpenCalendar, event: OutlookEvent, { body, own, ignoredFields }: EventChange) {
  const whole = bodyOf(body, own);
  if (Object.keys(whole).length === 0) return { event, ignoredFields };
  return { event: await changeEvent(calendar, event, whole), ignoredFields };
}
