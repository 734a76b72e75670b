import { randomUUID } from 'node:crypto';
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
  type SnapshotItem,
} from '#providers/kit/sync';
import { MAX_GOOGLE_PAGE } from '../account-client.js';
import { GoogleApiError } from '../errors.js';
import { toEventItem } from './event-mapper.js';
import { exceptionsOf } from './exceptions.js';
import type { GoogleEvent } from './google-event.js';
import { listEvents, walk, type GooglePage, type ReadableCalendar } from './open-calendar.js';

/** Id of a returned changed instance → its series. */
type Exceptions = Record<string, string>;

type TokenBasis = ReturnType<typeof readTokenBasis>;

/**
 * A place in a page of Google's, which is as large as Google allows and given out in several of ours. The process keeps
 * it ({@link KeptReads}); another process reads it again.
 */
interface WholePage {
  kind: 'whole';
  /** Id of the kept page. */
  read: string;
  /** null for the first page. */
  pageToken: string | null;
  /** Of Google's next page, null at the end. */
  following: string | null;
  /** Key of the last returned event in the kept page, and its id, which finds it when the page is read again. */
  after: { key: string; id: string } | null;
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
  const begun = page === null ? await start(calendar) : { at: readWholePage(page), read: null };
  if (begun === null) return null;
  const { at, given, isEnd } =
    keptPart(calendar, begun.at, pageSize) ??
    (await freshPart(
      calendar,
      begun.at,
      begun.read ?? (await firstWithEvents(calendar, begun.at.pageToken)),
      pageSize,
    ));
  const basis = await remember(calendar, at.basis, null, (exceptions) => recordExceptions(exceptions, given));
  const next = isEnd ? await behind(calendar, at) : at;
  return next === null
    ? { items: given, nextPage: null, nextSync: basis }
    : { items: given, nextPage: { ...next, basis }, nextSync: null };
}

/** The next events, and the place behind them. */
interface Part {
  given: EventItem[];
  at: WholePage;
  /** Whether they end Google's page. */
  isEnd: boolean;
}

function keptPart(calendar: ReadableCalendar, at: WholePage, pageSize: number): Part | undefined {
  const kept = calendar.connection.reads.page(snapshotScope(calendar), at.read, at.after?.key ?? '', pageSize);
  if (kept === undefined) return undefined;
  const { given, last } = kept;
  return partOf(at, given, last === null);
}

/** Keeps what is not given yet. */
async function freshPart(
  calendar: ReadableCalendar,
  at: WholePage,
  { pageToken, following, items }: ReadPage,
  pageSize: number,
): Promise<Part> {
  // Where that event is gone, the page is given again: a sync tells of a change, but not of an event that was left out.
  const from = items.findIndex(({ item }) => item.id === at.after?.id) + 1;
  const given = items.slice(from, from + pageSize);
  const isEnd = from + pageSize >= items.length;
  const read = isEnd ? at.read : await keepPage(calendar, items);
  return partOf({ ...at, read, pageToken, following }, given, isEnd);
}

function partOf(at: WholePage, given: readonly SnapshotItem[], isEnd: boolean): Part {
  const last = given.at(-1);
  const after = last === undefined ? at.after : { key: last.key, id: last.item.id };
  return { given: given.map(({ item }) => item), at: { ...at, after }, isEnd };
}

/**
 * Reads the changes once and keeps them for later pages. The next sync uses the token of the first page.
 * @throws DomainError SyncTokenExpired, PageTokenInvalid
 */
export async function wholeCalendarChanges(
  calendar: ReadableCalendar,
  { pageSize, page, sync }: Pick<ListEvents, 'pageSize' | 'page'> & { sync: JsonValue },
): Promise<Page<EventItem>> {
  const basis = readTokenBasis(sync);
  const cursor = page === null ? null : readKeyedPage(page, readTokenBasis);
  const { given, last, target } =
    (cursor === null ? undefined : keptChanges(calendar, basis, cursor, pageSize)) ??
    (await freshChanges(calendar, basis, cursor, pageSize));
  const items = given.map(({ item }) => item);
  return keyedPage(
    items,
    last,
    await remember(calendar, target, basis.memory, (exceptions) => recordExceptions(exceptions, items)),
  );
}

type ChangesCursor = ReturnType<typeof readKeyedPage<TokenBasis>>;

function keptChanges(
  calendar: ReadableCalendar,
  basis: TokenBasis,
  { after, basis: target }: ChangesCursor,
  size: number,
) {
  const kept = calendar.connection.reads.page(snapshotScope(calendar), changesId(basis, target), after, size);
  return kept === undefined ? undefined : { ...kept, target };
}

/** Keeps what is not given yet. */
async function freshChanges(calendar: ReadableCalendar, basis: TokenBasis, cursor: ChangesCursor | null, size: number) {
  const { token, changed } = await readChanges(calendar, basis);
  const target = cursor?.basis ?? { kind: 'token' as const, token, memory: basis.memory };
  const part = sliceAfter(changed, ({ key }) => key, cursor?.after ?? null, size);
  if (part.last !== null) {
    await calendar.connection.reads.keep(snapshotScope(calendar), changesId(basis, target), changed);
  }
  return { ...part, target };
}

