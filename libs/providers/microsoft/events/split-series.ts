import { invalid } from '#domain';
import {
  changedSchedule,
  checkCarriable,
  cutSeries,
  instanceDateOf,
  isFrom,
  isRuleLine,
  relocation,
  scheduleOf,
  spanOf,
  type SeriesCut,
} from '#event-rules';
import { bodyOf, carriedBody, changedFields, spanBody } from './event-body.js';
import { seriesOf, type Edited, type EventEdit } from './event-edit.js';
import { derivedTransactionId } from './event-id.js';
import { isOvertaken } from './edit.js';
import { carryExceptions, deleteExcluded, dropExceptionsFrom, restoreInstances } from './exceptions.js';
import { ANY_VERSION, deleteEvent, insertEvent, patchEvent } from './graph-writes.js';
import { changedInstances } from './instances.js';
import type { OpenCalendar } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';
import { changedProperties } from './own-properties.js';
import { toGraphSeries } from './recurrence/patterned-recurrence.js';

/** A series, and the instance that it is cut before. */
export interface Split extends SeriesCut {
  series: OutlookEvent;
  instance: OutlookEvent;
}

/**
 * How a series is cut before one of its instances.
 * @returns null when nothing of the series comes before it: then the cut is the whole series
 * @throws DomainError ValidationFailed when the series cannot be cut there by us
 */
export function openSplit(calendar: OpenCalendar, series: OutlookEvent, instance: OutlookEvent): Split | null {
  const cut = cutSeries(scheduleOf(series), instance.originalStart ?? spanOf(instance).start, calendar.timeZone);
  if (cut === null) return null;
  if (series.raw.isOrganizer === false) {
    throw invalid('scope', 'following is for the organizer; this series belongs to somebody else');
  }
  return { ...cut, series, instance };
}

/**
 * Changes an instance and all later ones: a new series goes on from there, the old one ends before it. The new one is
 * written first, under a transaction id that follows from the instance and the version of the series: a crash in between
 * shows events twice, never not at all, and a repeated request goes on where the first one stopped.
 */
export async function splitSeries({ calendar, input }: EventEdit, split: Split): Promise<Edited> {
  const { series, instance, from, rest } = split;
  const { timeZone: calendarZone } = calendar;
  const later = (await changedInstances(calendar, series)).filter((one) => isFrom(one, from, calendarZone));
  checkCarriable(rest.recurrence.length + later.length);
  const schedule = changedSchedule(rest, spanOf(instance), input, calendarZone);
  const { body, own, ignoredFields } = await changedFields(calendar, input, series);
  const carried = carriedBody(series);
  const isSeries = schedule.recurrence.length > 0;
  const planned = isSeries ? toGraphSeries(schedule.recurrence, schedule.span, calendarZone) : null;
  const times = spanBody(planned?.span ?? schedule.span, calendarZone);
  const transactionId = derivedTransactionId('following', calendar.id, series.id, instanceDateOf(from), series.etag);
  const index = changedProperties(input, series.own, transactionId);
  const made = await insertEvent(calendar, {
    ...bodyOf({ ...carried.body, ...body, ...times.body }, new Map([...carried.own, ...own, ...index, ...times.own])),
    ...(planned !== null && { recurrence: planned.recurrence }),
    transactionId,
  });
  await deleteExcluded(calendar, made, schedule.recurrence);
  // Of the instance itself the caller has said what it is to be.
  const others = later.filter((exception) => exception.id !== instance.id);
  const relocate = relocation(from, schedule, calendarZone);
  await carryExceptions(calendar, others, { from: series, to: made, relocate });
  await endSeries(calendar, split).catch(async (error: unknown) => {
    // Certainly not done, and tried again from another version: as another transaction.
    if (isOvertaken(error)) await deleteEvent(calendar, made, ANY_VERSION);
    throw error;
  });
  return { event: await seriesOf(calendar, made.graphId), ignoredFields };
}

/** Takes the instance and all later ones out of a series. @throws GraphFault 412 when it was changed in between */
export async function endSeries(calendar: OpenCalendar, { series, from, ended }: Split): Promise<void> {
  const earlier = (await changedInstances(calendar, series)).filter((one) => !isFrom(one, from, calendar.timeZone));
  checkCarriable(ended.length + earlier.length);
  const { recurrence } = toGraphSeries(ended.filter(isRuleLine), spanOf(series), calendar.timeZone);
  await patchEvent(calendar, series, { recurrence }, series);
  const left = await restoreInstances(calendar, series, ended, earlier, (originalStart) => originalStart);
  await dropExceptionsFrom(calendar, left, from);
}
