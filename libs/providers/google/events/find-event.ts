import { checkEventId, eventNotFound, splitInstanceId } from './event-id.js';
import { deletedInstances, exceptionsOf } from './exceptions.js';
import type { GoogleEvent } from './google-event.js';
import { fetchEvent, type OpenCalendar } from './open-calendar.js';
import { RecurringSeries } from './series.js';

/**
 * An event that takes place, by its id as callers write it: an instance may be named by its day alone when that names
 * exactly one, and in lower case.
 * @throws DomainError NotFound, for a cancelled event too
 */
export async function findEvent(calendar: OpenCalendar, eventId: string): Promise<GoogleEvent> {
  const event = (await fetchEvent(calendar, checkEventId(eventId))) ?? (await findInstance(calendar, eventId));
  if (event === null || event.isCancelled) throw eventNotFound();
  return event;
}

async function findInstance(calendar: OpenCalendar, eventId: string): Promise<GoogleEvent | null> {
  const named = splitInstanceId(eventId);
  if (named === null) return null;
  const { seriesId, date } = named;
  if (`${seriesId}_${date}` !== eventId) return fetchEvent(calendar, `${seriesId}_${date}`);
  if (date.includes('T')) return null;
  const master = await fetchEvent(calendar, seriesId);
  if (master === null || master.isCancelled || master.recurrence.length === 0) return null;
  const deleted = deletedInstances(await exceptionsOf(calendar, master));
  const instanceDate = RecurringSeries.of(master, calendar.facts.timeZone, deleted)?.instanceDate(date) ?? null;
  return instanceDate === null || instanceDate === date ? null : fetchEvent(calendar, `${seriesId}_${instanceDate}`);
}
