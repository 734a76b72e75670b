import type { EventTime } from '#domain/events';
import { DomainError } from '#domain/system';
import { DAY_MS, hasUntouchedInstance, instanceDateOf, SeriesTimes, startOfDay } from '#providers/kit/series';

type Series = Parameters<typeof hasUntouchedInstance>[0];

interface PlacedInstance {
  /** Where the series puts it. */
  place: EventTime;
  /** Its own start; null for an instance at its place. */
  start: EventTime | null;
}

/**
 * Outlook allows no instance on or past the day of a neighbour (https://learn.microsoft.com/graph/api/event-update).
 * Neighbours that are changed as well are not looked at, and an instance that is past one already may stay so.
 * @param moves changed instances before and after an edit of their series
 * @throws DomainError Conflict, before anything is written
 */
export function assertBetweenNeighbours(
  moves: readonly { before: PlacedInstance; after: PlacedInstance }[],
  before: Series,
  after: Series,
  calendarZone: string,
): void {
  const [placesBefore, placesAfter] = [moves.map((move) => move.before.place), moves.map((move) => move.after.place)];
  for (const move of moves) {
    if (!isPastNeighbour(move.after, placesAfter, after, calendarZone)) continue;
    if (isPastNeighbour(move.before, placesBefore, before, calendarZone)) continue;
    throw new DomainError(
      'Conflict',
      `The instance ${instanceDateOf(move.before.place)} would be on or past the day of another one, ` +
        'which Outlook does not allow. Move it first.',
    );
  }
}

function isPastNeighbour(
  { place, start }: PlacedInstance,
  touched: readonly EventTime[],
  series: Series,
  calendarZone: string,
): boolean {
  if (start === null || series.start === null || series.end === null) return false;
  const times = new SeriesTimes(calendarZone);
  const onClock = start.kind === 'date' ? start : times.atInstant(place, times.instantOf(start));
  const ownDay = startOfDay(times.wallOf(onClock));
  const day = startOfDay(times.wallOf(place));
  if (ownDay === day) return false;
  const startOf = (dayMs: number) => times.instantOf(times.withWall(place, dayMs));
  const lengthMs = times.instantOf(series.end) - times.instantOf(series.start);
  // Instances that start on a day between the two, or on the own one.
  const between =
    ownDay > day
      ? { startMs: startOf(day + DAY_MS), endMs: startOf(ownDay + DAY_MS) }
      : { startMs: startOf(ownDay) + lengthMs - 1, endMs: startOf(day) };
  const exceptions = touched.map((originalStart) => ({ originalStart }));
  return between.startMs < between.endMs && hasUntouchedInstance(series, exceptions, between, calendarZone);
}
