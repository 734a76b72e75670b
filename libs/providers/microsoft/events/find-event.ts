import { eventNotFound, splitInstanceId } from '#providers/kit/series';
import { instanceOn } from './instances.js';
import { fetchEvent, type OutlookCalendarHandle } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';

/** Base64 in either alphabet. */
const GRAPH_ID = /^[A-Za-z0-9_\-=+/]{1,1024}$/;

/** @throws DomainError NotFound for an invalid id */
export function checkEventId(id: string): string {
  if (!GRAPH_ID.test(id)) throw eventNotFound();
  return id;
}

/** Finds an event by its public or Graph's id. @param settled prepares a series first @throws DomainError NotFound */
export async function findEvent(
  calendar: OutlookCalendarHandle,
  eventId: string,
  settled = async (series: OutlookEvent): Promise<OutlookEvent> => series,
): Promise<OutlookEvent> {
  const named = splitInstanceId(checkEventId(eventId));
  const series = named === null ? null : await fetchEvent(calendar, named.seriesId);
  const event =
    named !== null && series?.isSeries === true
      ? await instanceOn(calendar, await settled(series), named.date)
      : await fetchEvent(calendar, eventId);
  if (event === null) throw eventNotFound();
  return event.isSeries ? settled(event) : event;
}

/** @throws DomainError NotFound, for a cancelled event too */
export async function findLiveEvent(calendar: OutlookCalendarHandle, eventId: string): Promise<OutlookEvent> {
  const event = await findEvent(calendar, eventId);
  if (event.isCancelled) throw eventNotFound();
  return event;
}

/** Returns the series or single event of an id, which may be an instance's; null when it is gone. */
export async function findSeries(calendar: OutlookCalendarHandle, eventId: string): Promise<OutlookEvent | null> {
  const named = splitInstanceId(checkEventId(eventId));
  const series = named === null ? null : await fetchEvent(calendar, named.seriesId);
  if (series?.isSeries === true) return series;
  const event = await fetchEvent(calendar, eventId);
  return event?.seriesId == null ? event : fetchEvent(calendar, event.seriesId);
}

/**
 * {@link findSeries} of an event that is there.
 * @returns null when the series of an instance is gone meanwhile
 * @throws DomainError NotFound, for a cancelled event too
 */
export async function findLiveSeries(calendar: OutlookCalendarHandle, eventId: string): Promise<OutlookEvent | null> {
  const event = await findLiveEvent(calendar, eventId);
  return event.seriesId === null ? event : fetchEvent(calendar, event.seriesId);
}
