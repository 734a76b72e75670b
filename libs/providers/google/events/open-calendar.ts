import type { calendar_v3 } from '@googleapis/calendar';
import { PRIMARY } from '#domain/calendars';
import { DomainError } from '#domain/system';
import { orNull, calendarNotFound, isSendable } from '#providers/kit/calls';
import { listOf } from '#providers/kit/events';
import { eventNotFound, RecurringSeries, splitInstanceId } from '#providers/kit/series';
import type { ListPage } from '#providers/kit/sync';
import { ianaZone } from '#icalendar';
import type { GoogleAccountClient } from '../account-client.js';
import { malformedResponse } from '../errors.js';
import type { CalendarFacts } from './event-mapper.js';
import { readGoogleEvent, type GoogleEvent } from './google-event.js';
import { checkEventId } from './event-id.js';
import { deletedInstances, exceptionsOf } from './exceptions.js';

/** A calendar whose events are read. */
export interface ReadableCalendar {
  connection: GoogleAccountClient;
  /** Never `primary`. */
  id: string;
  /** @throws TypeError before the first list of events or {@link loadFacts} */
  readonly facts: CalendarFacts;
  /** Takes the facts from a list of the calendar's events, which names them as well as the calendar does. */
  learn(page: calendar_v3.Schema$Events): void;
  /** Reads the calendar when its facts are unknown. @throws DomainError NotFound */
  loadFacts(): Promise<void>;
}

export interface GoogleCalendarHandle extends ReadableCalendar {
  entry: calendar_v3.Schema$CalendarListEntry;
}

/** @throws DomainError NotFound */
export async function openCalendar(connection: GoogleAccountClient, calendarId: string): Promise<GoogleCalendarHandle> {
  const entry = await connection.calendar(calendarId);
  const facts = factsOf(entry);
  return { connection, id: entry.id, entry, facts, learn: () => undefined, loadFacts: async () => undefined };
}

/** Opens a calendar without a request: its first list of events brings its facts. @throws DomainError NotFound */
export async function openForReading(connection: GoogleAccountClient, calendarId: string): Promise<ReadableCalendar> {
  const isKnown = connection.cachedCalendar(calendarId) !== undefined;
  // The alias has no id for snapshots.
  if (isKnown || calendarId === PRIMARY || !isSendable(calendarId)) return openCalendar(connection, calendarId);
  let facts: CalendarFacts | null = null;
  return {
    connection,
    id: calendarId,
    get facts() {
      if (facts === null) throw new TypeError('The facts of the calendar are unknown');
      return facts;
    },
    learn(page) {
      facts ??= factsOf(page);
    },
    async loadFacts() {
      facts ??= factsOf(await connection.calendar(calendarId));
    },
  };
}

function factsOf({ timeZone, defaultReminders }: calendar_v3.Schema$CalendarListEntry | calendar_v3.Schema$Events) {
  const zone = ianaZone(typeof timeZone === 'string' ? timeZone : 'UTC') ?? 'UTC';
  return { timeZone: zone, hasDefaultReminders: listOf(defaultReminders).length > 0 };
}

/** Returns an event by Google's id, even a cancelled one; null when there is none. */
export async function fetchEvent(calendar: ReadableCalendar, eventId: string): Promise<GoogleEvent | null> {
  const data = await askForEvent(calendar.connection, calendar.id, eventId);
  return data === null ? null : readEvent(calendar, data);
}

/** @throws DomainError NotFound */
export async function seriesOf(calendar: ReadableCalendar, seriesId: string): Promise<GoogleEvent> {
  const series = await fetchEvent(calendar, seriesId);
  if (series === null || series.isCancelled) throw eventNotFound();
  return series;
}

function askForEvent(connection: GoogleAccountClient, calendarId: string, eventId: string) {
  return orNull(connection.call('read', () => connection.api.events.get({ calendarId, eventId })));
}
/** @throws DomainError ProviderUnavailable for anything but an event */
export function readEvent(calendar: ReadableCalendar, data: unknown): GoogleEvent {
  const event = readGoogleEvent(data, calendar.facts.timeZone);
  if (event === null) throw new DomainError('ProviderUnavailable', 'Google answered with something that is no event.');
  return event;
}

/**
 * Finds a live event by a caller's id, which may write an instance in lower case, or by its day when that is unique.
 * @throws DomainError NotFound, for a cancelled event too
 */
export async function findEvent(calendar: ReadableCalendar, eventId: string): Promise<GoogleEvent> {
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
  const named = data === null ? null : readEvent(calendar, data);
  return { calendar, event: await takingPlace(calendar, eventId, named) };
}

async function takingPlace(
  calendar: ReadableCalendar,
  eventId: string,
  named: GoogleEvent | null,
): Promise<GoogleEvent> {
  const event = named ?? (await findInstance(calendar, eventId));
  if (event === null || event.isCancelled) throw eventNotFound();
  return event;
}

async function findInstance(calendar: ReadableCalendar, eventId: string): Promise<GoogleEvent | null> {
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

export type GooglePage = ListPage<GoogleEvent>;

export async function listEvents(
  calendar: ReadableCalendar,
  parameters: Omit<calendar_v3.Params$Resource$Events$List, 'calendarId'>,
): Promise<GooglePage> {
  const { connection, id } = calendar;
  const data = await connection.call('read', () => connection.api.events.list({ ...parameters, calendarId: id }));
  return readPage(calendar, data);
}

export async function listInstances(
  calendar: ReadableCalendar,
  parameters: Omit<calendar_v3.Params$Resource$Events$Instances, 'calendarId'>,
): Promise<GooglePage> {
  const { connection, id } = calendar;
  const data = await connection.call('read', () => connection.api.events.instances({ ...parameters, calendarId: id }));
  return readPage(calendar, data);
}

/** Reads all pages. @throws DomainError ValidationFailed when the list is too long */
export function walk(
  { connection }: Pick<ReadableCalendar, 'connection'>,
  fetchPage: (page: { pageToken: string | undefined; maxResults: number }) => Promise<GooglePage>,
) {
  return connection.pageSize.walk('Google', (next, maxResults) =>
    fetchPage({ pageToken: next ?? undefined, maxResults }),
  );
}

/** @throws DomainError ProviderUnavailable for an unreadable item, which would otherwise count as deleted */
function readPage(calendar: ReadableCalendar, data: calendar_v3.Schema$Events): GooglePage {
  if (data.items != null && !Array.isArray(data.items)) throw malformedResponse();
  calendar.learn(data);
  return {
    rows: listOf(data.items).map((item) => readEvent(calendar, item)),
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
