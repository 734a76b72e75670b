import type { DateTimeTimeZone } from '@microsoft/microsoft-graph-types';
import type { EventTime, WallTime } from '#domain/events';
import { recordOf, textOf } from '#providers/kit/events';
import { atInstant, dayOf, instantOf, onClock, type TimeSpan, wallMsOf } from '#providers/kit/series';
import { ianaZone, windowsClockName, windowsZoneName } from '#icalendar';

const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]00:00)?$/i;
const LOCAL_LENGTH = 'YYYY-MM-DDTHH:MM:SS'.length;

/** Reads a `start` or `end` on the clock of an IANA zone. All-day times are dates. Returns null for an invalid time. */
export function readGraphTime(value: unknown, isAllDay: boolean, timeZone: string): EventTime | null {
  const { dateTime, timeZone: written } = recordOf(value);
  const wall = wallOf(dateTime);
  if (wall === null) return null;
  if (isAllDay) return { kind: 'date', date: wall.local.slice(0, 10) };
  const zone = ianaZone(textOf(written) ?? 'UTC');
  if (zone === null) return null;
  return atInstant(zone === 'UTC' ? wall.ms : instantOf(onClock(wall.local, zone), zone), timeZone);
}

export function readGraphInstant(value: unknown): number | null {
  return wallOf(value)?.ms ?? null;
}

/** Reads an `originalStart`: an instant, or for an all-day series midnight in UTC or in the zone. */
export function readOriginalStart(value: unknown, isAllDay: boolean, timeZone: string): EventTime | null {
  const wall = wallOf(value);
  if (wall === null) return null;
  const time = atInstant(wall.ms, timeZone);
  if (!isAllDay) return time;
  return { kind: 'date', date: wall.local.endsWith('T00:00:00') ? wall.local.slice(0, 10) : dayOf(time) };
}

/** Returns Graph's times. `timeZone` is the requested IANA id where they lack it, else empty. */
export function toGraphSpan({ start, end }: TimeSpan, calendarZone: string) {
  if (start.kind === 'date' || end.kind === 'date') {
    const timeZone = windowsZoneName(calendarZone) ?? 'UTC';
    const midnight = (time: EventTime) => ({ dateTime: `${dayOf(time)}T00:00:00`, timeZone });
    return { body: { start: midnight(start), end: midnight(end), isAllDay: true }, timeZone: '' };
  }
  const body = { start: wallTime(start), end: wallTime(end), isAllDay: false };
  const isSaid = saysZone(body.start, start) && saysZone(body.end, end);
  return { body, timeZone: isSaid ? '' : (start.timeZone ?? '') };
}

const saysZone = (written: DateTimeTimeZone, { timeZone }: WallTime) =>
  ianaZone(written.timeZone ?? '') === (timeZone ?? 'UTC');

/** Uses the requested zone, or UTC when Outlook has no such clock or the hour repeats. */
function wallTime(time: WallTime): DateTimeTimeZone {
  const zone = time.timeZone ?? 'UTC';
  const instantMs = instantOf(time, zone);
  const name = windowsClockName(zone, instantMs);
  const clock = name === null ? null : ianaZone(name);
  if (clock !== null && instantOf(onClock(time.local, clock), clock) === instantMs) {
    return { dateTime: time.local, timeZone: name };
  }
  return { dateTime: atInstant(instantMs, 'UTC').local, timeZone: 'UTC' };
}

function wallOf(value: unknown): { local: string; ms: number } | null {
  const text = textOf(value);
  if (text === undefined || !DATE_TIME.test(text)) return null;
  const local = text.slice(0, LOCAL_LENGTH).toUpperCase();
  const ms = wallMsOf(local);
  return ms === null ? null : { local, ms };
}

/**
 * Returns the IANA id of a Windows or IANA name; null for a zone without a name, such as `tzone://Microsoft/Custom`.
 * @param remembered the requested id, because several ids share a Windows name
 * @param fromMs start of what is on the clock
 */
export function zoneOfGraph(name: unknown, remembered: string | undefined, fromMs: number): string | null {
  if (typeof name !== 'string') return null;
  const zone = ianaZone(name);
  if (zone === null || remembered === undefined) return zone;
  const own = ianaZone(remembered);
  return own !== null && windowsClockName(own, fromMs) === windowsZoneName(zone) ? own : zone;
}

/** {@link zoneOfGraph} for times of an event: times in UTC get the requested zone. */
export function zoneOfTimes(name: unknown, remembered: string | undefined, fromMs: number): string | null {
  const zone = zoneOfGraph(name, remembered, fromMs);
  return zone === 'UTC' ? (ianaZone(remembered ?? '') ?? zone) : zone;
}
