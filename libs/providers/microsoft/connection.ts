import { PRIMARY, type AccountSession, type ProviderBudget, type ProviderSlots } from '#domain';
import {
  accessTokenOf,
  type CalendarCache,
  calendarNotFound,
  type CallPolicy,
  isSendable,
  type Repeat,
} from '#providers/kit/calls';
import { outlookCalendar, type OutlookCalendar } from './calendar-entry.js';
import { GraphFault, type GraphBatchAnswer, type GraphCall, type GraphConnection } from './contract.js';
import { hasNoMailbox, isGone } from './errors.js';
import { EXPAND_OWN } from './events/own-properties.js';
import { GraphClient } from './graph-client.js';
import type { GraphLinks } from './graph-links.js';
import type { GraphTransport } from './graph-transport.js';
import type { MailboxZones } from './mailbox-zones.js';

/**
 * Requests of one mailbox at a time, over all processes. Graph serves four, whoever sends them:
 * https://learn.microsoft.com/graph/throttling-limits#outlook-service-limits
 */
export const REQUESTS_AT_ONCE = 3;

/** What connections are made with. */
export interface ConnectionDeps {
  /** Of Graph v1.0, without a slash at its end. */
  root: string;
  transport: GraphTransport;
  links: GraphLinks;
  policy: CallPolicy;
  budget: ProviderBudget;
  slots: ProviderSlots;
  calendars: CalendarCache<OutlookCalendar>;
  zones: MailboxZones;
  /** Toward Graph, for one account. */
  requestsPerMinute: number;
  nowMs: () => number;
}

/** One account in use, for one operation. */
export class AccountConnection implements GraphConnection {
  private readonly client: GraphClient;

  constructor(
    private readonly deps: ConnectionDeps,
    readonly session: AccountSession,
  ) {
    const { transport, policy, budget, slots, requestsPerMinute, nowMs } = deps;
    const { applicationId, accountId, signal } = session;
    const account = { applicationId, accountId };
    this.client = new GraphClient({
      transport,
      policy,
      accessToken: accessTokenOf(session, 'Microsoft'),
      poolKey: accountId,
      signal,
      nowMs,
      // A slot is for requests, not for those that wait for the budget.
      async admit(requests, attempt) {
        for (let taken = 0; taken < requests; taken += 1) await budget.take(account, requestsPerMinute, signal);
        return slots.hold(account, REQUESTS_AT_ONCE, signal, attempt);
      },
    });
  }

  call(repeat: Repeat, call: GraphCall): Promise<unknown> {
    return this.client.call(repeat, call);
  }

  follow(state: string, headers?: GraphCall['headers']): Promise<unknown> {
    return this.client.follow(this.deps.links.target(state), headers);
  }

  stateOf(link: string): string {
    return this.deps.links.stateOf(link);
  }

  batch(calls: readonly GraphCall[]): Promise<GraphBatchAnswer[]> {
    return this.client.batch(calls);
  }

  async calendar(calendarId: string): Promise<OutlookCalendar> {
    return this.deps.calendars.find(this.session, calendarId) ?? (await this.freshCalendar(calendarId));
  }

  /** As Graph has it now. @throws DomainError NotFound */
  async freshCalendar(calendarId: string): Promise<OutlookCalendar> {
    if (!isSendable(calendarId)) throw calendarNotFound();
    const call = { method: 'GET', path: calendarPath(calendarId), query: { $expand: EXPAND_OWN } } as const;
    try {
      const calendar = outlookCalendar(await this.call('read', call));
      this.deps.calendars.remember(this.session, calendarId, calendar);
      return calendar;
    } catch (error) {
      if (error instanceof GraphFault && isGone(error) && !hasNoMailbox(error)) throw calendarNotFound();
      throw error;
    }
  }

  /** As a list has just shown it. */
  rememberCalendar(calendar: OutlookCalendar): void {
    this.deps.calendars.remember(this.session, calendar.id, calendar);
  }

  /** After a change of it. */
  forgetCalendar(calendar: OutlookCalendar): void {
    this.deps.calendars.forget(this.session, calendar);
  }

  mailboxTimeZone(): Promise<string> {
    return this.deps.zones.find(this.session, (call) => this.call('read', call));
  }
}

export function calendarPath(calendarId: string): string {
  return calendarId === PRIMARY ? '/me/calendar' : `/me/calendars/${encodeURIComponent(calendarId)}`;
}
