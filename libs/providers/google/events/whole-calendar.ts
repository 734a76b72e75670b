import { isFullEvent, type EventItem } from '#domain/events';
import type { ListEvents, Page } from '#domain/providers';
import { DomainError, type JsonValue } from '#domain/system';
import {
  cursorFields,
  isTextOrNull,
  keyedPage,
  readKeyedPage,
  sliceAfter,
  snapshotScope,
  tokenExpired,
  tokenForeign,
} from '#providers/kit/sync';
import { GoogleApiError } from '../errors.js';
import { toEventItem } from './event-mapper.js';
import { exceptionsOf } from './exceptions.js';
import type { GoogleEvent } from './google-event.js';
import { listEvents, MAX_GOOGLE_PAGE, walk, type GooglePage, type ReadableCalendar } from './open-calendar.js';

/** Id of a returned changed instance → its series. */
type Exceptions = Record<string, string>;

type TokenBasis = ReturnType<typeof readTokenBasis>;

interface WholePage {
  kind: 'whole';
  /** null for the first page. */
  pageToken: string | null;
  /** Google needs the same size for every page. */
  size: number;
  /** Id of the last returned event of that page. */
  after: string | null;
  basis: TokenBasis;
}

/**
 * Reads a whole calendar for Google's own sync token. Stores ids of changed instances beside the token, because Google
 * may not report those that end with their series.
 * @returns null when Google gives no sync token for this calendar
 * @throws DomainError PageTokenInvalid
 */
export async function wholeCalendarPage(
  calendar: ReadableCalendar,
  { pageSize, page }: Pick<ListEvents, 'pageSize' | 'page'>,
): Promise<Page<EventItem> | null> {
  const begun = page === null ? await start(calendar, pageSize) : { at: readWholePage(page), only: null };
  if (begun === null) return null;
  const { at, only } = begun;
  const google = only === null ? await firstWithEvents(calendar, at) : { pageToken: null, page: only };
  const items = google.page.rows.flatMap((event) => toEventItem(event, calendar.facts));
  // A caller may ask for fewer events than Google's page holds.
  const pending = items.slice(items.findIndex(({ id }) => id === at.after) + 1);
  const given = pending.slice(0, pageSize);
  const basis = await remember(calendar, at.basis, null, (exceptions) => note(exceptions, given));
  const last = given.at(-1);
  const next =
    pending.length > given.length && last !== undefined
      ? { ...at, pageToken: google.pageToken, after: last.id, basis }
      : await behind(calendar, { ...at, after: null, basis }, google.page.next);
  return next === null
    ? { items: given, nextPage: null, nextSync: basis }
    : { items: given, nextPage: { ...next, basis }, nextSync: null };
}

/** @throws DomainError SyncTokenExpired, PageTokenInvalid */
export async function wholeCalendarChanges(
  calendar: ReadableCalendar,
  { pageSize, page, sync }: Pick<ListEvents, 'pageSize' | 'page'> & { sync: JsonValue },
): Promise<Page<EventItem>> {
  const basis = readTokenBasis(sync);
  const cursor = page === null ? null : readKeyedPage(page, readTokenBasis);
  const { events, token } = await changesSince(calendar, basis.token);
  const before = await recall(calendar, basis.memory);
  if (before === null) throw tokenExpired();
  const changed = await changedItems(calendar, events, before);
  const { given, last } = sliceAfter(changed, ({ id }) => id, cursor?.after ?? null, pageSize);
  // Later pages read again from the same token. The next sync uses the token of the first page.
  const target = await remember(
    calendar,
    cursor?.basis ?? { kind: 'token', token, memory: basis.memory },
    basis.memory,
    (exceptions) => note(exceptions, given),
  );
  return keyedPage(given, last, target);
}

