import { DomainError, type Calendar, type DeletedCalendar, type ListCalendars, type Page } from '#domain';
import { isTextOrNull, tokenForeign } from '#providers/kit/sync';
import { listEntry, toCalendar } from './calendar-entry.js';
import type { GoogleConnection } from './connection.js';
import { GoogleFault } from './contract.js';
import { nonsense, staleSyncToken } from './errors.js';
import { tokenOf } from './events/event-pages.js';

/** Google's own maximum. */
const MAX_PAGE_SIZE = 250;
/** Google may give pages without items; this many in a row are no list any more. */
const MAX_EMPTY_PAGES = 10;

/** A page goes on with the query that it began with. */
interface Cursor {
  pageToken: string | null;
  syncToken: string | null;
  maxResults: number;
}

/**
 * The calendars on the account's list, hidden ones included so that full and incremental reads agree, or what changed
 * since a sync token. Names and zones that others change in shared calendars make no entry of an incremental read.
 */
export async function listCalendars(
  connection: GoogleConnection,
  list: ListCalendars,
): Promise<Page<Calendar | DeletedCalendar>> {
  let cursor = cursorOf(list);
  for (let pages = 0; pages < MAX_EMPTY_PAGES; pages += 1) {
    const { items, nextPageToken, nextSyncToken } = await read(connection, cursor);
    if (items.length > 0 || nextPageToken === null) {
      return {
        items,
        nextPage: nextPageToken === null ? null : [nextPageToken, cursor.syncToken, cursor.maxResults],
        nextSync: nextPageToken === null ? nextSyncToken : null,
      };
    }
    cursor = { ...cursor, pageToken: nextPageToken };
  }
  throw nonsense();
}

async function read(
  connection: GoogleConnection,
  { pageToken, syncToken, maxResults }: Cursor,
): Promise<{ items: (Calendar | DeletedCalendar)[]; nextPageToken: string | null; nextSyncToken: string | null }> {
  try {
    const { items, nextPageToken, nextSyncToken } = await connection.call('read', () =>
      connection.api.calendarList.list({
        maxResults,
        showHidden: true,
        ...(pageToken !== null && { pageToken }),
        ...(syncToken !== null && { syncToken }),
      }),
    );
    if (items !== undefined && !Array.isArray(items)) throw nonsense();
    return {
      items: (items ?? []).map((item) => toItem(item, connection.session.email)),
      nextPageToken: tokenOf(nextPageToken),
      nextSyncToken: tokenOf(nextSyncToken),
    };
  } catch (error) {
    if (!(error instanceof GoogleFault)) throw error;
    // Whatever reason it gives: there is nothing else here that could be gone.
    if (error.status === 410 && syncToken !== null) throw staleSyncToken(error);
    // The tokens are the only parts of the query that can be wrong.
    if (error.status !== 400) throw error;
    if (pageToken !== null) throw new DomainError('PageTokenInvalid', 'The page token is no longer valid.');
    throw syncToken === null ? error : staleSyncToken(error);
  }
}

function toItem(item: unknown, accountEmail: string): Calendar | DeletedCalendar {
  const entry = listEntry(item);
  return entry.deleted === true ? { id: entry.id, isDeleted: true } : toCalendar(entry, accountEmail);
}

function cursorOf({ page, sync, pageSize }: ListCalendars): Cursor {
  if (page === null) {
    if (sync !== null && typeof sync !== 'string') throw tokenForeign();
    return { pageToken: null, syncToken: sync, maxResults: Math.min(pageSize, MAX_PAGE_SIZE) };
  }
  const [pageToken, syncToken, maxResults] = Array.isArray(page) ? page : [];
  if (typeof pageToken !== 'string' || typeof maxResults !== 'number' || !isTextOrNull(syncToken)) throw tokenForeign();
  return { pageToken, syncToken, maxResults };
}
