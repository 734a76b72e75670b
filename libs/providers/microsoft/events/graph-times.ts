import type { DateTimeTimeZone } from '@microsoft/microsoft-graph-types';
import type { EventTime } from '#domain';
import { recordOf, textOf } from '#providers/kit/events';
import { atInstant, instantOf, onClock, type Span, wallMsOf } from '#providers/kit/series';
import { ianaZone, windowsZoneName } from '#icalendar';

const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]00:00)?$/i;
const LOCAL_LENGTH = 'YYYY-MM-DDTHH:MM:SS'.length;

/**
 * A `start` or `end`, on the clock of a zone. An all-day time is midnight of its day in whatever zone is asked for: a
 * date, which is never converted.
 * @param timeZone IANA id
 * @returns null when it says no time that exists
 */
export function readGraphTime(value: unknown, isAllDay: boolean, timeZone: string): EventTime | null {
  const { dateTime, timeZone: written } = recordOf(value);
  const wall = wallOf(dateTime);
  if (wall === null) return null;
  if (isAllDay) return { kind: 'date', date: wall.local.slice(0, 10) };
  const zone = ianaZone(textOf(written) ?? 'UTC');
  if (zone === null) return null;
  return atInstant(zone === 'UTC' ? wall.ms : instantOf(onClock(wall.local, zone), zone), timeZone);
}

/** Milliseconds of a time in UTC; null for what is none. */
export function readGraphInstant(value: unknown): number | null {
  return wallOf(value)?.ms ?? null;
}

/** An `originalStart`: an instant; of an all-day series midnight of its day, or the instant at which that day begins. */
export function readOriginalStart(value: unknown, isAllDay: boolean, timeZone: string): EventTime | null {
  const wall = wallOf(value);
  if (wall === null) return null;
  const time = atInstant(wall.ms, timeZone);
  if (!isAllDay) return time;
  return { kind: 'date', date: (wall.local.endsWith('T00:00:00') ? wall : time).local.slice(0, 10) };
}

/** As Graph takes the times of an event. */
export interface WrittenSpan {
  body: { start: DateTimeTimeZone; end: DateTimeTimeZone; isAllDay: boolean };
  /** IANA id of the zone that was asked for, where the body says less; empty where it says it all. */
  timeZone: string;
}

export function toGraphSpan({ start, end }: Span, calendarZone: string): WrittenSpan {
  if (start.kind === 'date' || end.kind === 'date') {
    const timeZone = graphZone(calendarZone) ?? 'UTC';
    const midnight = (time: EventTime) => ({ dateTime: `${dayOf(time)}T00:00:00`, timeZone });
    return { body: { start: midnight(start), end: midnight(end), isAllDay: true }, timeZone: '' };
  }
  const body = { start: wallTime(start), end: wallTime(end), isAllDay: false };
  const isSaid = saysZone(body.start, start) && saysZone(body.end, end);
  return { body, timeZone: isSaid ? '' : (start.timeZone ?? '') };
}

function saysZone(written: DateTimeTimeZone, { timeZone }: EventTime & { kind: 'dateTime' }): boolean {
  return zoneOfGraph(written.timeZone, undefined) === (timeZone ?? 'UTC');
}

/** In the zone asked for where that says the instant: not in one that Outlook lacks, nor in the hour that comes twice. */
function wallTime(time: EventTime & { kind: 'dateTime' }): DateTimeTimeZone {
  const zone = time.timeZone ?? 'UTC';
  const name = graphZone(zone);
  const instantMs = instantOf(time, zone);
  if (name !== null && instantOf(onClock(time.local, zone), zone) === instantMs) {
    return { dateTime: time.local, timeZone: name };
  }
  return { dateTime: atInstant(instantMs, 'UTC').local, timeZone: 'UTC' };
}

function dayOf(time: EventTime): string {
  return time.kind === 'date' ? time.date : time.local.slice(0, 10);
}

/** `YYYY-MM-DDTHH:MM:SS`, and as `Date.UTC` milliseconds; null for what is no time. */
function wallOf(value: unknown): { local: string; ms: number } | null {
  const text = textOf(value);
  if (text === undefined || !DATE_TIME.test(text)) return null;
  const local = text.slice(0, LOCAL_LENGTH).toUpperCase();
  const ms = wallMsOf(local);
  return ms === null ? null : { local, ms };
}

/** Name of a zone as Outlook knows every zone; null for the few that it lacks. @param timeZone IANA id */
export function graphZone(timeZone: string): string | null {
  return windowsZoneName(timeZone);
}

/**
 * IANA id of a zone that Graph names, by a Windows or an IANA name; null for one without a name of its own, such as
 * `tzone://Microsoft/Custom`.
 * @param remembered the id that was asked for when the zone was written: several share a Windows name
 */
export function zoneOfGraph(name: unknown, remembered: string | undefined): string | null {
  if (typeof name !== 'string') return null;
  const zone = ianaZone(name);
  if (zone === null || remembered === undefined) return zone;
  const own = ianaZone(remembered);
  return own !== null && windowsZoneName(own) === windowsZoneName(zone) ? own : zone;
}

/**
 * The same for times of one event, which are written in UTC where Outlook cannot say them in the zone that was asked for:
 * they show in that zone all the same.
 */
export function zoneOfTimes(name: unknown, remembered: string | undefined): string | null {
  const zone = zoneOfGraph(name, remembered);
  return zone === 'UTC' ? (ianaZone(remembered ?? '') ?? zone) : zone;
}
