import {
  shiftedExceptionSpan,
  changeDates,
  shiftedTime,
  placeAfter,
  recurrenceIdOf,
  recurrenceLines,
  RecurringSeries,
  shiftRecurrence,
  spanFrom,
  startOfDay,
  type IcsTimes,
} from '#providers/kit/series';
import { parseIcsTimes, type EditableComponent, type IcsProperty, type IcsTime } from '#icalendar';
import { openObject, type CalendarObject } from './calendar-object.js';
import { readSpan, writeSpan, writeTime, type IcsSpan } from './event-span.js';
import { coversLaterInstances, findInstance, keepOverrides } from './instances.js';
import { writeRecurrence, type RecurrencePlan } from './recurrence-lines.js';

/** Movement of the first instance, and the series after it. */
interface Move {
  before: IcsSpan;
  after: IcsSpan;
  times: IcsTimes;
  series: RecurringSeries;
}

/**
 * Moves EXDATE, RDATE, UNTIL and overrides by the same distance as the start, in its value type, because servers reject
 * mixed types. Drops exceptions that no longer match an instance.
 * @param span new times of the first instance; null keeps them
 * @param recurrence null keeps it, `none` makes a single event
 * @throws DomainError ValidationFailed, RecurrenceError
 */
export function reschedule(
  object: CalendarObject,
  master: EditableComponent,
  span: IcsSpan | null,
  recurrence: RecurrencePlan | 'none' | null,
): void {
  const { times } = object;
  const before = readSpan(master, times);
  const after = span ?? before;
  if (before === null || after === null) {
    if (span !== null) writeSpan(master, span);
    return;
  }
  // Overrides that replace no instance appear as separate events, and stay. EXDATEs of no instance must not come to one.
  const [strays, idleMs] = recurrence === null ? outsideSeries(object, master, before.start) : [new Set(), new Set()];
  if (span !== null) writeSpan(master, span);
  if (recurrence === 'none') {
    for (const property of recurrenceLines(master)) master.removeProperty(property);
    keepOverrides(object, () => false);
    return;
  }
  const lines = recurrenceLines(master);
  const ruled = lines.filter(({ name }) => name !== 'EXDATE');
  if (!isStill(before, after, times)) {
    shiftRecurrence(master, ruled, { from: before.start, to: after.start }, times);
  }
  const exclusions = lines.filter(({ name }) => name === 'EXDATE');
  const isIdle = (time: IcsTime) => idleMs.has(times.instantOf(times.like(before.start, time)));
  if (recurrence !== null) writeRecurrence(master, recurrence, after.start, times);
  const move: Move = { before, after, times, series: new RecurringSeries(object, times) };
  const left = new Set<IcsProperty>(master.propertiesNamed('EXDATE'));
  for (const property of exclusions.filter((candidate) => left.has(candidate))) {
    changeDates(master, property, after.start, (time) => (isIdle(time) ? null : placeOf(time, move)));
  }
  relocateOverrides(object, move, strays);
  if (recurrence !== null) dropExcluded(object, recurrence.added, after.start);
}

/** A change of the rule removes the instances that it excludes, even those with an override, which would still be seen. */
function dropExcluded(object: CalendarObject, added: readonly IcsProperty[], start: IcsTime): void {
  const { times } = object;
  const instantOf = (time: IcsTime) => times.instantOf(times.like(start, time));
  const excludedMs = new Set(
    added
      .filter(({ name }) => name === 'EXDATE')
      .flatMap(parseIcsTimes)
      .map(instantOf),
  );
  keepOverrides(object, (override) => {
    const id = recurrenceIdOf(override);
    return id === null || coversLaterInstances(override) || !excludedMs.has(instantOf(id));
  });
}

/** @returns overrides and instants of EXDATEs that are at no instance of the series */
function outsideSeries(object: CalendarObject, master: EditableComponent, start: IcsTime) {
  const { times, overrides } = object;
  const series = new RecurringSeries(object, times);
  const isOutside = (time: IcsTime) => !series.has(times.like(start, time));
  const excluded = master.propertiesNamed('EXDATE').flatMap(parseIcsTimes);
  return [
    new Set<unknown>(overrides.filter((override) => isOutside(recurrenceIdOf(override) ?? start))),
    new Set<unknown>(excluded.filter(isOutside).map((time) => times.instantOf(times.like(start, time)))),
  ] as const;
}

