import type { calendar_v3 } from '@googleapis/calendar';
import { DomainError } from '#domain';
import { ianaZone } from '#icalendar';
import { GoogleFault, type GoogleConnection } from '../contract.js';
import { checkEventId, eventNotFound, splitInstanceId } from './event-id.js';
import { calendarFacts, type CalendarFacts } from './event-mapper.js';
import { readGoogleEvent, type GoogleEvent } from './google-event.js';
import { RecurringSeries } from './series.js';

/** One calendar of one account, open for one operation. */
export interface OpenCalendar {
  connection: GoogleConnection;
  /** Never `primary`. */
  id: string;
  entry: calendar_v3.Schema$CalendarListEntry;
  facts: CalendarFacts;
}

/** @throws DomainError NotFound */
export async function openCalendar(connection: GoogleConnection, calendarId: string): Promise<OpenCalendar> {
  const entry = await connection.calendar(calendarId);
  const timeZone = ianaZone(typeof entry.timeZone === 'string' ? entry.timeZone : 'UTC') ?? 'UTC';
  return { connection, id: entry.id, entry, facts: calendarFacts(entry, timeZone) };
}

/** What snapshots of a calendar are kept under. */
export function snapshotScope({ connection, id }: OpenCalendar) {
  const { applicationId, accountId } = connection.session;
  return { applicationId, accountId, calendarId: id };
}

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

/** An event by the id that Google gave it, cancelled ones too; null when there is none. */
export async function fetchEvent(calendar: OpenCalendar, eventId: string): Promise<GoogleEvent | null> {
  const { connection } = calendar;
  const data = await orNull(
    connection.call('read', () => connection.api.events.get({ calendarId: calendar.id, eventId })),
  );
  return data === null ? null : readAnswer(calendar, data);
}

/** @throws DomainError ProviderUnavailable when the answer is no event */
export function readAnswer(calendar: OpenCalendar, data: unknown): GoogleEvent {
  const event = readGoogleEvent(data, calendar.facts.timeZone);
  if (event === null) throw new DomainError('ProviderUnavailable', 'Google answered with something that is no event.');
  return event;
}

/** What a call answers, or null when Google says that there is no such thing, or none any more. */
export async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof GoogleFault && (error.status === 404 || error.status === 410)) return null;
    throw error;
  }
}

async function findInstance(calendar: OpenCalendar, eventId: string): Promise<GoogleEvent | null> {
  const named = splitInstanceId(eventId);
  if (named === null) return null;
  const { seriesId, date } = named;
  if (`${seriesId}_${date}` !== eventId) return fetchEvent(calendar, `${seriesId}_${date}`);
  if (date.includes('T')) return null;
  const master = await fetchEvent(calendar, seriesId);
  if (master === null || master.isCancelled) return null;
  const instanceDate = RecurringSeries.of(master, calendar.facts.timeZone)?.instanceDate(date) ?? null;
  return instanceDate === null || instanceDate === date ? null : fetchEvent(calendar, `${seriesId}_${instanceDate}`);
}
