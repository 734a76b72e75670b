import type { AccountSession } from '#domain';
import type { Egress } from '#egress';
import {
  accessTokenOf,
  type Admission,
  type CalendarCache,
  calendarNotFound,
  type CallPolicy,
  isSendable,
  type Repeat,
} from '#providers/kit/calls';
import type { calendar_v3 } from '@googleapis/calendar';
import { listEntry, type CalendarListEntry } from './calendar-entry.js';
import { GoogleClient } from './client.js';
import { GoogleFault } from './contract.js';
import type { GoogleEndpoints } from './endpoints.js';

/** What connections are made with. */
export interface ConnectionDeps {
  egress: Egress;
  endpoints: GoogleEndpoints;
  policy: CallPolicy;
  calendars: CalendarCache<CalendarListEntry>;
  nowMs: () => number;
}

/** One account in use, for one operation. */
export class GoogleConnection {
  private readonly client: GoogleClient;

  constructor(
    private readonly deps: ConnectionDeps,
    readonly session: AccountSession,
    admission: Admission,
  ) {
    const { egress, endpoints, policy } = deps;
    const { accountId, signal } = session;
    this.client = new GoogleClient({
      egress,
      policy,
      root: endpoints.calendar,
      accessToken: accessTokenOf(session, 'Google'),
      poolKey: accountId,
      signal,
      nowMs: () => deps.nowMs(),
      takeBudget: () => admission.take(),
    });
  }

  /** The official client with this account's token, through the guarded egress. Call it inside {@link call} only. */
  get api(): calendar_v3.Calendar {
    return this.client.api;
  }

  /**
   * One call under the account's budget, the deadline and the retry policy. `send` does nothing but call the client,
   * once: it may be run again, and what it calls later belongs to no call.
   * @throws GoogleFault with what Google answered; DomainError for everything else. The binder turns a fault that
   *   nobody handled into a DomainError by the one table of errors.ts
   */
  call<T>(repeat: Repeat, send: () => Promise<{ data: T }>): Promise<T> {
    return this.client.call(repeat, send);
  }

  /**
   * The calendar as the account sees it (role, zone, colours, conference types); `primary` is resolved. Kept for some
   * seconds. @throws DomainError NotFound
   */
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
