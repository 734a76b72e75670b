import { isDeepStrictEqual } from 'node:util';
import type { Event } from '@microsoft/microsoft-graph-types';
import { DomainError, type EventTime } from '#domain';
import { datesOf, instanceDateOf, instantOf, wallOf, withWall, type Relocation } from '#event-rules';
import { bodyOf, carriedBody, spanBody } from './event-body.js';
import { seriesOf } from './event-edit.js';
import { ANY_VERSION, deleteEvent, patchEvent } from './graph-writes.js';
import { changedInstances, instanceOn, originalMs } from './instances.js';
import type { OpenCalendar } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';

/** Each costs requests of its own. */
const MAX_CARRIED = 100;

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

/** @throws DomainError Conflict, before anything is written */
export function checkCarriable(lines: readonly string[], exceptions: readonly OutlookEvent[]): void {
  if (lines.length + exceptions.length <= MAX_CARRIED) return;
  throw new DomainError(
    'Conflict',
    `The series has more than ${MAX_CARRIED} instances of their own, which would not survive this change.`,
  );
}

/** Deletes changed instances from an instant on that Outlook has kept beside a series that ends before it. */
export async function dropExceptionsFrom(calendar: OpenCalendar, series: OutlookEvent, from: EventTime): Promise<void> {
  const limitMs = instantOf(from, calendar.timeZone);
  for (const exception of await changedInstances(calendar, series)) {
    const ms = originalMs(exception, calendar.timeZone);
    if (ms !== null && ms >= limitMs) await deleteEvent(calendar, exception, ANY_VERSION);
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

/** An instance that was moved stays as far from where the series puts it, and as long. */
function ownTimes(calendar: OpenCalendar, exception: OutlookEvent, series: OutlookEvent, target: EventTime): Event {
  const { start, end, originalStart } = exception;
  if (start === null || end === null || originalStart === null || start.kind !== target.kind) return {};
  const lengthMs = wallOf(end) - wallOf(start);
  const seriesMs = series.start === null || series.end === null ? lengthMs : wallOf(series.end) - wallOf(series.start);
  const awayMs = wallOf(start) - wallOf(originalStart);
  if (awayMs === 0 && lengthMs === seriesMs) return {};
  const moved = withWall(target, wallOf(target) + awayMs);
  return spanBody({ start: moved, end: withWall(moved, wallOf(moved) + lengthMs) }, calendar.timeZone).body;
}
