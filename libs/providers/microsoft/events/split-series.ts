import type { EventInput, EventTime } from '#domain/events';
import type { EditOptions } from '#domain/providers';
import {
  askedSpan,
  changedSchedule,
  keepChangedInstances,
  checkCut,
  cutSeries,
  instantOf,
  isFrom,
  isRuleLine,
  relocation,
  scheduleOf,
  type SeriesCut,
  spanOf,
  type TimeSpan,
} from '#providers/kit/series';
import {
  bodyOf,
  copiedWhole,
  changedFields,
  describedAs,
  seriesBody,
  spanBody,
  type EventParts,
} from './event-body.js';
import {
  derivedTransactionId,
  ANY_VERSION,
  deleteEvent,
  insertEvent,
  isVersionConflict,
  madeBy,
  patchEvent,
} from './graph-writes.js';
import {
  finishInstances,
  isNothing,
  isRefusal,
  patchSeries,
  planExceptions,
  withJournal,
} from './exception-journal.js';
import { seriesExceptions } from './instances.js';
import { fetchEvent, type OutlookCalendarHandle } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';
import { changedProperties } from './own-properties.js';
import { toGraphSeries } from './recurrence/patterned-recurrence.js';

export interface OutlookEventEdit {
  calendar: OutlookCalendarHandle;
  /** As the caller wrote it. */
  eventId: string;
  input: EventInput;
  options: EditOptions;
}

export interface OutlookEdited {
  event: OutlookEvent;
  ignoredFields: string[];
}

export interface OutlookSeriesSplit extends SeriesCut {
  series: OutlookEvent;
  instance: OutlookEvent;
}

/** @returns null when the instance is the first one @throws DomainError ValidationFailed for an impossible cut */
export function openSplit(
  calendar: OutlookCalendarHandle,
  series: OutlookEvent,
  instance: OutlookEvent,
): OutlookSeriesSplit | null {
  const cut = cutSeries(scheduleOf(series), instance.originalStart ?? spanOf(instance).start, calendar.timeZone);
  if (cut === null) return null;
  // Outlook has no extra dates.
  checkCut({ isOrganizer: series.raw.isOrganizer !== false });
  return { ...cut, series, instance };
}

/**
 * Changes an instance and all later ones in a new series, then ends the old one. In this order a crash in between shows
 * events twice, but loses none. A mark of the request on the new series lets a repeat continue the first request.
 */
export async function splitSeries(work: OutlookEventEdit, split: OutlookSeriesSplit): Promise<OutlookEdited> {
  const { calendar, input } = work;
  const { series, instance, from, rest } = split;
  const { timeZone: calendarZone } = calendar;
  const exceptions = await seriesExceptions(calendar, series);
  const end = await planEnd(calendar, split, exceptions);
  const later = exceptions.filter((one) => isFrom(one, from, calendarZone));
  const changed = later.flatMap(({ originalStart }) => originalStart ?? []);
  const asked = changedSchedule(rest, spanOf(instance), input, calendarZone);
  const schedule = keepChangedInstances({ before: rest, after: asked, input }, changed, calendarZone);
  const { body, own, ignoredFields } = await changedFields(calendar, input, series, { seen: instance });
  const isSeries = schedule.recurrence.length > 0;
  const planned = isSeries ? toGraphSeries(schedule.recurrence, schedule.span, calendarZone) : null;
  const span = planned?.span ?? schedule.span;
  const relocate = relocation(from, schedule, calendarZone);
  const moving = later.map((one) =>
    one.id === instance.id ? asNamed(one, series, { body, own }, input, calendarZone) : one,
  );
  const instances = await planExceptions(calendar, series, { span, recurrence: schedule.recurrence, relocate }, moving);
  const carried = await copiedWhole(calendar, series);
  const times = spanBody(span, calendarZone);
  const maker = makerOf(work);
  const index = changedProperties(input, series.own, maker);
  const recurrence = seriesBody(planned);
  const properties = new Map([...carried.own, ...own, ...index, ...times.own, ...recurrence.own]);
  // The new series must not carry the invitation of the old meeting.
  const description =
    body.body === undefined ? {} : { body: await describedAs(calendar, input.description ?? '', instance) };
  const whole = bodyOf(
    { ...carried.body, ...body, ...description, ...times.body, ...recurrence.body },
    withJournal(properties, instances),
  );
  const transactionId = derivedTransactionId(maker, series.etag);
  const there = await madeBy(calendar, maker);
  const made = there ?? (await insertEvent(calendar, { ...whole, transactionId }, maker)).graphId;
  // By now an invitation may follow the body of the first try.
  const { body: _body, ...rewritten } = whole;
  if (there !== undefined) await patchEvent(calendar, { graphId: made }, rewritten, ANY_VERSION);
  let event: OutlookEvent;
  try {
    event = await finishInstances(calendar, made, instances);
    // Equal for all tries of the request: the end that another one has written counts as this one's.
    await patchSeries(calendar, series, end.change, end.instances, maker);
  } catch (error) {
    // The old series goes on. The next try creates another series; a repeat may still need that of the first try.
    const isOver = isVersionConflict(error) || isRefusal(error);
    if (isOver && there === undefined) await deleteEvent(calendar, { graphId: made }, ANY_VERSION);
    throw error;
  }
  if (!isNothing(end.instances)) await finishInstances(calendar, series.graphId, end.instances);
  return { event, ignoredFields };
}

