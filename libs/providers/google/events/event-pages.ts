import type { calendar_v3 } from '@googleapis/calendar';
import { invalid } from '#domain';
import { listOf } from '#providers/kit/events';
import { GoogleFault, nonsense } from '../errors.js';
import type { GoogleEvent } from './google-event.js';
import { readAnswer, type OpenCalendar } from './open-calendar.js';

/** The largest page that Google gives (events.list, events.instances: maxResults). */
export const MAX_GOOGLE_PAGE = 2_500;
/** A read that has to see everything first sees so much, and no more. */
const MAX_WALK = 25_000;
/** Pages may be short, even empty; that must not go on for ever. */
const MAX_WALK_PAGES = 40;
/** How often a read is begun before a token that is refused counts as nonsense. */
const MAX_WALKS = 2;

/** One page as Google gave it. */
export interface GooglePage {
  events: GoogleEvent[];
  nextPageToken: string | null;
  nextSyncToken: string | null;
}

export type FetchPage = (pageToken: string | undefined) => Promise<GooglePage>;

/** @throws GoogleFault */
export async function listEvents(
  calendar: OpenCalendar,
  parameters: Omit<calendar_v3.Params$Resource$Events$List, 'calendarId'>,
): Promise<GooglePage> {
  const { connection, id } = calendar;
  const data = await connection.call('read', () => connection.api.events.list({ ...parameters, calendarId: id }));
  return readPage(calendar, data);
}

/** @throws GoogleFault */
export async function listInstances(
  calendar: OpenCalendar,
  parameters: Omit<calendar_v3.Params$Resource$Events$Instances, 'calendarId'>,
): Promise<GooglePage> {
  const { connection, id } = calendar;
  const data = await connection.call('read', () => connection.api.events.instances({ ...parameters, calendarId: id }));
  return readPage(calendar, data);
}

/**
 * Reads to the end. Pages are allowed to be empty; only the missing token ends them. Should Google not know a page token
 * of its own any more, the read begins anew.
 * @throws DomainError ValidationFailed when there is more than can be looked at in one read, ProviderUnavailable
 */
export async function walk(fetchPage: FetchPage): Promise<{ events: GoogleEvent[]; nextSyncToken: string | null }> {
  for (let walks = 1; walks <= MAX_WALKS; walks += 1) {
    const walked = await walkOnce(fetchPage);
    if (walked !== null) return walked;
  }
  throw nonsense();
}

/** null when a page token was refused. */
async function walkOnce(fetchPage: FetchPage): Promise<{ events: GoogleEvent[]; nextSyncToken: string | null } | null> {
  const events: GoogleEvent[] = [];
  let pageToken: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const page = await (pageToken === undefined ? fetchPage(pageToken) : unlessRefused(fetchPage(pageToken)));
    if (page === null) return null;
    events.push(...page.events);
    if (page.nextPageToken === null) return { events, nextSyncToken: page.nextSyncToken };
    if (events.length >= MAX_WALK || pages >= MAX_WALK_PAGES) {
      throw invalid('endDateTime', 'the range holds too many events; ask for a shorter one');
    }
    pageToken = page.nextPageToken;
  }
}

/** Behind the first page the page token is the only part of the query that can be wrong. */
async function unlessRefused(page: Promise<GooglePage>): Promise<GooglePage | null> {
  try {
    return await page;
  } catch (error) {
    if (error instanceof GoogleFault && (error.status === 400 || error.status === 410)) return null;
    throw error;
  }
}

/** @throws DomainError ProviderUnavailable: what is left out of a list would count as deleted */
function readPage(calendar: OpenCalendar, data: calendar_v3.Schema$Events): GooglePage {
  if (data.items != null && !Array.isArray(data.items)) throw nonsense();
  return {
    events: listOf(data.items).map((item) => readAnswer(calendar, item)),
    nextPageToken: tokenOf(data.nextPageToken),
    nextSyncToken: tokenOf(data.nextSyncToken),
  };
}

/** @throws DomainError ProviderUnavailable for what is none: a list that goes on somewhere must not end here */
export function tokenOf(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string') throw nonsense();
  return value;
}
