import type { calendar_v3 } from '@googleapis/calendar';
import type { EventTime } from '#domain';
import { textOf, textsOf } from '#providers/kit/events';
import { readGoogleTime } from './google-time.js';

/** An event as Google holds it, with those of its facts read that decide what can be done with it. */
export interface GoogleEvent {
  raw: calendar_v3.Schema$Event;
  id: string;
  /** Entity tag as Google writes it, quote marks included; null when it gave none. */
  etag: string | null;
  isCancelled: boolean;
  /** Series that this is an instance of; null for a series or single event. */
  seriesId: string | null;
  /** Where the series put this instance. */
  originalStart: EventTime | null;
  /** null when it says nothing that can be read: legal for cancelled events only. */
  start: EventTime | null;
  end: EventTime | null;
  /** Lines, name included; empty when it is no series. */
  recurrence: string[];
  isSeries: boolean;
  iCalUid: string | null;
}

/** @returns null for what is no event at all */
export function readGoogleEvent(value: unknown, calendarZone: string): GoogleEvent | null {
  if (typeof value !== 'object' || value === null) return null;
  const raw = value as calendar_v3.Schema$Event;
  const id = textOf(raw.id);
  if (id === undefined) return null;
  const originalStart = readGoogleTime(raw.originalStartTime, calendarZone);
  const start = readGoogleTime(raw.start, calendarZone) ?? originalStart;
  const end = readGoogleTime(raw.end, calendarZone);
  const recurrence = textsOf(raw.recurrence);
  return {
    raw,
    id,
    etag: textOf(raw.etag) ?? null,
    isCancelled: raw.status === 'cancelled',
    seriesId: textOf(raw.recurringEventId) ?? null,
    originalStart,
    start,
    end: start !== null && end?.kind === start.kind ? end : null,
    recurrence,
    isSeries: recurrence.length > 0,
    iCalUid: textOf(raw.iCalUID) ?? null,
  };
}
