import { LRUCache } from 'lru-cache';
import type { CalendarEvent, EventItem } from '#domain/events';
import type { EventQuery, ListEvents, Page } from '#domain/providers';
import type { SyncSnapshot } from '#domain/sync';
import { DomainError, invalid } from '#domain/system';
import { sortKey } from '#providers/kit/events';
import { CollectedRead, type KeptReads } from '#providers/kit/sync';
import {
  decodeSnapshotEntry,
  encodeSnapshotEntry,
  givenOn,
  isPending,
  readListCursor,
  readOrderedCursor,
  type PagePosition,
  type SyncBasis,
  UNFINISHED,
} from './cursors.js';
import type { DavCalendarHandle } from '../account-client.js';
import { EventSource, scopeOf, type EventOperationsDeps } from './event-source.js';
import type { RangeCandidates } from './range-candidates.js';
import { OrderedPage, PageRoom } from './page-room.js';
import { fingerprint, unlessTooLarge, type ListedResource, type LoadedResource } from './resources.js';
import type { ServerFacts } from '../server-facts.js';
import { changesSince, initialSync, type CollectionChanges } from './sync-collection.js';

/** Maximum number of resources read for one page, because a filter may match almost nothing. */
const MAX_SCANNED = 5_000;
/** An ordered read needs all resources before its first page. */
const MAX_ORDERED_RESOURCES = 5_000;
/** Events and occurrences of an ordered read: a few series over decades equal many events. */
const MAX_ORDERED_EVENTS = 25_000;
/** Time before a server that rejected sync-collection is asked again. */
const REJECTION_KEPT_MS = 3_600_000;
const MAX_REJECTIONS = 10_000;
const LISTING_KEPT_MS = 60_000;
const MAX_LISTINGS = 32;
/** Resources in all cached listings together. */
const MAX_LISTED = 200_000;

/** `snapshot`: items of earlier pages to remember; null when it has expired. `basis`: null until the first page saves it. */
type OpenedRead = Listing &
  ({ basis: SyncBasis; snapshot: SyncSnapshot | null } | { basis: null; snapshot: SyncSnapshot });

interface Listing {
  resources: ListedResource[];
  /** Ids of those that changed after the sync token. */
  laterIds: ReadonlySet<string>;
}

/** Reads a calendar in full, page by page. Takes the sync basis before the first listing, so no change is missed. */
export class EventLists {
  private readonly rejectsSync: LRUCache<string, true>;
  /** Listings of multi-page reads. A miss only costs another listing, because pages continue by name. */
  private readonly listings: LRUCache<string, Listing>;

  constructor(
    private readonly deps: EventOperationsDeps,
    private readonly candidates: RangeCandidates,
    private readonly facts: ServerFacts,
    private readonly reads: KeptReads,
  ) {
    const clock = { ttlResolution: 0, perf: { now: () => deps.nowMs() } };
    this.rejectsSync = new LRUCache({ max: MAX_REJECTIONS, ttl: REJECTION_KEPT_MS, ...clock });
    this.listings = new LRUCache({
      max: MAX_LISTINGS,
      maxSize: MAX_LISTED,
      sizeCalculation: ({ resources }) => resources.length + 1,
      ttl: LISTING_KEPT_MS,
      ...clock,
    });
  }

  /** @throws DomainError ValidationFailed (too large to be ordered, not expandable), PageTokenInvalid */
  page(calendar: DavCalendarHandle, list: ListEvents): Promise<Page<EventItem>> {
    return list.query.orderBy === null ? this.plainPage(calendar, list) : this.orderedPage(calendar, list);
  }

  private async plainPage(
    calendar: DavCalendarHandle,
    { query, pageSize, page: token }: ListEvents,
  ): Promise<Page<EventItem>> {
    const source = new EventSource(this.deps, calendar);
    const cursor = token === null ? null : readListCursor(token);
    const read = await (cursor === null ? this.start(calendar, query) : this.resume(calendar, query, cursor.basis));
    const pending = cursor === null ? read.resources : read.resources.filter(({ id }) => isPending(id, cursor));
    const items: CalendarEvent[] = [];
    let done: PagePosition = { after: '', skip: null };
    let next: PagePosition | null = null;
    let scanned = 0;
    const page = new PageRoom(pageSize);
    for await (const { resource, events } of source.shown(pending, query, pageSize + 1)) {
      const from = cursor?.after === resource.id ? (cursor.skip ?? 0) : 0;
      const room = page.take(events, from, { length: resource.text.length });
      items.push(...events.slice(from, from + room));
      if (events.length > from + room) {
        // The item beyond the page starts the next page, so that no page is empty.
        next = room > 0 ? { after: resource.id, skip: from + room } : done;
        if (room > 0) this.remember(read, resource, events);
        break;
      }
      this.remember(read, resource, events);
      done = { after: resource.id, skip: null };
      scanned += 1;
      if (scanned >= MAX_SCANNED && pending.length > scanned) {
        next = done;
        break;
      }
    }
    const basis = await this.keep(calendar, read);
    if (cursor === null && next !== null) this.keepListing(calendar, query, basis, read);
    return toPage(items, next, basis);
  }