function isStill(before: IcsSpan, after: IcsSpan, times: IcsTimes): boolean {
  return times.sameClock(before.start, after.start) && times.wallOf(before.start) === times.wallOf(after.start);
}

/** Returns the new time of an instance: the same object when it did not move, null when it is gone. */
function placeOf(time: IcsTime, { before, after, times, series }: Move): IcsTime | null {
  const local = times.like(before.start, time);
  const isInstance = (place: IcsTime) => series.has(place);
  if (isStill(before, after, times)) return isInstance(local) ? time : null;
  return placeAfter(times, local, { from: before.start, to: after.start }, isInstance);
}

function relocateOverrides(object: CalendarObject, move: Move, strays: ReadonlySet<unknown>): void {
  const { before, after, times } = move;
  const along = (id: IcsTime) =>
    isStill(before, after, times)
      ? id
      : shiftedTime(times, times.like(before.start, id), { from: before.start, to: after.start });
  const placed = object.overrides.flatMap((override) => {
    const id = recurrenceIdOf(override);
    if (id === null) return [];
    const target = strays.has(override) ? along(id) : placeOf(id, move);
    const day = startOfDay(times.wallOf(times.like(before.start, id)));
    const keepsDay = target !== null && startOfDay(times.wallOf(target)) === day;
    return [{ override, id, target, keepsDay }];
  });
  const staying = new Set(
    placed.flatMap(({ override, target, keepsDay }) =>
      target !== null && keepsDay && !coversLaterInstances(override) ? times.instanceDateOf(target) : [],
    ),
  );
  const places = new Map(placed.map((place) => [place.override, place]));
  keepOverrides(object, (override) => {
    const place = places.get(override);
    if (place === undefined) return true;
    const { id, target, keepsDay } = place;
    if (target === null) return false;
    // Two overrides that meet would have the same RECURRENCE-ID. The one that keeps its day stays.
    if (!keepsDay && !coversLaterInstances(override) && staying.has(times.instanceDateOf(target))) return false;
    const local = times.like(before.start, id);
    if (target !== id) writeTime(override, 'RECURRENCE-ID', target);
    // The override's own times move unless time and length of its instance are unchanged.
    const was = spanFrom(local, before, times);
    const is = spanFrom(target === id ? local : target, after, times);
    const isMoved = !isStill(was, is, times) || times.wallOf(was.end) !== times.wallOf(is.end);
    const span = readSpan(override, times);
    if (span !== null && isMoved) writeSpan(override, shiftedExceptionSpan(times, span, was, is));
    return true;
  });
}

/**
 * Returns the new date part of each instance's id; null for a deleted instance.
 * @param firstInstance first instance of the new object; null when both begin alike
 * @throws RecurrenceError, IcsSyntaxError
 */
export function instancesAfter(
  before: Uint8Array,
  after: Uint8Array,
  firstInstance: string | null,
  instanceDates: readonly string[],
  calendarTimeZone: string,
): Map<string, string | null> {
  const old = openObject(before, calendarTimeZone);
  const now = openObject(after, calendarTimeZone);
  const oldSpan = old?.master ? readSpan(old.master, old.times) : null;
  const nowSpan = now?.master ? readSpan(now.master, now.times) : null;
  if (old === null || now === null || oldSpan === null || nowSpan === null) {
    return new Map(instanceDates.map((date) => [date, null]));
  }
  const { times } = now;
  const start = (firstInstance === null ? null : findInstance(old, firstInstance)?.recurrenceId) ?? oldSpan.start;
  const move: Move = { before: { ...oldSpan, start }, after: nowSpan, times, series: new RecurringSeries(now, times) };
  return new Map(
    instanceDates.map((date) => {
      const instance = findInstance(old, date);
      const place = instance === null ? null : placeOf(instance.recurrenceId, move);
      return [date, place === null ? null : times.instanceDateOf(place)];
    }),
  );
}
