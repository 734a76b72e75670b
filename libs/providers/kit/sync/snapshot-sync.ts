import type { EventItem } from '#domain/events';
import type { AccountSession, ListEvents, Page } from '#domain/providers';
import type { SyncSnapshotStore } from '#domain/sync';
import type { JsonValue } from '#domain/system';
import {
  keyedPage,
  readKeyedPage,
  readSnapshotBasis,
  sliceAfter,
  tokenExpired,
  type SnapshotBasis,
} from './cursors.js';

export interface SnapshotItem {
  item: EventItem;
  /** Sorts in the order of the read. */
  key: string;
  /** Without spaces. */
  version: string;
}

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
  constructor(private readonly snapshots: SyncSnapshotStore) {}

  /** @throws DomainError SyncTokenExpired, ValidationFailed, PageTokenInvalid */
  read(view: SnapshotView, { pageSize, page, sync }: Omit<ListEvents, 'query'>): Promise<Page<EventItem>> {
    return sync === null ? this.page(view, { pageSize, page }) : this.changes(view, { pageSize, page, sync });
  }

  private async page(view: SnapshotView, { pageSize, page }: Pick<ListEvents, 'pageSize' | 'page'>) {
    const cursor = page === null ? null : readKeyedPage(page, readSnapshotBasis);
    const items = await view.items('whole');
    const { given, last } = sliceAfter(items, ({ key }) => key, cursor?.after ?? null, pageSize);
    const basis = await this.remember(view, cursor?.basis ?? null, (entries) => note(entries, given));
    return keyedPage(
      given.map(({ item }) => item),
      last,
      basis,
    );
  }

  private async changes(
    view: SnapshotView,
    { pageSize, page, sync }: Pick<ListEvents, 'pageSize' | 'page'> & { sync: JsonValue },
  ): Promise<Page<EventItem>> {
    const basis = readSnapshotBasis(sync);
    const cursor = page === null ? null : readKeyedPage(page, readSnapshotBasis);
    const before = (await this.snapshots.find(view.scope, basis.id))?.entries;
    if (before === undefined) throw tokenExpired();
    const first = cursor === null ? await view.items('outline') : null;
    if (first !== null && differences(before, first).length === 0) {
      return { items: [], nextPage: null, nextSync: basis };
    }
    const now = first === null || view.hasOutline ? await view.items('whole') : first;
    const { given, last } = sliceAfter(differences(before, now), ({ id }) => id, cursor?.after ?? null, pageSize);
    // The first page fixes the state of all pages. The next sync reports changes between pages.
    const target = await this.remember(view, cursor?.basis ?? null, (entries) => {
      if (cursor === null) note(entries, now);
      for (const { id, shown } of given) {
        if (shown === null) delete entries[id];
        else note(entries, [shown]);
      }
    });
    return keyedPage(given.map(toItem), last, target);
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

interface Difference {
  id: string;
  shown: SnapshotItem | null;
  seriesId: string | null;
}

function note(entries: Entries, items: readonly SnapshotItem[]): void {
  for (const { item, version } of items) {
    entries[item.id] = item.recurringEventId === undefined ? version : `${version} ${item.recurringEventId}`;
  }
}

function differences(before: Entries, now: readonly SnapshotItem[]): Difference[] {
  const known = new Map(Object.entries(before));
  const differences: Difference[] = [];
  for (const shown of now) {
    const { id } = shown.item;
    if (known.get(id)?.split(' ')[0] !== shown.version) differences.push({ id, shown, seriesId: null });
    known.delete(id);
  }
  for (const [id, entry] of known) differences.push({ id, shown: null, seriesId: entry.split(' ')[1] ?? null });
  return differences.sort((one, other) => (one.id < other.id ? -1 : 1));
}

function toItem({ id, shown, seriesId }: Difference): EventItem {
  if (shown !== null) return shown.item;
  return { id, isCancelled: true, ...(seriesId !== null && { recurringEventId: seriesId }) };
}