  private async orderedPage(
    calendar: DavCalendarHandle,
    { query, pageSize, page }: ListEvents,
  ): Promise<Page<EventItem>> {
    const source = new EventSource(this.deps, calendar);
    const cursor = page === null ? null : readOrderedCursor(page);
    const scope = scopeOf(calendar);
    if (cursor !== null) {
      const kept = this.reads.page(scope, readIdOf(query, cursor.basis), cursor.afterKey, pageSize);
      if (kept !== undefined) {
        const items = kept.given.map(({ item }) => item);
        return toPage(items, kept.last === null ? null : { afterKey: kept.last }, cursor.basis);
      }
    }
    const whole = new CollectedRead();
    const read = await (cursor === null ? this.start(calendar, query) : this.resume(calendar, query, cursor.basis));
    assertOrderable(read.resources.length, MAX_ORDERED_RESOURCES);
    let seen = 0;
    const ordered = new OrderedPage(pageSize, cursor?.afterKey ?? null);
    for await (const { resource, events } of source.shown(read.resources, query)) {
      seen += events.length;
      assertOrderable(seen, MAX_ORDERED_EVENTS);
      this.remember(read, resource, events);
      const text = { length: resource.text.length };
      const keyed = events.map((event) => ({
        key: sortKey(event, query.orderBy, source.calendarTimeZone),
        event,
        text,
      }));
      for (const { key, event } of keyed) whole.add({ key, item: event, version: '' });
      await ordered.add(keyed);
    }
    const { items, nextAfterKey } = await ordered.end();
    const next = nextAfterKey === null ? null : { afterKey: nextAfterKey };
    const basis = await this.keep(calendar, read);
    if (next !== null) {
      if (whole.items === null) this.keepListing(calendar, query, basis, read);
      else await this.reads.keepCollected(scope, readIdOf(query, basis), whole);
    }
    return toPage(items, next, basis);
  }

  private async start(calendar: DavCalendarHandle, query: EventQuery): Promise<OpenedRead> {
    // Only a read without a window may continue from the server's token, which knows no windows.
    const { window, expandRecurrences } = query;
    const isWholeCalendar = window.startMs === null && window.endMs === null && !expandRecurrences;
    if (isWholeCalendar && this.mayHaveSyncCollection(calendar)) {
      const initial = await this.initial(calendar);
      if (initial !== null) {
        const basis: SyncBasis = { kind: 'token', token: initial.token, givenMs: givenOn(this.deps.nowMs()) };
        return { resources: initial.changed, laterIds: new Set(), basis, snapshot: { entries: {}, changeTag: null } };
      }
      this.rejectsSync.set(this.collectionKey(calendar), true);
    }
    // An older tag than the listing makes the first sync compare, and misses nothing.
    const snapshot: SyncSnapshot = { entries: {}, changeTag: calendar.collection.changeTag };
    const resources = await this.candidates.list(calendar, window, true);
    return { resources, laterIds: new Set(), basis: null, snapshot };
  }

  /** Reads a small collection together with its bodies. */
  private async initial(calendar: DavCalendarHandle): Promise<CollectionChanges | null> {
    let initial: CollectionChanges | null = null;
    if (this.facts.isSmall(calendar)) {
      initial = await unlessTooLarge(initialSync(calendar, true));
      if (initial === null) this.facts.recordBodiesTooLarge(calendar);
    }
    initial ??= await initialSync(calendar);
    if (initial !== null) this.facts.recordSize(calendar, initial.changed.length);
    return initial;
  }

  /** Keeps a listing for later pages, without bodies. */
  private keepListing(
    calendar: DavCalendarHandle,
    query: EventQuery,
    basis: SyncBasis,
    { resources, laterIds }: Listing,
  ): void {
    this.listings.set(this.listingKey(calendar, query, basis), {
      resources: resources.map(({ id, href, etag }) => ({ id, href, etag })),
      laterIds,
    });
  }