function changesId(from: TokenBasis, to: TokenBasis): string {
  return JSON.stringify(['changes', from.token, to.token]);
}

async function readChanges(calendar: ReadableCalendar, basis: TokenBasis) {
  const { events, token } = await changesSince(calendar, basis.token);
  const before = await recall(calendar, basis.memory);
  if (before === null) throw tokenExpired();
  const items = await changedItems(calendar, events, before);
  return { token, changed: items.map((item): SnapshotItem => ({ item, key: item.id, version: '' })) };
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
async function start(calendar: ReadableCalendar): Promise<{ at: WholePage; read: ReadPage | null } | null> {
  const first = await fetchPage(calendar, undefined);
  const { delta } =
    first.next === null
      ? first
      : await walk(calendar, ({ pageToken }) =>
          listEvents(calendar, { pageToken, maxResults: MAX_GOOGLE_PAGE, fields: 'nextPageToken,nextSyncToken' }),
        );
  if (delta === null) return null;
  const basis: TokenBasis = { kind: 'token', token: delta, memory: null };
  const at: WholePage = { kind: 'whole', read: '', pageToken: null, following: null, after: null, basis };
  return { at, read: first.next === null ? toReadPage(calendar, null, first) : null };
}

/** A page of Google's, in its order. */
interface ReadPage extends Pick<WholePage, 'pageToken' | 'following'> {
  items: SnapshotItem[];
}

function toReadPage(calendar: ReadableCalendar, pageToken: string | null, { rows, next }: GooglePage): ReadPage {
  const items = rows
    .flatMap((event) => toEventItem(event, calendar.facts))
    .map((item, place) => ({ item, key: String(place).padStart(6, '0'), version: '' }));
  return { pageToken, following: next, items };
}

/** Google may send pages without events. */
async function firstWithEvents(calendar: ReadableCalendar, pageToken: string | null): Promise<ReadPage> {
  for (let token = pageToken; ;) {
    const page = toReadPage(calendar, token, await fetchPage(calendar, token ?? undefined));
    if (page.items.length > 0 || page.following === null) return page;
    token = page.following;
  }
}

/** Reads the next page of Google's and keeps it. Returns null at the end, even when Google names a next page. */
async function behind(calendar: ReadableCalendar, at: WholePage): Promise<WholePage | null> {
  if (at.following === null) return null;
  const { items, ...page } = await firstWithEvents(calendar, at.following);
  if (items.length === 0) return null;
  return { ...at, ...page, read: await keepPage(calendar, items), after: null };
}

/** @returns id of the kept page */
async function keepPage(calendar: ReadableCalendar, items: readonly SnapshotItem[]): Promise<string> {
  const read = randomUUID();
  await calendar.connection.reads.keep(snapshotScope(calendar), read, items);
  return read;
}

/** Google ties a sync token to the parameters of its read, the page size included (events.list, syncToken). */
async function fetchPage(calendar: ReadableCalendar, pageToken: string | undefined): Promise<GooglePage> {
  try {
    const { pageSize } = calendar.connection;
    return await pageSize.fitting((maxResults) => listEvents(calendar, { maxResults, pageToken }));
  } catch (error) {
    if (pageToken === undefined || !(error instanceof GoogleApiError)) throw error;
    if (error.status !== 400 && error.status !== 410) throw error;
    throw new DomainError('PageTokenInvalid', 'The page token is no longer valid. Start the read again.');
  }
}

/** @throws DomainError SyncTokenExpired for 410 `fullSyncRequired`, and for 400 on an unreadable token */
async function changesSince(calendar: ReadableCalendar, syncToken: string) {
  try {
    const { rows, delta } = await walk(calendar, (page) => listEvents(calendar, { ...page, syncToken }));
    return { events: rows, token: delta ?? syncToken };
  } catch (error) {
    const isRejected = error instanceof GoogleApiError && (error.status === 410 || error.status === 400);
    // Too many changes (ValidationFailed) need a full read, too.
    if (isRejected || (error instanceof DomainError && error.code === 'ValidationFailed')) throw tokenExpired();
    throw error;
  }
}

/** @returns whether anything changed */
function recordExceptions(exceptions: Exceptions, items: readonly EventItem[]): boolean {
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
  const { kind, read, pageToken, following, after, basis } = cursorFields(value);
  if (kind !== 'whole' || typeof read !== 'string' || !isTextOrNull(pageToken) || !isTextOrNull(following)) {
    throw tokenForeign();
  }
  return {
    kind,
    read,
    pageToken,
    following,
    after: after === null ? null : readPlace(after),
    basis: readTokenBasis(basis),
  };
}

function readPlace(value: JsonValue | undefined): WholePage['after'] {
  const { key, id } = cursorFields(value);
  if (typeof key !== 'string' || typeof id !== 'string') throw tokenForeign();
  return { key, id };
}
