import type { CancelledEvent, EventItem } from '#domain/events';
import type { EventQuery, ListEvents, Page } from '#domain/providers';
import type { SyncSnapshot } from '#domain/sync';
import type { JsonValue } from '#domain/system';
import { sortedById, tokenExpired } from '#providers/kit/sync';
import { changesSince, changeTag, type CollectionChanges } from './sync-collection.js';
import {
  decodeSnapshotEntry,
  encodeSnapshotEntry,
  givenOn,
  isPending,
  isVersionOf,
  readBasis,
  readChangesCursor,
  type ChangesCursor,
  type SnapshotEntry,
  type PagePosition,
  type SyncBasis,
  shortVersion,
  UNFINISHED,
} from './cursors.js';
import type { DavCalendarHandle } from '../account-client.js';
import { hrefOfEventId } from '../ids.js';
import { EventSource, goneStub, scopeOf, type CalendarScope, type EventOperationsDeps } from './event-source.js';
import { PageRoom, type SourceText } from './page-room.js';
import type { RangeCandidates } from './range-candidates.js';
import { fingerprint, loadResources, type ListedResource } from './resources.js';

interface Memory {
  /** Last delivered version; null when unknown. */
  versionOf(resourceId: string): string | null;
  /** Ids that earlier reads may have delivered. */
  reportedIds(resourceId: string): ReadonlySet<string>;
  /** @param version null for a deleted resource, {@link UNFINISHED} for one with items on the next page */
  record(resourceId: string, version: string | null, items: readonly Pick<EventItem, 'id' | 'isCancelled'>[]): void;
}

type Changes = Pick<CollectionChanges, 'changed' | 'removed'>;

interface Step {
  id: string;
  resource: ListedResource | null;
}

interface ChangesRead {
  calendar: DavCalendarHandle;
  source: EventSource;
  query: EventQuery;
  pageSize: number;
  cursor: ChangesCursor | null;
}

interface ReportedResource {
  items: EventItem[];
  /** null for a deleted resource. */
  version: string | null;
  text: SourceText;
}

/** Items of one page and the position of the next; null at the end. */
interface ReportedPage {
  items: EventItem[];
  next: PagePosition | null;
}

export class EventChanges {
  constructor(
    private readonly deps: EventOperationsDeps,
    private readonly candidates: RangeCandidates,
  ) {}

  /** @throws DomainError SyncTokenExpired, PageTokenInvalid, ValidationFailed (a series that cannot be expanded) */
  async page(
    calendar: DavCalendarHandle,
    { query, pageSize, page, sync }: ListEvents & { sync: JsonValue },
  ): Promise<Page<EventItem>> {
    const basis = readBasis(sync);
    const cursor = page === null ? null : readChangesCursor(page);
    const read = { calendar, source: new EventSource(this.deps, calendar), query, pageSize, cursor };
    return basis.kind === 'token' ? this.sinceToken(read, basis) : this.sinceSnapshot(read, basis);
  }

  private async sinceToken(read: ChangesRead, basis: SyncBasis & { kind: 'token' }): Promise<Page<EventItem>> {
    const { calendar, cursor } = read;
    const nowMs = this.deps.nowMs();
    // Later pages skip the age check, which the first page has passed.
    const ageMs = cursor === null && basis.givenMs !== undefined ? nowMs - basis.givenMs : 0;
    const changes = await changesSince(calendar, basis.token, ageMs);
    const scope = scopeOf(calendar);
    const before = await this.recall(scope, basis.memory);
    // Later pages repeat the request with this token; their final token is that of the first page, so the next sync
    // reports changes made meanwhile.
    const given = cursor?.target.kind === 'token' ? cursor.target : null;
    const target = given ?? { ...basis, token: changes.token, givenMs: givenOn(nowMs) };
    const later = given === null ? new Set<string>() : await laterIds(calendar, given.token, changes);
    const steps = [...stepsOf(changes), ...unreported(calendar, before, changes)].filter(({ id }) => !later.has(id));
    const entries = { ...(target.memory === basis.memory ? before : await this.recall(scope, target.memory)) };
    let isChanged = false;
    const reported = await reportSteps(read, steps, {
      versionOf: () => null,
      reportedIds: (id) => new Set([id, ...(snapshotEntryOf(before, id)?.ids ?? [])]),
      record: (id, version, items) => {
        const isOfMany = version !== null && items.some((item) => item.id !== id && !item.isCancelled);
        if (!isOfMany && entries[id] === undefined) return;
        isChanged = true;
        if (isOfMany) entries[id] = encodeSnapshotEntry(id, version, items);
        else delete entries[id];
      },
    });
    if (!isChanged) return toPage(reported, target);
    const snapshot = { entries, changeTag: null };
    const isKept =
      target.memory !== undefined &&
      target.memory !== basis.memory &&
      (await this.deps.snapshots.replace(scope, target.memory, snapshot));
    const memory = isKept ? target.memory : await this.deps.snapshots.save(scope, snapshot);
    return toPage(reported, { ...target, memory });
  }

