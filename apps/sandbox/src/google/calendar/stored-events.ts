import type { CalendarRecord, EventRecord } from './model.js';
import { type Instance, instanceOf, splitInstanceId } from './recurrence.js';

/** The event with this id, untouched instances of series included; they exist without having been written. */
export function findEvent(calendar: CalendarRecord, id: string): EventRecord | null {
  const stored = calendar.events.byId.get(id);
  if (stored !== undefined) return stored;
  const parts = splitInstanceId(id);
  const master = parts === null ? undefined : calendar.events.byId.get(parts.masterId);
  if (parts === null || master === undefined) return null;
  const instance = instanceOf(master, parts.suffix);
  return instance === null ? null : instanceRecord(master, instance);
}

/** An instance as its series makes it. */
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

/** The master of an instance; null for what is none, and for guests of one instance only. */
export function masterOf(calendar: CalendarRecord, { recurringEventId }: EventRecord): EventRecord | null {
  return recurringEventId === null ? null : (calendar.events.byId.get(recurringEventId) ?? null);
}
