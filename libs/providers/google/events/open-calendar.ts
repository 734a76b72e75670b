import type { calendar_v3 } from '@googleapis/calendar';
import { DomainError } from '#domain/system';
import { orNull, calendarNotFound, isSendable } from '#providers/kit/calls';
import { listOf } from '#providers/kit/events';
import { eventNotFound, RecurringSeries, splitInstanceId } from '#providers/kit/series';
import { walkPages, type ListPage } from '#providers/kit/sync';
import { ianaZone } from '#icalendar';
import type { GoogleAccountClient } from '../account-client.js';
import { malformedResponse } from '../errors.js';
import type { CalendarFacts } from './event-mapper.js';
import { readGoogleEvent, type GoogleEvent } from './google-event.js';
import { checkEventId } from './event-id.js';
import { deletedInstances, exceptionsOf } from './exceptions.js';

export interface GoogleCalendarHandle {
  connection: GoogleAccountClient;
  /** Never `primary`. */
  id: string;
  entry: calendar_v3.Schema$CalendarListEntry;
  facts: CalendarFacts;
}

/** @throws DomainError NotFound */
export async function openCalendar(connection: GoogleAccountClient, calendarId: string): Promise<GoogleCalendarHandle> {
  const entry = await connection.calendar(calendarId);
  const timeZone = ianaZone(typeof entry.timeZone === 'string' ? entry.timeZone : 'UTC') ?? 'UTC';
  const facts = { timeZone, hasDefaultReminders: listOf(entry.defaultReminders).length > 0 };
  return { connection, id: entry.id, entry, facts };
}

/** Returns an event by Google's id, even a cancelled one; null when there is none. */
export async function fetchEvent(calendar: GoogleCalendarHandle, eventId: string): Promise<GoogleEvent | null> {
  const data = await askForEvent(calendar.connection, calendar.id, eventId);
  return data === null ? null : readAnswer(calendar, data);
}

/** @throws DomainError NotFound */
export async function seriesOf(calendar: GoogleCalendarHandle, seriesId: string): Promise<GoogleEvent> {
  const series = await fetchEvent(calendar, seriesId);
  if (series === null || series.isCancelled) throw eventNotFound();
  return series;
}

function askForEvent(connection: GoogleAccountClient, calendarId: string, eventId: string) {
  return orNull(connection.call('read', () => connection.api.events.get({ calendarId, eventId })));
}
/** @throws DomainError ProviderUnavailable for anything but an event */
export function readAnswer(calendar: GoogleCalendarHandle, data: unknown): GoogleEvent {
  const event = readGoogleEvent(data, calendar.facts.timeZone);
  if (event === null) throw new DomainError('ProviderUnavailable', 'Google answered with something that is no event.');
  return event;
}

/**
 * Finds a live event by a caller's id, which may write an instance in lower case, or by its day when that is unique.
 * @throws DomainError NotFound, for a cancelled event too
 */
export async function findEvent(calendar: GoogleCalendarHandle, eventId: string): Promise<GoogleEvent> {
  return takingPlace(calendar, eventId, await fetchEvent(calendar, checkEventId(eventId)));
}

/** {@link findEvent} with its calendar. Requests both at once, to wait once. @throws DomainError NotFound */
export async function openEvent(connection: GoogleAccountClient, calendarId: string, eventId: string) {
  if (!isSendable(calendarId)) throw calendarNotFound();
  const asked = askForEvent(connection, calendarId, checkEventId(eventId));
  // Without the calendar the answer for its event does not matter.
  asked.catch(() => undefined);
  const calendar = await openCalendar(connection, calendarId);
  const data = await asked;
  const named = data === null ? null : readAnswer(calendar, data);
  return { calendar, event: await takingPlace(calendar, eventId, named) };
}

async function takingPlace(
  calendar: GoogleCalendarHandle,
  eventId: string,
  named: GoogleEvent | null,
): Promise<GoogleEvent> {
  const event = named ?? (await findInstance(calendar, eventId));
  if (event === null || event.isCancelled) throw eventNotFound();
  return event;
}

async function findInstance(calendar: GoogleCalendarHandle, eventId: string): Promise<GoogleEvent | null> {
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

/** Google's maximum (events.list, events.instances: maxResults). */
export const MAX_GOOGLE_PAGE = 2_500;

export type GooglePage = ListPage<GoogleEvent>;

export async function listEvents(
  calendar: GoogleCalendarHandle,
  parameters: Omit<calendar_v3.Params$Resource$Events$List, 'calendarId'>,
): Promise<GooglePage> {
  const { connection, id } = calendar;
  const data = await connection.call('read', () => connection.api.events.list({ ...parameters, calendarId: id }));
  return readPage(calendar, data);
}

export async function listInstances(
  calendar: GoogleCalendarHandle,
  parameters: Omit<calendar_v3.Params$Resource$Events$Instances, 'calendarId'>,
): Promise<GooglePage> {
  const { connection, id } = calendar;
  const data = await connection.call('read', () => connection.api.events.instances({ ...parameters, calendarId: id }));
  return readPage(calendar, data);
}

/** Reads all pages. @throws DomainError ValidationFailed when the list is too long */
export function walk(fetchPage: (pageToken: string | undefined) => Promise<GooglePage>) {
  return walkPages('Google', (next) => fetchPage(next ?? undefined));
}

/** @throws DomainError ProviderUnavailable for an unreadable item, which would otherwise count as deleted */
function readPage(calendar: GoogleCalendarHandle, data: calendar_v3.Schema$Events): GooglePage {
  if (data.items != null && !Array.isArray(data.items)) throw malformedResponse();
  return {
    rows: listOf(data.items).map((item) => readAnswer(calendar, item)),
    next: tokenOf(data.nextPageToken),
    delta: tokenOf(data.nextSyncToken),
  };
}

/** @throws DomainError ProviderUnavailable for another type, because the list must not end there */
export function tokenOf(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string') throw malformedResponse();
  return value;
}
