import type { CalendarEvent, EventItem } from '#domain/events';
import type { EventQuery, ListEvents, Page } from '#domain/providers';
import type { SyncSnapshot, SyncSnapshotStore } from '#domain/sync';
import { invalid, type JsonValue } from '#domain/system';
import { Pace } from '#platform/event-loop';
import { decodeSnapshotEntry, encodeSnapshotEntry, isShown, OrderedPage, PageRoom, toStub } from '#providers/caldav';
import type { UnreadableObjects } from '#providers/kit/definition';
import { sortKey } from '#providers/kit/events';
import { keyedPage, readKeyedPage, readSnapshotBasis, sortedById, tokenExpired } from '#providers/kit/sync';
import { OBJECT_ID_LENGTH, type Feed, type FeedObject } from './feed.js';
import type { OpenFeed } from './feed-client.js';
import { FeedSource, type ReadObject } from './feed-source.js';

export interface FeedReadsDeps {
  snapshots: SyncSnapshotStore;
  unreadable: UnreadableObjects;
}

/** An ordered read holds all events before the first page. */
const MAX_ORDERED_EVENTS = 25_000;

interface Reading {
  open: OpenFeed;
  source: FeedSource;
  query: EventQuery;
  pageSize: number;
  /** Id of the object; null for the whole feed. */
  only: string | null;
}

/** A page, and the key of its last item; null at the end. */
interface Given {
  items: EventItem[];
  after: string | null;
}

/** Lists events and their changes. A feed reports no changes, so hashes of returned events are stored and compared. */
export class FeedReads {
  constructor(private readonly deps: FeedReadsDeps) {}

  /** @param only id of the object to read @throws DomainError ValidationFailed, PageTokenInvalid, SyncTokenExpired */
  list(
    open: OpenFeed,
    { query, pageSize, page, sync }: ListEvents,
    only: string | null = null,
  ): Promise<Page<EventItem>> {
    const source = new FeedSource(open, this.deps.unreadable, only !== null);
    const reading = { open, source, query, pageSize, only };
    return sync === null ? this.page(reading, page) : this.changes(reading, page, sync);
  }

  private async page(reading: Reading, page: JsonValue | null): Promise<Page<EventItem>> {
    const { open } = reading;
    const cursor = page === null ? null : readKeyedPage(page, readSnapshotBasis);
    const { snapshots } = this.deps;
    const found = cursor === null ? null : await snapshots.find(open.scope, cursor.basis.id);
    const snapshot = found ?? { entries: {}, changeTag: null };
    markVersion(snapshot, open.feed, cursor === null);
    const after = cursor?.after ?? null;
    const given =
      reading.query.orderBy === null
        ? await plainPage(reading, after, snapshot)
        : await orderedPage(reading, after, snapshot);
    const basis = cursor?.basis ?? { kind: 'snapshot', id: await snapshots.save(open.scope, snapshot) };
    // Without the snapshot the pages stay readable, but their sync token has expired.
    if (found !== null) await snapshots.replace(open.scope, basis.id, snapshot);
    return keyedPage(given.items, given.after, basis);
  }

  private async changes(reading: Reading, page: JsonValue | null, sync: JsonValue): Promise<Page<EventItem>> {
    const { scope, feed } = reading.open;
    const { snapshots } = this.deps;
    const basis = readSnapshotBasis(sync);
    const cursor = page === null ? null : readKeyedPage(page, readSnapshotBasis);
    const before = await snapshots.find(scope, basis.id);
    if (before === null) throw tokenExpired();
    if (cursor === null && before.changeTag === feed.version) return keyedPage([], null, basis);
    const found = cursor === null ? null : await snapshots.find(scope, cursor.basis.id);
    if (cursor !== null && found === null) throw tokenExpired();
    // The first page changes the loaded snapshot in place, to avoid a copy of thirty thousand entries.
    const target = found ?? before;
    markVersion(target, feed, cursor === null);
    const given = await changesPage(reading, cursor?.after ?? null, before, target);
    if (cursor !== null) {
      await snapshots.replace(scope, cursor.basis.id, target);
      return keyedPage(given.items, given.after, cursor.basis);
    }
    return keyedPage(given.items, given.after, { kind: 'snapshot', id: await snapshots.save(scope, target) });
  }
}

/** Equal versions of snapshot and feed mean no changes. A snapshot of pages from several downloads has no version. */
function markVersion(snapshot: SyncSnapshot, feed: Feed, isFirstPage: boolean): void {
  if (isFirstPage) snapshot.changeTag = feed.version;
  else if (snapshot.changeTag !== feed.version) snapshot.changeTag = null;
}

/** Item ids start with object ids of one length, so the order of items is the order of objects. */
async function plainPage(reading: Reading, after: string | null, snapshot: SyncSnapshot): Promise<Given> {
  const room = new PageRoom(reading.pageSize);
  const items: CalendarEvent[] = [];
  for (const object of candidates(reading, after)) {
    const shown = await shownOf(reading, object);
    const rest = after === null ? shown.events : shown.events.filter(({ id }) => id > after);
    const count = room.take(rest, 0, shown.text);
    items.push(...rest.slice(0, count));
    if (count > 0) remember(snapshot, object, shown.events);
    if (count < rest.length) return { items, after: items.at(-1)?.id ?? null };
  }
  return { items, after: null };
}