  /** @throws DomainError SyncTokenExpired, because deleted instances are unknown without the memory */
  private async recall(scope: CalendarScope, memory: string | undefined): Promise<SyncSnapshot['entries']> {
    if (memory === undefined) return {};
    const found = await this.deps.snapshots.find(scope, memory);
    if (found === null) throw tokenExpired();
    return found.entries;
  }

  private async sinceSnapshot(read: ChangesRead, basis: SyncBasis & { kind: 'snapshot' }): Promise<Page<EventItem>> {
    const { calendar, query, cursor } = read;
    const scope = scopeOf(calendar);
    const before = await this.deps.snapshots.find(scope, basis.id);
    if (before === null) throw tokenExpired();
    const tag = await changeTag(calendar);
    const unchanged: Page<EventItem> = { items: [], nextPage: null, nextSync: { ...basis } };
    if (tag !== null && tag === before.changeTag && cursor === null) return unchanged;
    const steps = stepsOf(differences(before, await this.candidates.list(calendar, query.window, false)));
    if (steps.length === 0 && cursor === null) {
      if (tag !== before.changeTag) await this.deps.snapshots.replace(scope, basis.id, { ...before, changeTag: tag });
      return unchanged;
    }

    const target = cursor?.target ?? null;
    const found = target?.kind === 'snapshot' ? await this.deps.snapshots.find(scope, target.id) : null;
    if (target !== null && found === null) throw tokenExpired();
    const after: SyncSnapshot = found ?? { entries: { ...before.entries }, changeTag: tag };
    const id = target?.kind === 'snapshot' ? target.id : await this.deps.snapshots.save(scope, after);
    const reported = await reportSteps(read, steps, {
      versionOf: (resourceId) => snapshotEntryOf(before.entries, resourceId)?.fingerprint ?? null,
      reportedIds: (resourceId) => new Set(snapshotEntryOf(before.entries, resourceId)?.ids),
      record: (resourceId, version, items) => {
        if (version === null) delete after.entries[resourceId];
        else after.entries[resourceId] = encodeSnapshotEntry(resourceId, version, items);
      },
    });
    await this.deps.snapshots.replace(scope, id, after);
    return toPage(reported, { kind: 'snapshot', id });
  }
}

/**
 * Returns the resources changed since a later token, whose sync reports them. It may not report one that was made and
 * deleted after the token. Empty for a server that reports the same for any token.
 */
async function laterIds(calendar: DavCalendarHandle, token: string, changes: Changes): Promise<ReadonlySet<string>> {
  const { changed } = await changesSince(calendar, token, 0);
  return new Set(changed.length < changes.changed.length ? changed.map(({ id }) => id) : []);
}

const BATCH = 50;

