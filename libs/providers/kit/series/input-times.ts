import { invalid, type EventInput, type EventTime, type EventTimeInput, type GivenTimeInput } from '#domain';
import { atInstant, DAY_MS, HOUR_MS, instantOf, isSameTime, onClock, wallOf, withWall } from './event-time.js';

/** When an event takes place. `end` is exclusive. */
export interface Span {
  start: EventTime;
  end: EventTime;
}

export interface InputFrame {
  /** IANA id. */
  calendarZone: string;
  /** A rule in UTC would drift over clock changes, so a series needs a zone where a single event may do with an instant. */
  isSeries: boolean;
}

/** When a new event takes place. @throws DomainError ValidationFailed */
export function newSpan(input: EventInput & { start: GivenTimeInput }, frame: InputFrame): Span {
  const start = asAsked(resolve(input.start, null, frame), input.isAllDay);
  const end = input.end == null ? defaultEnd(start) : resolveEnd(input, input.end, start, start, frame);
  return checked({ start, end }, input, frame);
}

/**
 * What an input makes of the times an event has; null when they stay what they are. A clock without a zone goes on in
 * the zone that the event had.
 * @throws DomainError ValidationFailed
 */
export function changedSpan(current: Span, input: EventInput, frame: InputFrame): Span | null {
  if (input.start === undefined && input.end === undefined && input.isAllDay === undefined) return null;
  const given = input.start === undefined ? current.start : resolve(input.start, current.start, frame);
  const start = asAsked(given, input.isAllDay);
  const span = checked({ start, end: changedEnd(current, start, input, frame) }, input, frame);
  return isSameTime(span.start, current.start) && isSameTime(span.end, current.end) ? null : span;
}

/** The times as much later or earlier, by the clock. */
export function shiftedSpan({ start, end }: Span, deltaMs: number): Span {
  return { start: withWall(start, wallOf(start) + deltaMs), end: withWall(end, wallOf(end) + deltaMs) };
}

/** The same length from another start on. */
export function spanFrom(start: EventTime, { start: from, end }: Span): Span {
  return { start, end: withWall(start, wallOf(start) + wallOf(end) - wallOf(from)) };
}

function changedEnd(current: Span, start: EventTime, input: EventInput, frame: InputFrame): EventTime {
  if (input.end === null) return defaultEnd(start);
  if (input.end !== undefined) {
    const goesOnFromEnd = input.start === undefined || input.end.kind === 'timeZone';
    return resolveEnd(input, input.end, goesOnFromEnd ? current.end : start, start, frame);
  }
  // The event keeps its length by the clock.
  if (input.start?.kind === 'timeZone') return resolve(input.start, current.end, frame);
  if (start.kind === current.end.kind) return current.end;
  return start.kind === 'date' ? lastingToDayOf(current.end, start) : defaultEnd(start);
}

function resolveEnd(
  input: EventInput,
  end: EventTimeInput,
  before: EventTime,
  start: EventTime,
  frame: InputFrame,
): EventTime {
  const resolved = resolve(end, before, frame);
  const isWithinDay = start.kind === 'date' && resolved.kind === 'dateTime' && input.isAllDay === true;
  return isWithinDay ? lastingToDayOf(resolved, start) : resolved;
}

/** An end within a day still covers that day. */
function lastingToDayOf(end: EventTime, start: EventTime): EventTime {
  const midnightMs = Math.ceil(wallOf(end) / DAY_MS) * DAY_MS;
  return withWall(start, Math.max(midnightMs, wallOf(start) + DAY_MS));
}

/** `isAllDay` beside a time of day turns it into that day; beside a date it can only agree. */
function asAsked(start: EventTime, isAllDay: boolean | undefined): EventTime {
  if (isAllDay === true && start.kind !== 'date') return { kind: 'date', date: start.local.slice(0, 10) };
  if (isAllDay === false && start.kind === 'date') throw invalid('start', 'needs a time of day when isAllDay is false');
  return start;
}

/** One hour, which the clock may leave out or show twice, or one day when all-day. */
function defaultEnd(start: EventTime): EventTime {
  if (start.kind === 'date') return withWall(start, wallOf(start) + DAY_MS);
  const { timeZone, offsetMinutes } = start;
  return timeZone === null || offsetMinutes === null
    ? withWall(start, wallOf(start) + HOUR_MS)
    : atInstant(instantOf(start, timeZone) + HOUR_MS, timeZone);
}

function checked(span: Span, input: EventInput, { calendarZone }: InputFrame): Span {
  const { start, end } = span;
  if (start.kind !== end.kind) {
    throw invalid('end', 'must be a date when start is one, and a date-time when start is one');
  }
  const lengthMs = instantOf(end, calendarZone) - instantOf(start, calendarZone);
  const mayBeEmpty = start.kind !== 'date' && input.end != null;
  if (lengthMs < 0 || (lengthMs === 0 && !mayBeEmpty)) throw invalid('end', 'must be after start');
  return span;
}

/** `before`: the time that the event has now, or its new start for its end; null when there is nothing to go on from. */
function resolve(input: EventTimeInput, before: EventTime | null, frame: InputFrame): EventTime {
  if (input.kind === 'date') return input;
  if (input.kind === 'timeZone') {
    if (before === null) throw invalid('start.dateTime', 'is required');
    return before.kind === 'date' ? before : onClock(before.local, input.timeZone);
  }
  const { local, offsetMinutes } = input;
  const own = before?.kind === 'dateTime' && before.offsetMinutes !== null ? before.timeZone : null;
  if (offsetMinutes === null) return onClock(local, input.timeZone ?? own ?? frame.calendarZone);
  const instantMs = wallOf({ ...input, kind: 'dateTime' }) - offsetMinutes * 60_000;
  const going = own === 'UTC' && frame.isSeries ? null : own;
  return atInstant(instantMs, input.timeZone ?? going ?? (frame.isSeries ? frame.calendarZone : 'UTC'));
}
