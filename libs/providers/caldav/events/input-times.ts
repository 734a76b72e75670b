import { invalid, type EventInput, type EventTimeInput, type GivenTimeInput } from '#domain';
import { dateOf, wallMsOf, withWallMs, type IcsTime } from '#icalendar';
import { atInstant, DAY_MS, HOUR_MS, instantOf, isSameTime, startOfDay, type Clocks } from './wall-time.js';

/** When an event takes place. `end` is exclusive. */
export interface Span {
  start: IcsTime;
  end: IcsTime;
}

export interface InputFrame {
  clocks: Clocks;
  calendarTimeZone: string;
  /** A rule in UTC would drift over clock changes, so a series needs a zone where a single event may do with an instant. */
  isSeries: boolean;
}

const UTC_NAMES = /^(?:Etc\/)?(?:UTC|UCT|Zulu|Universal)$/i;

/** When a new event takes place. @throws DomainError ValidationFailed */
export function newSpan(input: EventInput & { start: GivenTimeInput }, frame: InputFrame): Span {
  const start = asAsked(resolve('start', input.start, null, frame), input.isAllDay);
  return checked(
    start,
    input.end === undefined || input.end === null
      ? defaultEnd(start)
      : resolveEnd(input, input.end, start, start, frame),
    input,
    frame,
  );
}

/**
 * What an input makes of the times an event has; null when they stay what they are. What is not given stays: a clock
 * without a zone goes on in the zone the event had.
 * @throws DomainError ValidationFailed
 */
export function changedSpan(current: Span, input: EventInput, frame: InputFrame): Span | null {
  if (input.start === undefined && input.end === undefined && input.isAllDay === undefined) return null;
  if (isEcho(current.start, input.start, frame) && isEcho(current.end, input.end, frame)) {
    if (input.isAllDay === undefined || input.isAllDay === (current.start.kind === 'date')) return null;
  }
  const given = input.start === undefined ? current.start : resolve('start', input.start, current.start, frame);
  const start = asAsked(given, input.isAllDay);
  const span = checked(start, changedEnd(current, start, input, frame), input, frame);
  return isSameTime(span.start, current.start, frame.clocks) && isSameTime(span.end, current.end, frame.clocks)
    ? null
    : span;
}

function changedEnd(current: Span, start: IcsTime, input: EventInput, frame: InputFrame): IcsTime {
  if (input.end === null) return defaultEnd(start);
  if (input.end !== undefined) {
    const goesOnFromEnd = input.start === undefined || input.end.kind === 'timeZone';
    return resolveEnd(input, input.end, goesOnFromEnd ? current.end : start, start, frame);
  }
  // The event keeps its length by the clock.
  if (input.start?.kind === 'timeZone') return resolve('end', input.start, current.end, frame);
  if (start.kind === 'date') {
    if (current.end.kind === 'date') return current.end;
    const lastDay = startOfDay(wallMsOf(current.end) + DAY_MS - 1);
    return withWallMs(start, Math.max(lastDay, wallMsOf(start) + DAY_MS));
  }
  return current.end.kind === 'date' ? defaultEnd(start) : current.end;
}

function resolveEnd(
  input: EventInput,
  end: EventTimeInput,
  before: IcsTime,
  start: IcsTime,
  frame: InputFrame,
): IcsTime {
  const resolved = resolve('end', end, before, frame);
  if (start.kind !== 'date' || resolved.kind === 'date' || input.isAllDay !== true) return resolved;
  // An end within a day still covers that day.
  return { kind: 'date', date: dateOf(startOfDay(wallMsOf(resolved) + DAY_MS - 1)) };
}

/** `isAllDay` beside a time of day turns it into that day; beside a date it can only agree. */
function asAsked(start: IcsTime, isAllDay: boolean | undefined): IcsTime {
  if (isAllDay === true && start.kind !== 'date') return { kind: 'date', date: start.local.slice(0, 10) };
  if (isAllDay === false && start.kind === 'date') throw invalid('start', 'needs a time of day when isAllDay is false');
  return start;
}

/** One hour, or one day when all-day. */
function defaultEnd(start: IcsTime): IcsTime {
  return withWallMs(start, wallMsOf(start) + (start.kind === 'date' ? DAY_MS : HOUR_MS));
}

