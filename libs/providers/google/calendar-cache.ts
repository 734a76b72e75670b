import { LRUCache } from 'lru-cache';
import type { AccountSession } from '#domain';
import type { CalendarListEntry } from './calendar-entry.js';

const MAX_CALENDARS = 5_000;
/** Long enough for the calls of one operation and of the ones right after it. */
const KEPT_FOR_MS = 15_000;

type Account = Pick<AccountSession, 'applicationId' | 'accountId'>;

/** Calendars as their accounts saw them a moment ago. Losing it costs requests, nothing else. */
export class CalendarCache {
  readonly #entries: LRUCache<string, CalendarListEntry>;

  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#entries = new LRUCache({
      max: MAX_CALENDARS,
      ttl: KEPT_FOR_MS,
      ttlResolution: 0,
      perf: { now: monotonicMs },
    });
  }

  find(account: Account, calendarId: string): CalendarListEntry | undefined {
    return this.#entries.get(keyOf(account, calendarId));
  }

  /** Under the id it was asked for, too: `primary` is an alias. */
  remember(account: Account, calendarId: string, entry: CalendarListEntry): void {
    this.#entries.set(keyOf(account, calendarId), entry);
    if (entry.id !== calendarId) this.#entries.set(keyOf(account, entry.id), entry);
  }

  forget(account: Account, { id, primary }: CalendarListEntry): void {
    this.#entries.delete(keyOf(account, id));
    if (primary === true) this.#entries.delete(keyOf(account, PRIMARY));
  }
}

/** What every account may call its own calendar. */
export const PRIMARY = 'primary';

function keyOf({ applicationId, accountId }: Account, calendarId: string): string {
  return `${applicationId} ${accountId} ${calendarId}`;
}
