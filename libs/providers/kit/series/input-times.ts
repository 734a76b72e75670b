import type { EventInput, EventTime, EventTimeInput, GivenTimeInput } from '#domain/events';
import { invalid } from '#domain/system';
import { localOf, type IcsTime } from '#icalendar';
import { DAY_MS, HOUR_MS, isSame, MINUTE_MS, SeriesTimes, startOfDay, type Times } from './times.js';
import { textOf } from '../events/json.js';

type Time = EventTime | IcsTime;

/** `end` is exclusive. */
export interface TimeSpan<T extends Time = EventTime> {
  start: T;
  end: T;
}

interface InputFrame<T extends Time = EventTime> {
  times: Times<T>;
  /** A series needs a zone, because a rule in UTC drifts over clock changes. A single event may be an instant. */
  isSeries: boolean;
}

/** @throws DomainError ValidationFailed */
export function newSpan<T extends Time>(
  input: EventInput & { start: GivenTimeInput },
  frame: InputFrame<T>,
): TimeSpan<T> {
  const start = asAsked(resolve('start', input.start, null, frame), input.isAllDay);
  const end = input.end == null ? defaultEnd(start, frame.times) : resolveEnd(input, input.end, start, start, frame);
  return checked({ start, end }, input, frame);
}

/**
 * Applies an input to the times of an event. A time without a zone keeps the zone of the event.
 * @returns null when nothing changes
 * @throws DomainError ValidationFailed
 */
export function changedSpan<T extends Time>(
  current: TimeSpan<T>,
  input: EventInput,
  frame: InputFrame<T>,
): TimeSpan<T> | null {
  if (input.start === undefined && input.end === undefined && input.isAllDay === undefined) return null;
  const { times } = frame;
  const isKept = input.isAllDay === undefined || input.isAllDay === (current.start.kind === 'date');
  if (
    isKept &&
    isUnchangedRecurrence(current.start, input.start, times) &&
    isUnchangedRecurrence(current.end, input.end, times)
  )
    return null;
  const given = input.start === undefined ? current.start : resolve('start', input.start, current.start, frame);
  const start = asAsked(given, input.isAllDay);
  const span = checked({ start, end: changedEnd(current, start, input, frame) }, input, frame);
  return isSame(times, span.start, current.start) && isSame(times, span.end, current.end) ? null : span;
}

/** {@link changedSpan} for an instance by itself. @throws DomainError ValidationFailed */
export function changedInstanceSpan<T extends Time>(
  current: TimeSpan<T> | null,
  input: EventInput,
  times: Times<T>,
): TimeSpan<T> | null {
  if ((input.recurrence?.length ?? 0) > 0) {
    throw invalid('recurrence', 'belongs to the series; change it with scope=all or scope=following');
  }
  return current === null ? null : changedSpan(current, input, { times, isSeries: false });
}

/** {@link changedSpan} for a series, which moves as `anchor` does: the addressed instance, or null for the series. */
export function changedSeriesSpan<T extends Time>(
  own: TimeSpan<T>,
  anchor: TimeSpan<T> | null,
  input: EventInput,
  frame: InputFrame<T>,
): TimeSpan<T> | null {
  const asked = changedSpan(anchor ?? own, input, frame);
  if (asked === null || anchor === null) return asked;
  // An all-day instance of a timed series, or the reverse, differs from its place by days alone.
  const isOtherKind = (own.start.kind === 'date') !== (anchor.start.kind === 'date');
  const [ownMs, anchorMs] = [own, anchor].map(({ start }) => {
    const wallMs = frame.times.wallOf(start);
    return isOtherKind ? startOfDay(wallMs) : wallMs;
  }) as [number, number];
  return shiftedSpan(asked, ownMs - anchorMs, frame.times);
}

export function shiftedSpan<T extends Time>(
  { start, end }: TimeSpan<T>,
  deltaMs: number,
  times: Times<T>,
): TimeSpan<T> {
  const shifted = (time: T) => times.withWall(time, times.wallOf(time) + deltaMs);
  return { start: shifted(start), end: shifted(end) };
}

