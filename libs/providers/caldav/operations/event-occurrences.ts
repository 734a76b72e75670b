import type { CalendarEvent, EventItem } from '#domain/events';
import type { EventQuery, ListOccurrences, Page } from '#domain/providers';
import { DomainError, type JsonValue } from '#domain/system';
import { textOfOctets } from '#icalendar';
import { sortKey } from '#providers/kit/events';
import { eventNotFound } from '#providers/kit/series';
import { cursorFields, tokenExpired } from '#providers/kit/sync';
import { unreadableEvent } from '../dav/dav-errors.js';
import { splitEventId } from '../ids.js';
import { decodeSnapshotEntry, encodeSnapshotEntry, readBasis, type SnapshotEntry } from './cursors.js';
import type { DavCalendarHandle } from '../account-client.js';
import { EventSource, goneStub, scopeOf, type EventOperationsDeps } from './event-source.js';
import { findResource } from './event-resource.js';
import { fingerprint, type LoadedResource } from './resources.js';

export class EventOccurrences {
  constructor(private readonly deps: EventOperationsDeps) {}

  /** @throws DomainError NotFound, ValidationFailed (cannot be expanded), SyncTokenExpired, PageTokenInvalid */
  async page(
    calendar: DavCalendarHandle,
    eventId: string,
    { query, pageSize, page, sync }: ListOccurrences,
  ): Promise<Page<EventItem>> {
    const seriesId = splitEventId(eventId).eventId;
    const source = new EventSource(this.deps, calendar, true);
    const resource = await findResource(calendar, seriesId);
    // An incremental read reports a deleted series as a change.
    if (resource === null && sync === null) throw eventNotFound();
    const loaded = resource && { ...resource, text: textOfOctets(resource.body) };
    const shown = loaded === null ? [] : await this.shown(source, loaded, query);
    const version = loaded === null ? '' : fingerprint(loaded);
    const before = sync === null ? null : await this.before(calendar, seriesId, sync);
    const items = before === null ? shown : await this.changes(source, before, seriesId, loaded, shown, query);
    const from = page === null ? 0 : readOffset(page, version);
    const end = from + pageSize;
    const given = items.slice(from, end);
    if (end < items.length) return { items: given, nextPage: { from: end, version }, nextSync: null };
    if (sync !== null && items.length === 0) return { items: given, nextPage: null, nextSync: sync };
    const entries = { [seriesId]: encodeSnapshotEntry(seriesId, version, shown) };
    const id = await this.deps.snapshots.save(scopeOf(calendar), { entries, changeTag: null });
    return { items: given, nextPage: null, nextSync: { kind: 'snapshot', id } };
  }

  private async shown(source: EventSource, loaded: LoadedResource, query: EventQuery): Promise<CalendarEvent[]> {
    const items = await source.items(loaded, query, await source.privateProperties([loaded]));
    if (items === undefined) throw unreadableEvent();
    const order = query.orderBy ?? 'startDateTime';
    return items
      .filter(({ isCancelled }) => !isCancelled)
      .map((event) => ({ key: sortKey(event, order, source.calendarTimeZone), event }))
      .sort((one, other) => (one.key < other.key ? -1 : 1))
      .map(({ event }) => event);
  }

  private async changes(
    source: EventSource,
    before: SnapshotEntry,
    seriesId: string,
    loaded: LoadedResource | null,
    shown: CalendarEvent[],
    query: EventQuery,
  ): Promise<EventItem[]> {
    if (loaded === null) return [...new Set([seriesId, ...before.ids])].map((id) => goneStub(id, seriesId));
    if (before.fingerprint === fingerprint(loaded)) return [];
    const changed = (await source.changedItems(loaded, query, new Map())) ?? [];
    const reported = [...shown, ...changed.filter(({ isCancelled }) => isCancelled)];
    const ids = new Set(reported.map(({ id }) => id));
    return [...reported, ...before.ids.filter((id) => !ids.has(id)).map((id) => goneStub(id, seriesId))];
  }

  private async before(calendar: DavCalendarHandle, seriesId: string, sync: JsonValue): Promise<SnapshotEntry> {
    const basis = readBasis(sync);
    if (basis.kind !== 'snapshot') throw tokenExpired();
    const entry = (await this.deps.snapshots.find(scopeOf(calendar), basis.id))?.entries[seriesId];
    if (entry === undefined) throw tokenExpired();
    return decodeSnapshotEntry(seriesId, entry);
  }
}

/** Pages continue by position, which is exact only within one version of the series. */
function readOffset(page: JsonValue, version: string): number {
  const { from, version: ofPage } = cursorFields(page);
  if (typeof from === 'number' && ofPage === version) return from;
  throw new DomainError('PageTokenInvalid', 'The series has changed since the first page. Read its occurrences again.');
}
