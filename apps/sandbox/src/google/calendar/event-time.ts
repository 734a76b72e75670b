import type { calendar_v3 } from '@googleapis/calendar';
import { instantOn, localOf, tzDatabaseName, wallAt, wallOfText } from '../../time-zones.js';
import { isDate } from '../api/formats.js';
import type { EventTime } from './model.js';
import { invalid, required } from './errors.js';

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2})(?:\.\d+)?([Zz]|[+-]\d{2}:\d{2})?$/;
const MINUTE_MS = 60_000;

/**
 * Reads `start` or `end` of an event.
 * @param which name in the refusal
 * @param needsZone true for series, because an offset does not determine times after a clock change
 * @param calendarZone zone of a time that has only an offset
 * @throws GoogleErrorResponse 400 `invalid`, `required`
 */
export function readEventTime(
  time: calendar_v3.Schema$EventDateTime | null | undefined,
  which: 'start' | 'end',
  needsZone: boolean,
  calendarZone: string,
): EventTime {
  const { date = null, dateTime = null, timeZone = null } = time ?? {};
  if (date !== null && dateTime !== null) throw invalid(`Invalid ${which} time.`);
  if (timeZone !== null && tzDatabaseName(timeZone) === null)
    throw invalid(`Invalid time zone definition for ${which} time.`);
  if (date !== null) {
    if (!isDate(date)) throw invalid(`Invalid ${which} time.`);
    return { kind: 'date', date };
  }
  if (dateTime === null) throw required(`Missing ${which} time.`);
  const parsed = parseTimestamp(dateTime);
  if (parsed === null) throw invalid(`Invalid ${which} time.`);
  if (timeZone === null && (needsZone || parsed.offsetMs === null)) {
    throw required(`Missing time zone definition for ${which} time.`);
  }
  const zone = timeZone ?? calendarZone;
  const instantMs = parsed.offsetMs === null ? instantOn(zone, parsed.wallMs) : parsed.wallMs - parsed.offsetMs;
  return { kind: 'instant', instantMs, timeZone: zone };
}

/** Parses an RFC 3339 instant with offset, without fractions of seconds; null for any other text. */
export function parseInstant(text: string): number | null {
  const parsed = parseTimestamp(text);
  return parsed === null || parsed.offsetMs === null ? null : parsed.wallMs - parsed.offsetMs;
}

/** Writes `Z` for an offset of zero, as the API does. */
export function formatInstant(instantMs: number, timeZone: string): string {
  const wallMs = wallAt(timeZone, instantMs);
  const offset = Math.round((wallMs - instantMs) / MINUTE_MS);
  if (offset === 0) return `${localOf(wallMs)}Z`;
  const minutes = Math.abs(offset);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${localOf(wallMs)}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

export function formatEventTime(time: EventTime, timeZone: string): calendar_v3.Schema$EventDateTime {
  if (time.kind === 'date') return { date: time.date };
  return { dateTime: formatInstant(time.instantMs, timeZone), timeZone: time.timeZone };
}

/** Days begin at midnight in the calendar's zone. */
export function instantOf(time: EventTime, calendarZone: string): number {
  if (time.kind === 'instant') return time.instantMs;
  return instantOn(calendarZone, wallOfDate(time.date));
}

/** Midnight UTC. */
export function wallOfDate(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

function parseTimestamp(text: string): { wallMs: number; offsetMs: number | null } | null {
  const match = TIMESTAMP.exec(text);
  const wallMs = match === null ? null : wallOfText(match[1]!.toUpperCase());
  if (match === null || wallMs === null) return null;
  const offset = match[2];
  if (offset === undefined) return { wallMs, offsetMs: null };
  if (offset.toUpperCase() === 'Z') return { wallMs, offsetMs: 0 };
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6));
  if (minutes > 18 * 60) return null;
  return { wallMs, offsetMs: (offset.startsWith('-') ? -minutes : minutes) * MINUTE_MS };
}
