import type { calendar_v3 } from '@googleapis/calendar';
import type { Calendar, CalendarInput, DeletedCalendar } from '#domain/calendars';
import type { ListCalendars } from '#domain/providers';
import { DomainError } from '#domain/system';
import { channelsOf, checkedCalendarInput, writtenCalendar } from '#providers/kit/events';
import { isTextOrNull, tokenForeign, type ListPage } from '#providers/kit/sync';
import { isReadOnly, listEntry, toCalendar, type CalendarListEntry } from './calendar-entry.js';
import type { GoogleAccountClient } from './account-client.js';
import { GoogleApiError, malformedResponse, staleSyncToken } from './errors.js';
import { tokenOf } from './events/open-calendar.js';

/** @throws DomainError NotFound */
export async function getCalendar(connection: GoogleAccountClient, calendarId: string): Promise<Calendar> {
  return toCalendar(await connection.freshCalendar(calendarId), connection.session.email);
}

/**
 * Writes name and zone to the shared calendar, colour and own name to the account's entry. Reports fields that the
 * account's role forbids. Rejects a request that has no other fields.
 * @throws DomainError NotFound, Forbidden, ReadOnlyCalendar
 */
export async function updateCalendar(connection: GoogleAccountClient, calendarId: string, input: CalendarInput) {
  const wanted = checkedCalendarInput(input);
  const entry = await connection.freshCalendar(calendarId);
  const isOwner = entry.accessRole === 'owner';
  const isZoneRejected = wanted.timeZone !== undefined && !isOwner;
  if (isZoneRejected && wanted.name === undefined && wanted.hexColor === undefined) throw zoneIsTheOwners(entry);
  const shared: calendar_v3.Schema$Calendar = {
    ...(isOwner && wanted.name !== undefined && { summary: wanted.name }),
    ...(isOwner && wanted.timeZone !== undefined && { timeZone: wanted.timeZone }),
  };
  const own: calendar_v3.Schema$CalendarListEntry = {
    ...(wanted.name !== undefined && ownName(entry, wanted.name)),
    ...(wanted.hexColor !== undefined && colors(wanted.hexColor)),
  };
  connection.clearCalendar(entry);
  const made = Object.keys(shared).length === 0 ? {} : await patchCalendar(connection, entry.id, shared);
  const isEntryChanged = Object.keys(own).length > 0;
  const now = await (isEntryChanged ? patchEntry(connection, entry.id, own) : connection.freshCalendar(entry.id));
  connection.clearCalendar(entry);
  return writtenCalendar(toCalendar({ ...now, ...made }, connection.session.email), wanted);
}

/**
 * Deletes an own calendar for everybody. Takes a calendar of others off the account's list.
 * @throws DomainError NotFound, Forbidden for the primary calendar
 */
export async function deleteCalendar(connection: GoogleAccountClient, calendarId: string): Promise<void> {
  const entry = await connection.freshCalendar(calendarId);
  if (entry.primary === true) {
    throw new DomainError('Forbidden', 'The primary calendar of a Google account cannot be deleted.');
  }
  connection.clearCalendar(entry);
  const { calendars, calendarList } = connection.api;
  try {
    await connection.call('idempotent', () =>
      entry.accessRole === 'owner'
        ? calendars.delete({ calendarId: entry.id })
        : calendarList.delete({ calendarId: entry.id }),
    );
  } catch (error) {
    // An earlier try or another client has deleted it.
    if (!isGone(error)) throw error;
  }
}

/** Keeps the text on the colour readable. */
export function colors(hexColor: string) {
  const [red, green, blue] = channelsOf(hexColor);
  const isLight = 0.299 * red + 0.587 * green + 0.114 * blue > 150;
  return { backgroundColor: hexColor.toLowerCase(), foregroundColor: isLight ? '#000000' : '#ffffff' };
}

export async function patchEntry(
  connection: GoogleAccountClient,
  calendarId: string,
  requestBody: calendar_v3.Schema$CalendarListEntry,
): Promise<CalendarListEntry> {
  // Without colorRgbFormat Google ignores colours without an error.
  const colorRgbFormat = requestBody.backgroundColor !== undefined;
  return listEntry(
    await connection.call('idempotent', () =>
      connection.api.calendarList.patch({ calendarId, requestBody, ...(colorRgbFormat && { colorRgbFormat }) }),
    ),
  );
}

/** @returns the written fields, which a list may show late */
async function patchCalendar(
  connection: GoogleAccountClient,
  calendarId: string,
  requestBody: calendar_v3.Schema$Calendar,
): Promise<Pick<CalendarListEntry, 'summary' | 'timeZone'>> {
  const { summary, timeZone } = await connection.call('idempotent', () =>
    connection.api.calendars.patch({ calendarId, requestBody }),
  );
  return { summary, timeZone };
}

export function isGone(error: unknown): boolean {
  return error instanceof GoogleApiError ? error.isGone : error instanceof DomainError && error.code === 'NotFound';
}

/** An owner renames the calendar itself. An own name would hide the new one. */
function ownName({ accessRole, summaryOverride }: CalendarListEntry, name: string) {
  if (accessRole !== 'owner') return { summaryOverride: name };
  return summaryOverride == null || summaryOverride === '' ? {} : { summaryOverride: null };
}

function zoneIsTheOwners(entry: CalendarListEntry): DomainError {
  return isReadOnly(entry)
    ? new DomainError('ReadOnlyCalendar', 'The account may not write to this calendar.')
    : new DomainError('Forbidden', 'Only an owner of the calendar may change its time zone.');
}

/** Google's maximum. */
const MAX_PAGE_SIZE = 250;
/** Google may send empty pages. A longer run of them counts as an error. */
const MAX_EMPTY_PAGES = 10;

/** Position of a read. Google needs the first page's query for every page. */
interface Cursor {
  pageToken: string | null;
  syncToken: string | null;
  maxResults: number;
}

/**
 * Lists calendars, or their changes since a sync token. Includes hidden ones, so that full and incremental reads agree.
 * Google does not report a new name or zone: both belong to the calendar, not to the account's entry for it.
 */
export async function listCalendars(connection: GoogleAccountClient, list: ListCalendars) {
  let cursor = cursorOf(list);
  for (let pages = 0; pages < MAX_EMPTY_PAGES; pages += 1) {
    const { rows: items, next, delta } = await read(connection, cursor);
    if (next === null) return { items, nextPage: null, nextSync: delta };
    if (items.length > 0) return { items, nextPage: [next, cursor.syncToken, cursor.maxResults], nextSync: null };
    cursor = { ...cursor, pageToken: next };
  }
  throw malformedResponse();
}

async function read(
  connection: GoogleAccountClient,
  { pageToken, syncToken, maxResults }: Cursor,
): Promise<ListPage<Calendar | DeletedCalendar>> {
  try {
    const { items, nextPageToken, nextSyncToken } = await connection.call('read', () =>
      connection.api.calendarList.list({
        maxResults,
        showHidden: true,
        ...(pageToken !== null && { pageToken }),
        ...(syncToken !== null && { syncToken }),
      }),
    );
    if (items !== undefined && !Array.isArray(items)) throw malformedResponse();
    return {
      rows: (items ?? []).map((item) => toItem(item, connection.session.email)),
      next: tokenOf(nextPageToken),
      delta: tokenOf(nextSyncToken),
    };
  } catch (error) {
    if (!(error instanceof GoogleApiError)) throw error;
    // Only the token can be gone here, whatever reason Google gives.
    if (error.status === 410 && syncToken !== null) throw staleSyncToken(error);
    // Only the tokens of the query can be invalid.
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
