import { DomainError, type BoundedWindow, type EventItem, type JsonValue, type ListEvents, type Page } from '#domain';
import { areTexts, ComparedReads, cursorFields, tokenExpired, tokenForeign } from '#providers/kit/sync';
import { GraphFault } from '../errors.js';
import { widened, windowView, type WindowQuery } from './event-views.js';
import { piecesOf, rangeQuery } from './instances.js';
import { MAX_GRAPH_PAGE, pathIn, walk, type OpenCalendar } from './open-calendar.js';

/** Links of more pieces than these are too long for a token. A longer window is compared without asking what changed. */
const MAX_DELTAS = 2;
/** A delta takes no `$top`. */
const PAGES = { prefer: `odata.maxpagesize=${MAX_GRAPH_PAGE}` };
/** What Outlook says of a delta link that it has forgotten, beside status 410. */
const FORGOTTEN = new Set(['syncstatenotfound', 'syncstateinvalid', 'resyncrequired']);

/** Where a page or the changes of a window go on. */
interface WindowCursor {
  kind: 'window';
  /** Where Graph tells changes of each piece of the window from. Links are without their origin: see `stateOf`. */
  deltas: string[];
  /** Of the read that is compared. */
  at: JsonValue;
}

/**
 * Reads a window. Graph's delta says cheaply whether anything changed in or around it; what changed is found by
 * comparing: a delta says nothing of single instances that were deleted, and as much of events that never were in the
 * window as of those that left it (https://learn.microsoft.com/graph/delta-query-events).
 * @throws DomainError ValidationFailed, PageTokenInvalid
 */
export async function windowPage(
  calendar: OpenCalendar,
  query: WindowQuery,
  { pageSize, page }: Pick<ListEvents, 'pageSize' | 'page'>,
): Promise<Page<EventItem>> {
  const cursor = page === null ? null : readCursor(page);
  // Before the first page, so that what changes while pages are read is told by the first sync.
  const deltas = cursor?.deltas ?? (await startDeltas(calendar, query.window));
  const compared = new ComparedReads(calendar.connection.snapshots);
  return along(deltas, await compared.page(windowView(calendar, query), { pageSize, page: cursor?.at ?? null }));
}

/** @throws DomainError SyncTokenExpired, ValidationFailed, PageTokenInvalid */
export async function windowChanges(
  calendar: OpenCalendar,
  query: WindowQuery,
  { pageSize, page, sync }: Pick<ListEvents, 'pageSize' | 'page'> & { sync: JsonValue },
): Promise<Page<EventItem>> {
  const since = readCursor(sync);
  const view = windowView(calendar, query);
  const compared = new ComparedReads(calendar.connection.snapshots);
  if (page !== null) {
    const cursor = readCursor(page);
    return along(cursor.deltas, await compared.changes(view, { pageSize, page: cursor.at, sync: since.at }));
  }
  const { isChanged, deltas } = await changesSince(calendar, since.deltas);
  if (!isChanged) return along(deltas, await compared.unchanged(view, since.at));
  return along(deltas, await compared.changes(view, { pageSize, page: null, sync: since.at }));
}

async function startDeltas(calendar: OpenCalendar, window: BoundedWindow): Promise<string[]> {
  const deltas: string[] = [];
  const pieces = piecesOf(widened(window));
  if (pieces.length > MAX_DELTAS) return deltas;
  for (const piece of pieces) {
    const path = `${pathIn(calendar, 'calendarView')}/delta`;
    const call = { method: 'GET', path, query: rangeQuery(piece), headers: PAGES } as const;
    const { delta } = await walk(calendar, () => calendar.connection.call('read', call), PAGES);
    if (delta === null)
      throw new DomainError('ProviderUnavailable', 'Microsoft ended a round of changes without a link.');
    deltas.push(delta);
  }
  return deltas;
}

async function changesSince(
  calendar: OpenCalendar,
  states: readonly string[],
): Promise<{ isChanged: boolean; deltas: string[] }> {
  const deltas: string[] = [];
  let isChanged = states.length === 0;
  try {
    for (const state of states) {
      const { rows, delta } = await walk(calendar, () => calendar.connection.follow(state, PAGES), PAGES);
      isChanged ||= rows.length > 0;
      deltas.push(delta ?? state);
    }
  } catch (error) {
    if (error instanceof GraphFault && isForgotten(error)) throw tokenExpired();
    throw error;
  }
  return { isChanged, deltas };
}

function isForgotten({ status, code }: GraphFault): boolean {
  return status === 410 || FORGOTTEN.has((code ?? '').toLowerCase());
}

function along(deltas: string[], { items, nextPage, nextSync }: Page<EventItem>): Page<EventItem> {
  const cursor = (at: JsonValue | null) => (at === null ? null : { kind: 'window', deltas, at });
  return { items, nextPage: cursor(nextPage), nextSync: cursor(nextSync) };
}

function readCursor(value: JsonValue): WindowCursor {
  const { kind, deltas, at } = cursorFields(value);
  if (kind !== 'window' || !areTexts(deltas) || at === undefined) throw tokenForeign();
  return { kind, deltas, at };
}
