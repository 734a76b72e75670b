import { createHash } from 'node:crypto';
import type { CalendarInput } from '#domain/calendars';
import type { CalendarWritten, WriteOptions } from '#domain/providers';
import { DomainError } from '#domain/system';
import { checkedCalendarInput, writtenCalendar } from '#providers/kit/events';
import { listEntry, toCalendar, type CalendarListEntry } from './calendar-entry.js';
import { colors, isGone, patchEntry } from './calendars.js';
import type { GoogleAccountClient } from './account-client.js';
import { GoogleApiError, malformedResponse } from './errors.js';

/** A new calendar appears on its creator's list after a moment. */
const APPEARS_AFTER_MS = 700;
/** Pages of 250 calendars. */
const MAX_PAGES = 20;
const MADE_CALENDARS = 'madeCalendars';
/** Google allows fewer new calendars per account and day. */
const MAX_REMEMBERED = 50;

/**
 * Creates and colours a calendar. Google chooses the id, so a repeated idempotency key finds the calendar by a mark in
 * its description, which is removed last, after the account's state has the id.
 * @throws DomainError ProviderRateLimited, also when Google limits how many calendars an account creates
 */
export async function createCalendar(
  connection: GoogleAccountClient,
  input: CalendarInput & { name: string },
  { idempotencyKey }: WriteOptions,
): Promise<CalendarWritten> {
  const wanted = { ...checkedCalendarInput(input), name: input.name };
  const mark = idempotencyKey === undefined ? null : markOf(connection, idempotencyKey);
  const id = (mark === null ? null : await findMade(connection, mark)) ?? (await insert(connection, wanted, mark));
  const painted = wanted.hexColor === undefined ? null : await paint(connection, id, wanted.hexColor);
  const entry = painted ?? (await onceAppeared(connection, () => connection.freshCalendar(id)));
  if (mark !== null) {
    await remember(connection, mark, id);
    const requestBody = { description: null };
    await connection.call('idempotent', () => connection.api.calendars.patch({ calendarId: id, requestBody }));
  }
  connection.clearCalendar(entry);
  return writtenCalendar(toCalendar(entry, connection.session.email), wanted);
}

async function insert(
  connection: GoogleAccountClient,
  { name, timeZone }: CalendarInput & { name: string },
  mark: string | null,
): Promise<string> {
  const requestBody = {
    summary: name,
    ...(timeZone !== undefined && { timeZone }),
    ...(mark !== null && { description: mark }),
  };
  const made = await connection.call('once', () => connection.api.calendars.insert({ requestBody }));
  return listEntry(made).id;
}

/** Returns null on failure: the calendar exists, and the response reports the colour as ignored. */
async function paint(connection: GoogleAccountClient, id: string, hexColor: string): Promise<CalendarListEntry | null> {
  try {
    return await onceAppeared(connection, () => patchEntry(connection, id, colors(hexColor)));
  } catch (error) {
    if (error instanceof GoogleApiError || error instanceof DomainError) return null;
    throw error;
  }
}

async function onceAppeared<T>(connection: GoogleAccountClient, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isGone(error)) throw error;
  }
  await connection.pause(APPEARS_AFTER_MS);
  return work();
}

async function findMade(connection: GoogleAccountClient, mark: string): Promise<string | null> {
  return remembered(connection).find(([made]) => made === mark)?.[1] ?? findMarked(connection, mark);
}

function remembered({ session }: GoogleAccountClient): [mark: string, calendarId: string][] {
  const made = session.providerState?.[MADE_CALENDARS];
  return Array.isArray(made) ? (made as [string, string][]) : [];
}

async function remember(connection: GoogleAccountClient, mark: string, id: string): Promise<void> {
  const { session } = connection;
  const others = remembered(connection).filter(([made]) => made !== mark);
  const made = [...others.slice(1 - MAX_REMEMBERED), [mark, id]];
  await session.saveProviderState({ ...session.providerState, [MADE_CALENDARS]: made });
}

async function findMarked(connection: GoogleAccountClient, mark: string): Promise<string | null> {
  let pageToken: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const { items, nextPageToken } = await connection.call('read', () =>
      connection.api.calendarList.list({
        maxResults: 250,
        minAccessRole: 'owner',
        showHidden: true,
        fields: 'items(id,description),nextPageToken',
        pageToken,
      }),
    );
    if (items !== undefined && !Array.isArray(items)) throw malformedResponse();
    const marked = items?.map(listEntry).find(({ description }) => description === mark);
    if (marked !== undefined) return marked.id;
    if (typeof nextPageToken !== 'string' || nextPageToken === '') return null;
    pageToken = nextPageToken;
  }
  return null;
}

/** Equal for all tries of one request of one account. */
function markOf({ session }: GoogleAccountClient, idempotencyKey: string): string {
  const request = JSON.stringify([session.applicationId, session.accountId, idempotencyKey]);
  return `Being set up (${createHash('sha256').update(request).digest('hex').slice(0, 32)})`;
}
