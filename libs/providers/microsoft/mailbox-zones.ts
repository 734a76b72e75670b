import { LRUCache } from 'lru-cache';
import type { AccountSession } from '#domain/providers';
import { listOf, recordOf } from '#providers/kit/events';
import { ianaZone } from '#icalendar';
import { GraphApiError, isAccessDenied } from './errors.js';
import type { GraphCall } from './graph-transport.js';

const MAX_ACCOUNTS = 5_000;
/** Every operation on events needs the zone, which seldom changes. */
const KEPT_FOR_MS = 600_000;

export const MAILBOX_SETTINGS: GraphCall = { method: 'GET', path: '/me/mailboxSettings' };

type Account = Pick<AccountSession, 'applicationId' | 'accountId' | 'email'>;
type Read = (call: GraphCall) => Promise<unknown>;

export class MailboxZones {
  readonly #zones: LRUCache<string, string>;

  constructor(
    private readonly nowMs: () => number,
    monotonicMs: () => number = () => performance.now(),
  ) {
    this.#zones = new LRUCache({ max: MAX_ACCOUNTS, ttl: KEPT_FOR_MS, ttlResolution: 0, perf: { now: monotonicMs } });
  }

  /** Returns the IANA id; `UTC` when the mailbox has none. */
  async find(account: Account, read: Read): Promise<string> {
    const known = this.#zones.get(keyOf(account));
    if (known !== undefined) return known;
    const zone = (await settingsZone(read)) ?? (await this.workingZone(account, read)) ?? 'UTC';
    this.#zones.set(keyOf(account), zone);
    return zone;
  }

  has(account: Account): boolean {
    return this.#zones.has(keyOf(account));
  }

  /** @param settings answer to {@link MAILBOX_SETTINGS} */
  remember(account: Account, settings: unknown): void {
    const zone = zoneOf(recordOf(settings)['timeZone']);
    if (zone !== null) this.#zones.set(keyOf(account), zone);
  }

  /** Reads the zone of a work account's working hours, which needs no scope for settings. */
  private async workingZone({ email }: Account, read: Read): Promise<string | null> {
    const today = this.nowMs();
    const at = (ms: number) => ({ dateTime: new Date(ms).toISOString().slice(0, 19), timeZone: 'UTC' });
    const body = { schedules: [email], startTime: at(today), endTime: at(today + 86_400_000) };
    try {
      const { value } = recordOf(await read({ method: 'POST', path: '/me/calendar/getSchedule', body }));
      return zoneOf(recordOf(recordOf(recordOf(listOf(value)[0])['workingHours'])['timeZone'])['name']);
    } catch (error) {
      if (!(error instanceof GraphApiError) || error.status < 400 || error.status >= 500) throw error;
      // These errors concern the account or the moment, not the schedule.
      if (error.status === 401 || error.status === 429) throw error;
      return null;
    }
  }
}

function keyOf({ applicationId, accountId }: Account): string {
  return `${applicationId} ${accountId}`;
}

async function settingsZone(read: Read): Promise<string | null> {
  try {
    return zoneOf(recordOf(await read(MAILBOX_SETTINGS))['timeZone']);
  } catch (error) {
    if (error instanceof GraphApiError && isAccessDenied(error)) return null;
    throw error;
  }
}

function zoneOf(name: unknown): string | null {
  return typeof name === 'string' ? ianaZone(name) : null;
}
