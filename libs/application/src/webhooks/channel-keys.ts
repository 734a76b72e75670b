import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ProviderChannelRepository, type ChannelKey } from '#domain';
import { Batches } from './batches.js';

/** A channel that is gone is taken for one of ours for as long: its pushes are hints about a calendar, and harm nothing. */
const KNOWN_FOR_MS = 5 * 60_000;
const MAX_KNOWN = 50_000;
const MISSING_FOR_MS = 60_000;
const MAX_MISSING = 10_000;
/** Twenty statements a second, whatever is asked for. */
const LOOK_UP_EVERY_MS = 50;
const MAX_LOOK_UP = 2_000;
/** For sources that have sent much that is not genuine. Providers wait for three seconds. */
const DOUBTED_LOOK_UP_EVERY_MS = 250;
const MAX_DOUBTED_LOOK_UP = 500;

/**
 * What pushes are judged by, in memory. An id that is missing may be kept in mind: a channel is written down before its
 * provider hears of it, and ids have 74 random bits, so that nobody can ask for one that is still to come.
 */
@Injectable()
export class ChannelKeys {
  private readonly known = new LRUCache<string, ChannelKey>({ max: MAX_KNOWN, ttl: KNOWN_FOR_MS });
  private readonly missing = new LRUCache<string, true>({ max: MAX_MISSING, ttl: MISSING_FOR_MS });
  private readonly lookUps = new Batches((ids: readonly string[]) => this.lookUp(ids), {
    everyMs: LOOK_UP_EVERY_MS,
    maxItems: MAX_LOOK_UP,
  });
  /** On their own: they keep no others waiting. */
  private readonly doubtedLookUps = new Batches((ids: readonly string[]) => this.lookUp(ids), {
    everyMs: DOUBTED_LOOK_UP_EVERY_MS,
    maxItems: MAX_DOUBTED_LOOK_UP,
  });

  constructor(private readonly channels: ProviderChannelRepository) {}

  /**
   * Those that there are, by channel id.
   * @param isDoubted their source has sent much that is not genuine: what is not in memory is looked up less often
   * @throws TooManyWaiting
   */
  async find(channelIds: Iterable<string>, isDoubted = false): Promise<ReadonlyMap<string, ChannelKey>> {
    const found = new Map<string, ChannelKey>();
    const unknown: string[] = [];
    for (const id of new Set(channelIds)) {
      const key = this.known.get(id);
      if (key !== undefined) found.set(id, key);
      else if (!this.missing.has(id)) unknown.push(id);
    }
    if (unknown.length === 0) return found;
    const looked = await (isDoubted ? this.doubtedLookUps : this.lookUps).add(unknown);
    for (const id of unknown) {
      const key = looked.get(id);
      if (key !== undefined) found.set(id, key);
    }
    return found;
  }

  private async lookUp(ids: readonly string[]): Promise<ReadonlyMap<string, ChannelKey>> {
    const keys = await this.channels.keys([...new Set(ids)]);
    const byId = new Map(keys.map((key) => [key.channelId, key]));
    for (const key of keys) this.known.set(key.channelId, key);
    for (const id of ids) if (!byId.has(id)) this.missing.set(id, true);
    return byId;
  }
}
