import { LRUCache } from 'lru-cache';
import { PRIMARY, type AccountSession } from '#domain';

const MAX_CALENDARS = 5_000;
/** Long enough for the calls of one operation and of the ones right after it. */
const KEPT_FOR_MS = 15_000;

type Account = Pick<AccountSession, 'applicationId' | 'accountId'>;

export interface CalendarCacheOptions<Entry> {
  /** Whether a calendar is the one behind the alias {@link PRIMARY}. */
  isPrimary: (entry: Entry) => boolean;
  monotonicMs?: () => number;
}

/** Calendars as their accounts saw them a moment ago. Losing it costs requests, nothing else. */
export class CalendarCache<Entry extends { id: string }> {
  readonly #entries: LRUCache<string, Entry>;
  readonly #isPrimary: (entry: Entry) => boolean;

  constructor({ isPrimary, monotonicMs = () => performance.now() }: CalendarCacheOptions<Entry>) {
    this.#isPrimary = isPrimary;
    this.#entries = new LRUCache({
      max: MAX_CALENDARS,
      ttl: KEPT_FOR_MS,
      ttlResolution: 0,
      perf: { now: monotonicMs },
    });
  }

  find(account: Account, calendarId: string): Entry | undefined {
    return this.#entries.get(keyOf(account, calendarId));
  }

  /** Under the id it was asked for, too: {@link PRIMARY} is an alias. */
  remember(account: Account, calendarId: string, entry: Entry): void {
    this.#entries.set(keyOf(account, calendarId), entry);
    if (entry.id !== calendarId) this.#entries.set(keyOf(account, entry.id), entry);
  }

  forget(account: Account, entry: Entry): void {
    this.#entries.delete(keyOf(account, entry.id));
    if (this.#isPrimary(entry)) this.#entries.delete(keyOf(account, PRIMARY));
  }
}

function keyOf({ applicationId, accountId }: Account, calendarId: string): string {
  return `${applicationId} ${accountId} ${calendarId}`;
}
