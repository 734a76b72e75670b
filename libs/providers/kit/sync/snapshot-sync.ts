import type { EventItem } from '#domain/events';
import type { AccountSession, ListEvents, Page } from '#domain/providers';
import type { SyncSnapshotStore } from '#domain/sync';
import type { JsonValue } from '#domain/system';
import type { KeptReads, SnapshotItem } from './kept-reads.js';
import {
  keyedPage,
  readKeyedPage,
  readSnapshotBasis,
  sliceAfter,
  tokenExpired,
  type SnapshotBasis,
} from './cursors.js';

/** Fields to read: `outline` has those that decide whether a read shows an event, and its version. */
export type Extent = 'whole' | 'outline';

/** A read that is paged by key and compared with its earlier state. */
export interface SnapshotView {
  scope: { applicationId: string; accountId: string; calendarId: string };
  /** False when an outline costs as much as the whole. */
  hasOutline: boolean;
  /** Returns all current items, each once, ordered by key. @throws DomainError ValidationFailed (too large) */
  items(extent: Extent): Promise<SnapshotItem[]>;
}

export function snapshotScope({ connection, id }: OpenedCalendar): SnapshotView['scope'] {
  const { applicationId, accountId } = connection.session;
  return { applicationId, accountId, calendarId: id };
}

interface OpenedCalendar {
  connection: { session: Pick<AccountSession, 'applicationId' | 'accountId'> };
  id: string;
}

/** Id → version, followed by the id of the series for an instance. */
type Entries = Record<string, string>;

/**
 * Finds changes of windows, filters and expanded series by comparison: providers do not report what a read no longer
 * shows. Each page adds its items to the snapshot, so the first sync reports changes between pages.
 */
export class SnapshotSync {
  constructor(
    private readonly snapshots: SyncSnapshotStore,
    private readonly reads: KeptReads,
  ) {}

  /** @throws DomainError SyncTokenExpired, ValidationFailed, PageTokenInvalid */
  read(view: SnapshotView, { pageSize, page, sync }: Omit<ListEvents, 'query'>): Promise<Page<EventItem>> {
    return sync === null ? this.page(view, { pageSize, page }) : this.changes(view, { pageSize, page, sync });
  }

  private async page(view: SnapshotView, { pageSize, page }: Pick<ListEvents, 'pageSize' | 'page'>) {
    const cursor = page === null ? null : readKeyedPage(page, readSnapshotBasis);
    const kept = this.keptPage(view, cursor, pageSize);
    const items = kept === undefined ? await view.items('whole') : [];
    const { given, last } = kept ?? sliceAfter(items, ({ key }) => key, cursor?.after ?? null, pageSize);
    const basis = await this.remember(view, cursor?.basis ?? null, (entries) => record(entries, given));
    if (kept === undefined && last !== null) await this.reads.keep(view.scope, basis.id, items);
    return keyedPage(
      given.map(({ item }) => item),
      last,
      basis,
    );
  }

  private keptPage({ scope }: SnapshotView, cursor: { after: string; basis: SnapshotBasis } | null, pageSize: number) {
    return cursor === null ? undefined : this.reads.page(scope, cursor.basis.id, cursor.after, pageSize);
  }

  private async changes(
    view: SnapshotView,
    { pageSize, page, sync }: Pick<ListEvents, 'pageSize' | 'page'> & { sync: JsonValue },
  ): Promise<Page<EventItem>> {
    const basis = readSnapshotBasis(sync);
    const cursor = page === null ? null : readKeyedPage(page, readSnapshotBasis);
    const before = (await this.snapshots.find(view.scope, basis.id))?.entries;
    if (before === undefined) throw tokenExpired();
    const kept = this.keptPage(view, cursor, pageSize);
    const first = cursor === null ? await view.items('outline') : null;
    if (first !== null && differences(before, first).length === 0) {
      return { items: [], nextPage: null, nextSync: basis };
    }
    const isRead = kept === undefined && (first === null || view.hasOutline);
    const now = isRead ? await view.items('whole') : (first ?? []);
    const changed = kept === undefined ? differences(before, now) : [];
    const { given, last } = kept ?? sliceAfter(changed, ({ key }) => key, cursor?.after ?? null, pageSize);
    // The first page fixes the state of all pages. The next sync reports changes between pages.
    const target = await this.remember(view, cursor?.basis ?? null, (entries) => {
      if (cursor === null) record(entries, now);
      for (const shown of given) {
        if (shown.version === GONE) delete entries[shown.item.id];
        else record(entries, [shown]);
      }
    });
    if (kept === undefined && last !== null) await this.reads.keep(view.scope, target.id, changed);
    return keyedPage(
      given.map(({ item }) => item),
      last,
      target,
    );
  }

  /** Reports no changes, and marks the token as used. @throws DomainError SyncTokenExpired */
  async unchanged({ scope }: Pick<SnapshotView, 'scope'>, sync: JsonValue): Promise<Page<EventItem>> {
    const found = await this.snapshots.find(scope, readSnapshotBasis(sync).id);
    if (found === null) throw tokenExpired();
    return { items: [], nextPage: null, nextSync: sync };
  }

  /** Without its snapshot the pages stay readable, but their sync token has expired. */
  private async remember(
    { scope }: SnapshotView,
    basis: SnapshotBasis | null,
    change: (entries: Entries) => void,
  ): Promise<SnapshotBasis> {
    const found = basis === null ? { entries: {}, changeTag: null } : await this.snapshots.find(scope, basis.id);
    if (basis === null || found === null) {
      const entries: Entries = {};
      change(entries);
      return basis ?? { kind: 'snapshot', id: await this.snapshots.save(scope, { entries, changeTag: null }) };
    }
    change(found.entries);
    await this.snapshots.replace(scope, basis.id, found);
    return basis;
  }
}

/** Version of an item that a read no longer shows. */
const GONE = '';

function record(entries: Entries, items: readonly SnapshotItem[]): void {
  for (const { item, version } of items) {
    entries[item.id] = item.recurringEventId === undefined ? version : `${version} ${item.recurringEventId}`;
  }
}

/** Returns changed and new items, and stubs of those that are gone, ordered by id. */
function differences(before: Entries, now: readonly SnapshotItem[]): SnapshotItem[] {
  const known = new Map(Object.entries(before));
  const differences: SnapshotItem[] = [];
  for (const shown of now) {
    const { id } = shown.item;
    if (known.get(id)?.split(' ')[0] !== shown.version) differences.push({ ...shown, key: id });
    known.delete(id);
  }
  for (const [id, entry] of known) {
    const recurringEventId = entry.split(' ')[1];
    const item = { id, isCancelled: true as const, ...(recurringEventId !== undefined && { recurringEventId }) };
    differences.push({ item, key: id, version: GONE });
  }
  return differences.sort((one, other) => (one.key < other.key ? -1 : 1));
}
