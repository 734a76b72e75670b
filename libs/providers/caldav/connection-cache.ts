import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AccountSession } from '#domain';
import type { CalendarCollection } from './dav/contract.js';
import type { Authenticator } from './dav/http-authentication.js';
import type { Lanes } from './dav/lanes.js';

/** What calls of one account share inside of this process for a little while. Losing it costs requests, nothing else. */
export interface SharedConnection {
  authenticator: Authenticator;
  lanes: Lanes;
  /** The calendars, and when they were read; null: not yet, or no longer true. */
  collections: { list: CalendarCollection[]; readAtMs: number } | null;
  /** Of calendars by id, where listings do not tell it. */
  zones: Map<string, { timeZone: string | null; readAtMs: number }>;
}

const MAX_ACCOUNTS = 2_000;
const KEPT_FOR_MS = 10 * 60_000;

/** Keyed by account and credentials: a new password or address starts afresh. */
export class ConnectionCache {
  readonly #entries: LRUCache<string, SharedConnection>;
  /** So that what is in memory is no hash of a password that could be tried out. */
  readonly #key = randomBytes(32);

  constructor(nowMs: () => number = () => performance.now()) {
    this.#entries = new LRUCache({ max: MAX_ACCOUNTS, ttl: KEPT_FOR_MS, updateAgeOnGet: true, perf: { now: nowMs } });
  }

  shared(session: AccountSession, make: () => SharedConnection): SharedConnection {
    const key = this.#keyOf(session);
    const found = this.#entries.get(key);
    if (found !== undefined) return found;
    const made = make();
    this.#entries.set(key, made);
    return made;
  }

  #keyOf({ applicationId, accountId, email, serverUrl, credentials }: AccountSession): string {
    const parts = [applicationId, accountId, email, serverUrl ?? '', credentials];
    return createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest('base64');
  }
}
