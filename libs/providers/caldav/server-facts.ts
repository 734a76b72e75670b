import { LRUCache } from 'lru-cache';
import type { TimeWindow } from '#domain/events';
import { DAY_MS } from '#providers/kit/series';
import type { DavCalendarHandle } from './account-client.js';

const LEARNED_FOR_MS = 24 * 3_600_000;
const MAX_SERVERS = 10_000;
const MAX_COLLECTIONS = 50_000;
/** Maximum number of objects that a listing asks for together with their bodies. */
const MAX_WITH_BODIES = 500;
/** Objects that must come back as they were written before a server is believed to keep all of them. */
const PROOFS = 3;

/** The size of the last listing of a range. */
interface RangeSize {
  objects: number;
  spanMs: number;
}

/** What was learned about servers and collections. Losing it only costs requests. */
export class ServerFacts {
  /** True by origin when the server finds later instances of a series. */
  readonly findsInstances: LRUCache<string, boolean>;
  /** True by origin when the server rejects ranges beyond its limits. */
  readonly holdsLimits: LRUCache<string, true>;
  /** Objects that came back unchanged, by origin; -1 after one that did not. */
  readonly #proofs: LRUCache<string, number>;
  readonly #sizes: LRUCache<string, number>;
  readonly #withoutBodies: LRUCache<string, true>;
  readonly #ranges: LRUCache<string, RangeSize>;

  constructor(nowMs: () => number = () => performance.now()) {
    const kept = { ttl: LEARNED_FOR_MS, ttlResolution: 0, perf: { now: nowMs } };
    this.findsInstances = new LRUCache({ max: MAX_SERVERS, ...kept });
    this.holdsLimits = new LRUCache({ max: MAX_SERVERS, ...kept });
    this.#proofs = new LRUCache({ max: MAX_SERVERS, ...kept, noUpdateTTL: true });
    this.#sizes = new LRUCache({ max: MAX_COLLECTIONS, ...kept });
    this.#withoutBodies = new LRUCache({ max: MAX_COLLECTIONS, ...kept });
    this.#ranges = new LRUCache({ max: MAX_COLLECTIONS, ...kept });
  }

  /** Whether a written object can be shown without reading it back. */
  keepsObjects(origin: string): boolean {
    return (this.#proofs.get(origin) ?? 0) >= PROOFS;
  }

  /** Whether another object has to be compared. */
  isUndecided(origin: string): boolean {
    const proofs = this.#proofs.get(origin) ?? 0;
    return proofs >= 0 && proofs < PROOFS;
  }

  recordObject(origin: string, isKept: boolean): void {
    if (this.isUndecided(origin)) this.#proofs.set(origin, isKept ? (this.#proofs.get(origin) ?? 0) + 1 : -1);
  }

  /** Number of objects in the last listing of the whole collection; undefined when unknown. */
  sizeOf(calendar: DavCalendarHandle): number | undefined {
    return this.#sizes.get(keyOf(calendar));
  }

  recordSize(calendar: DavCalendarHandle, objects: number): void {
    this.#sizes.set(keyOf(calendar), objects);
  }

  isSmall(calendar: DavCalendarHandle): boolean {
    return !this.#withoutBodies.has(keyOf(calendar)) && (this.sizeOf(calendar) ?? Infinity) <= MAX_WITH_BODIES;
  }

  /** From now on the bodies of the collection are not asked for with a listing. */
  recordBodiesTooLarge(calendar: DavCalendarHandle): void {
    this.#withoutBodies.set(keyOf(calendar), true);
  }

  /** Whether a listing of the range probably has few objects: as the collection, or as an earlier range did. */
  isSmallRange(calendar: DavCalendarHandle, window: TimeWindow): boolean {
    if (this.isSmall(calendar)) return true;
    const known = this.#ranges.get(keyOf(calendar));
    if (known === undefined || this.#withoutBodies.has(keyOf(calendar))) return false;
    return known.objects * Math.max(1, spanOf(window) / known.spanMs) <= MAX_WITH_BODIES;
  }

  recordRange(calendar: DavCalendarHandle, window: TimeWindow, objects: number): void {
    this.#ranges.set(keyOf(calendar), { objects, spanMs: spanOf(window) });
  }
}

/** An open range counts as a very long one. */
function spanOf({ startMs, endMs }: TimeWindow): number {
  return startMs === null || endMs === null ? 36_525 * DAY_MS : Math.max(DAY_MS, endMs - startMs);
}

function keyOf({ connection, collection }: DavCalendarHandle): string {
  return `${connection.session.applicationId} ${connection.session.accountId} ${collection.id}`;
}
