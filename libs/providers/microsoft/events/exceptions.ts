import { isDeepStrictEqual } from 'node:util';
import type { Event } from '@microsoft/microsoft-graph-types';
import type { EventTime } from '#domain';
import { datesOf, instanceDateOf, isFrom, movedAlong, type Relocation } from '#event-rules';
import { bodyOf, carriedBody, spanBody } from './event-body.js';
import { seriesOf } from './event-edit.js';
import { ANY_VERSION, deleteEvent, patchEvent } from './graph-writes.js';
import { changedInstances, instanceOn } from './instances.js';
import type { OpenCalendar } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';

/** Deletes the instances of a series that its recurrence excludes and that still take place. */
export async function deleteExcluded(
  calendar: OpenCalendar,
  series: OutlookEvent,
  lines: readonly string[],
): Promise<void> {
  const { start } = series;
  if (start === null) return;
  const frame = { start, calendarZone: calendar.timeZone };
  const gone = new Set(datesOf(series.recurrence, 'EXDATE', frame).map(instanceDateOf));
  for (const excluded of datesOf(lines, 'EXDATE', frame)) {
    const date = instanceDateOf(excluded);
    if (gone.has(date)) continue;
    const instance = await instanceOn(calendar, series, date);
    if (instance !== null) await deleteEvent(calendar, instance, ANY_VERSION);
  }
}

/**
 * Gives a series back what its instances had of their own: Outlook drops that when a series gets another pattern or other
 * times.
 * @param exceptions changed instances of the series as it was before
 * @returns the series as it is then
 */
export async function restoreInstances(
  calendar: OpenCalendar,
  before: OutlookEvent,
  lines: readonly string[],
  exceptions: readonly OutlookEvent[],
  relocate: Relocation,
): Promise<OutlookEvent> {
  const written = await seriesOf(calendar, before.graphId);
  await deleteExcluded(calendar, written, lines);
  const left = new Set((await changedInstances(calendar, written)).map(({ id }) => id));
  const lost = exceptions.filter(({ originalStart }) => {
    const target = originalStart === null ? null : relocate(originalStart);
    return target !== null && !left.has(`${written.id}_${instanceDateOf(target)}`);
  });
  await carryExceptions(calendar, lost, { from: before, to: written, relocate });
  return seriesOf(calendar, before.graphId);
}

/**
 * Gives the changed instances of one series to another one, or to the same one at other times: Outlook drops what does
 * not fit any more.
 */
export async function carryExceptions(
  calendar: OpenCalendar,
  exceptions: readonly OutlookEvent[],
  { from, to, relocate }: { from: OutlookEvent; to: OutlookEvent; relocate: Relocation },
): Promise<void> {
  for (const exception of exceptions) {
    const target = exception.originalStart === null ? null : relocate(exception.originalStart);
    if (target === null) continue;
    const instance = await instanceOn(calendar, to, instanceDateOf(target));
    if (instance === null) continue;
    const body = ownBody(calendar, exception, from, target);
    if (Object.keys(body).length > 0) await patchEvent(calendar, instance, body, ANY_VERSION);
  }
}

/** Deletes changed instances from an instant on that Outlook has kept beside a series that ends before it. */
export async function dropExceptionsFrom(calendar: OpenCalendar, series: OutlookEvent, from: EventTime): Promise<void> {
  for (const exception of await changedInstances(calendar, series)) {
    if (isFrom(exception, from, calendar.timeZone)) await deleteEvent(calendar, exception, ANY_VERSION);
  }
}

/** What an instance says that its series does not. */
function ownBody(calendar: OpenCalendar, exception: OutlookEvent, series: OutlookEvent, target: EventTime): Event {
  const of = carriedBody(exception);
  const ofSeries = carriedBody(series);
  const fields = Object.entries(of.body).filter(
    ([field, value]) => !isDeepStrictEqual(value, ofSeries.body[field as keyof Event]),
  );
  const own = new Map([...of.own].filter(([name, value]) => ofSeries.own.get(name) !== value));
  return { ...bodyOf(Object.fromEntries(fields), own), ...ownTimes(calendar, exception, series, target) };
}

function ownTimes(calendar: OpenCalendar, exception: OutlookEvent, series: OutlookEvent, target: EventTime): Event {
  const span = movedAlong(exception, series, target);
  return span === null ? {} : spanBody(span, calendar.timeZone).body;
}
