import type {
  CalendarEvent,
  CancelledEvent,
  EventItem,
  ExtendedProperties,
  PrivatePropertyStore,
} from '#domain/events';
import type { EventQuery } from '#domain/providers';
import type { SyncSnapshotStore } from '#domain/sync';
import { DomainError } from '#domain/system';
import { Pace } from '#platform/event-loop';
import { matchesQuery, overlaps, plainEtag } from '#providers/kit/events';
import type { UnreadableObjects } from '#providers/kit/definition';
import { eventNotFound } from '#providers/kit/series';
import { IcsSyntaxError, RecurrenceError } from '#icalendar';
import type { CalDavAccountClient, DavCalendarHandle } from '../account-client.js';
import type { CalDavAccount } from '../dav/contract.js';
import { resolveHref } from '../dav/hrefs.js';
import { unlessBroken } from '../events/calendar-object.js';
import type { EventContext } from '../events/contract.js';
import { EventReader } from '../events/event-reader.js';
import { splitEventId } from '../ids.js';
import { loadResources, type ListedResource, type LoadedResource } from './resources.js';

export interface EventOperationsDeps {
  privateProperties: PrivatePropertyStore;
  snapshots: SyncSnapshotStore;
  unreadable: UnreadableObjects;
  nowMs(): number;
}

const reader = new EventReader();
/** RFC 3339 has years of four digits. A server may say any. */
const END_OF_FOUR_DIGIT_YEARS_MS = Date.UTC(10_000, 0);
const NO_PROPERTIES: ReadonlyMap<string, ExtendedProperties> = new Map();

type Properties = ReadonlyMap<string, ReadonlyMap<string, ExtendedProperties>>;

export class EventSource {
  private readonly reported = new Set<string>();
  private readonly pace = new Pace();
  /** Cached, because parsing a hostile object takes milliseconds. */
  private readonly uids = new WeakMap<LoadedResource, string | null>();

  /** @param isOneSeries true for a request of one object, which fails when it cannot be expanded */
  constructor(
    private readonly deps: EventOperationsDeps,
    private readonly calendar: DavCalendarHandle,
    private readonly isOneSeries = false,
  ) {}

  /** Loads resources in order, each with its events in the query; reports unreadable ones, which have none. */
  async *shown(
    listing: readonly ListedResource[],
    query: EventQuery,
    expected?: number,
  ): AsyncGenerator<{ resource: LoadedResource; events: CalendarEvent[] }> {
    for await (const batch of loadResources(this.calendar, listing, expected)) {
      const properties = await this.privateProperties(batch);
      for (const resource of batch) {
        yield { resource, events: (await this.items(resource, query, properties)) ?? [] };
      }
    }
  }

  async privateProperties(resources: readonly LoadedResource[]): Promise<Properties> {
    const uids: string[] = [];
    for (const resource of resources) {
      await this.pace.step();
      const uid = this.uidOf(resource);
      if (uid !== null) uids.push(uid);
    }
    if (uids.length === 0) return new Map();
    return this.deps.privateProperties.load(scopeOf(this.calendar), uids);
  }

  /**
   * Returns the events of one resource in a query; undefined for an unreadable one, which is reported.
   * @throws DomainError ValidationFailed naming a series that cannot be expanded, if the query expands
   */
  items(resource: LoadedResource, query: EventQuery, properties: Properties): Promise<CalendarEvent[] | undefined> {
    return this.attempt(resource, () =>
      this.inTurns(this.events(resource, query, properties), (event) => (isShown(event, query) ? event : null)),
    );
  }

  /**
   * Returns the events in the query, cancelled ones included, and stubs for all others. @throws DomainError as {@link
   * items}
   */
  changedItems(resource: LoadedResource, query: EventQuery, properties: Properties): Promise<EventItem[] | undefined> {
    return this.attempt(resource, async () => {
      const items = await this.inTurns<EventItem>(this.events(resource, query, properties), (event) =>
        isShown(event, event.isCancelled ? { ...query, isCancelled: true } : query) ? event : toStub(event),
      );
      await this.pace.step();
      const ids = new Set(items.map(({ id }) => id));
      const excluded = reader
        .cancelledInstances(resource.text, this.context(resource), query.window)
        .filter(({ id }) => !ids.has(id));
      return [...items, ...excluded];
    });
  }

  /**
   * Returns an instance that is no longer an exception, because a stub would report it as cancelled to a reader of
   * unexpanded series. null without such an instance in the query: an instance with another id, of the same day, may
   * have taken its place when the series got times.
   */
  async plainInstance(
    resource: LoadedResource,
    id: string,
    query: EventQuery,
    properties: Properties,
  ): Promise<CalendarEvent | null> {
    const { instanceDate } = splitEventId(id);
    if (query.expandRecurrences || instanceDate === null) return null;
    const uid = this.uidOf(resource);
    const context = this.context(resource, properties.get(uid ?? ''));
    const instance = await this.attempt(resource, async () => reader.instance(resource.text, context, instanceDate));
    if (instance?.id !== id || !isShown(instance, query)) return null;
    return overlaps(instance, query.window, this.calendarTimeZone) ? instance : null;
  }

  private async inTurns<T>(events: Iterable<CalendarEvent>, shown: (event: CalendarEvent) => T | null): Promise<T[]> {
    const items: T[] = [];
    for (const event of events) {
      await this.pace.step();
      const item = shown(event);
      if (item !== null) items.push(item);
    }
    return items;
  }

