import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ProviderChannelRepository, type ChannelToken, type ChannelNotification } from '#domain/channels';
import { withDeadline } from '#platform/deadline';
import { currentTraceparent } from '#platform/telemetry';
import { Batcher, BatchFull } from '../system/batcher.js';
import { SyncRequests } from '../sync/sync-requests.js';

/** How long a deleted channel counts as existing. Its notifications only cause syncs. */
const KNOWN_FOR_MS = 5 * 60_000;
const MAX_KNOWN = 50_000;
const MISSING_FOR_MS = 60_000;
const MAX_MISSING = 10_000;
/** Limits unknown channel ids to twenty statements per second. */
const LOOK_UP_EVERY_MS = 50;
const MAX_LOOK_UP = 2_000;
/** For sources with many invalid notifications. Providers wait three seconds. */
const DOUBTED_LOOK_UP_EVERY_MS = 250;
const MAX_DOUBTED_LOOK_UP = 500;

/** Also caches missing ids: channels are stored before a provider knows them, and ids have 74 random bits. */
@Injectable()
export class ChannelTokenCache {
  private readonly known = new LRUCache<string, ChannelToken>({ max: MAX_KNOWN, ttl: KNOWN_FOR_MS });
  private readonly missing = new LRUCache<string, true>({ max: MAX_MISSING, ttl: MISSING_FOR_MS });
  private readonly lookUps = new Batcher((ids: readonly string[]) => this.lookUp(ids), {
    everyMs: LOOK_UP_EVERY_MS,
    maxItems: MAX_LOOK_UP,
  });
  /** Separate, so that they delay no others. */
  private readonly doubtedLookUps = new Batcher((ids: readonly string[]) => this.lookUp(ids), {
    everyMs: DOUBTED_LOOK_UP_EVERY_MS,
    maxItems: MAX_DOUBTED_LOOK_UP,
  });

  constructor(private readonly channels: ProviderChannelRepository) {}

  /** @param isDoubted looks up unknown ids less often @throws BatchFull */
  async find(channelIds: Iterable<string>, isDoubted = false): Promise<ReadonlyMap<string, ChannelToken>> {
    const found = new Map<string, ChannelToken>();
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

  private async lookUp(ids: readonly string[]): Promise<ReadonlyMap<string, ChannelToken>> {
    const keys = await this.channels.keys([...new Set(ids)]);
    const byId = new Map(keys.map((key) => [key.channelId, key]));
    for (const key of keys) this.known.set(key.channelId, key);
    for (const id of ids) if (!byId.has(id)) this.missing.set(id, true);
    return byId;
  }
}

const ACTIONS = {
  sync: 'nothing',
  change: 'sync',
  missed: 'sync',
  reauthorize: 'renewal',
  removed: 'lost',
  gone: 'lost',
} as const satisfies Record<ChannelNotification['kind'], string>;

/** Providers wait three seconds. Slower responses make them delay or drop notifications. */
const RESPOND_WITHIN_MS = 2_500;
const MAX_SYNC_REQUESTS = 10_000;

interface SyncRequest {
  syncedCalendarId: string;
  traceparent: string | null;
}

/** Genuine notifications could not be stored. The provider has to repeat them. */
export class NotificationsNotStored extends Error {
  override readonly name = 'NotificationsNotStored';
  /** For `Retry-After`. */
  readonly retryAfterSeconds = 2;
}

/** Invalid notifications cost neither a write nor a job. Genuine ones are stored before this returns. */
@Injectable()
export class ProviderNotifications {
  private readonly requested: Batcher<SyncRequest, void>;

  constructor(
    private readonly keys: ChannelTokenCache,
    private readonly channels: ProviderChannelRepository,
    syncRequests: SyncRequests,
  ) {
    const requestSync = (batch: readonly SyncRequest[]) => {
      const ids = new Set(batch.map(({ syncedCalendarId }) => syncedCalendarId));
      return syncRequests.forNotification([...ids], new Map(batch.flatMap(traced)));
    };
    this.requested = new Batcher(requestSync, { everyMs: 0, maxItems: MAX_SYNC_REQUESTS });
  }

  /** @param isDoubted the source sent many invalid notifications @throws NotificationsNotStored, DatabaseUnavailable */
  async take(notifications: readonly ChannelNotification[], isDoubted = false): Promise<{ invalid: number }> {
    try {
      return await withDeadline(this.classify(notifications, isDoubted), RESPOND_WITHIN_MS, () => {
        throw new NotificationsNotStored('It takes too long');
      });
    } catch (error) {
      if (error instanceof BatchFull) throw new NotificationsNotStored(error.message, { cause: error });
      throw error;
    }
  }

  private async classify(
    notifications: readonly ChannelNotification[],
    isDoubted: boolean,
  ): Promise<{ invalid: number }> {
    const channelIds = notifications.map(({ channelId }) => channelId);
    const keys = await this.keys.find(channelIds, isDoubted);
    const genuine = notifications.flatMap(({ channelId, token, kind }) => {
      const key = keys.get(channelId);
      return key !== undefined && isTokenOf(key, token) ? [{ key, action: ACTIONS[kind] }] : [];
    });
    const of = (...actions: (typeof ACTIONS)[ChannelNotification['kind']][]) =>
      genuine.flatMap(({ key, action }) => (actions.includes(action) ? [key] : []));

    for (const channelId of idsOf(of('lost'))) await this.channels.lost(channelId);
    for (const channelId of idsOf(of('renewal'))) await this.channels.renewSoon(channelId);
    const traceparent = currentTraceparent();
    const changed = of('sync', 'lost').map(({ syncedCalendarId }) => ({ syncedCalendarId, traceparent }));
    if (changed.length > 0) await this.requested.add(changed);
    return { invalid: notifications.length - genuine.length };
  }
}

function traced({ syncedCalendarId, traceparent }: SyncRequest): [string, string][] {
  return traceparent === null ? [] : [[syncedCalendarId, traceparent]];
}

function isTokenOf(key: ChannelToken, token: string): boolean {
  const given = Buffer.from(token);
  const own = Buffer.from(key.token);
  return given.length === own.length && timingSafeEqual(given, own);
}

function idsOf(keys: readonly ChannelToken[]): ReadonlySet<string> {
  return new Set(keys.map(({ channelId }) => channelId));
}
