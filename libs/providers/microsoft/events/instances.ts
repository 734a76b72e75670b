import type { BoundedWindow } from '#domain/events';
import { DAY_MS, dayOf, formatInstant } from '#providers/kit/series';
import { orNull } from '#providers/kit/calls';
import { MAX_WALK, piecesOf, tooMuch } from '#providers/kit/sync';
import { fetchInstances, pathIn, readList, type OutlookCalendarHandle } from './open-calendar.js';
import { readInstance, type OutlookEvent } from './outlook-event.js';

/** https://learn.microsoft.com/graph/api/calendar-list-calendarview */
export const MAX_VIEW_DAYS = 1_825;

/** Outlook's first and last day. */
const FIRST_DAY_MS = Date.UTC(1601, 0, 2);
const LAST_DAY_MS = Date.UTC(9999, 11, 28);

export const viewPieces = (range: BoundedWindow) => piecesOf(range, MAX_VIEW_DAYS * DAY_MS);

export function rangeQuery({ startMs, endMs }: BoundedWindow): Record<string, string> {
  return { startDateTime: formatInstant(startMs), endDateTime: formatInstant(endMs) };
}

/** Returns none when the series is gone. @throws DomainError ValidationFailed for a range that is too large */
export async function instancesIn(calendar: OutlookCalendarHandle, series: OutlookEvent, range: BoundedWindow) {
  const found = await listedInstances(calendar, series, range);
  const changed = [...found.values()].filter(({ isChanged }) => isChanged).map(({ graphId }) => graphId);
  for (const instance of await fetchInstances(calendar, [series], changed)) found.set(instance.id, instance);
  return [...found.values()];
}

/** Instances by id. This list takes no `$expand`, so changed ones lack their own properties. */
async function listedInstances(
  calendar: OutlookCalendarHandle,
  series: OutlookEvent,
  range: BoundedWindow,
): Promise<Map<string, OutlookEvent>> {
  const found = new Map<string, OutlookEvent>();
  for (const piece of viewPieces(range)) {
    const path = pathIn(calendar, 'events', series.graphId, 'instances');
    const read = await orNull(readList(calendar, path, rangeQuery(piece)));
    for (const row of read?.rows ?? []) {
      const instance = readInstance(row, series, calendar.timeZone);
      if (instance !== null) found.set(instance.id, instance);
    }
    if (found.size > MAX_WALK) throw tooMuch();
  }
  return found;
}

/**
 * Finds an instance by `YYYYMMDD`, when it is the only one of its day, or by `YYYYMMDDTHHMMSSZ`.
 * @param series with the ids of its changed instances
 */
export async function instanceOn(
  calendar: OutlookCalendarHandle,
  series: OutlookEvent,
  date: string,
): Promise<OutlookEvent | null> {
  const day = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6, 8)}`;
  const dayMs = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(dayMs) || dayMs < FIRST_DAY_MS || dayMs > LAST_DAY_MS) return null;
  const named = (instances: readonly OutlookEvent[]) => {
    const exact = instances.find(({ id }) => id === `${series.id}_${date}`);
    const onDay = date.includes('T')
      ? []
      : instances.filter(({ originalStart: start }) => start !== null && dayOf(start) === day);
    return exact ?? (onDay.length === 1 ? onDay[0] : undefined);
  };
  const near = await listedInstances(calendar, series, { startMs: dayMs - DAY_MS, endMs: dayMs + 2 * DAY_MS });
  const found = named([...near.values()]);
  if (found?.isChanged === false) return found;
  if (found !== undefined) return (await fetchInstances(calendar, [series], [found.graphId]))[0] ?? null;
  // The instance may have moved to another day.
  return named(await seriesExceptions(calendar, series)) ?? null;
}

export async function seriesExceptions(
  calendar: OutlookCalendarHandle,
  ...series: OutlookEvent[]
): Promise<OutlookEvent[]> {
  return fetchInstances(
    calendar,
    series,
    series.flatMap(({ exceptionIds }) => exceptionIds),
  );
}
