import {
  type CancelledEvent,
  type EventItem,
  type EventQuery,
  type ListEvents,
  type Page,
  type SyncSnapshot,
} from '#domain';
import { changeTag } from './change-tag.js';
import {
  isPending,
  readBasis,
  readChangesCursor,
  type ChangesCursor,
  type PagePosition,
  type SyncBasis,
} from './cursors.js';
import { decodeDelivered, encodeDelivered } from './delivered.js';
import { EventSource, type EventOperationsDeps, type OpenCalendar } from './event-source.js';
import type { RangeCandidates } from './range-candidates.js';
import { fingerprint, loadResources, type ListedResource } from './resources.js';
import { changesSince, tokenExpired } from './sync-collection.js';

/** Incremental reads: what changed in a calendar since a sync token. */
export class EventChanges {
  constructor(
    private readonly deps: EventOperationsDeps,
    private readonly candidates: RangeCandidates,
  ) {}

  /** @throws DomainError SyncTokenExpired, PageTokenInvalid */
  async page(
    calendar: OpenCalendar,
    { query, pageSize, page, sync }: ListEvents & { sync: NonNullable<ListEvents['sync']> },
  ): Promise<Page<EventItem>> {
    const basis = readBasis(sync);
    const cursor = page === null ? null : readChangesCursor(page);
    return basis.kind === 'token'
      ? this.sinceToken(calendar, query, pageSize, basis.token, cursor)
      : this.sinceSnapshot(calendar, query, pageSize, basis.id, cursor);
  }

  private async sinceToken(
    calendar: OpenCalendar,
    query: EventQuery,
    pageSize: number,
    token: string,
    cursor: ChangesCursor | null,
  ): Promise<Page<EventItem>> {
    const changes = await changesSince(calendar.connection, calendar.collection, token);
    // Later pages ask again from the same token and go on by name; the token handed out is that of the first page, so
    // that what changed in the meantime is told by the next sync.
    const target: SyncBasis = cursor?.target ?? { kind: 'token', token: changes.token };
    const steps = [
      ...changes.changed.map((resource) => ({ id: resource.id, resource })),
      ...changes.removed.map((id) => ({ id, resource: null })),
    ];
    const source = new EventSource(this.deps, calendar);
    return this.tell(calendar, source, query, steps, pageSize, cursor, target, () => {});
  }

  private async sinceSnapshot(
    calendar: OpenCalendar,
    query: EventQuery,
    pageSize: number,
    snapshotId: string,
    cursor: ChangesCursor | null,
  ): Promise<Page<EventItem>> {
    const source = new EventSource(this.deps, calendar);
    const scope = source.storeScope();
    const before = await this.deps.snapshots.find(scope, snapshotId);
    if (before === null) throw tokenExpired();
    const tag = await changeTag(calendar.connection, calendar.collection);
    const unchanged: SyncBasis = { kind: 'snapshot', id: snapshotId };
    if (tag !== null && tag === before.changeTag && cursor === null) {
      return { items: [], nextPage: null, nextSync: { ...unchanged } };
    }
    const listing = await this.candidates.list(calendar, query.window);
    const steps = differences(before, listing);
    if (steps.length === 0 && cursor === null) return { items: [], nextPage: null, nextSync: { ...unchanged } };

    const target = cursor?.target ?? null;
    const found = target?.kind === 'snapshot' ? await this.deps.snapshots.find(scope, target.id) : null;
    if (target !== null && found === null) throw tokenExpired();
    const after: SyncSnapshot = found ?? { entries: { ...before.entries }, changeTag: tag };
    const id = target?.kind === 'snapshot' ? target.id : await this.deps.snapshots.save(scope, after);
    const page = await this.tell(
      calendar,
      source,
      query,
      steps,
      pageSize,
      cursor,
      { kind: 'snapshot', id },
      (resourceId, version, items) => {
        if (version === null) delete after.entries[resourceId];
        else after.entries[resourceId] = encodeDelivered(resourceId, version, items);
      },
      before,
    );
    await this.deps.snapshots.replace(scope, id, after);
    return page;
  }

