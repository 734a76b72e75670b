import { DomainError } from '#domain/system';
import { EgressError, type Egress } from '#egress';
import { unlessAborted } from '#platform/deadline';
import { Semaphore } from '#providers/caldav';
import { transportFailure } from '#providers/kit/calls';
import type { FeedAccount } from './account-state.js';
import { FEED_SERVER, FeedError, toReadError } from './feed-error.js';
import { Feed, hasRenewedUids, type Identity, type UidSample } from './feed.js';
import { fetchFeed, type DownloadMark } from './fetch-feed.js';

export interface FeedsOptions {
  egress: Egress;
  nowMs(): number;
  /** Minimum time between two requests for a feed; by default five minutes. */
  minRefreshMs?: number;
}

export interface FeedRequest {
  id: string;
  url: URL;
  identity: Identity;
  sample: UidSample;
  /** When it first failed, epoch milliseconds; null while it works. */
  staleSinceMs: number | null;
  /** Ends the wait. The download continues for others. */
  signal: AbortSignal;
}

export interface CurrentFeed {
  feed: Feed;
  /** null when the feed is current within its refresh interval. */
  staleSinceMs: number | null;
}

const MIN_REFRESH_MS = 5 * 60_000;
const MAX_REFRESH_MS = 60 * 60_000;
/** For a feed that suggests no interval. */
const USUAL_REFRESH_MS = 15 * 60_000;
/** After a failure without a kept download: readers get an error meanwhile. */
const RETRY_MS = 60_000;
/** For all feeds of a process. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Feeds without reads for this long are dropped. */
const UNUSED_MS = 2 * MAX_REFRESH_MS;
/** A download may reach 20 MB before its size is known. */
const DOWNLOADS_AT_ONCE = 6;

interface Kept {
  feed: Feed | null;
  mark: DownloadMark | null;
  /** End of the last download; 0 before the first. */
  readAtMs: number;
  waitMs: number;
  usedAtMs: number;
  failure: { sinceMs: number; error: unknown } | null;
  refresh: Promise<void> | null;
  /** Whether facts of the last download are not stored yet. */
  isNews: boolean;
}

/** Caches the last downloads of this process, in memory only. */
export class Feeds {
  /** In order of use, oldest first. */
  private readonly kept = new Map<string, Kept>();
  private readonly semaphore = new Semaphore(DOWNLOADS_AT_ONCE);
  private readonly minRefreshMs: number;

  constructor(private readonly options: FeedsOptions) {
    this.minRefreshMs = options.minRefreshMs ?? MIN_REFRESH_MS;
  }

  get bytes(): number {
    return [...this.kept.values()].reduce((sum, { feed }) => sum + (feed?.bytes ?? 0), 0);
  }

  /**
   * Returns the feed, downloaded again when due. After a failed or incomplete download it returns the last good one.
   * @throws DomainError ProviderUnavailable, ProviderTimeout, ProviderRateLimited, CredentialsRejected without one
   */
  async current(request: FeedRequest): Promise<CurrentFeed> {
    const kept = this.use(request.id);
    const ageMs = this.options.nowMs() - kept.readAtMs;
    // A clock that was set back must not prolong the wait.
    if (kept.refresh !== null || ageMs < 0 || ageMs >= kept.waitMs) {
      try {
        await waitFor((kept.refresh ??= this.refreshed(kept, request)), request.signal);
      } catch (error) {
        throw transportFailure(FEED_SERVER, error);
      }
    }
    const { failure } = kept;
    if (failure !== null) {
      const error = toReadError(failure.error, failure.sinceMs, this.options.nowMs());
      const isWithdrawn = error instanceof DomainError && error.code === 'CredentialsRejected';
      if (kept.feed === null || isWithdrawn) throw error;
    }
    const feed = readFeed(kept);
    // Another process has detected renewed UIDs meanwhile.
    if (request.identity === 'content' && feed.identity === 'uid') kept.feed = await feed.as('content');
    return { feed: readFeed(kept), staleSinceMs: failure?.sinceMs ?? null };
  }

