import { LRUCache } from 'lru-cache';
import type { BoundedWindow, TimeWindow } from '#domain';
import { Pace } from '#platform/event-loop';
import { DAY_MS } from '#providers/kit/series';
import type { OpenCalendar } from '../connection.js';
import { orIfRefused } from '../dav/dav-errors.js';
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

/** Servers search so far at least; beyond it some find no instance of an endless series. */
const NEAR_MS = 366 * DAY_MS;
/** How long what was learned of a server is believed. */
const LEARNED_FOR_MS = 24 * 3_600_000;
const MAX_SERVERS = 10_000;
/** Series looked at for one that can tell. */
const MAX_PROBED = 50;

/**
 * The resources that may hold events of a window. Some servers judge a series by its first instance only (Xandikos
 * 0.2.8): series are asked for besides, until the server has been seen to find a later instance.
 */
export class RangeCandidates {
  /** Whether servers find later instances of a series, by origin. */
  private readonly findsInstances: LRUCache<string, boolean>;
  /** Servers that refuse what lies beyond their limits, by origin. */
  private readonly holdsLimits: LRUCache<string, true>;

  constructor(private readonly nowMs: () => number) {
    const learned = { max: MAX_SERVERS, ttl: LEARNED_FOR_MS, ttlResolution: 0, perf: { now: nowMs } };
    this.findsInstances = new LRUCache(learned);
    this.holdsLimits = new LRUCache(learned);
  }

  async list(calendar: OpenCalendar, window: TimeWindow): Promise<ListedResource[]> {
    const inRange = await union(await listResources(calendar, window), await this.beyondLimits(calendar, window));
    if ((window.startMs === null && window.endMs === null) || this.isBelieved(calendar, window)) return inRange;
    const series = await this.series(calendar);
    if (this.known(calendar) === undefined) await this.probe(calendar, series);
    return this.isBelieved(calendar, window) ? inRange : union(inRange, series);
  }

  private async beyondLimits(calendar: OpenCalendar, window: TimeWindow): Promise<ListedResource[]> {
    const { origin } = calendar.connection.account;
    if (this.holdsLimits.has(origin)) return [];
    const found = await orIfRefused(listBeyondLimits(calendar, window), null);
    if (found === null) this.holdsLimits.set(origin, true);
    return found ?? [];
  }

  private isBelieved(calendar: OpenCalendar, { startMs, endMs }: TimeWindow): boolean {
    const now = this.nowMs();
    const isNear = startMs !== null && startMs >= now - NEAR_MS && endMs !== null && endMs <= now + NEAR_MS;
    return isNear && this.known(calendar) === true;
  }

  private known({ connection }: OpenCalendar): boolean | undefined {
    return this.findsInstances.get(connection.account.origin);
  }

  /** Everything that recurs; everything at all where the server cannot tell what does. */
  private async series(calendar: OpenCalendar): Promise<ListedResource[]> {
    const withProperties = async () =>
      union(await listWithProperty(calendar, 'RRULE'), await listWithProperty(calendar, 'RDATE'));
    return (await orIfRefused(withProperties(), null)) ?? listEvents(calendar, {});
  }

  /** Asks for the time of one later instance. Without a series that has one, nothing is learned, and nothing is missed. */
  private async probe(calendar: OpenCalendar, series: ListedResource[]): Promise<void> {
    const later = await this.laterInstance(calendar, series.slice(0, MAX_PROBED));
    if (later === null) return;
    const found = await listResources(calendar, { startMs: later.startMs, endMs: later.startMs + 1 });
    const isFound = found.some(({ id }) => id === later.id);
    this.findsInstances.set(calendar.connection.account.origin, isFound);
  }

  /** An instance that begins days after the first one, so that widened ranges do not meet both. */
  private async laterInstance(
    calendar: OpenCalendar,
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
      // Broken, or too large to be expanded: of no use as a probe. The read itself reports it.
      return [];
    }
    return starts;
  }
}

function union(one: ListedResource[], other: ListedResource[]): Promise<ListedResource[]> {
  const byId = new Map([...other, ...one].map((resource) => [resource.id, resource]));
  return sortedById([...byId.values()]);
}
