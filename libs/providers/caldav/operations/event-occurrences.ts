import {
  DomainError,
  type CalendarEvent,
  type EventItem,
  type JsonValue,
  type ListOccurrences,
  type Page,
} from '#domain';
import { sortKey } from '#providers/kit/events';
import { tokenExpired } from '#providers/kit/sync';
import { unreadableEvent } from '../dav/dav-errors.js';
import { splitEventId } from '../ids.js';
import { decodeDelivered, encodeDelivered, readBasis } from './cursors.js';
import { EventSource, goneStub, type EventOperationsDeps, type OpenCalendar } from './event-source.js';
import { readResource, type ReadResource } from './event-resource.js';
import { fingerprint, type LoadedResource } from './resources.js';

/** Occurrences of one series in a window, and what changed of them. */
export class EventOccurrences {
  constructor(private readonly deps: EventOperationsDeps) {}

  /** @throws DomainError NotFound, ValidationFailed (cannot be expanded), SyncTokenExpired, PageTokenInvalid */
  async page(
    calendar: OpenCalendar,
    eventId: string,
    { query, pageSize, page, sync }: ListOccurrences,
  ): Promise<Page<EventItem>> {
    const seriesId = splitEventId(eventId).eventId;
    const source = new EventSource(this.deps, calendar, true);
    const resource = await readResource(calendar, seriesId).catch((error: unknown) => {
      // To a sync the series being gone is news, not an error.
      if (sync !== null && error instanceof DomainError && error.code === 'NotFound') return null;
      throw error;
    });
    const loaded = resource === null ? null : toLoaded(resource);
    const shown = loaded === null ? [] : await this.shown(source, loaded, query);
    const version = loaded === null ? '' : fingerprint(loaded);
    const items: EventItem[] =
      sync === null ? shown : await this.changes(source, seriesId, loaded, shown, version, query, sync);
    const from = page === null ? 0 : readOffset(page, version);
    const given = items.slice(from, from + pageSize);
    if (from + pageSize < items.length)
      return { items: given, nextPage: { from: from + pageSize, version }, nextSync: null };
    return {
      items: given,
      nextPage: null,
      nextSync: await this.nextSync(source, seriesId, version, shown, items, sync),
    };
  }

  private async shown(
    source: EventSource,
    loaded: LoadedResource,
    query: ListOccurrences['query'],
  ): Promise<CalendarEvent[]> {
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
    seriesId: string,
    loaded: LoadedResource | null,
    shown: CalendarEvent[],
    version: string,
    query: ListOccurrences['query'],
    sync: JsonValue,
  ): Promise<EventItem[]> {
    const before = await this.before(source, seriesId, sync);
    if (loaded === null)
      return [seriesId, ...before.ids.filter((id) => id !== seriesId)].map((id) => goneStub(id, seriesId));
    if (before.fingerprint === version) return [];
    const changed = (await source.changedItems(loaded, query, new Map())) ?? [];
    const excluded = changed.filter(({ isCancelled }) => isCancelled);
    const told = new Set([...shown, ...excluded].map(({ id }) => id));
    return [...shown, ...excluded, ...before.ids.filter((id) => !told.has(id)).map((id) => goneStub(id, seriesId))];
  }

  private async before(
    source: EventSource,
    seriesId: string,
    sync: JsonValue,
  ): Promise<{ fingerprint: string; ids: string[] }> {
    const basis = readBasis(sync);
    if (basis.kind !== 'snapshot') throw tokenExpired();
    const entry = (await this.deps.snapshots.find(source.storeScope(), basis.id))?.entries[seriesId];
    if (entry === undefined) throw tokenExpired();
    return decodeDelivered(seriesId, entry);
  }

  private async nextSync(
    source: EventSource,
    seriesId: string,
    version: string,
    shown: CalendarEvent[],
    items: EventItem[],
    sync: JsonValue | null,
  ): Promise<JsonValue> {
    if (sync !== null && items.length === 0) return sync;
    const entries = { [seriesId]: encodeDelivered(seriesId, version, shown) };
    const id = await this.deps.snapshots.save(source.storeScope(), { entries, changeTag: null });
    return { kind: 'snapshot', id };
  }
}

function toLoaded(resource: ReadResource): LoadedResource {
  return { ...resource, text: resource.body.toString('utf8') };
}

/** Pages go by position: within one version of the series that is exact, across two it would not be. */
function readOffset(page: JsonValue, version: string): number {
  if (typeof page === 'object' && page !== null && !Array.isArray(page) && typeof page['from'] === 'number') {
    if (page['version'] === version) return page['from'];
  }
  throw new DomainError('PageTokenInvalid', 'The series has changed since the first page. Read its occurrences again.');
}