  /** Tells resources in order of their ids, one item further than the page, so that no page comes out empty. */
  private async tell(
    calendar: OpenCalendar,
    source: EventSource,
    query: EventQuery,
    steps: { id: string; resource: ListedResource | null }[],
    pageSize: number,
    position: PagePosition | null,
    target: SyncBasis,
    note: (resourceId: string, version: string | null, items: readonly EventItem[]) => void,
    before: SyncSnapshot | null = null,
  ): Promise<Page<EventItem>> {
    const pending = steps
      .filter(({ id }) => position === null || isPending(id, position))
      .sort((one, other) => (one.id < other.id ? -1 : 1));
    const items: EventItem[] = [];
    let done: PagePosition = { after: '', skip: null };
    const cutAt = (next: PagePosition): Page<EventItem> => ({
      items,
      nextPage: { ...next, target: { ...target } },
      nextSync: null,
    });
    for (let at = 0; at < pending.length; at += BATCH) {
      const batch = pending.slice(at, at + BATCH);
      const told = await this.load(calendar, source, query, batch, before);
      for (const { id } of batch) {
        const part = told.get(id);
        if (part === undefined) continue;
        const from = position?.after === id ? (position.skip ?? 0) : 0;
        const room = pageSize - items.length;
        if (room === 0 && part.items.length > from) return cutAt(done);
        items.push(...part.items.slice(from, from + room));
        note(id, part.version, part.items);
        if (part.items.length > from + room) return cutAt({ after: id, skip: from + room });
        done = { after: id, skip: null };
      }
    }
    return { items, nextPage: null, nextSync: { ...target } };
  }

  private async load(
    calendar: OpenCalendar,
    source: EventSource,
    query: EventQuery,
    batch: { id: string; resource: ListedResource | null }[],
    before: SyncSnapshot | null,
  ): Promise<Map<string, { items: EventItem[]; version: string | null }>> {
    const told = new Map<string, { items: EventItem[]; version: string | null }>();
    for (const { id } of batch) told.set(id, { items: gone(id, [], before), version: null });
    const listed = batch.flatMap(({ resource }) => resource ?? []);
    for await (const loaded of loadResources(calendar.connection, calendar.collection, listed, listed.length)) {
      const properties = await source.privateProperties(loaded);
      for (const resource of loaded) {
        const version = fingerprint(resource);
        const known = before?.entries[resource.id];
        if (known !== undefined && decodeDelivered(resource.id, known).fingerprint === version) {
          // Listed without a version (no ETag), and its body says that nothing changed.
          told.delete(resource.id);
          continue;
        }
        const items = source.changedItems(resource, query, properties);
        if (items === undefined) told.delete(resource.id);
        else told.set(resource.id, { items: [...items, ...gone(resource.id, items, before)], version });
      }
    }
    return told;
  }
}

const BATCH = 50;

/** Resources that are new, have another version, or are no longer there. */
function differences(
  before: SyncSnapshot,
  listing: readonly ListedResource[],
): { id: string; resource: ListedResource | null }[] {
  const listed = new Set(listing.map(({ id }) => id));
  const changed = listing.filter(({ id, etag }) => {
    const known = before.entries[id];
    return known === undefined || etag === null || decodeDelivered(id, known).fingerprint !== etag;
  });
  const removed = Object.keys(before.entries).filter((id) => !listed.has(id));
  return [
    ...changed.map((resource) => ({ id: resource.id, resource })),
    ...removed.map((id) => ({ id, resource: null })),
  ];
}

/** Stubs for what was given out of a resource before and is not told now. Without a memory, for the resource itself. */
function gone(resourceId: string, items: readonly EventItem[], before: SyncSnapshot | null): CancelledEvent[] {
  const told = new Set(items.map(({ id }) => id));
  const entry = before?.entries[resourceId];
  const delivered = before === null ? [resourceId] : entry === undefined ? [] : decodeDelivered(resourceId, entry).ids;
  return delivered
    .filter((id) => !told.has(id))
    .map((id) => ({ id, isCancelled: true, ...(id !== resourceId && { recurringEventId: resourceId }) }));
}