/** Includes stubs of changed instances that ended unreported. Ordered by id. */
async function changedItems(calendar: ReadableCalendar, events: readonly GoogleEvent[], before: Exceptions) {
  const changed = new Map<string, EventItem>();
  for (const event of events) for (const item of toEventItem(event, calendar.facts)) changed.set(event.id, item);
  for (const event of events) {
    if (event.seriesId !== null) continue;
    const known = Object.keys(before).filter((id) => before[id] === event.id && !changed.has(id));
    if (known.length === 0) continue;
    const left = new Set(event.isCancelled ? [] : (await exceptionsOf(calendar, event)).map(({ id }) => id));
    for (const id of known) {
      if (!left.has(id)) changed.set(id, { id, isCancelled: true, recurringEventId: event.id });
    }
  }
  return [...changed.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

async function recall(calendar: ReadableCalendar, memory: string | null): Promise<Exceptions | null> {
  if (memory === null) return {};
  return (await calendar.connection.snapshots.find(snapshotScope(calendar), memory))?.entries ?? null;
}

/** @param before snapshot of an earlier token, which stays unchanged */
async function remember(
  calendar: ReadableCalendar,
  basis: TokenBasis,
  before: string | null,
  change: (exceptions: Exceptions) => boolean,
): Promise<TokenBasis> {
  const scope = snapshotScope(calendar);
  const known = await recall(calendar, basis.memory);
  // The pages stay readable, but their sync token has expired.
  if (known === null) return basis;
  const entries = { ...known };
  if (!change(entries)) return basis;
  const snapshot = { entries, changeTag: null };
  const isOwn = basis.memory !== null && basis.memory !== before;
  if (isOwn && (await calendar.connection.snapshots.replace(scope, basis.memory ?? '', snapshot))) return basis;
  return { ...basis, memory: await calendar.connection.snapshots.save(scope, snapshot) };
}

/**
 * Takes the sync token before the first page, so that it covers changes between pages: Google gives it with the last
 * page. A calendar on one page comes with its token.
 */
async function start(
  calendar: ReadableCalendar,
  pageSize: number,
): Promise<{ at: WholePage; only: GooglePage | null } | null> {
  // Google ties a sync token to the parameters of its read, the page size included (events.list, syncToken).
  const first = await fetchPage(calendar, { maxResults: MAX_GOOGLE_PAGE, pageToken: undefined });
  const only = first.next === null && first.rows.length <= pageSize ? first : null;
  const { delta } =
    first.next === null
      ? first
      : await walk((pageToken) =>
          listEvents(calendar, { pageToken, maxResults: MAX_GOOGLE_PAGE, fields: 'nextPageToken,nextSyncToken' }),
        );
  if (delta === null) return null;
  const basis: TokenBasis = { kind: 'token', token: delta, memory: null };
  return { at: { kind: 'whole', pageToken: null, size: pageSize, after: null, basis }, only };
}

/** Google may send pages without events. */
async function firstWithEvents(calendar: ReadableCalendar, { pageToken, size }: WholePage) {
  for (let token = pageToken; ;) {
    const page = await fetchPage(calendar, { maxResults: size, pageToken: token ?? undefined });
    if (page.rows.length > 0 || page.next === null) return { pageToken: token, page };
    token = page.next;
  }
}

/** Returns null at the end, even when Google names a next page. */
async function behind(calendar: ReadableCalendar, at: WholePage, pageToken: string | null): Promise<WholePage | null> {
  for (let token = pageToken; token !== null;) {
    const fields = 'nextPageToken,items(id)';
    const page = await fetchPage(calendar, { maxResults: at.size, pageToken: token, fields });
    if (page.rows.length > 0) return { ...at, pageToken: token };
    token = page.next;
  }
  return null;
}

async function fetchPage(
  calendar: ReadableCalendar,
  parameters: { maxResults: number; pageToken: string | undefined; fields?: string },
): Promise<GooglePage> {
  try {
    return await listEvents(calendar, parameters);
  } catch (error) {
    if (parameters.pageToken === undefined || !(error instanceof GoogleApiError)) throw error;
    if (error.status !== 400 && error.status !== 410) throw error;
    throw new DomainError('PageTokenInvalid', 'The page token is no longer valid. Start the read again.');
  }
}

/** @throws DomainError SyncTokenExpired for 410 `fullSyncRequired`, and for 400 on an unreadable token */
async function changesSince(calendar: ReadableCalendar, syncToken: string) {
  try {
    const { rows, delta } = await walk((pageToken) =>
      listEvents(calendar, { syncToken, maxResults: MAX_GOOGLE_PAGE, pageToken }),
    );
    return { events: rows, token: delta ?? syncToken };
  } catch (error) {
    const isRejected = error instanceof GoogleApiError && (error.status === 410 || error.status === 400);
    // Too many changes (ValidationFailed) need a full read, too.
    if (isRejected || (error instanceof DomainError && error.code === 'ValidationFailed')) throw tokenExpired();
    throw error;
  }
}

/** @returns whether anything changed */
function note(exceptions: Exceptions, items: readonly EventItem[]): boolean {
  let isChanged = false;
  for (const item of items) {
    const { id, recurringEventId } = item;
    const known = Object.hasOwn(exceptions, id);
    if (isFullEvent(item) && recurringEventId !== undefined) {
      isChanged ||= exceptions[id] !== recurringEventId;
      exceptions[id] = recurringEventId;
    } else if (known) {
      isChanged = true;
      delete exceptions[id];
    }
  }
  return isChanged;
}

/**
 * Start of later changes, in a sealed token. A token of an older release is rejected. `memory` is the id of the snapshot
 * of returned changed instances.
 */
function readTokenBasis(value: JsonValue | undefined) {
  const { kind, token, memory } = cursorFields(value);
  if (kind !== 'token' || typeof token !== 'string' || !isTextOrNull(memory)) throw tokenForeign();
  return { kind, token, memory };
}

function readWholePage(value: JsonValue): WholePage {
  const { kind, pageToken, size, after, basis } = cursorFields(value);
  if (kind !== 'whole' || !isTextOrNull(pageToken) || !isTextOrNull(after) || typeof size !== 'number') {
    throw tokenForeign();
  }
  return { kind, pageToken, size, after, basis: readTokenBasis(basis) };
}