  private async resume(calendar: DavCalendarHandle, query: EventQuery, basis: SyncBasis): Promise<OpenedRead> {
    const key = this.listingKey(calendar, query, basis);
    let listing = this.listings.get(key);
    if (listing === undefined) {
      listing = await this.listAgain(calendar, query, basis);
      if (query.orderBy === null) this.keepListing(calendar, query, basis, listing);
    }
    const id = basis.kind === 'token' ? basis.memory : basis.id;
    if (id === undefined) return { ...listing, basis, snapshot: { entries: {}, changeTag: null } };
    // Without the snapshot the pages stay readable; only their final sync token is then expired.
    return { ...listing, basis, snapshot: await this.deps.snapshots.find(scopeOf(calendar), id) };
  }

  private async listAgain(calendar: DavCalendarHandle, query: EventQuery, basis: SyncBasis): Promise<Listing> {
    // An ordered read needs all objects again, any other one those of its page.
    const isOrdered = query.orderBy !== null;
    const sync = () => (isOrdered ? this.initial(calendar) : initialSync(calendar));
    const initial = basis.kind === 'token' ? await sync() : null;
    const resources = initial?.changed ?? (await this.candidates.list(calendar, query.window, isOrdered));
    return { resources, laterIds: basis.kind === 'token' ? await idsSince(calendar, basis.token) : new Set() };
  }

  /**
   * A resource that changes between two of its pages keeps the ids of both versions. One that is newer than the sync
   * token is remembered, because the server may not tell that it was made and deleted since.
   */
  private remember(read: OpenedRead, resource: LoadedResource, shown: readonly EventItem[]): void {
    const { basis, snapshot, laterIds } = read;
    const { id } = resource;
    const isLater = laterIds.has(id);
    if (snapshot === null) return;
    if (basis?.kind === 'token' && !isLater && !shown.some((event) => event.id !== id)) return;
    const written = snapshot.entries[id];
    const earlier = written === undefined ? null : decodeSnapshotEntry(id, written);
    const version = fingerprint(resource);
    const isWhole = !isLater && (earlier === null || earlier.fingerprint === version);
    const before = (earlier?.ids ?? []).map((earlierId) => ({ id: earlierId, isCancelled: false }));
    snapshot.entries[id] = encodeSnapshotEntry(id, isWhole ? version : UNFINISHED, [...before, ...shown]);
  }

  private async keep(calendar: DavCalendarHandle, { basis, snapshot }: OpenedRead): Promise<SyncBasis> {
    const scope = scopeOf(calendar);
    if (basis === null) return { kind: 'snapshot', id: await this.deps.snapshots.save(scope, snapshot) };
    if (snapshot === null || (basis.kind === 'token' && Object.keys(snapshot.entries).length === 0)) return basis;
    const id = basis.kind === 'token' ? basis.memory : basis.id;
    const isKept = id !== undefined && (await this.deps.snapshots.replace(scope, id, snapshot));
    if (isKept || basis.kind === 'snapshot') return basis;
    return { ...basis, memory: await this.deps.snapshots.save(scope, snapshot) };
  }

  private mayHaveSyncCollection(calendar: DavCalendarHandle): boolean {
    return calendar.collection.supportsSyncCollection !== false && !this.rejectsSync.has(this.collectionKey(calendar));
  }

  private collectionKey({ connection, collection }: DavCalendarHandle): string {
    return `${connection.session.accountId} ${collection.id}`;
  }

  private listingKey(calendar: DavCalendarHandle, { window }: EventQuery, basis: SyncBasis): string {
    const since = basis.kind === 'token' ? basis.token : basis.id;
    return JSON.stringify([this.collectionKey(calendar), window.startMs, window.endMs, basis.kind, since]);
  }
}

/** Empty when the server has forgotten the token: the pages stay readable, and their sync token is expired. */
async function idsSince(calendar: DavCalendarHandle, token: string): Promise<ReadonlySet<string>> {
  try {
    const { changed } = await changesSince(calendar, token, 0);
    return new Set(changed.map(({ id }) => id));
  } catch (error) {
    if (error instanceof DomainError && error.code === 'SyncTokenExpired') return new Set();
    throw error;
  }
}

/** Reads with the same token may have other filters and orders. */
function readIdOf(query: EventQuery, basis: SyncBasis): string {
  return JSON.stringify([basis.kind === 'token' ? basis.token : basis.id, query]);
}

function toPage(
  items: EventItem[],
  next: PagePosition | { afterKey: string } | null,
  basis: SyncBasis,
): Page<EventItem> {
  return next === null
    ? { items, nextPage: null, nextSync: { ...basis } }
    : { items, nextPage: { ...next, basis: { ...basis } }, nextSync: null };
}

function assertOrderable(count: number, most: number): void {
  if (count <= most) return;
  throw invalid('orderBy', `the range holds more than ${most} events, too many to be ordered; ask for a shorter one`);
}