/**
 * The changed instance that the caller named, with the times that are asked for, and the fields of its series where the
 * caller changes them: it keeps the others that it has of its own.
 */
export function asNamed(
  instance: OutlookEvent,
  series: OutlookEvent,
  { body, own }: EventParts,
  input: EventInput,
  calendarZone: string,
): OutlookEvent & { asked: TimeSpan } {
  const fields = Object.keys(body) as (keyof EventParts['body'])[];
  const raw = { ...instance.raw, ...Object.fromEntries(fields.map((field) => [field, series.raw[field]])) };
  const kept = [...instance.own].filter(([name]) => !own.has(name));
  const properties = new Map([...kept, ...[...series.own].filter(([name]) => own.has(name))]);
  return { ...instance, raw, own: properties, asked: askedSpan(spanOf(instance), input, calendarZone) };
}

/** Returns the result of an earlier try of this request; null without one. */
export async function finishedSplit(work: OutlookEventEdit): Promise<OutlookEdited | null> {
  const { calendar, input } = work;
  const made = await madeBy(calendar, makerOf(work));
  const event = made === undefined ? null : await fetchEvent(calendar, made);
  if (event === null) return null;
  // The new series has its own meeting, which the caller could not know.
  const { conferenceData: _conferenceData, ...others } = input;
  const { ignoredFields } = await changedFields(calendar, others, event);
  return { event, ignoredFields };
}

/** @throws DomainError Conflict, NotSupportedByProvider */
export async function planEnd(
  calendar: OutlookCalendarHandle,
  { series, from, ended }: OutlookSeriesSplit,
  exceptions: readonly OutlookEvent[],
) {
  const { timeZone: calendarZone } = calendar;
  const span = spanOf(series);
  const shortened = toGraphSeries(ended.filter(isRuleLine), span, calendarZone);
  const earlier = exceptions.filter((one) => !isFrom(one, from, calendarZone));
  const after = { span, recurrence: ended, relocate: (originalStart: EventTime) => originalStart };
  const instances = await planExceptions(calendar, series, after, earlier);
  return {
    change: seriesBody(shortened),
    instances: { ...instances, endMs: earlier.length < exceptions.length ? instantOf(from, calendarZone) : null },
  };
}

/** Equal for all tries of a request. */
function makerOf({ calendar, eventId, input, options }: OutlookEventEdit): string {
  return derivedTransactionId('following', calendar.id, eventId, options.idempotencyKey ?? JSON.stringify(input));
}
