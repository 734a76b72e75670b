import { exceptionsOf, clearShelf } from './event-shelf.js';
import type { CalendarRecord, EventRecord, FormerPattern } from './model.js';
import { fits, isRecurring, isSamePattern } from './recurrence.js';
import type { Store } from './store.js';

/** Earlier states of a series that a sync can compare with. */
const MAX_FORMER = 8;

/** Writes a single event or a series. When its times change, deletes exceptions that no longer match an instance. */
export function putSeries(
  store: Store,
  calendar: CalendarRecord,
  record: Omit<EventRecord, 'revision'>,
  nowMs: number,
): EventRecord {
  const previous = calendar.events.byId.get(record.id);
  if (previous === undefined || isSamePattern(previous, record)) return store.putEvent(calendar, record);
  const written = store.putEvent(calendar, {
    ...record,
    former: [formerOf(previous, store.revision + 1), ...previous.former].slice(0, MAX_FORMER),
  });
  for (const exception of exceptionsOf(calendar.events, record.id)) {
    const hasPlace = isRecurring(written) && fits(written, exception.originalStart!);
    if (!hasPlace) deleteRecord(store, calendar, exception, nowMs);
    else if (exception.life === 'deleted') clearShelf(calendar.events, exception);
  }
  return written;
}

/** Deletes an event, with all exceptions of a series. */
export function deleteSeries(store: Store, calendar: CalendarRecord, record: EventRecord, nowMs: number): void {
  deleteRecord(store, calendar, record, nowMs);
  for (const exception of exceptionsOf(calendar.events, record.id)) deleteRecord(store, calendar, exception, nowMs);
}

function deleteRecord(store: Store, calendar: CalendarRecord, record: EventRecord, nowMs: number): void {
  if (record.life !== 'deleted') store.putEvent(calendar, { ...record, life: 'deleted', updatedMs: nowMs });
}

function formerOf({ start, end, recurrence }: EventRecord, untilRevision: number): FormerPattern {
  return { start, end, recurrence, untilRevision };
}
