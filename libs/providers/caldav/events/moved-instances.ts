import { openObject } from './calendar-object.js';
import { readSpan } from './event-span.js';
import { findInstance, instanceDateOf, instanceTest } from './series-instances.js';
import { moved } from './series-move.js';

/**
 * Where instances of a series are after an edit, by the date parts of their ids; null for those that are gone.
 * @param firstInstance the instance that the new object begins with; null when it begins like the old one
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
  const gone = new Map<string, string | null>(instanceDates.map((date) => [date, null]));
  if (old?.master == null || now?.master == null) return gone;
  const oldSpan = readSpan(old.master, old.clocks);
  const nowSpan = readSpan(now.master, now.clocks);
  if (oldSpan === null || nowSpan === null) return gone;
  const first = firstInstance === null ? null : findInstance(old, firstInstance);
  const start = first?.recurrenceId ?? oldSpan.start;
  const move = { before: { ...oldSpan, start }, after: nowSpan, clocks: now.clocks };
  const isInstance = instanceTest(now.master, now.clocks);
  return new Map(
    instanceDates.map((date) => {
      const instance = findInstance(old, date);
      const place = instance === null ? null : moved(instance.recurrenceId, move, isInstance);
      return [date, place === null ? null : instanceDateOf(place, now.clocks)];
    }),
  );
}