  /** Downloads the feed even when it is current. @throws FeedError, EgressError */
  async fresh(request: FeedRequest): Promise<Feed> {
    const kept = this.use(request.id);
    await kept.refresh;
    await waitFor((kept.refresh = this.refreshed(kept, request)), request.signal);
    if (kept.failure !== null) throw kept.failure.error;
    return readFeed(kept);
  }

  /** Returns facts of a download since the last call; null when there are none, or another caller took them. */
  takeNews({ id, identity, sample }: FeedRequest): Omit<FeedAccount, 'name'> | null {
    const kept = this.kept.get(id);
    if (!kept?.isNews) return null;
    kept.isNews = false;
    const staleSinceMs = kept.failure?.sinceMs ?? null;
    // Renewed UIDs would be news after every download.
    if (kept.feed?.identity === 'content') return { identity: 'content', sample: {}, staleSinceMs };
    return { identity, sample: kept.feed?.sample ?? sample, staleSinceMs };
  }

  private async refreshed(kept: Kept, request: FeedRequest): Promise<void> {
    try {
      await this.semaphore.run(new AbortController().signal, () => this.download(kept, request));
      kept.failure = null;
      const asked = kept.feed?.facts.refreshMs ?? USUAL_REFRESH_MS;
      kept.waitMs = Math.min(Math.max(asked, this.minRefreshMs), MAX_REFRESH_MS);
    } catch (error) {
      const sinceMs = kept.failure?.sinceMs ?? request.staleSinceMs ?? this.options.nowMs();
      kept.failure = { sinceMs, error };
      const askedMs = error instanceof FeedError ? (error.retryAfterMs ?? 0) : 0;
      kept.waitMs = Math.max(askedMs, Math.min(kept.feed === null ? RETRY_MS : MIN_REFRESH_MS, this.minRefreshMs));
    } finally {
      kept.readAtMs = this.options.nowMs();
      kept.refresh = null;
      kept.isNews = true;
      this.evict(kept);
    }
  }

  private async download(kept: Kept, { id, url, identity, sample }: FeedRequest): Promise<void> {
    const known = kept.feed === null ? null : kept.mark;
    const download = await fetchFeed(this.options, url.href, known, id);
    if (download === null) return;
    const feed = await Feed.read(download.octets, kept.feed?.identity ?? identity);
    const isRenewed = feed.identity === 'uid' && hasRenewedUids(kept.feed?.sample ?? sample, feed.sample);
    kept.feed = isRenewed ? await feed.as('content') : feed;
    kept.mark = download.mark;
  }

  private use(id: string): Kept {
    const nowMs = this.options.nowMs();
    const kept = this.kept.get(id) ?? {
      feed: null,
      mark: null,
      readAtMs: 0,
      waitMs: 0,
      usedAtMs: nowMs,
      failure: null,
      refresh: null,
      isNews: false,
    };
    kept.usedAtMs = nowMs;
    this.kept.delete(id);
    this.kept.set(id, kept);
    return kept;
  }

  private evict(newest: Kept): void {
    const unusedBeforeMs = this.options.nowMs() - UNUSED_MS;
    let { bytes } = this;
    for (const [id, kept] of this.kept) {
      if (kept === newest || kept.refresh !== null) continue;
      if (bytes <= MAX_BYTES && kept.usedAtMs > unusedBeforeMs) return;
      bytes -= kept.feed?.bytes ?? 0;
      this.kept.delete(id);
    }
  }
}

function readFeed({ feed }: Kept): Feed {
  if (feed === null) throw new TypeError('The feed has neither been read nor failed');
  return feed;
}

/** @throws EgressError aborted, when the signal aborts first */
async function waitFor(work: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await unlessAborted(work, signal);
  } catch (error) {
    throw signal.aborted && error === signal.reason ? new EgressError('aborted', { cause: error }) : error;
  }
}
