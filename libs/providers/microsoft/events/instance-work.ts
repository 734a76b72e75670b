import { isDeepStrictEqual } from 'node:util';
import type { Event } from '@microsoft/microsoft-graph-types';
import { DomainError, type EventTime } from '#domain';
import { listOf, recordOf, textOf } from '#providers/kit/events';
import {
  atInstant,
  checkCarriable,
  datesOf,
  instanceDateOf,
  isFrom,
  type Relocation,
  movedAlong,
} from '#providers/kit/series';
import { bodyOf, fittedBody, formattedDescriptions, type EventChange, carriedBody, spanBody } from './event-body.js';
import { ANY_VERSION, deleteEvent, patchEvent } from './graph-writes.js';
import { changedInstances, instanceOn } from './instances.js';
import { seriesOf, type OpenCalendar } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';
import { MAX_CHARACTERS, parsedJson, type OwnProperties } from './own-properties.js';

/**
 * What is to be done to the instances of a series once the series is written: Outlook drops what they had of their own
 * when a series gets another pattern or other times. It is written into the series together with those, so that whoever
 * edits the series next can finish what a crash has cut off.
 */
export interface InstanceWork {
  /** Date parts of the ids of instances that do not take place. */
  excluded: string[];
  /** What instances have of their own. */
  changed: { date: string; body: Event }[];
  /** Instances from this instant on (milliseconds) are not of the series any more; null: there are none such. */
  endMs: number | null;
}

export const NO_WORK: InstanceWork = { excluded: [], changed: [], endMs: null };

/**
 * @param before the series as it is
 * @param after first instance and recurrence of the series as it will be
 * @param exceptions changed instances of the series as it is
 * @throws DomainError Conflict, before anything is written
 */
export async function planInstances(
  calendar: OpenCalendar,
  before: OutlookEvent,
  after: { start: EventTime; recurrence: readonly string[]; relocate: Relocation },
  exceptions: readonly OutlookEvent[],
): Promise<InstanceWork> {
  const frame = { start: after.start, calendarZone: calendar.timeZone };
  const excluded = datesOf(after.recurrence, 'EXDATE', frame).map(instanceDateOf);
  checkCarriable(excluded.length + exceptions.length);
  const changed = exceptions.flatMap((exception) => {
    const target = exception.originalStart === null ? null : after.relocate(exception.originalStart);
    if (target === null) return [];
    const body = ownBody(calendar, exception, before, target);
    return Object.keys(body).length === 0 ? [] : [{ date: instanceDateOf(target), body, exception }];
  });
  const described = changed.filter(({ body }) => (body.body?.content ?? '') !== '');
  const descriptions = await formattedDescriptions(
    calendar,
    described.map(({ exception }) => exception),
  );
  const formatted = new Map(described.map(({ date }, at) => [date, descriptions[at]]));
  const asText = { excluded, changed: changed.map(({ date, body }) => ({ date, body })), endMs: null };
  const whole = {
    ...asText,
    changed: asText.changed.map(({ date, body: asWritten }) => {
      const body = formatted.get(date) ?? null;
      return { date, body: body === null ? asWritten : { ...asWritten, body } };
    }),
  };
  // Text rather than nothing: formatting may take many times the characters that can be kept.
  return JSON.stringify(whole).length <= MAX_CHARACTERS ? whole : asText;
}

/** Properties of a series with a note of what is to be done. @throws DomainError Conflict for more than a series can hold */
export function withWork(own: OwnProperties, work: InstanceWork): OwnProperties {
  if (isNothing(work)) return own;
  const pending = JSON.stringify(work);
  if (pending.length <= MAX_CHARACTERS) return new Map([...own, ['ucPending', pending]]);
  throw new DomainError('Conflict', 'The instances of the series have more of their own than can be kept safe.');
}

/**
 * Writes a series with a note of what is to be done to its instances.
 * @throws GraphFault 412 when it was changed in between; DomainError Conflict
 */
