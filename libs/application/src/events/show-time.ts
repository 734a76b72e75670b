import type { EventTime } from '#domain';
import { ianaZoneArithmetic } from '#icalendar';
import { formatOffset, localOf, wallMsOf } from './iso-time.js';

/** EventDateTime of the public interface. All-day values carry `date` too. */
export interface EventDateTimeView {
  date?: string;
  dateTime?: string;
  timeZone?: string;
}

/** Where times are shown: the zone the caller asked for, and the calendar's own for what has none. */
export interface ShownIn {
  /** IANA id; null: each event's own zone. */
  requestedZone: string | null;
  /** IANA id; null when nobody knows. */
  calendarZone: string | null;
}

/**
 * A time in the requested zone, else in its own, with its offset. Clocks without a zone are read in the calendar's when
 * a zone is requested, as windows and orders read them. Dates never move, nor do clocks of zones that nobody knows.
 */
export function showTime(time: EventTime, { requestedZone, calendarZone }: ShownIn): EventDateTimeView {
  const livedIn = requestedZone ?? calendarZone ?? 'UTC';
  if (time.kind === 'date') {
    // `date` is the truth; the other two serve clients that read nothing else (a day begins at midnight where it is lived).
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

/** The start an instance had before it was moved. For an all-day one it is the bare date (interface specification 2.4). */
export function showOriginalStart(time: EventTime, shownIn: ShownIn): EventDateTimeView {
  return time.kind === 'date' ? { date: time.date } : showTime(time, shownIn);
}

/** An instant on the clock of a zone. */
export function showInstant(instantMs: number, timeZone: string): { dateTime: string; timeZone: string } {
  const wallMs = ianaZoneArithmetic(timeZone).toWall(instantMs);
  if (wallMs === null) throw new RangeError(`no wall time for ${instantMs} in ${timeZone}`);
  return { dateTime: localOf(wallMs) + formatOffset(Math.round((wallMs - instantMs) / 60_000)), timeZone };
}
