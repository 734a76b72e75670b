import type { EventTime } from '#domain/events';
import { ianaZoneArithmetic } from '#icalendar';
import { formatOffset, localOf, wallMsOf } from './iso-time.js';

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

/** With a requested zone, floating times are read in the calendar's zone. Times of unknown zones never move. */
export function showTime(time: EventTime, { requestedZone, calendarZone }: ShownIn): EventDateTimeView {
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
  return time.kind === 'date' ? { date: time.date } : showTime(time, shownIn);
}

export function showInstant(instantMs: number, timeZone: string): { dateTime: string; timeZone: string } {
  const wallMs = ianaZoneArithmetic(timeZone).toWall(instantMs);
  if (wallMs === null) throw new RangeError(`no wall time for ${instantMs} in ${timeZone}`);
  return { dateTime: localOf(wallMs) + formatOffset(Math.round((wallMs - instantMs) / 60_000)), timeZone };
}
