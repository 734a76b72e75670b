import type { EventTime } from '#domain/events';
import { DomainError } from '#domain/system';
import type { IcsTime } from '#icalendar';
import type { TimeSpan } from './input-times.js';
import { instantOf, isSame, shiftedTime, SeriesTimes, startOfDay, type Times } from './times.js';

/** Each instance costs requests. */
const MAX_COPIED = 100;

interface SeriesException {
  originalStart: EventTime | null;
  start: EventTime | null;
  end: EventTime | null;
  /** Times that the caller gives it, instead of those that it would move to with its series. */
  asked?: TimeSpan;
}

/** Call it before the first write. @throws DomainError Conflict */
export function assertCopyable(instances: number): void {
  if (instances <= MAX_COPIED) return;
  throw new DomainError(
    'Conflict',
    `The series has more than ${MAX_COPIED} instances of their own, which would not survive this change.`,
  );
}

export function isFrom({ originalStart }: SeriesException, from: EventTime, calendarZone: string): boolean {
  return originalStart !== null && instantOf(originalStart, calendarZone) >= instantOf(from, calendarZone);
}

/**
 * Finds the place of an instance in its moved series. When the rule names days (BYDAY=MO), instances keep their days
 * and only change their time.
 * @param from old start of the series, on the clock of the instance
 * @returns null when the instance no longer exists
 */
export function placeAfter<T extends EventTime | IcsTime>(
  times: Times<T>,
  originalStart: T,
  { from, to }: { from: T; to: T },
  isInstance: (time: T) => boolean,
): T | null {
  const along = shiftedTime(times, originalStart, { from, to });
  if (isInstance(along)) return along;
  if (isSame(times, from, to)) return null;
  const wallMs = times.wallOf(to);
  const sameDay = times.withWall(to, startOfDay(times.wallOf(originalStart)) + wallMs - startOfDay(wallMs));
  return isInstance(sameDay) ? sameDay : null;
}

/**
 * Moves a changed instance along with its series. Keeps its distance to its place in the series, its clock, and its
 * length unless that is the series' own. An all-day instance of a timed series, or the reverse, moves by days alone.
 * @param before its place in the series before the change, with the length of the series
 */
export function shiftedExceptionSpan<T extends EventTime | IcsTime>(
  times: Times<T>,
  own: TimeSpan<T>,
  before: TimeSpan<T>,
  after: TimeSpan<T>,
): TimeSpan<T> {
  const wall = (time: T) => times.wallOf(time);
  if ((own.start.kind === 'date') !== (before.start.kind === 'date')) {
    const daysMs = startOfDay(wall(after.start)) - startOfDay(wall(before.start));
    const moved = (time: T) => times.withWall(time, wall(time) + daysMs);
    return { start: moved(own.start), end: moved(own.end) };
  }
  const [lengthMs, lengthBeforeMs, lengthAfterMs] = [own, before, after].map(
    ({ start, end }) => wall(end) - wall(start),
  ) as [number, number, number];
  const kindChanges = (before.start.kind === 'date') !== (after.start.kind === 'date');
  const isDays = kindChanges && after.start.kind === 'date';
  // A date has no time, so only the days of the move count.
  const deltaMs = wall(after.start) - (isDays ? startOfDay(wall(before.start)) : wall(before.start));
  const frame = kindChanges || times.sameClock(own.start, before.start) ? after.start : own.start;
  const start = times.withWall(frame, wall(own.start) + deltaMs);
  if (!kindChanges && !times.sameClock(own.start, own.end)) {
    return { start, end: times.withWall(own.end, wall(own.end) + deltaMs) };
  }
  const newLengthMs = kindChanges || lengthMs === lengthBeforeMs ? lengthAfterMs : lengthMs;
  return { start, end: times.withWall(start, wall(start) + newLengthMs) };
}

/**
 * Moves a changed instance of a REST provider along with its series.
 * @param series before the change
 * @param place of the instance in the changed series, with the length of that
 * @returns null when the instance has no times of its own, or none at all
 */
export function shiftException(
  { start, end, originalStart, asked }: SeriesException,
  series: { start: EventTime | null; end: EventTime | null },
  place: TimeSpan,
): TimeSpan | null {
  if (start === null || end === null || originalStart === null) return null;
  const times = new SeriesTimes('UTC');
  if (asked !== undefined) {
    return isSame(times, asked.start, place.start) && isSame(times, asked.end, place.end) ? null : asked;
  }
  const wall = (time: EventTime) => times.wallOf(time);
  const lengthMs = wall(end) - wall(start);
  const seriesMs = series.start === null || series.end === null ? lengthMs : wall(series.end) - wall(series.start);
  const isStill =
    start.kind === originalStart.kind && times.sameClock(start, originalStart) && wall(start) === wall(originalStart);
  if (isStill && lengthMs === seriesMs) return null;
  const before = { start: originalStart, end: times.withWall(originalStart, wall(originalStart) + seriesMs) };
  return shiftedExceptionSpan(times, { start, end }, before, place);
}
