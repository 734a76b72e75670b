import type { calendar_v3 } from '@googleapis/calendar';
import { invalid } from '#domain';
import { nonsense } from '../errors.js';
import { readGoogleEvent, type GoogleEvent } from './google-event.js';
import { listOf, textOf } from './json.js';
import type { OpenCalendar } from './open-calendar.js';

/** The largest page that Google gives (events.list, events.instances: maxResults). */
export const MAX_GOOGLE_PAGE = 2_500;
/** A read that has to see everything first sees so much, and no more. */
const MAX_WALK = 25_000;
/** Pages may be short, even empty; that must not go on for ever. */
const MAX_WALK_PAGES = 40;

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
 * Reads to the end. Pages are allowed to be empty; only the missing token ends them.
 * @throws DomainError ValidationFailed when there is more than can be looked at in one read
 */
export async function walk(fetchPage: FetchPage): Promise<{ events: GoogleEvent[]; nextSyncToken: string | null }> {
  const events: GoogleEvent[] = [];
  let pageToken: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const page = await fetchPage(pageToken);
    events.push(...page.events);
    if (page.nextPageToken === null) return { events, nextSyncToken: page.nextSyncToken };
    if (events.length >= MAX_WALK || pages >= MAX_WALK_PAGES) {
      throw invalid('endDateTime', 'the range holds too many events; ask for a shorter one');
    }
    pageToken = page.nextPageToken;
  }
}

/** @throws DomainError ProviderUnavailable: what is no list must not read as an empty one */
function readPage(calendar: OpenCalendar, data: calendar_v3.Schema$Events): GooglePage {
  if (data.items != null && !Array.isArray(data.items)) throw nonsense();
  return {
    events: listOf(data.items).flatMap((item) => readGoogleEvent(item, calendar.facts.timeZone) ?? []),
    nextPageToken: textOf(data.nextPageToken) ?? null,
    nextSyncToken: textOf(data.nextSyncToken) ?? null,
  };
}
