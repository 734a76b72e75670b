import type { EventInput } from '#domain/events';
import type { EditOptions } from '#domain/providers';
import { DomainError } from '#domain/system';
import { editEvent, removeEvent, type EditTarget, versionToRemove } from '#providers/kit/events';
import {
  changedInstanceSpan,
  changedSchedule,
  datesOf,
  editRestEvent,
  eventNotFound,
  SeriesTimes,
  instanceDateOf,
  isSame,
  isSameSchedule,
  relocation,
  type Schedule,
  scheduleOf,
  type TimeSpan,
  spanOf,
  keepChangedInstances,
} from '#providers/kit/series';
import { bodyOf, changedFields, seriesBody, spanBody, type OutlookEventChange } from './event-body.js';
import { toCalendarEvent } from './event-mapper.js';
import { checkEventId, findEvent } from './find-event.js';
import { changeEvent, deleteById, deleteEvent, ignoredOptions, isVersionConflict } from './graph-writes.js';
import {
  finishInstances,
  isNothing,
  EMPTY_JOURNAL,
  patchSeries,
  planExceptions,
  resumeFromJournal,
} from './exception-journal.js';
import { seriesExceptions } from './instances.js';
import { settled } from './conference.js';
import { seriesOf, type OutlookCalendarHandle } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';
import { toGraphSeries } from './recurrence/patterned-recurrence.js';
import { ignoredOfReply, replyTo } from './respond-event.js';
import {
  asNamed,
  finishedSplit,
  openSplit,
  planEnd,
  splitSeries,
  type OutlookEdited,
  type OutlookEventEdit,
} from './split-series.js';

/** @throws DomainError NotFound, ValidationFailed, NotSupportedByProvider, PreconditionFailed, Conflict */
export async function updateEvent(
  calendar: OutlookCalendarHandle,
  eventId: string,
  input: EventInput,
  options: EditOptions,
) {
  const work: OutlookEventEdit = { calendar, eventId, input, options };
  const { event, ignoredFields } = await edited(work);
  const { notifyParticipants = 'all' } = options;
  const replied = await replyTo(calendar, event, input.myResponseStatus, notifyParticipants);
  const final = replied ?? (await settled(calendar, event));
  // Outlook notifies no guests of a change in a guest's own copy.
  const ignoredOfOptions = replied === null ? ignoredOptions(options) : ignoredOfReply(notifyParticipants);
  return { event: toCalendarEvent(final, calendar), ignoredFields: [...ignoredFields, ...ignoredOfOptions] };
}

async function edited(work: OutlookEventEdit): Promise<OutlookEdited> {
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

function editTarget(calendar: OutlookCalendarHandle, eventId: string): EditTarget<OutlookEvent> {
  return {
    find: () => findEvent(calendar, eventId, (series) => resumeFromJournal(calendar, series)),
    isVersionConflict,
  };
}

function seriesSteps(calendar: OutlookCalendarHandle) {
  return {
    seriesOf: (id: string) => seriesOf(calendar, id),
    cut: async (series: OutlookEvent, instance: OutlookEvent) => openSplit(calendar, series, instance),
  };
}

/** @throws DomainError NotFound (also when it is already gone), ValidationFailed, PreconditionFailed, Conflict */
export async function deleteByScope(calendar: OutlookCalendarHandle, eventId: string, options: EditOptions) {
  const version = versionToRemove(eventId, options);
  if (version !== undefined) {
    await deleteById(calendar, checkEventId(eventId), version);
    return { ignoredFields: ignoredOptions(options) };
  }
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

async function updateInstance({ calendar, input }: OutlookEventEdit, event: OutlookEvent): Promise<OutlookEdited> {
  const span = changedInstanceSpan(spanOf(event), input, new SeriesTimes(calendar.timeZone));
  const change = await changedFields(calendar, input, event);
  return write(calendar, event, withTimes(calendar, change, span));
}

/** @param seen the instance that the caller addressed; null for the event itself */
async function updateWhole({ calendar, input }: OutlookEventEdit, event: OutlookEvent, seen: OutlookEvent | null) {
  const { timeZone: calendarZone } = calendar;
  const before = scheduleOf(event);
  const after = changedSchedule(before, seen && spanOf(seen), input, calendarZone);
  checkExcluded(before, after, calendarZone);
  const change = await changedFields(calendar, input, event, { seen });
  if (isSameSchedule(before, after, calendarZone)) {
    // Outlook changes an instance with fields or times of its own no more.
    const own = seen?.isChanged ? await changedFields(calendar, input, seen) : null;
    const edited = await write(calendar, event, change);
    if (seen && own !== null) await write(calendar, { ...seen, etag: null }, own);
    return edited;
  }
  const series = after.recurrence.length > 0 ? toGraphSeries(after.recurrence, after.span, calendarZone) : null;
  const { body, own, ignoredFields } = withTimes(calendar, change, series?.span ?? after.span);
  const exceptions = series === null ? [] : await seriesExceptions(calendar, event);
  const changed = exceptions.flatMap(({ originalStart }) => originalStart ?? []);
  const spared = keepChangedInstances({ before, after, input }, changed, calendarZone);
  const relocate = relocation(before.span.start, spared, calendarZone);
  const planned = series && { span: series.span, recurrence: spared.recurrence, relocate };
  const moving = exceptions.map((one) =>
    one.id === seen?.id ? asNamed(one, event, change, input, calendarZone) : one,
  );
  const instances = planned === null ? EMPTY_JOURNAL : await planExceptions(calendar, event, planned, moving);
  const recurrence = series !== null || event.isSeries ? seriesBody(series) : { body: {}, own: [] };
  const whole = { body: { ...body, ...recurrence.body }, own: new Map([...own, ...recurrence.own]), ignoredFields };
  if (isNothing(instances)) return write(calendar, event, whole);
  await patchSeries(calendar, event, whole, instances);
  return { event: await finishInstances(calendar, event.graphId, instances), ignoredFields };
}

/** @throws DomainError NotSupportedByProvider, because a deleted instance returns only with its whole series */
function checkExcluded(before: Schedule, after: Schedule, calendarZone: string): void {
  const isMoved = !isSame(new SeriesTimes(calendarZone), before.span.start, after.span.start);
  if (isMoved || after.recurrence.length === 0) return;
  const frame = { start: before.span.start, calendarZone };
  const kept = new Set(datesOf(after.recurrence, 'EXDATE', frame).map(instanceDateOf));
  if (datesOf(before.recurrence, 'EXDATE', frame).every((time) => kept.has(instanceDateOf(time)))) return;
  throw new DomainError('NotSupportedByProvider', 'recurrence: Outlook cannot bring back an instance by its EXDATE.');
}

function withTimes(
  calendar: OutlookCalendarHandle,
  change: OutlookEventChange,
  span: TimeSpan | null,
): OutlookEventChange {
  if (span === null) return change;
  const times = spanBody(span, calendar.timeZone);
  return { ...change, body: { ...change.body, ...times.body }, own: new Map([...change.own, ...times.own]) };
}

async function write(
  calendar: OutlookCalendarHandle,
  event: OutlookEvent,
  { body, own, ignoredFields }: OutlookEventChange,
) {
  const whole = bodyOf(body, own);
  if (Object.keys(whole).length === 0) return { event, ignoredFields };
  return { event: await changeEvent(calendar, event, whole), ignoredFields };
}
