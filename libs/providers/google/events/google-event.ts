import type { calendar_v3 } from '@googleapis/calendar';
import type { EventTime, WallTime } from '#domain/events';
import { etagOf, textOf, textsOf, recordOf } from '#providers/kit/events';
import { atInstant, onClock, type RestEvent, wallMsOf } from '#providers/kit/series';
import { ianaZone, ianaZoneArithmetic } from '#icalendar';

/** Only cancelled events may have no start. */
export type GoogleEvent = RestEvent<calendar_v3.Schema$Event>;

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
    etag: etagOf(raw.etag),
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
 * unknown zone the wall time stays as written. Returns null for an invalid time.
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
  // Fast path: nearly every event is in its calendar's zone.
  return ianaZoneArithmetic(zone).toWall(instantMs) === wallMs
    ? { kind: 'dateTime', local, timeZone: zone, offsetMinutes: (wallMs - instantMs) / MINUTE_MS }
    : atInstant(instantMs, zone);
}

/** `dateTime` includes the offset, which identifies a time in a repeated hour. */
export function toGoogleTime(time: EventTime): calendar_v3.Schema$EventDateTime {
  if (time.kind === 'date') return { date: time.date };
  return { dateTime: time.local + formatOffset(time), timeZone: time.timeZone };
}

/** A PATCH merges, so fields of the other kind of time are null. */
export function toGoogleTimePatch(time: EventTime): calendar_v3.Schema$EventDateTime {
  return time.kind === 'date'
    ? { date: time.date, dateTime: null, timeZone: null }
    : { ...toGoogleTime(time), date: null };
}

function formatOffset({ local, timeZone, offsetMinutes }: WallTime): string {
  if (offsetMinutes === null || timeZone === null) return '';
  // An offset in minutes cannot express the seconds of old local mean times, so the zone stands alone.
  const wallMs = Date.parse(`${local}Z`);
  const instantMs = ianaZoneArithmetic(timeZone).toInstant(wallMs) ?? wallMs;
  if ((wallMs - instantMs) % MINUTE_MS !== 0) return '';
  if (offsetMinutes === 0) return 'Z';
  const magnitude = Math.abs(offsetMinutes);
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${offsetMinutes < 0 ? '-' : '+'}${pad(Math.floor(magnitude / 60))}:${pad(magnitude % 60)}`;
}
