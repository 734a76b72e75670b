import type { calendar_v3 } from '@googleapis/calendar';
import type { EventTime, WallTime } from '#domain';
import { textOf, textsOf, recordOf } from '#providers/kit/events';
import { atInstant, onClock, wallMsOf } from '#providers/kit/series';
import { ianaZone, ianaZoneArithmetic } from '#icalendar';

/** An event of Google with the facts that were read from it. */
export interface GoogleEvent {
  raw: calendar_v3.Schema$Event;
  id: string;
  /** As Google writes it, quote marks included; null when it gave none. */
  etag: string | null;
  isCancelled: boolean;
  /** Series of an instance; null for a series or single event. */
  seriesId: string | null;
  /** Where the series put this instance. */
  originalStart: EventTime | null;
  /** null for a time that cannot be read: legal for cancelled events only. */
  start: EventTime | null;
  end: EventTime | null;
  /** Lines, name included; empty for a single event. */
  recurrence: string[];
  isSeries: boolean;
  iCalUid: string | null;
}

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

const MINUTE_MS = 60_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d+)?(?:(Z)|([+-])(\d{2}):(\d{2}))?$/i;

/**
 * Reads a `start`, `end` or `originalStartTime` on the event's own clock: Google shows it in the calendar's zone. In an
 * unknown zone the wall time stays as written.
 * @returns null for a time that does not exist
 */
export function readGoogleTime(value: unknown, calendarZone: string): EventTime | null {
  const { date, dateTime, timeZone } = recordOf(value);
  const day = textOf(date);
  if (day !== undefined) return DATE.test(day) && wallMsOf(day) !== null ? { kind: 'date', date: day } : null;
  const match = DATE_TIME.exec(textOf(dateTime) ?? '');
  if (match === null) return null;
  const [, written = '', zulu, sign, hours, minutes] = match;
  const local = written.toUpperCase();
  const wallMs = wallMsOf(local);
  if (wallMs === null) return null;
  const named = textOf(timeZone) ?? calendarZone;
  const zone = ianaZone(named);
  if (zone === null) return { kind: 'dateTime', local, timeZone: named, offsetMinutes: null };
  if (zulu === undefined && sign === undefined) return onClock(local, zone);
  const offsetMs = zulu === undefined ? (Number(hours) * 60 + Number(minutes)) * MINUTE_MS : 0;
  const instantMs = sign === '-' ? wallMs + offsetMs : wallMs - offsetMs;
  // Nearly every event is in its calendar's zone, so that its clock says what is written.
  return ianaZoneArithmetic(zone).toWall(instantMs) === wallMs
    ? { kind: 'dateTime', local, timeZone: zone, offsetMinutes: (wallMs - instantMs) / MINUTE_MS }
    : atInstant(instantMs, zone);
}

/** `dateTime` has its offset, which tells a time that comes twice. */
export function toGoogleTime(time: EventTime): calendar_v3.Schema$EventDateTime {
  if (time.kind === 'date') return { date: time.date };
  return { dateTime: time.local + formatOffset(time), timeZone: time.timeZone };
}

/** In a PATCH, which merges, the fields of the other kind of time are taken out by name. */
export function toGoogleTimePatch(time: EventTime): calendar_v3.Schema$EventDateTime {
  return time.kind === 'date'
    ? { date: time.date, dateTime: null, timeZone: null }
    : { ...toGoogleTime(time), date: null };
}

function formatOffset({ local, timeZone, offsetMinutes }: WallTime): string {
  if (offsetMinutes === null || timeZone === null) return '';
  // An offset cannot say the seconds of old local mean times; the zone alone does.
  const wallMs = Date.parse(`${local}Z`);
  const instantMs = ianaZoneArithmetic(timeZone).toInstant(wallMs) ?? wallMs;
  if ((wallMs - instantMs) % MINUTE_MS !== 0) return '';
  if (offsetMinutes === 0) return 'Z';
  const magnitude = Math.abs(offsetMinutes);
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${offsetMinutes < 0 ? '-' : '+'}${pad(Math.floor(magnitude / 60))}:${pad(magnitude % 60)}`;
}
