import { calendarNotFound, isSendable } from '#providers/kit/calls';
import { eventNotFound, RecurringSeries, splitInstanceId } from '#providers/kit/series';
import type { GoogleConnection } from '../connection.js';
import { checkEventId } from './event-id.js';
import { deletedInstances, exceptionsOf } from './exceptions.js';
import type { GoogleEvent } from './google-event.js';
import { askForEvent, fetchEvent, openCalendar, readAnswer, type OpenCalendar } from './open-calendar.js';

/**
 * An event that takes place, by its id as callers write it: an instance may be named by its day alone when that names
 * exactly one, and in lower case.
 * @throws DomainError NotFound, for a cancelled event too
 */
export async function findEvent(calendar: OpenCalendar, eventId: string): Promise<GoogleEvent> {
  return takingPlace(calendar, eventId, await fetchEvent(calendar, checkEventId(eventId)));
}

/**
 * The same, and its calendar. They are asked for together: one wait for both when the calendar is not known either.
 * @throws DomainError as {@link findEvent}, and NotFound for the calendar
 */
export async function openEvent(
  connection: GoogleConnection,
  calendarId: string,
  eventId: string,
): Promise<{ calendar: OpenCalendar; event: GoogleEvent }> {
  if (!isSendable(calendarId)) throw calendarNotFound();
  const asked = askForEvent(connection, calendarId, checkEventId(eventId));
  // Of a calendar that cannot be opened nobody wants to know what became of its event.
  asked.catch(() => undefined);
  const calendar = await openCalendar(connection, calendarId);
  const data = await asked;
  const named = data === null ? null : readAnswer(calendar, data);
  return { calendar, event: await takingPlace(calendar, eventId, named) };
}

/** @param named what Google has under the id as it was written */
async function takingPlace(calendar: OpenCalendar, eventId: string, named: GoogleEvent | null): Promise<GoogleEvent> {
  const event = named ?? (await findInstance(calendar, eventId));
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
