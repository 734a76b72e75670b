import { exceptionsOf, forgetOnShelf } from './event-shelf.js';
import type { CalendarRecord, EventRecord, FormerPattern } from './model.js';
import { fits, isRecurring, isSamePattern } from './recurrence.js';
import type { Store } from './store.js';

/** States of a series that a sync can compare with; what is older has few readers. */
const MAX_FORMER = 8;

/**
 * Writes an event that is no instance. When it takes place at other times than before, exceptions that have lost their
 * place in the series go.
 */
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
    else if (exception.life === 'deleted') forgetOnShelf(calendar.events, exception);
  }
  return written;
}

/** Deletes an event; a series with all of its exceptions. */
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
