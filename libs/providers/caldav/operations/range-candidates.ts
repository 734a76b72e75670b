import type { BoundedWindow, TimeWindow } from '#domain/events';
import { Pace } from '#platform/event-loop';
import { DAY_MS } from '#providers/kit/series';
import { sortedById } from '#providers/kit/sync';
import type { DavCalendarHandle } from '../account-client.js';
import { orIfRejected } from '../dav/dav-errors.js';
import { EventReader } from '../events/event-reader.js';
import type { ServerFacts } from '../server-facts.js';
import {
  listBeyondLimits,
  listEvents,
  listResources,
  listWithProperty,
  loadResources,
  unlessTooLarge,
  type ListedResource,
} from './resources.js';

/** Minimum range of a search. Some servers find no instance of an endless series beyond their own range. */
const NEAR_MS = 366 * DAY_MS;
/** Maximum number of series searched for a probe. */
const MAX_PROBED = 50;

/**
 * Lists the resources that may hold events of a window. Some servers (Xandikos 0.2.8) test a series only by its first
 * instance, so this adds all series until the server has found a later instance.
 */
export class RangeCandidates {
  constructor(
    private readonly nowMs: () => number,
    private readonly facts: ServerFacts,
  ) {}

  /** @param withBodies asks for the bodies of probably few objects in the same request */
  async list(calendar: DavCalendarHandle, window: TimeWindow, withBodies: boolean): Promise<ListedResource[]> {
    if (window.startMs === null && window.endMs === null) return this.all(calendar, withBodies);
    const isBelieved = this.isBelieved(calendar, window);
    // One request for a small collection costs less than those that search its series.
    const small = isBelieved ? null : await this.smallCollection(calendar, withBodies);
    if (small !== null) {
      if (this.known(calendar) === undefined) await this.probe(calendar, small.filter(isListedSeries));
      return small;
    }
    const inRange = await union(
      await this.inRange(calendar, window, withBodies),
      await this.beyondLimits(calendar, window),
    );
    if (isBelieved) return inRange;
    const series = await this.series(calendar);
    if (this.known(calendar) === undefined) await this.probe(calendar, series);
    return this.isBelieved(calendar, window) ? inRange : union(inRange, series);
  }

  /** Lists the whole collection. */
  private async all(calendar: DavCalendarHandle, withBodies: boolean): Promise<ListedResource[]> {
    const isSmall = withBodies && this.facts.isSmall(calendar);
    const listed = await this.listed(calendar, isSmall, (bringsBodies) => listEvents(calendar, {}, bringsBodies));
    this.facts.recordSize(calendar, listed.length);
    return listed;
  }

  private async inRange(
    calendar: DavCalendarHandle,
    window: TimeWindow,
    withBodies: boolean,
  ): Promise<ListedResource[]> {
    const isSmall = withBodies && this.facts.isSmallRange(calendar, window);
    const listed = await this.listed(calendar, isSmall, (bringsBodies) =>
      listResources(calendar, window, bringsBodies),
    );
    this.facts.recordRange(calendar, window, listed.length);
    return listed;
  }

  /** Lists again without bodies when they are too large together, or rejected. */
  private async listed(
    calendar: DavCalendarHandle,
    isSmall: boolean,
    list: (bringsBodies: boolean) => Promise<ListedResource[]>,
  ): Promise<ListedResource[]> {
    if (isSmall) {
      const listed = await unlessTooLarge(orIfRejected(list(true), null));
      if (listed !== null) return listed;
      this.facts.recordBodiesTooLarge(calendar);
    }
    return list(false);
  }

  /** Lists a small collection as a whole; null for a larger one. The size of an unknown one takes a listing. */
  private async smallCollection(calendar: DavCalendarHandle, withBodies: boolean): Promise<ListedResource[] | null> {
    const listed = this.facts.sizeOf(calendar) === undefined ? await this.all(calendar, false) : null;
    if (!this.facts.isSmall(calendar)) return null;
    return listed !== null && !withBodies ? listed : this.all(calendar, withBodies);
  }

  private async beyondLimits(calendar: DavCalendarHandle, window: TimeWindow): Promise<ListedResource[]> {
    const { origin } = calendar.connection.account;
    if (this.facts.holdsLimits.has(origin)) return [];
    const found = await orIfRejected(listBeyondLimits(calendar, window), null);
    if (found === null) this.facts.holdsLimits.set(origin, true);
    return found ?? [];
  }

  private isBelieved(calendar: DavCalendarHandle, { startMs, endMs }: TimeWindow): boolean {
    const now = this.nowMs();
    const isNear = startMs !== null && startMs >= now - NEAR_MS && endMs !== null && endMs <= now + NEAR_MS;
    return isNear && this.known(calendar) === true;
  }

  private known({ connection }: DavCalendarHandle): boolean | undefined {
    return this.facts.findsInstances.get(connection.account.origin);
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
    this.facts.findsInstances.set(calendar.connection.account.origin, isFound);
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

/** Whether the listing brought a series. */
function isListedSeries({ content }: ListedResource): boolean {
  return content !== undefined && /^(?:RRULE|RDATE)[:;]/im.test(content.text);
}

function union(one: ListedResource[], other: ListedResource[]): Promise<ListedResource[]> {
  const byId = new Map([...other, ...one].map((resource) => [resource.id, resource]));
  return sortedById([...byId.values()]);
}