  private *events(
    resource: LoadedResource,
    { window, expandRecurrences }: EventQuery,
    properties: Properties,
  ): Iterable<CalendarEvent> {
    const uid = this.uids.get(resource) ?? reader.uid(resource.text);
    if (uid === null) return;
    const context = this.context(resource, properties.get(uid));
    if (!expandRecurrences || window.startMs === null || window.endMs === null) {
      yield* reader.eachUnexpanded(resource.text, context, window);
      return;
    }
    // eachExpanded throws for a too large series before the first instance.
    yield* reader.eachExpanded(resource.text, context, { startMs: window.startMs, endMs: window.endMs });
  }

  context(
    { id, href, etag, lastModified = '' }: ListedResource & Pick<LoadedResource, 'lastModified'>,
    privateProperties = NO_PROPERTIES,
  ): EventContext {
    const lastModifiedMs = Date.parse(lastModified);
    const isShown = lastModifiedMs >= 0 && lastModifiedMs < END_OF_FOUR_DIGIT_YEARS_MS;
    return {
      eventId: id,
      ...(etag !== null && { etag: plainEtag(etag) }),
      ...(isShown && { lastModified: new Date(lastModifiedMs).toISOString() }),
      calendarTimeZone: this.calendarTimeZone,
      ownAddresses: ownAddresses(this.calendar.connection),
      privateProperties,
      onUnexpandable: (reason) => this.report({ href }, reason),
    };
  }

  get calendarTimeZone(): string {
    return this.calendar.collection.timeZone ?? 'UTC';
  }

  /** Returns null for an object without events or a broken one, which reading its events reports. */
  private uidOf(resource: LoadedResource): string | null {
    if (resource.unreadable !== undefined) return null;
    const known = this.uids.get(resource);
    if (known !== undefined) return known;
    const uid = unlessBroken(() => reader.uid(resource.text));
    this.uids.set(resource, uid);
    return uid;
  }

  /** Reports and skips one broken object; rethrows errors with another cause. */
  private async attempt<T>(resource: LoadedResource, read: () => Promise<T>): Promise<T | undefined> {
    if (resource.unreadable !== undefined) {
      this.report(resource, resource.unreadable);
      return undefined;
    }
    try {
      await this.pace.step();
      return await read();
    } catch (error) {
      if (isUnexpandable(error) && !this.isOneSeries) return undefined;
      if (!(error instanceof IcsSyntaxError)) throw error;
      this.report(resource, error.message);
      return undefined;
    }
  }

  /** Reports an object that cannot be shown correctly to operators. */
  report({ href }: Pick<LoadedResource, 'href'>, reason: string): void {
    if (this.reported.has(href)) return;
    this.reported.add(href);
    const { accountId, calendarId } = scopeOf(this.calendar);
    this.deps.unreadable.report({ accountId, calendarId, href, reason });
  }
}

export type CalendarScope = ReturnType<typeof scopeOf>;

export function scopeOf({ connection, collection }: DavCalendarHandle) {
  const { applicationId, accountId } = connection.session;
  return { applicationId, accountId, calendarId: collection.id };
}

export function ownAddresses(connection: CalDavAccountClient): string[] {
  const { account } = connection;
  const principal = principalUri(account);
  const uris =
    principal === null ? account.addressUris : [...account.addressUris, principal, new URL(principal).pathname];
  return [...new Set([...emails(connection), ...uris])];
}

/** Returns an e-mail address, else a calendar user address, else the principal (RFC 6638 §2.4.1), else null. */
export function organizerOf(connection: CalDavAccountClient): string | null {
  const { account } = connection;
  const email = emails(connection).find((address) => !address.includes(':') && isPlain(address));
  if (email !== undefined) return `mailto:${email}`;
  // sabre/dav reports the login as a `mailto:` without an address.
  const uri = account.addressUris.find((each) => /^(?!mailto)(?:\/|[a-z][a-z0-9+.-]*:)/i.test(each) && isPlain(each));
  return uri ?? principalUri(account);
}

/** URIs and addresses have no blanks or control characters; servers may send them all the same. */
function isPlain(text: string): boolean {
  return /^[^\s\p{Cc}]+$/u.test(text);
}

function emails({ account, session }: CalDavAccountClient): string[] {
  return [...account.addresses, ...(session.email.includes('@') ? [session.email.toLowerCase()] : [])];
}

function principalUri({ principalHref, origin }: CalDavAccount): string | null {
  return principalHref === null ? null : (resolveHref(principalHref, origin)?.href ?? null);
}

export function requireEvent(event: CalendarEvent | null): CalendarEvent {
  if (event === null || event.isCancelled) throw eventNotFound();
  return event;
}

export function goneStub(id: string, resourceId: string): CancelledEvent {
  return { id, isCancelled: true, ...(id !== resourceId && { recurringEventId: resourceId }) };
}

export function toStub({ id, iCalUid, recurringEventId, originalStart }: CalendarEvent): CancelledEvent {
  return {
    id,
    isCancelled: true,
    ...(iCalUid !== undefined && { iCalUid }),
    ...(recurringEventId !== undefined && { recurringEventId }),
    ...(originalStart !== undefined && { originalStart }),
  };
}

/** True for an invalid or unsupported rule, which fails no list. Too large a series does (docs/guides/limits.md). */
function isUnexpandable(error: unknown): boolean {
  return error instanceof DomainError && error.cause instanceof RecurrenceError && error.cause.reason !== 'too-large';
}

/** Applies every condition of a query except its window, because servers apply none of them reliably. */
export function isShown(event: CalendarEvent, query: EventQuery): boolean {
  // Callers that expand a series themselves need its cancelled overrides.
  const isShownByDefault = !event.isCancelled || (event.recurringEventId !== undefined && !query.expandRecurrences);
  return (query.isCancelled === true || isShownByDefault) && matchesQuery(event, query);
}
