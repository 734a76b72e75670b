import { LRUCache } from 'lru-cache';
import type { BoundedWindow, TimeWindow } from '#domain/events';
import { Pace } from '#platform/event-loop';
import { DAY_MS } from '#providers/kit/series';
import type { DavCalendarHandle } from '../account-client.js';
import { orIfRejected } from '../dav/dav-errors.js';
import { EventReader } from '../events/event-reader.js';
import {
  listBeyondLimits,
  listEvents,
  listResources,
  listWithProperty,
  loadResources,
  type ListedResource,
} from './resources.js';
import { sortedById } from './sorted-by-id.js';

/** Minimum range of a search. Some servers find no instance of an endless series beyond their own range. */
const NEAR_MS = 366 * DAY_MS;
/** Lifetime of facts learned about a server. */
const LEARNED_FOR_MS = 24 * 3_600_000;
const MAX_SERVERS = 10_000;
/** Maximum number of series searched for a probe. */
const MAX_PROBED = 50;

/**
 * Lists the resources that may hold events of a window. Some servers (Xandikos 0.2.8) test a series only by its first
 * instance, so this adds all series until the server has found a later instance.
 */
export class RangeCandidates {
  /** True by origin when the server finds later instances of a series. */
  private readonly findsInstances: LRUCache<string, boolean>;
  /** True by origin when the server rejects ranges beyond its limits. */
  private readonly holdsLimits: LRUCache<string, true>;

  constructor(private readonly nowMs: () => number) {
    const learned = { max: MAX_SERVERS, ttl: LEARNED_FOR_MS, ttlResolution: 0, perf: { now: nowMs } };
    this.findsInstances = new LRUCache(learned);
    this.holdsLimits = new LRUCache(learned);
  }

  async list(calendar: DavCalendarHandle, window: TimeWindow): Promise<ListedResource[]> {
    const inRange = await union(await listResources(calendar, window), await this.beyondLimits(calendar, window));
    if ((window.startMs === null && window.endMs === null) || this.isBelieved(calendar, window)) return inRange;
    const series = await this.series(calendar);
    if (this.known(calendar) === undefined) await this.probe(calendar, series);
    return this.isBelieved(calendar, window) ? inRange : union(inRange, series);
  }

  private async beyondLimits(calendar: DavCalendarHandle, window: TimeWindow): Promise<ListedResource[]> {
    const { origin } = calendar.connection.account;
    if (this.holdsLimits.has(origin)) return [];
    const found = await orIfRejected(listBeyondLimits(calendar, window), null);
    if (found === null) this.holdsLimits.set(origin, true);
    return found ?? [];
  }

  private isBelieved(calendar: DavCalendarHandle, { startMs, endMs }: TimeWindow): boolean {
    const now = this.nowMs();
    const isNear = startMs !== null && startMs >= now - NEAR_MS && endMs !== null && endMs <= now + NEAR_MS;
    return isNear && this.known(calendar) === true;
  }

  private known({ connection }: DavCalendarHandle): boolean | undefined {
    return this.findsInstances.get(connection.account.origin);
  }

  /** Lists all series, or all events when the server cannot filter by property. */
  private async series(calendar: DavCalendarHandle): Promise<ListedResource[]> {
    const withProperties = async () =>
      union(await listWithProperty(calendar, 'RRULE'), await listWithProperty(calendar, 'RDATE'));
    return (await orIfRejected(withProperties(), null)) ?? listEvents(calendar, {});
  }

  /** Queries the time of one later instance. Without such a series, the result stays unknown and nothing is missed. */
  private async probe(calendar: DavCalendarHandle, series: ListedResource[]): Promise<void> {
    const later = await this.laterInstance(calendar, series.slice(0, MAX_PROBED));
    if (later === null) return;
    const found = await listResources(calendar, { startMs: later.startMs, endMs: later.startMs + 1 });
    const isFound = found.some(({ id }) => id === later.id);
    this.findsInstances.set(calendar.connection.account.origin, isFound);
  }

  /** Returns an instance several days after the first one, so that a widened range does not match both. */
  private async laterInstance(
    calendar: DavCalendarHandle,
    series: ListedResource[],
  ): Promise<{ id: string; startMs: number } | null> {
    const window = { startMs: this.nowMs() - NEAR_MS, endMs: this.nowMs() + NEAR_MS };
    const pace = new Pace();
    for await (const batch of loadResources(calendar, series)) {
      for (const { id, text } of batch) {
        await pace.step();
        const starts = await this.startsOf(id, text, window, pace);
        const last = Math.max(...starts);
        if (last - Math.min(...starts) > 5 * DAY_MS) return { id, startMs: last };
      }
    }
    return null;
  }

  private async startsOf(id: string, text: string, window: BoundedWindow, pace: Pace): Promise<number[]> {
    const context = { eventId: id, calendarTimeZone: 'UTC', ownAddresses: [], privateProperties: new Map() };
    const starts: number[] = [];
    try {
      for (const { recurringEventId, start } of new EventReader().eachExpanded(text, context, window)) {
        await pace.step();
        if (recurringEventId === undefined || start.kind !== 'dateTime' || start.offsetMinutes === null) continue;
        starts.push(Date.parse(`${start.local}Z`) - start.offsetMinutes * 60_000);
      }
    } catch {
      // The read itself reports this series; it is no use as a probe.
      return [];
    }
    return starts;
  }
}

function union(one: ListedResource[], other: ListedResource[]): Promise<ListedResource[]> {
  const byId = new Map([...other, ...one].map((resource) => [resource.id, resource]));
  return sortedById([...byId.values()]);
}