async function orderedPage(reading: Reading, after: string | null, snapshot: SyncSnapshot): Promise<Given> {
  const { source, query, pageSize } = reading;
  const ordered = new OrderedPage(pageSize, after);
  let seen = 0;
  for (const object of candidates(reading, null)) {
    const { events, text } = await shownOf(reading, object);
    seen += events.length;
    if (seen > MAX_ORDERED_EVENTS) {
      throw invalid('orderBy', `the range holds more than ${MAX_ORDERED_EVENTS} events; ask for a shorter one`);
    }
    if (events.length > 0) remember(snapshot, object, events);
    await ordered.add(events.map((event) => ({ key: sortKey(event, query.orderBy, source.timeZone), event, text })));
  }
  const { items, nextAfterKey } = await ordered.end();
  return { items, after: nextAfterKey };
}

async function changesPage(
  reading: Reading,
  after: string | null,
  before: SyncSnapshot,
  target: SyncSnapshot,
): Promise<Given> {
  const { source, query, pageSize } = reading;
  const room = new PageRoom(pageSize);
  const items: EventItem[] = [];
  for (const { id, object } of await differences(reading, after, before)) {
    const read = object === null ? NOTHING : await source.read(object, query);
    // An unreadable object counts as unchanged.
    if (read === null) continue;
    const entry = before.entries[id];
    const delivered = new Set(decodeSnapshotEntry(id, entry ?? '').ids);
    const changed = changedItems(reading, { id, object, events: read.events, delivered });
    const rest = after === null ? changed : changed.filter((item) => item.id > after);
    const count = room.take(rest, 0, read.text);
    items.push(...rest.slice(0, count));
    if (count > 0 || rest.length === 0) {
      // An earlier page has recorded this object and returned a part of it.
      const isInHistory = target.entries[id] !== entry;
      if (!isInHistory) delete target.entries[id];
      const shown = changed.filter(({ isCancelled }) => !isCancelled);
      if (object !== null && shown.length > 0) remember(target, object, shown);
    }
    if (count < rest.length) return { items, after: items.at(-1)?.id ?? null };
  }
  return { items, after: null };
}

const NOTHING: ReadObject = { events: [], text: { length: 0 } };

async function shownOf({ source, query }: Reading, object: FeedObject): Promise<ReadObject> {
  const { events, text } = (await source.read(object, query)) ?? NOTHING;
  return { events: events.filter((event) => isShown(event, query)), text };
}

function candidates({ open: { feed }, query, only }: Reading, after: string | null): Iterable<FeedObject> {
  if (only === null) return feed.objectsFrom(after?.slice(0, OBJECT_ID_LENGTH) ?? '', query.window);
  const object = feed.find(only);
  return object === null ? [] : [object];
}

interface Difference {
  id: string;
  /** null when the object is gone. */
  object: FeedObject | null;
}

async function differences(reading: Reading, after: string | null, { entries }: SyncSnapshot): Promise<Difference[]> {
  const from = after?.slice(0, OBJECT_ID_LENGTH) ?? '';
  const pace = new Pace();
  const left = new Set<string>();
  for (const id of Object.keys(entries)) {
    await pace.step();
    if (id >= from) left.add(id);
  }
  const found: Difference[] = [];
  for (const object of candidates(reading, after)) {
    await pace.step();
    const entry = entries[object.id];
    left.delete(object.id);
    if (entry === undefined || decodeSnapshotEntry(object.id, entry).fingerprint !== object.version) {
      found.push({ id: object.id, object });
    }
  }
  for (const id of left) found.push({ id, object: reading.open.feed.find(id) });
  return sortedById(found, pace);
}

/** Items of an object that the read shows now, and stubs of those that it no longer shows. */
function changedItems(
  { source, query }: Reading,
  { id, object, events, delivered }: Difference & { events: CalendarEvent[]; delivered: ReadonlySet<string> },
): EventItem[] {
  const items: EventItem[] = [];
  const left = new Set(delivered);
  for (const event of events) {
    const wasGiven = left.delete(event.id);
    if (isShown(event, query)) items.push(event);
    else if (wasGiven) {
      items.push(event.isCancelled && isShown(event, { ...query, isCancelled: true }) ? event : toStub(event));
    }
  }
  for (const gone of left) {
    const stub: EventItem = { id: gone, isCancelled: true, ...(gone !== id && { recurringEventId: id }) };
    items.push((object === null ? null : source.plainInstance(object, gone, query)) ?? stub);
  }
  return items.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** An object that changes between pages keeps its first version, so that the next sync reports it again. */
function remember({ entries }: SyncSnapshot, object: FeedObject, shown: readonly EventItem[]): void {
  const earlier = entries[object.id];
  if (earlier === undefined) {
    entries[object.id] = encodeSnapshotEntry(object.id, object.version, shown);
    return;
  }
  const { fingerprint, ids } = decodeSnapshotEntry(object.id, earlier);
  if (fingerprint === object.version) return;
  const others = ids.filter((id) => !shown.some((event) => event.id === id));
  const all = [...shown, ...others.map((id): EventItem => ({ id, isCancelled: true }))];
  entries[object.id] = encodeSnapshotEntry(object.id, fingerprint, all);
}
