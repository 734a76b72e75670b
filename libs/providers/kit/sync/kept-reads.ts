import { LRUCache } from 'lru-cache';
import type { EventItem } from '#domain/events';
import { Pace } from '#platform/event-loop';
import { sortedBy } from './sorted-by.js';

/** Time for the next page. */
const KEPT_FOR_MS = 60_000;
const MAX_BYTES = 96 * 1024 * 1024;
const MAX_READ_BYTES = 32 * 1024 * 1024;
/** Of an item beside its texts: objects, and slack of the pool of buffers. */
const OVERHEAD_BYTES = 256;

export interface SnapshotItem {
  item: EventItem;
  /** Sorts in the order of the read. */
  key: string;
  /** Without spaces. */
  version: string;
}

/**
 * As JSON in UTF-8, because objects take several times the memory, and strings of `JSON.stringify` half as much again
 * (1,580 bytes for 1,000 characters in Node.js 26). A page needs few of them.
 */
export interface KeptItem {
  key: string;
  version: string;
  json: Buffer;
}

export type ReadScope = Readonly<Record<'applicationId' | 'accountId' | 'calendarId', string>>;

/** Collects the items of a read, in any order, until they are too large together. */
export class CollectedRead {
  #items: KeptItem[] | null = [];
  #bytes = 0;

  add({ item, key, version }: SnapshotItem): void {
    if (this.#items === null) return;
    const json = Buffer.from(JSON.stringify(item));
    this.#bytes += json.length + key.length + version.length + OVERHEAD_BYTES;
    this.#items.push({ key, version, json });
    if (this.#bytes > MAX_READ_BYTES) this.#items = null;
  }

  /** null when they are too large. */
  get items(): KeptItem[] | null {
    return this.#items;
  }

  get bytes(): number {
    return this.#bytes;
  }
}

interface KeptRead {
  /** Ordered by key. */
  items: KeptItem[];
  bytes: number;
}

/**
 * Keeps sorted reads of windows in the process between their pages, so that a window is read once and not once a page.
 * Losing a read costs another one: pages continue by key.
 */
export class KeptReads {
  readonly #reads: LRUCache<string, KeptRead>;

  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#reads = new LRUCache({
      maxSize: MAX_BYTES,
      sizeCalculation: ({ bytes }) => Math.max(1, bytes),
      ttl: KEPT_FOR_MS,
      updateAgeOnGet: true,
      ttlResolution: 0,
      perf: { now: monotonicMs },
    });
  }

  /** @param id of the snapshot that the pages of a read share. A read that is too large is not kept. */
  async keep(scope: ReadScope, id: string, items: readonly SnapshotItem[]): Promise<void> {
    const pace = new Pace();
    const read = new CollectedRead();
    for (const item of items) {
      await pace.step();
      read.add(item);
    }
    await this.keepCollected(scope, id, read);
  }

  async keepCollected(scope: ReadScope, id: string, { items, bytes }: CollectedRead): Promise<void> {
    if (items === null) return;
    this.#reads.set(keyOf(scope, id), { items: await sortedBy(items, ({ key }) => key), bytes });
  }

  /**
   * Returns a page of a kept read; undefined when it is no longer kept.
   * @returns `last`: the key of the last item; null when nothing follows it
   */
  page(
    scope: ReadScope,
    id: string,
    after: string,
    size: number,
  ): { given: SnapshotItem[]; last: string | null } | undefined {
    const read = this.#reads.get(keyOf(scope, id));
    if (read === undefined) return undefined;
    const from = firstAfter(read.items, after);
    const given = read.items
      .slice(from, from + size)
      .map(({ key, version, json }) => ({ key, version, item: JSON.parse(json.toString()) as EventItem }));
    return { given, last: from + size >= read.items.length ? null : (given.at(-1)?.key ?? null) };
  }
}

function keyOf({ applicationId, accountId, calendarId }: ReadScope, id: string): string {
  return JSON.stringify([applicationId, accountId, calendarId, id]);
}

/** Binary search in items ordered by key. */
function firstAfter(items: readonly KeptItem[], after: string): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle]!.key > after) high = middle;
    else low = middle + 1;
  }
  return low;
}