export async function patchSeries(
  calendar: OpenCalendar,
  series: OutlookEvent,
  { body, own }: Pick<EventChange, 'body' | 'own'>,
  work: InstanceWork,
): Promise<void> {
  await patchEvent(calendar, series, bodyOf(body, withWork(own, work)), series);
}

/** Does the work on a series that was written. @returns the series as it is then */
export async function finishInstances(
  calendar: OpenCalendar,
  graphId: string,
  work: InstanceWork,
): Promise<OutlookEvent> {
  const written = await seriesOf(calendar, graphId);
  if (isNothing(work)) return written;
  await excludeDates(calendar, written, work.excluded);
  const present = await changedInstances(calendar, written);
  const kept = new Set(present.map(({ id }) => id));
  for (const { date, body } of work.changed) {
    const instance = kept.has(`${written.id}_${date}`) ? null : await instanceOn(calendar, written, date);
    if (instance === null) continue;
    await patchEvent(calendar, instance, await fittedBody(calendar, instance, body), ANY_VERSION);
  }
  const end = work.endMs === null ? null : atInstant(work.endMs, 'UTC');
  for (const exception of present) {
    if (end !== null && isFrom(exception, end, calendar.timeZone)) await deleteEvent(calendar, exception, ANY_VERSION);
  }
  await patchEvent(calendar, written, bodyOf({}, new Map([['ucPending', '']])), ANY_VERSION);
  return seriesOf(calendar, graphId);
}

/** Finishes what an earlier edit was cut off from. @returns the series as it is then */
export async function resumeInstances(calendar: OpenCalendar, series: OutlookEvent): Promise<OutlookEvent> {
  const work = readWork(series.own.get('ucPending'));
  // Into an invitation somebody else may have written anything.
  if (work === null || series.raw.isOrganizer !== true) return series;
  return finishInstances(calendar, series.graphId, work);
}

export function isNothing({ excluded, changed, endMs }: InstanceWork): boolean {
  return excluded.length === 0 && changed.length === 0 && endMs === null;
}

/** null where there is none, or nothing that can be read. */
function readWork(text: string | undefined): InstanceWork | null {
  const { excluded, changed, endMs } = recordOf(parsedJson(text));
  if (!Array.isArray(excluded) || !Array.isArray(changed)) return null;
  return {
    excluded: excluded.flatMap((date) => textOf(date) ?? []),
    changed: listOf(changed).flatMap((value) => {
      const { date, body } = recordOf(value);
      return typeof date === 'string' ? [{ date, body: recordOf(body) }] : [];
    }),
    endMs: Number.isSafeInteger(endMs) ? (endMs as number) : null,
  };
}

/** Deletes the instances of a series that are named by the date parts of their ids and that still take place. */
export async function excludeDates(
  calendar: OpenCalendar,
  series: OutlookEvent,
  dates: readonly string[],
): Promise<void> {
  const { start } = series;
  if (start === null) return;
  const frame = { start, calendarZone: calendar.timeZone };
  const gone = new Set(datesOf(series.recurrence, 'EXDATE', frame).map(instanceDateOf));
  for (const date of dates) {
    const instance = gone.has(date) ? null : await instanceOn(calendar, series, date);
    if (instance !== null) await deleteEvent(calendar, instance, ANY_VERSION);
  }
}

/**
 * What an instance says that its series does not.
 * @param target where the series will put it
 */
export function ownBody(
  calendar: OpenCalendar,
  exception: OutlookEvent,
  series: OutlookEvent,
  target: EventTime,
): Event {
  const of = carriedBody(exception);
  const ofSeries = carriedBody(series);
  const fields = Object.entries(of.body).filter(
    ([field, value]) => !isDeepStrictEqual(value, ofSeries.body[field as keyof Event]),
  );
  const own = new Map([...of.own].filter(([name, value]) => ofSeries.own.get(name) !== value));
  const span = movedAlong(exception, series, target);
  const times = span === null ? {} : spanBody(span, calendar.timeZone).body;
  return { ...bodyOf(Object.fromEntries(fields), own), ...times };
}
