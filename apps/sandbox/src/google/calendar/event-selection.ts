import { exceptionsOf } from './event-shelf.js';
import { instantOf } from './event-time.js';
import type { CalendarRecord, EventRecord } from './model.js';
import { instancesIn, isRecurring, takesPlaceIn } from './recurrence.js';
import { instanceRecord } from './stored-events.js';

export interface ListedEvent {
  record: EventRecord;
  /** True when the list reports only the deletion. */
  isGone: boolean;
}

/** Epoch milliseconds; null for an open side. */
export interface Bounds {
  minMs: number | null;
  maxMs: number | null;
}

export interface Selection {
  bounds: Bounds;
  singleEvents: boolean;
  showDeleted: boolean;
  filter: (record: EventRecord) => boolean;
  nowMs: number;
}

const DAY_MS = 86_400_000;
/** Reach of series without an upper bound. */
const HORIZON_MS = 730 * DAY_MS;
/** Range around today in which a sync reports deleted instances (googleapis/google-api-ruby-client#860). */
const GONE_MS = 183 * DAY_MS;
const OLDEST_MS = Date.UTC(1000, 0, 1);

/** Events of a full list, in order of creation. */
export function selectEvents(calendar: CalendarRecord, selection: Selection): EventRecord[] {
  const found: EventRecord[] = [];
  for (const record of calendar.events.byId.values()) {
    if (!selection.filter(record)) continue;
    if (selection.singleEvents && isRecurring(record)) found.push(...instancesOf(calendar, record, selection));
    else if (isShown(calendar, record, selection)) found.push(record);
  }
  return found;
}

/** Instances of a series in the bounds without an exception of their own. */
export function untouchedInstances(
  calendar: CalendarRecord,
  series: EventRecord,
  bounds: Bounds,
  nowMs: number,
): EventRecord[] {
  const window = {
    // One millisecond wider: the caller decides about an end exactly at the bound.
    startMs: (bounds.minMs ?? OLDEST_MS) - 1,
    endMs: bounds.maxMs ?? Math.max(nowMs, bounds.minMs ?? nowMs) + HORIZON_MS,
  };
  const written = new Set(exceptionsOf(calendar.events, series.id).map(({ id }) => id));
  return instancesIn(series, window, calendar.timeZone)
    .map((instance) => instanceRecord(series, instance))
    .filter(({ id }) => !written.has(id));
}

/** `timeMin` is an exclusive bound of the end, `timeMax` of the start. */
export function overlaps({ start, end }: EventRecord, { minMs, maxMs }: Bounds, timeZone: string): boolean {
  return (minMs === null || instantOf(end, timeZone) > minMs) && (maxMs === null || instantOf(start, timeZone) < maxMs);
}

/** Changes since a revision, in their order. */
export function selectChanges(calendar: CalendarRecord, sinceRevision: number, selection: Selection): ListedEvent[] {
  const changed = [...calendar.events.byId.values()]
    .filter((record) => record.revision > sinceRevision && selection.filter(record))
    .sort((a, b) => a.revision - b.revision);
  if (!selection.singleEvents) return changed.map((record) => listed(record, selection));
  return changed.flatMap((record) => changesOfSingleEvents(calendar, record, sinceRevision, selection));
}

function changesOfSingleEvents(
  calendar: CalendarRecord,
  record: EventRecord,
  sinceRevision: number,
  selection: Selection,
): ListedEvent[] {
  const before = record.former.findLast(({ untilRevision }) => untilRevision > sinceRevision) ?? record;
  if (!isRecurring(record) && !isRecurring(before)) return [listed(record, selection)];

  const everything = { minMs: null, maxMs: null };
  const current = record.life === 'live' ? occurrencesOf(calendar, record, everything, selection.nowMs) : [];
  const around = { minMs: selection.nowMs - GONE_MS, maxMs: selection.nowMs + GONE_MS };
  const stays = new Set(current.map(({ id }) => id));
  const { start, end, recurrence } = before;
  const gone = occurrencesOf(calendar, { ...record, start, end, recurrence }, around, selection.nowMs)
    .filter(({ id }) => !stays.has(id))
    .map((instance): EventRecord => ({ ...instance, life: 'deleted' }));
  return [...current, ...gone].map((instance) => listed(instance, selection));
}

function occurrencesOf(calendar: CalendarRecord, record: EventRecord, bounds: Bounds, nowMs: number): EventRecord[] {
  return isRecurring(record) ? untouchedInstances(calendar, record, bounds, nowMs) : [record];
}

function listed(record: EventRecord, { showDeleted }: Selection): ListedEvent {
  return { record, isGone: record.life !== 'live' && !showDeleted };
}

function instancesOf(calendar: CalendarRecord, series: EventRecord, selection: Selection): EventRecord[] {
  const { bounds, nowMs, showDeleted } = selection;
  if (series.life !== 'live' && !showDeleted) return [];
  return untouchedInstances(calendar, series, bounds, nowMs).filter((instance) =>
    overlaps(instance, bounds, calendar.timeZone),
  );
}

function isShown(calendar: CalendarRecord, record: EventRecord, selection: Selection): boolean {
  const { bounds, singleEvents, showDeleted } = selection;
  // Clients that do not expand a series need its cancelled instances.
  const isListed = record.life === 'live' || showDeleted || (record.life === 'cancelled' && !singleEvents);
  if (!isListed) return false;
  if (!isRecurring(record)) return overlaps(record, bounds, calendar.timeZone);
  const window = { startMs: bounds.minMs, endMs: bounds.maxMs };
  return (
    takesPlaceIn(record, window, calendar.timeZone) ||
    exceptionsOf(calendar.events, record.id).some((exception) => {
      return exception.life === 'live' && overlaps(exception, bounds, calendar.timeZone);
    })
  );
}
