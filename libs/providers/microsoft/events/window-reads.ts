import {
  DomainError,
  type BoundedWindow,
  type EventItem,
  type JsonValue,
  type ListEvents,
  type Page,
  type SyncSnapshotStore,
} from '#domain';
import { ComparedReads, type ComparedView, tokenExpired } from '#providers/kit/sync';
import { GraphFault } from '../contract.js';
import { readWindowCursor } from './cursors.js';
import { widened } from './event-views.js';
import { MAX_GRAPH_PAGE, pathIn, walk, type OpenCalendar } from './open-calendar.js';
import { piecesOf, rangeQuery } from './instances.js';

/** Links of more pieces than these are too long for a token. A longer window is compared without asking what changed. */
const MAX_DELTAS = 2;
/** A delta takes no `$top`. */
const PAGES = { prefer: `odata.maxpagesize=${MAX_GRAPH_PAGE}` };
/** What Outlook says of a delta link that it has forgotten, beside status 410. */
const FORGOTTEN = new Set(['syncstatenotfound', 'syncstateinvalid', 'resyncrequired']);

/**
 * Reads of a window. Graph's delta says cheaply whether anything changed in or around it; what changed is found by
 * comparing: a delta says nothing of single instances that were deleted, and as much of events that never were in the
 * window as of those that left it (https://learn.microsoft.com/graph/delta-query-events).
 */
export class WindowReads {
  private readonly reads: ComparedReads;

  constructor(snapshots: SyncSnapshotStore) {
    this.reads = new ComparedReads(snapshots);
  }

  /** @throws DomainError ValidationFailed, PageTokenInvalid */
  async page(
    calendar: OpenCalendar,
    view: ComparedView,
    { query, pageSize, page }: Pick<ListEvents, 'pageSize' | 'page'> & { query: { window: BoundedWindow } },
  ): Promise<Page<EventItem>> {
    const cursor = page === null ? null : readWindowCursor(page);
    // Before the first page, so that what changes while pages are read is told by the first sync.
    const deltas = cursor?.deltas ?? (await startDeltas(calendar, query.window));
    return along(deltas, await this.reads.page(view, { pageSize, page: cursor?.at ?? null }));
  }

  /** @throws DomainError SyncTokenExpired, ValidationFailed, PageTokenInvalid */
  async changes(
    calendar: OpenCalendar,
    view: ComparedView,
    { pageSize, page, sync }: Pick<ListEvents, 'pageSize' | 'page'> & { sync: JsonValue },
  ): Promise<Page<EventItem>> {
    const since = readWindowCursor(sync);
    if (page !== null) {
      const cursor = readWindowCursor(page);
      return along(cursor.deltas, await this.reads.changes(view, { pageSize, page: cursor.at, sync: since.at }));
    }
    const { isChanged, deltas } = await changesSince(calendar, since.deltas);
    if (!isChanged) return along(deltas, await this.reads.unchanged(view, since.at));
    return along(deltas, await this.reads.changes(view, { pageSize, page: null, sync: since.at }));
  }
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