/** Keeps the length on the wall clock. */
export function spanFrom<T extends Time>(start: T, { start: from, end }: TimeSpan<T>, times: Times<T>): TimeSpan<T> {
  return { start, end: times.withWall(start, times.wallOf(start) + times.wallOf(end) - times.wallOf(from)) };
}

/** The times that the caller gives to an instance, from which on the series changes. */
export function askedSpan(span: TimeSpan, input: EventInput, calendarZone: string): TimeSpan {
  return changedSpan(span, input, { times: new SeriesTimes(calendarZone), isSeries: true }) ?? span;
}

function changedEnd<T extends Time>(current: TimeSpan<T>, start: T, input: EventInput, frame: InputFrame<T>): T {
  const { times } = frame;
  if (input.end === null) return defaultEnd(start, times);
  if (input.end !== undefined) {
    const goesOnFromEnd = input.start === undefined || input.end.kind === 'timeZone';
    return resolveEnd(input, input.end, goesOnFromEnd ? current.end : start, start, frame);
  }
  if (input.start?.kind === 'timeZone') return resolve('end', input.start, current.end, frame);
  if ((start.kind === 'date') === (current.end.kind === 'date')) return current.end;
  return start.kind === 'date' ? lastingToDayOf(current.end, start, times) : defaultEnd(start, times);
}

function resolveEnd<T extends Time>(input: EventInput, end: EventTimeInput, before: T, start: T, frame: InputFrame<T>) {
  const resolved = resolve('end', end, before, frame);
  const isWithinDay = start.kind === 'date' && resolved.kind !== 'date' && input.isAllDay === true;
  return isWithinDay ? lastingToDayOf(resolved, start, frame.times) : resolved;
}

function lastingToDayOf<T extends Time>(end: T, start: T, times: Times<T>): T {
  const midnightMs = Math.ceil(times.wallOf(end) / DAY_MS) * DAY_MS;
  return times.withWall(start, Math.max(midnightMs, times.wallOf(start) + DAY_MS));
}

/** `isAllDay` turns a time of day into its day. */
function asAsked<T extends Time>(start: T, isAllDay: boolean | undefined): T {
  if (isAllDay === true && start.kind !== 'date') return { kind: 'date', date: start.local.slice(0, 10) } as T;
  if (isAllDay === false && start.kind === 'date') throw invalid('start', 'needs a time of day when isAllDay is false');
  return start;
}

/** One day when all-day, else one hour, even where the clock skips or repeats one. */
function defaultEnd<T extends Time>(start: T, times: Times<T>): T {
  if (start.kind === 'date') return times.withWall(start, times.wallOf(start) + DAY_MS);
  const startMs = times.instantOf(start);
  const end = times.atInstant(start, startMs + HOUR_MS);
  // In a repeated hour a time without its offset means the first one (RFC 5545 §3.3.5).
  const isSaid = times.clockKind(start) !== 'floating' && times.instantOf(end) > startMs;
  return isSaid ? end : times.withWall(start, times.wallOf(start) + HOUR_MS);
}

/** Last time that RFC 3339 and RFC 5545 can write: a year has four digits. */
const LAST_WALL_MS = Date.UTC(9999, 11, 31, 23, 59, 59);

function checked<T extends Time>(
  { start, end }: TimeSpan<T>,
  input: EventInput,
  { times }: InputFrame<T>,
): TimeSpan<T> {
  if ((start.kind === 'date') !== (end.kind === 'date')) {
    throw invalid('end', 'must be a date when start is one, and a date-time when start is one');
  }
  if (!(times.wallOf(end) <= LAST_WALL_MS)) throw invalid('end', 'must be before the year 10000');
  const bound = onSameTerms(start, end, times);
  const lengthMs = times.instantOf(bound) - times.instantOf(start);
  const mayBeEmpty = start.kind !== 'date' && input.end != null;
  if (lengthMs < 0 || (lengthMs === 0 && !mayBeEmpty)) throw invalid('end', 'must be after start');
  return { start, end: bound };
}

/** Start and end are both floating or neither is (RFC 5545 §3.8.2.2). */
function onSameTerms<T extends Time>(start: T, end: T, times: Times<T>): T {
  const [startFloats, endFloats] = [start, end].map((time) => times.clockKind(time) === 'floating');
  if (start.kind === 'date' || startFloats === endFloats) return end;
  return endFloats ? times.withWall(start, times.wallOf(end)) : times.atInstant(start, times.instantOf(end));
}