function checked(start: IcsTime, end: IcsTime, input: EventInput, frame: InputFrame): Span {
  if ((start.kind === 'date') !== (end.kind === 'date')) {
    throw invalid('end', 'must be a date when start is one, and a date-time when start is one');
  }
  const bound = onSameTerms(start, end, frame);
  const startMs = instantOf(start, frame.clocks);
  const endMs = instantOf(bound, frame.clocks);
  const mayBeEmpty = start.kind !== 'date' && (input.end ?? null) !== null;
  if (endMs < startMs || (endMs === startMs && !mayBeEmpty)) throw invalid('end', 'must be after start');
  return { start, end: bound };
}

/** DTSTART and DTEND are both floating or neither is (RFC 5545 §3.8.2.2). */
function onSameTerms(start: IcsTime, end: IcsTime, frame: InputFrame): IcsTime {
  if (start.kind === 'date' || (start.kind === 'floating') === (end.kind === 'floating')) return end;
  return end.kind === 'floating'
    ? withWallMs(start, wallMsOf(end))
    : atInstant(start, instantOf(end, frame.clocks), frame.clocks);
}

/** `before`: the time that the event has now, or its new start for its end; null when there is nothing to go on from. */
function resolve(path: 'start' | 'end', input: EventTimeInput, before: IcsTime | null, frame: InputFrame): IcsTime {
  if (input.kind === 'date') return { kind: 'date', date: checkLocal(path, input.date, `${input.date}T00:00:00`) };
  if (input.kind === 'timeZone') {
    if (before === null) throw invalid(`${path}.dateTime`, 'is required');
    return before.kind === 'date' ? before : inZone(before.local, input.timeZone, before, frame);
  }
  const { offsetMinutes, timeZone } = input;
  const local = checkLocal(path, input.local, input.local);
  const literal: IcsTime = { kind: 'utc', local };
  if (timeZone !== null) {
    const target = inZone(local, timeZone, before, frame);
    return offsetMinutes === null ? target : expressed(target, wallMsOf(literal) - offsetMinutes * 60_000, frame);
  }
  const clock = before === null || before.kind === 'date' ? null : before;
  if (offsetMinutes === null)
    return clock === null ? inZone(local, frame.calendarTimeZone, null, frame) : withWallMs(clock, wallMsOf(literal));
  const instantMs = wallMsOf(literal) - offsetMinutes * 60_000;
  if (clock !== null && clock.kind !== 'floating' && !(clock.kind === 'utc' && frame.isSeries)) {
    return expressed(clock, instantMs, frame);
  }
  if (!frame.isSeries) return withWallMs(literal, instantMs);
  return atInstant(inZone(local, frame.calendarTimeZone, null, frame), instantMs, frame.clocks);
}

/**
 * An instant on a zone's clock. The second of two equal readings cannot be said that way (RFC 5545 §3.3.5 means the
 * first), so a single event gets the instant itself.
 */
function expressed(clock: IcsTime, instantMs: number, { clocks, isSeries }: InputFrame): IcsTime {
  const time = atInstant(clock, instantMs, clocks);
  if (isSeries || instantOf(time, clocks) === instantMs) return time;
  return atInstant({ kind: 'utc', local: '' }, instantMs, clocks);
}

/** Keeps the TZID that the object already uses for this zone: its clients know that one. */
function inZone(local: string, timeZone: string, before: IcsTime | null, { clocks }: InputFrame): IcsTime {
  if (UTC_NAMES.test(timeZone)) return { kind: 'utc', local };
  const isSameZone = before?.kind === 'zoned' && clocks.zones.zone(before.tzid).timeZone === timeZone;
  return { kind: 'zoned', local, tzid: isSameZone ? before.tzid : timeZone };
}

/** A floating time is shown in the calendar's zone; sent back like that it is no change. */
function isEcho(current: IcsTime, input: EventTimeInput | null | undefined, { calendarTimeZone }: InputFrame): boolean {
  if (input === undefined) return true;
  if (input === null || input.kind === 'date' || current.kind !== 'floating') return false;
  if (input.kind === 'timeZone') return input.timeZone === calendarTimeZone;
  return (
    input.local === current.local &&
    input.offsetMinutes === null &&
    (input.timeZone === null || input.timeZone === calendarTimeZone)
  );
}

function checkLocal(path: string, text: string, local: string): string {
  const ms = Date.parse(`${local}Z`);
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 19) !== local) {
    throw invalid(path, 'is not a date that exists');
  }
  return text;
}
