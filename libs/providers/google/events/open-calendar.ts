import type { calendar_v3 } from '@googleapis/calendar';
import { DomainError } from '#domain';
import { orNull } from '#providers/kit/calls';
import { eventNotFound } from '#providers/kit/series';
import { ianaZone } from '#icalendar';
import type { GoogleConnection } from '../connection.js';
import { calendarFacts, type CalendarFacts } from './event-mapper.js';
import { readGoogleEvent, type GoogleEvent } from './google-event.js';

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

/** An event by the id that Google gave it, cancelled ones too; null when there is none. */
export async function fetchEvent(calendar: OpenCalendar, eventId: string): Promise<GoogleEvent | null> {
  const data = await askForEvent(calendar.connection, calendar.id, eventId);
  return data === null ? null : readAnswer(calendar, data);
}

/** @throws DomainError NotFound */
export async function seriesOf(calendar: OpenCalendar, seriesId: string): Promise<GoogleEvent> {
  const series = await fetchEvent(calendar, seriesId);
  if (series === null || series.isCancelled) throw eventNotFound();
  return series;
}

/** The same as Google answers it. */
export function askForEvent(
  connection: GoogleConnection,
  calendarId: string,
  eventId: string,
): Promise<calendar_v3.Schema$Event | null> {
  return orNull(connection.call('read', () => connection.api.events.get({ calendarId, eventId })));
}

/** @throws DomainError ProviderUnavailable when the answer is no event */
export function readAnswer(calendar: OpenCalendar, data: unknown): GoogleEvent {
  const event = readGoogleEvent(data, calendar.facts.timeZone);
  if (event === null) throw new DomainError('ProviderUnavailable', 'Google answered with something that is no event.');
  return event;
}
