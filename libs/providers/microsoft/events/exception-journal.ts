import { isDeepStrictEqual } from 'node:util';
import type { Event } from '@microsoft/microsoft-graph-types';
import { DomainError } from '#domain/system';
import { listOf, recordOf, textOf } from '#providers/kit/events';
import {
  atInstant,
  assertCopyable,
  datesOf,
  instanceDateOf,
  isFrom,
  type Relocation,
  SeriesTimes,
  shiftException,
  spanFrom,
  type TimeSpan,
} from '#providers/kit/series';
import { GraphApiError } from '../errors.js';
import { bodyOf, fittedBody, formattedDescriptions, type EventParts, copiedBody, spanBody } from './event-body.js';
import { ANY_VERSION, deleteEvent, patchEvent } from './graph-writes.js';
import { seriesExceptions, instanceOn } from './instances.js';
import { assertBetweenNeighbours } from './neighbours.js';
import { seriesOf, type OutlookCalendarHandle } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';
import { MAX_CHARACTERS, parsedJson, type OwnProperties } from './own-properties.js';

/**
 * Remaining work on instances after a write to their series: Outlook drops their own fields when the series gets
 * another pattern or other times. The series stores it, so that the next edit can finish it after a crash.
 */
export interface ExceptionJournal {
  /** Date parts of the ids of instances to delete. */
  excluded: string[];
  /** Fields that differ from the series. */
  changed: { date: string; body: Event }[];
  /** Instances from this instant on leave the series. */
  endMs: number | null;
}

export const EMPTY_JOURNAL: ExceptionJournal = { excluded: [], changed: [], endMs: null };

/** @param exceptions changed instances of `before` @throws DomainError Conflict, before anything is written */
export async function planExceptions(
  calendar: OutlookCalendarHandle,
  before: OutlookEvent,
  after: { span: TimeSpan; recurrence: readonly string[]; relocate: Relocation },
  exceptions: readonly (OutlookEvent & { asked?: TimeSpan })[],
): Promise<ExceptionJournal> {
  const frame = { start: after.span.start, calendarZone: calendar.timeZone };
  const excluded = datesOf(after.recurrence, 'EXDATE', frame).map(instanceDateOf);
  assertCopyable(excluded.length + exceptions.length);
  const placed = exceptions.flatMap((exception) => {
    const { originalStart } = exception;
    const target = originalStart && after.relocate(originalStart);
    if (originalStart === null || target === null) return [];
    const span = shiftException(exception, before, spanFrom(target, after.span, new SeriesTimes('UTC')));
    return [{ exception, originalStart, target, span }];
  });
  const moves = placed.map(({ exception, originalStart, target, span }) => ({
    before: { place: originalStart, start: exception.start },
    after: { place: target, start: span?.start ?? null },
  }));
  assertBetweenNeighbours(moves, before, { ...after.span, recurrence: [...after.recurrence] }, calendar.timeZone);
  const changed = placed.flatMap(({ exception, target, span }) => {
    const { body: fields, own } = ownParts(exception, before);
    const times = span && spanBody(span, calendar.timeZone);
    const body = bodyOf({ ...fields, ...times?.body }, new Map([...own, ...(times?.own ?? [])]));
    return Object.keys(body).length === 0 ? [] : [{ date: instanceDateOf(target), body, exception }];
  });
  const described = changed.filter(({ body }) => (body.body?.content ?? '') !== '');
  const descriptions = await formattedDescriptions(
    calendar,
    described.map(({ exception }) => exception),
  );
  const formatted = new Map(described.map(({ date }, at) => [date, descriptions[at]]));
  const asText = { excluded, changed: changed.map(({ date, body }) => ({ date, body })), endMs: null };
  const withFormat = asText.changed.map((instance) => {
    const body = formatted.get(instance.date) ?? null;
    return body === null ? instance : { ...instance, body: { ...instance.body, body } };
  });
  const whole = { ...asText, changed: withFormat };
  // Formatting may exceed the length of a property.
  return JSON.stringify(whole).length <= MAX_CHARACTERS ? whole : asText;
}

/** Adds the work to the properties of a series. @throws DomainError Conflict when it is too long */
export function withJournal(own: OwnProperties, work: ExceptionJournal): OwnProperties {
  if (isNothing(work)) return own;
  const pending = JSON.stringify(work);
  if (pending.length <= MAX_CHARACTERS) return new Map([...own, ['ucPending', pending]]);
  throw new DomainError('Conflict', 'The instances of the series have more of their own than can be kept safe.');
}

/**
 * Writes a series with the work on its instances.
 * @param write mark of the write
 * @throws GraphApiError 412; DomainError Conflict
 */
