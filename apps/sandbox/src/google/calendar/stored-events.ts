import type { CalendarRecord, EventRecord } from './model.js';
import { type Instance, instanceOf, splitInstanceId } from './recurrence.js';

/** Finds an event by id, including generated instances, which are not stored. */
export function findEvent(calendar: CalendarRecord, id: string): EventRecord | null {
  const stored = calendar.events.byId.get(id);
  if (stored !== undefined) return stored;
  const parts = splitInstanceId(id);
  const master = parts === null ? undefined : calendar.events.byId.get(parts.masterId);
  if (parts === null || master === undefined) return null;
  const instance = instanceOf(master, parts.suffix);
  return instance === null ? null : instanceRecord(master, instance);
}

export function instanceRecord(master: EventRecord, { suffix, start, end }: Instance): EventRecord {
  return {
    ...master,
    id: `${master.id}_${suffix}`,
    recurringEventId: master.id,
    originalStart: start,
    start,
    end,
    recurrence: null,
    former: [],
  };
}

/** Returns the master of an instance; null for any other event, and for guests of a single instance. */
export function masterOf(calendar: CalendarRecord, { recurringEventId }: EventRecord): EventRecord | null {
  return recurringEventId === null ? null : (calendar.events.byId.get(recurringEventId) ?? null);
}
