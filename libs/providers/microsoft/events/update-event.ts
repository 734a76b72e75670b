import { DomainError, invalid, type EditOptions, type EventInput, type EventWritten } from '#domain';
import { editEvent } from '#providers/kit/events';
import {
  changedSchedule,
  changedSpan,
  datesOf,
  eventNotFound,
  instanceDateOf,
  isEcho,
  isSameTime,
  relocation,
  type Schedule,
  scheduleOf,
  scopeOf,
  type Span,
  spanOf,
} from '#providers/kit/series';
import { editTarget } from './edit.js';
import { bodyOf, changedFields, seriesBody, spanBody, type EventChange } from './event-body.js';
import { seriesOf, type Edited, type EventEdit } from './event-edit.js';
import { toCalendarEvent } from './event-mapper.js';
import { changeEvent, ignoredOptions } from './graph-writes.js';
import { finishInstances, isNothing, NO_WORK, patchSeries, planInstances } from './instance-work.js';
import { changedInstances } from './instances.js';
import type { PendingMeetings } from './meeting.js';
import type { OpenCalendar } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';
import { toGraphSeries } from './recurrence/patterned-recurrence.js';
import { ignoredOfReply, replyTo } from './respond-event.js';
import { finishedSplit, openSplit, splitSeries } from './split-series.js';

/** @throws DomainError NotFound, ValidationFailed, NotSupportedByProvider, PreconditionFailed, Conflict */
export async function updateEvent(
  meetings: PendingMeetings,
  calendar: OpenCalendar,
  eventId: string,
  input: EventInput,
  options: EditOptions,
): Promise<EventWritten> {
  const work: EventEdit = { calendar, eventId, input, options };
  const { event, ignoredFields } = await edited(work);
  const { notifyParticipants = 'all' } = options;
  const replied = await replyTo(calendar, event, input.myResponseStatus, notifyParticipants);
  const settled = replied ?? (await meetings.settled(calendar, event));
  // What a guest changes in the own copy nobody is told of.
  const ignoredOfOptions = replied === null ? ignoredOptions(options) : ignoredOfReply(notifyParticipants);
  return { event: toCalendarEvent(settled, calendar), ignoredFields: [...ignoredFields, ...ignoredOfOptions] };
}

async function edited(work: EventEdit): Promise<Edited> {
  const { calendar, eventId, options } = work;
  try {
    return await editEvent(options.ifMatch, editTarget(calendar, eventId), (found) => update(work, found));
  } catch (error) {
    // The series may end before the instance by an earlier try of this very request.
    const isGone = options.scope === 'following' && error instanceof DomainError && error.code === 'NotFound';
    const done = isGone ? await finishedSplit(work) : null;
    if (done === null) throw error;
    return done;
  }
}

async function update(work: EventEdit, event: OutlookEvent): Promise<Edited> {
  if (event.isCancelled) throw eventNotFound();
  const scope = scopeOf(event, work.options.scope);
  if (event.seriesId === null) return updateWhole(work, event, null);
  if (scope === 'this') return updateInstance(work, event);
  const series = await seriesOf(work.calendar, event.seriesId);
  const split = scope === 'following' ? openSplit(work.calendar, series, event) : null;
  return split === null ? updateWhole(work, series, event) : splitSeries(work, split);
}

async function updateInstance({ calendar, input }: EventEdit, event: OutlookEvent): Promise<Edited> {
  if ((input.recurrence?.length ?? 0) > 0) {
    throw invalid('recurrence', 'belongs to the series; change it with scope=all or scope=following');
  }
  const span = changedSpan(spanOf(event), input, { calendarZone: calendar.timeZone, isSeries: false });
  const change = await changedFields(calendar, input, event);
  return write(calendar, event, withTimes(calendar, change, span));
}

/** @param seen the instance that the caller looks at; null for the event itself */
async function updateWhole(
  { calendar, input }: EventEdit,
  event: OutlookEvent,
  seen: OutlookEvent | null,
): Promise<Edited> {
  const { timeZone: calendarZone } = calendar;
  const before = scheduleOf(event);
  const after = changedSchedule(before, seen === null ? null : spanOf(seen), input, calendarZone);
  checkExcluded(before, after, calendarZone);
  const change = await changedFields(calendar, input, event, { seen });
  const isMoved = !isSameTime(before.span.start, after.span.start) || !isSameTime(before.span.end, after.span.end);
  if (!isMoved && isEcho(after.recurrence, before.recurrence)) return write(calendar, event, change);
  const series = after.recurrence.length > 0 ? toGraphSeries(after.recurrence, after.span, calendarZone) : null;
  const { body, own, ignoredFields } = withTimes(calendar, change, series?.span ?? after.span);
  const instances =
    series === null
      ? NO_WORK
      : await planInstances(
          calendar,
          event,
          {
            start: series.span.start,
            recurrence: after.recurrence,
            relocate: relocation(before.span.start, after, calendarZone),
          },
          await changedInstances(calendar, event),
        );
  const recurrence = series !== null || event.isSeries ? seriesBody(series) : { body: {}, own: [] };
  const whole = {
    body: { ...body, ...recurrence.body },
    own: new Map([...own, ...recurrence.own]),
    ignoredFields,
  };
  if (isNothing(instances)) return write(calendar, event, whole);
  await patchSeries(calendar, event, whole, instances);
  return { event: await finishInstances(calendar, event.graphId, instances), ignoredFields };
}

/** @throws DomainError NotSupportedByProvider: an instance that was deleted can only come back with its whole series */
function checkExcluded(before: Schedule, after: Schedule, calendarZone: string): void {
  if (!isSameTime(before.span.start, after.span.start) || after.recurrence.length === 0) return;
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

async function write(
  calendar: OpenCalendar,
  event: OutlookEvent,
  { body, own, ignoredFields }: EventChange,
): Promise<Edited> {
  const whole = bodyOf(body, own);
  if (Object.keys(whole).length === 0) return { event, ignoredFields };
  return { event: await changeEvent(calendar, event, whole), ignoredFields };
}
