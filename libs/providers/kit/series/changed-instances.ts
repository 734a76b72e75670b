import { DomainError, type EventTime } from '#domain';
import { instantOf, wallOf, withWall } from './event-time.js';
import { spanFrom, type Span } from './input-times.js';

/** Each costs requests of its own. */
const MAX_CARRIED = 100;

/** An instance of a series that was changed by itself. */
export interface ChangedInstance {
  /** Where the series had put it. */
  originalStart: EventTime | null;
  start: EventTime | null;
  end: EventTime | null;
}

/** @throws DomainError Conflict, to be found out before anything is written */
export function checkCarriable(instances: number): void {
  if (instances <= MAX_CARRIED) return;
  throw new DomainError(
    'Conflict',
    `The series has more than ${MAX_CARRIED} instances of their own, which would not survive this change.`,
  );
}

/** Whether an instance is the one that starts originally then, or a later one. */
export function isFrom({ originalStart }: ChangedInstance, from: EventTime, calendarZone: string): boolean {
  return originalStart !== null && instantOf(originalStart, calendarZone) >= instantOf(from, calendarZone);
}

/**
 * Times of a moved instance when the series puts it elsewhere: as far from there as it was, and as long; on the clock that
 * it has.
 * @param series times of the first instance
 * @param target where the series puts it now
 * @returns null when it was not moved, or cannot be compared
 */
export function movedAlong(
  { start, end, originalStart }: ChangedInstance,
  series: { start: EventTime | null; end: EventTime | null },
  target: EventTime,
): Span | null {
  if (start === null || end === null || originalStart === null || start.kind !== target.kind) return null;
  const lengthMs = wallOf(end) - wallOf(start);
  const seriesMs = series.start === null || series.end === null ? lengthMs : wallOf(series.end) - wallOf(series.start);
  const isOnSeriesClock =
    start.kind === 'date' || (originalStart.kind === 'dateTime' && start.timeZone === originalStart.timeZone);
  const awayMs = wallOf(start) - wallOf(originalStart);
  if (isOnSeriesClock && awayMs === 0 && lengthMs === seriesMs) return null;
  const moved = withWall(isOnSeriesClock ? target : start, wallOf(target) + awayMs);
  return spanFrom(moved, { start, end });
}
