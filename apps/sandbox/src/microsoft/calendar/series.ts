import { DAY_MS, formatDate } from './clock-time.js';
import type { Content, EventRecord, Item, Times } from './model.js';
import { datesOf, dayIn, timesOn } from './recurrence.js';
import { GraphErrorResponse } from '../contract.js';
import { itemNotFound } from './errors.js';

/** Epoch milliseconds. */
export interface Window {
  startMs: number;
  endMs: number;
}

/** Range of days with four-digit years. */
const FIRST_DAY_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_DAY_MS = Date.parse('9999-12-31T00:00:00Z');

/** Returns the content of an event or an instance. @throws GraphErrorResponse 404 for an instance that does not exist */
export function itemOf(record: EventRecord, date: string | null): Item {
  if (date === null) return { record, date, content: record.content };
  const own = record.exceptions[date];
  if (own !== undefined) return { record, date, content: own.content };
  if (record.recurrence === null || record.cancelled.includes(date) || !takesPlaceOn(record, date)) {
    throw itemNotFound();
  }
  return { record, date, content: untouched(record, date) };
}

/** Returns single events and instances that overlap a window. */
export function itemsIn(record: EventRecord, window: Window): Item[] {
  if (record.recurrence === null) {
    return overlaps(record.content.times, window) ? [{ record, date: null, content: record.content }] : [];
  }
  const { startMs, endMs } = record.content.times;
  // Wide enough for every zone and clock change.
  const fromDate = formatDate(Math.max(window.startMs - (endMs - startMs) - 2 * DAY_MS, FIRST_DAY_MS));
  const toDate = formatDate(Math.min(window.endMs + 2 * DAY_MS, LAST_DAY_MS));
  const items: Item[] = [];
  for (const date of datesOf(record.recurrence, fromDate)) {
    if (date > toDate) break;
    if (record.cancelled.includes(date) || record.exceptions[date] !== undefined) continue;
    items.push({ record, date, content: untouched(record, date) });
  }
  const changed = Object.entries(record.exceptions).map(([date, { content }]) => ({ record, date, content }));
  return [...items, ...changed]
    .filter(({ content }) => overlaps(content.times, window))
    .sort((one, other) => one.content.times.startMs - other.content.times.startMs);
}

/** All-day events count from midnight to midnight UTC; an event without length counts when it lies inside. */
export function overlaps({ startMs, endMs }: Times, window: Window): boolean {
  if (startMs === endMs) return startMs >= window.startMs && startMs < window.endMs;
  return startMs < window.endMs && endMs > window.startMs;
}

/**
 * An instance stays between its neighbours, on its own day. @throws GraphErrorResponse 400 `ErrorOccurrenceCrossingBoundary`
 */
export function checkBetweenNeighbours(record: EventRecord, date: string, moved: Times): void {
  const recurrence = record.recurrence!;
  let before: string | undefined;
  let after: string | undefined;
  for (const each of datesOf(recurrence)) {
    if (each === date || record.cancelled.includes(each)) continue;
    if (each > date) {
      after = each;
      break;
    }
    before = each;
  }
  const day = dayIn(recurrence, moved);
  const dayOf = (neighbour: string) => dayIn(recurrence, itemOf(record, neighbour).content.times);
  if ((before === undefined || dayOf(before) < day) && (after === undefined || day < dayOf(after))) return;
  throw new GraphErrorResponse(
    400,
    'ErrorOccurrenceCrossingBoundary',
    'Modified occurrence is crossing or overlapping adjacent occurrence.',
  );
}

function untouched({ content, recurrence }: EventRecord, date: string): Content {
  return { ...content, times: timesOn(content.times, recurrence!, date) };
}

function takesPlaceOn({ recurrence }: EventRecord, date: string): boolean {
  return datesOf(recurrence!, date).next().value === date;
}