/** Reads resources in order of their ids, one item beyond the page, so that no page is empty. */
async function reportSteps(read: ChangesRead, steps: Step[], memory: Memory): Promise<ReportedPage> {
  const { cursor, pageSize } = read;
  const pending = await sortedById(steps.filter(({ id }) => cursor === null || isPending(id, cursor)));
  const items: EventItem[] = [];
  const page = new PageRoom(pageSize);
  let done: PagePosition = { after: '', skip: null };
  for (let at = 0; at < pending.length; at += BATCH) {
    const batch = pending.slice(at, at + BATCH);
    const reported = await load(read, batch, memory);
    for (const { id } of batch) {
      const part = reported.get(id);
      if (part === undefined) continue;
      const from = cursor?.after === id ? (cursor.skip ?? 0) : 0;
      if (from > 0 && cursor !== null && !isVersionOf(cursor, part.version)) {
        done = { after: id, skip: null };
        continue;
      }
      const room = page.take(part.items, from, part.text);
      if (room === 0 && part.items.length > from) return { items, next: done };
      items.push(...part.items.slice(from, from + room));
      if (part.items.length > from + room) {
        // The next page may not come to those that it has to cancel.
        const all = part.items.map((item) => ({ id: item.id, isCancelled: false }));
        memory.record(id, UNFINISHED, all);
        return { items, next: { after: id, skip: from + room, version: shortVersion(part.version) } };
      }
      memory.record(id, part.version, part.items);
      done = { after: id, skip: null };
    }
  }
  return { items, next: null };
}

async function load(
  { calendar, source, query }: ChangesRead,
  batch: Step[],
  memory: Memory,
): Promise<Map<string, ReportedResource>> {
  const reported = new Map<string, ReportedResource>();
  for (const { id } of batch) reported.set(id, { items: gone(id, [], memory), version: null, text: { length: 0 } });
  const listed = batch.flatMap(({ resource }) => resource ?? []);
  for await (const loaded of loadResources(calendar, listed)) {
    const properties = await source.privateProperties(loaded);
    for (const resource of loaded) {
      const version = fingerprint(resource);
      // A resource without ETag is listed as changed, but its body is unchanged.
      const isSame = memory.versionOf(resource.id) === version;
      const items = isSame ? undefined : await source.changedItems(resource, query, properties);
      if (items === undefined) {
        reported.delete(resource.id);
        continue;
      }
      const rest: EventItem[] = [];
      for (const stub of gone(resource.id, items, memory)) {
        rest.push((await source.plainInstance(resource, stub.id, query, properties)) ?? stub);
      }
      const text = { length: resource.text.length };
      reported.set(resource.id, { items: [...items, ...rest], version, text });
    }
  }
  return reported;
}

function differences({ entries }: SyncSnapshot, listing: readonly ListedResource[]): Changes {
  const listed = new Set(listing.map(({ id }) => id));
  const changed = listing.filter(({ id, etag }) => etag === null || snapshotEntryOf(entries, id)?.fingerprint !== etag);
  return { changed, removed: Object.keys(entries).filter((id) => !listed.has(id)) };
}

function stepsOf({ changed, removed }: Changes): Step[] {
  return [
    ...changed.map((resource) => ({ id: resource.id, resource })),
    ...removed.map((id) => ({ id, resource: null })),
  ];
}

/** Returns unfinished resources that the server does not report: those that were made and deleted since the token. */
function unreported(calendar: DavCalendarHandle, entries: SyncSnapshot['entries'], changes: Changes): Step[] {
  const reported = new Set([...changes.changed.map(({ id }) => id), ...changes.removed]);
  return Object.keys(entries).flatMap((id) => {
    if (reported.has(id) || snapshotEntryOf(entries, id)?.fingerprint !== UNFINISHED) return [];
    const href = hrefOfEventId(calendar.collection, id);
    return { id, resource: href === null ? null : { id, href, etag: null } };
  });
}

function snapshotEntryOf(entries: SyncSnapshot['entries'], resourceId: string): SnapshotEntry | null {
  const entry = entries[resourceId];
  return entry === undefined ? null : decodeSnapshotEntry(resourceId, entry);
}

/** Returns stubs for earlier ids of a resource that this page does not report. */
function gone(resourceId: string, items: readonly EventItem[], memory: Memory): CancelledEvent[] {
  const reported = new Set(items.map(({ id }) => id));
  return [...memory.reportedIds(resourceId)].filter((id) => !reported.has(id)).map((id) => goneStub(id, resourceId));
}

function toPage({ items, next }: ReportedPage, target: SyncBasis): Page<EventItem> {
  return next === null
    ? { items, nextPage: null, nextSync: { ...target } }
    : { items, nextPage: { ...next, target: { ...target } }, nextSync: null };
}
