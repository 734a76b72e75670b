import type { calendar_v3 } from '@googleapis/calendar';
import { listOf } from '#providers/kit/events';
import { walkPages, type ListPage } from '#providers/kit/sync';
import { nonsense } from '../errors.js';
import type { GoogleEvent } from './google-event.js';
import { readAnswer, type OpenCalendar } from './open-calendar.js';

/** The largest page that Google gives (events.list, events.instances: maxResults). */
export const MAX_GOOGLE_PAGE = 2_500;

export type GooglePage = ListPage<GoogleEvent>;

export async function listEvents(
  calendar: OpenCalendar,
  parameters: Omit<calendar_v3.Params$Resource$Events$List, 'calendarId'>,
): Promise<GooglePage> {
  const { connection, id } = calendar;
  const data = await connection.call('read', () => connection.api.events.list({ ...parameters, calendarId: id }));
  return readPage(calendar, data);
}

export async function listInstances(
  calendar: OpenCalendar,
  parameters: Omit<calendar_v3.Params$Resource$Events$Instances, 'calendarId'>,
): Promise<GooglePage> {
  const { connection, id } = calendar;
  const data = await connection.call('read', () => connection.api.events.instances({ ...parameters, calendarId: id }));
  return readPage(calendar, data);
}

/** Reads to the end. @throws DomainError ValidationFailed when there is more than can be looked at in one read */
export function walk(fetchPage: (pageToken: string | undefined) => Promise<GooglePage>) {
  return walkPages('Google', (next) => fetchPage(next ?? undefined));
}

/** @throws DomainError ProviderUnavailable: an item that is left out would count as deleted */
function readPage(calendar: OpenCalendar, data: calendar_v3.Schema$Events): GooglePage {
  if (data.items != null && !Array.isArray(data.items)) throw nonsense();
  return {
    rows: listOf(data.items).map((item) => readAnswer(calendar, item)),
    next: tokenOf(data.nextPageToken),
    delta: tokenOf(data.nextSyncToken),
  };
}

/** @throws DomainError ProviderUnavailable for another type: the list must not end there */
export function tokenOf(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string') throw nonsense();
  return value;
}
