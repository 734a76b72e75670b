import type { EventTime } from '#domain/events';
import { ianaZoneArithmetic } from '#icalendar';
import { formatInstant, formatOffset, localOf, wallMsOf } from './iso-time.js';

/** EventDateTime of the public interface. All-day values also have `date`. */
export interface EventDateTimeView {
  date?: string;
  dateTime?: string;
  timeZone?: string;
}

export interface ShownIn {
  /** IANA id. null for each event's own zone. */
  requestedZone: string | null;
  /** IANA id. null when unknown. */
  calendarZone: string | null;
}

/** RFC 3339 writes four digits of a year. Servers that mean "for ever" send the last day of 9999. */
const FIRST_MS = Date.parse('0000-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59Z');

/**
 * With a requested zone, floating times are read in the calendar's zone. Times of unknown zones never move. A time whose
 * year has no four digits in its zone is shown in UTC, and at most as the end of the year 9999.
 */
export function showTime(given: EventTime, { requestedZone, calendarZone }: ShownIn): EventDateTimeView {
  const time = withinYears(given);
  const livedIn = requestedZone ?? calendarZone ?? 'UTC';
  if (time.kind === 'date') {
    // `date` is authoritative. The other two serve clients that read nothing else.
    return { date: time.date, dateTime: `${time.date}T00:00:00`, timeZone: livedIn };
  }
  if (time.timeZone === null) {
    if (requestedZone === null || calendarZone === null) return { dateTime: time.local, timeZone: livedIn };
    const wallMs = wallMsOf(time.local);
    return showInstant(ianaZoneArithmetic(calendarZone).toInstant(wallMs) ?? wallMs, requestedZone);
  }
  if (time.offsetMinutes === null) return { dateTime: time.local, timeZone: time.timeZone };
  if (requestedZone === null || requestedZone === time.timeZone) {
    return { dateTime: time.local + formatOffset(time.offsetMinutes), timeZone: time.timeZone };
  }
  return showInstant(wallMsOf(time.local) - time.offsetMinutes * 60_000, requestedZone);
}

/** A bare date for an all-day instance (interface specification 2.4). */
export function showOriginalStart(time: EventTime, shownIn: ShownIn): EventDateTimeView {
  const shown = showTime(time, shownIn);
  return shown.date === undefined ? shown : { date: shown.date };
}

export function showInstant(instantMs: number, timeZone: string): { dateTime: string; timeZone: string } {
  const wallMs = ianaZoneArithmetic(timeZone).toWall(instantMs);
  if (wallMs === null) throw new RangeError(`no wall time for ${instantMs} in ${timeZone}`);
  if (limited(wallMs) !== wallMs) return { dateTime: formatInstant(limited(instantMs)), timeZone: 'UTC' };
  return { dateTime: localOf(wallMs) + formatOffset(Math.round((wallMs - instantMs) / 60_000)), timeZone };
}

function withinYears(time: EventTime): EventTime {
  const text = time.kind === 'date' ? time.date : time.local;
  if (/^\d/.test(text)) return time;
  if (time.kind === 'date') return { kind: 'date', date: localOf(limited(Date.parse(text))).slice(0, 10) };
  const wallMs = wallMsOf(text);
  if (time.offsetMinutes === null) return { ...time, local: localOf(limited(wallMs)) };
  const instantMs = wallMs - time.offsetMinutes * 60_000;
  return { kind: 'dateTime', local: localOf(limited(instantMs)), timeZone: 'UTC', offsetMinutes: 0 };
}

function limited(ms: number): number {
  return Math.min(Math.max(ms, FIRST_MS), LAST_MS);
}