/** @param before time of the event now, or the new start for its end; null for the start of a new event */
function resolve<T extends Time>(
  path: 'start' | 'end',
  input: EventTimeInput,
  before: T | null,
  { times, isSeries }: InputFrame<T>,
): T {
  if (input.kind === 'timeZone') {
    if (before === null) throw invalid(`${path}.dateTime`, 'is required');
    return before.kind === 'date' ? before : times.onClock(before.local, input.timeZone, before);
  }
  const wallMs = wallMsOf(input.kind === 'date' ? input.date : input.local);
  if (wallMs === null) throw invalid(path, 'is not a date that exists');
  if (input.kind === 'date') return { kind: 'date', date: input.date } as T;
  const { local, timeZone, offsetMinutes } = input;
  if (offsetMinutes === null) return times.onClock(local, timeZone, before);
  const going = before === null ? 'date' : times.clockKind(before);
  const goesOn = going === 'zoned' || (going === 'utc' && !isSeries);
  const utc = times.onClock(local, 'UTC', null);
  const named = timeZone === null && !goesOn ? null : times.onClock(local, timeZone, before);
  const clock = named ?? (isSeries ? times.onClock(local, null, null) : utc);
  const instantMs = wallMs - offsetMinutes * MINUTE_MS;
  const time = times.atInstant(clock, instantMs);
  // The second time in a repeated hour needs its offset, so a single event gets the instant itself.
  const isSaid = isSeries || Math.abs(times.instantOf(time) - instantMs) < MINUTE_MS;
  return isSaid ? time : times.atInstant(utc, instantMs);
}

/** Callers see a floating time in the calendar's zone and may send it back like that. */
function isUnchangedRecurrence<T extends Time>(
  current: T,
  input: EventTimeInput | null | undefined,
  times: Times<T>,
): boolean {
  if (input === undefined) return true;
  if (input === null || input.kind === 'date' || current.kind === 'date') return false;
  if (times.clockKind(current) !== 'floating') return false;
  if (input.kind === 'timeZone') return input.timeZone === times.calendarZone;
  const isInZone = input.timeZone === null || input.timeZone === times.calendarZone;
  return isInZone && input.local === current.local && input.offsetMinutes === null;
}

const FOUR_CENTURIES_MS = 146_097 * 86_400_000;
const DATE_LENGTH = 'YYYY-MM-DD'.length;
const LOCAL_LENGTH = 'YYYY-MM-DDTHH:MM:SS'.length;
const ZERO = '0'.charCodeAt(0);
const UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;

/** `Date.UTC` milliseconds of `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM:SS`; null for a day or time that does not exist. */
export function wallMsOf(text: string): number | null {
  // Parses digits for speed; `Date.parse` also takes the 30th of February for a day in March.
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hasTime = text.length > DATE_LENGTH;
  const hours = hasTime ? twoDigits(text, 11) : 0;
  const minutes = hasTime ? twoDigits(text, 14) : 0;
  const seconds = hasTime ? twoDigits(text, 17) : 0;
  if (month < 1 || month > 12 || day < 1 || hours > 23 || minutes > 59 || seconds > 59) return null;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  // Computed 400 years later, because `Date.UTC` takes the years before 100 for those from 1900.
  const ms = Date.UTC(year + 400, month - 1, day, hours, minutes, seconds) - FOUR_CENTURIES_MS;
  return day > 28 && new Date(ms).getUTCDate() !== day ? null : ms;
}

/** Returns an RFC 3339 instant as `YYYY-MM-DDTHH:MM:SSZ`; undefined for anything else. */
export function readInstant(value: unknown): string | undefined {
  const text = textOf(value) ?? '';
  const toTheSecond = text.slice(0, LOCAL_LENGTH);
  if (UTC.test(text) && wallMsOf(toTheSecond) !== null) return `${toTheSecond}Z`;
  const ms = Date.parse(text);
  const local = Number.isNaN(ms) ? '' : localOf(ms);
  return local.length === LOCAL_LENGTH ? `${local}Z` : undefined;
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
}
