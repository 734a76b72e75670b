import type { AccountSession, ProviderBudget } from '#domain';
import type { Egress } from '#egress';
import {
  accessTokenOf,
  type CalendarCache,
  calendarNotFound,
  type CallPolicy,
  isSendable,
  type Repeat,
} from '#providers/kit/calls';
import type { calendar_v3 } from '@googleapis/calendar';
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
  calendars: CalendarCache<CalendarListEntry>;
  /** Toward Google, for one account. */
  requestsPerMinute: number;
  nowMs: () => number;
}

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
      accessToken: accessTokenOf(session, 'Google'),
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
