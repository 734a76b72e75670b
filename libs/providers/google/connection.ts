import { DomainError, type AccountSession, type ProviderBudget } from '#domain';
import type { Egress } from '#egress';
import type { CallPolicy, Repeat } from '#provider-calls';
import type { calendar_v3 } from '@googleapis/calendar';
import { CalendarCache } from './calendar-cache.js';
import { listEntry, type CalendarListEntry } from './calendar-entry.js';
import { GoogleClient } from './client.js';
import { GoogleFault, type GoogleConnection } from './contract.js';
import type { GoogleEndpoints } from './endpoints.js';

/** What connections are made with. */
export interface ConnectionDeps {
  egress: Egress;
  budget: ProviderBudget;
  endpoints: GoogleEndpoints;
  policy: CallPolicy;
  calendars: CalendarCache;
  /** Toward Google, for one account. */
  requestsPerMinute: number;
  nowMs: () => number;
}

/** Longer than any id of Google's (event ids have up to 1,024 characters). */
const MAX_ID_LENGTH = 1_100;

/** One account in use, for one operation. */
export class AccountConnection implements GoogleConnection {
  private readonly client: GoogleClient;

  constructor(
    private readonly deps: ConnectionDeps,
    readonly session: AccountSession,
  ) {
    const { egress, endpoints, policy, budget, requestsPerMinute } = deps;
    const { applicationId, accountId, signal } = session;
    this.client = new GoogleClient({
      egress,
      policy,
      root: endpoints.calendar,
      accessToken: accessTokenOf(session),
      poolKey: accountId,
      signal,
      nowMs: () => deps.nowMs(),
      takeBudget: () => budget.take({ applicationId, accountId }, requestsPerMinute, signal),
    });
  }

  get api(): calendar_v3.Calendar {
    return this.client.api;
  }

  call<T>(repeat: Repeat, send: () => Promise<{ data: T }>): Promise<T> {
    return this.client.call(repeat, send);
  }

  async calendar(calendarId: string): Promise<CalendarListEntry> {
    return this.deps.calendars.find(this.session, calendarId) ?? (await this.freshCalendar(calendarId));
  }

  /** As Google has it now. @throws DomainError NotFound */
  async freshCalendar(calendarId: string): Promise<CalendarListEntry> {
    if (!isSendable(calendarId)) throw calendarNotFound();
    try {
      const entry = listEntry(await this.call('read', () => this.api.calendarList.get({ calendarId })));
      this.deps.calendars.remember(this.session, calendarId, entry);
      return entry;
    } catch (error) {
      if (error instanceof GoogleFault && (error.status === 404 || error.status === 410)) throw calendarNotFound();
      throw error;
    }
  }

  /** @throws DomainError ProviderTimeout when the caller goes */
  pause(ms: number): Promise<void> {
    return this.deps.policy.rest(ms, this.session.signal);
  }

  /** After a change of it. */
  forgetCalendar(entry: CalendarListEntry): void {
    this.deps.calendars.forget(this.session, entry);
  }
}

/** @throws DomainError CredentialsRejected, for anything but an OAuth grant */
export function accessTokenOf({ credentials }: Pick<AccountSession, 'credentials'>): string {
  if (credentials.kind === 'oauth') return credentials.accessToken;
  throw new DomainError('CredentialsRejected', 'Google accounts are connected by OAuth, not by a password.');
}

/** Whether an id can be one segment of a path: what it cannot be, Google has never given out. */
export function isSendable(id: string): boolean {
  return (
    id.length > 0 && id.length <= MAX_ID_LENGTH && id !== '.' && id !== '..' && id.isWellFormed() && !/\p{Cc}/u.test(id)
  );
}

export function calendarNotFound(): DomainError {
  return new DomainError('NotFound', 'There is no calendar with this id in the account.');
}