export async function patchSeries(
  calendar: OutlookCalendarHandle,
  series: OutlookEvent,
  { body, own }: EventParts,
  work: ExceptionJournal,
  write?: string,
): Promise<void> {
  await patchEvent(calendar, series, bodyOf(body, withJournal(own, work)), series, write);
}

/** Carries out the work on a written series. @returns the series afterwards @throws GraphApiError 400 once it is over */
export async function finishInstances(calendar: OutlookCalendarHandle, graphId: string, work: ExceptionJournal) {
  const written = await seriesOf(calendar, graphId);
  if (isNothing(work)) return written;
  await excludeDates(calendar, written, work.excluded);
  const present = await seriesExceptions(calendar, written);
  const kept = new Set(present.map(({ id }) => id));
  const change = async ({ date, body }: ExceptionJournal['changed'][number]) => {
    const instance = kept.has(`${written.id}_${date}`) ? null : await instanceOn(calendar, written, date);
    if (instance !== null)
      await patchEvent(calendar, instance, await fittedBody(calendar, instance, body), ANY_VERSION);
  };
  const [refusal] = await changeInstances(work.changed, change);
  const end = work.endMs === null ? null : atInstant(work.endMs, 'UTC');
  for (const exception of present) {
    if (end !== null && isFrom(exception, end, calendar.timeZone)) await deleteEvent(calendar, exception, ANY_VERSION);
  }
  await patchEvent(calendar, written, bodyOf({}, new Map([['ucPending', '']])), ANY_VERSION);
  if (refusal !== undefined) throw refusal;
  return seriesOf(calendar, graphId);
}

/**
 * One instance may have to wait until another one has made room. Of one that Outlook never takes, the times are left
 * out, or else all: nobody could change the series any more while this work is pending.
 * @returns why instances are left as their series has them
 */
async function changeInstances(
  instances: ExceptionJournal['changed'],
  change: (instance: ExceptionJournal['changed'][number]) => Promise<void>,
): Promise<GraphApiError[]> {
  const refused = await refusalsOf(instances, change);
  if (refused.length === 0) return [];
  const left = refused.map(({ instance }) => instance);
  if (left.length < instances.length) return changeInstances(left, change);
  const untimed = left.map(({ date, body }) => {
    const { start: _start, end: _end, isAllDay: _isAllDay, ...others } = body;
    return { date, body: others };
  });
  return (await refusalsOf(untimed, change)).map(({ error }) => error);
}

async function refusalsOf(
  instances: ExceptionJournal['changed'],
  change: (instance: ExceptionJournal['changed'][number]) => Promise<void>,
) {
  const refused: { instance: ExceptionJournal['changed'][number]; error: GraphApiError }[] = [];
  for (const instance of instances) {
    await change(instance).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      refused.push({ instance, error });
    });
  }
  return refused;
}

/** Whether Outlook will never take what was sent. */
export function isRefusal(error: unknown): error is GraphApiError {
  return error instanceof GraphApiError && error.status === 400;
}

/** Finishes the work of an earlier edit. @returns the series afterwards */
export async function resumeFromJournal(calendar: OutlookCalendarHandle, series: OutlookEvent): Promise<OutlookEvent> {
  const work = readJournal(series.own.get('ucPending'));
  // The properties of a received invitation may come from anybody.
  if (work === null || series.raw.isOrganizer !== true) return series;
  return finishInstances(calendar, series.graphId, work);
}

export function isNothing({ excluded, changed, endMs }: ExceptionJournal): boolean {
  return excluded.length === 0 && changed.length === 0 && endMs === null;
}

function readJournal(text: string | undefined): ExceptionJournal | null {
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

/** Deletes the live instances of these dates (of ids). */
export async function excludeDates(calendar: OutlookCalendarHandle, series: OutlookEvent, dates: readonly string[]) {
  const { start } = series;
  if (start === null) return;
  const frame = { start, calendarZone: calendar.timeZone };
  const gone = new Set(datesOf(series.recurrence, 'EXDATE', frame).map(instanceDateOf));
  for (const date of dates) {
    const instance = gone.has(date) ? null : await instanceOn(calendar, series, date);
    if (instance !== null) await deleteEvent(calendar, instance, ANY_VERSION);
  }
}

/** Returns fields that differ from the series. */
function ownParts(exception: OutlookEvent, series: OutlookEvent): EventParts {
  const of = copiedBody(exception);
  const ofSeries = copiedBody(series);
  const fields = Object.entries(of.body).filter(
    ([field, value]) => !isDeepStrictEqual(value, ofSeries.body[field as keyof Event]),
  );
  const own = new Map([...of.own].filter(([name, value]) => ofSeries.own.get(name) !== value));
  return { body: Object.fromEntries(fields), own };
}
