import { PRIMARY, type AccountSession, type SyncSnapshotStore } from '#domain';
import {
  accessTokenOf,
  type Admission,
  type Attempt,
  type CalendarCache,
  calendarNotFound,
  type CallPolicy,
  isSendable,
  type Repeat,
} from '#providers/kit/calls';
import { outlookCalendar, type OutlookCalendar } from './calendar-entry.js';
import { GraphFault, hasNoMailbox, isGone } from './errors.js';
import { EXPAND_OWN } from './events/own-properties.js';
import { type GraphBatchAnswer, GraphBatch } from './graph-batch.js';
import type { GraphLinks } from './graph-links.js';
import {
  type GraphCall,
  GraphTry,
  headersOf,
  requestOf,
  type GraphRequest,
  type GraphTransport,
} from './graph-transport.js';
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
  calendars: CalendarCache<OutlookCalendar>;
  zones: MailboxZones;
  /** What reads had given out when their sync tokens were issued. */
  snapshots: SyncSnapshotStore;
  nowMs: () => number;
}

/** One account in use, for one operation. */
export class GraphConnection {
  private readonly accessToken: string;

  constructor(
    private readonly deps: ConnectionDeps,
    readonly session: AccountSession,
    private readonly admission: Admission,
  ) {
    this.accessToken = accessTokenOf(session, 'Microsoft');
  }

  /**
   * One call through the official client, under the account's budget and slots, the deadline and the retry policy.
   * @returns the parsed body; null when there was none
   * @throws GraphFault with what Graph answered; DomainError for everything else. The binder turns a fault that nobody
   *   handled into a DomainError by the one table of errors.ts
   */
  call(repeat: Repeat, call: GraphCall): Promise<unknown> {
    return this.send(repeat, requestOf(call));
  }

  /**
   * Reads the page behind a link that Graph gave (`@odata.nextLink`, `@odata.deltaLink`): of the configured root only.
   * `state` is what {@link stateOf} kept of it; headers as in {@link GraphCall}.
   */
  follow(state: string, headers?: GraphCall['headers']): Promise<unknown> {
    const { path, query } = this.deps.links.target(state);
    return this.send('read', { method: 'GET', path, query, headers: headersOf(headers) });
  }

  /** What has to be kept of a link to follow it later: path and query, never an origin. @throws DomainError for a foreign one */
  stateOf(link: string): string {
    return this.deps.links.stateOf(link);
  }

  /**
   * Reads, at most 20 to a round trip; answers in the order of the calls.
   * @throws as {@link call}, also for a part that is still throttled, or fails, after its repeats
   */
  async batch(calls: readonly GraphCall[]): Promise<GraphBatchAnswer[]> {
    const { policy, nowMs } = this.deps;
    const batch = new GraphBatch(calls.map(requestOf), { secret: this.accessToken, nowMs });
    while (batch.nextParts > 0) {
      await policy.run({
        repeat: 'read',
        signal: this.session.signal,
        admit: (attempt) => this.admission.run(batch.nextParts, attempt),
        send: async (attempt) => batch.take(await this.try(batch.next(), attempt)),
      });
    }
    return batch.answers();
  }

  /** The calendar as the account sees it. Kept for some seconds. @throws DomainError NotFound */
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

  get snapshots(): SyncSnapshotStore {
    return this.deps.snapshots;
  }

  /** @throws DomainError ProviderTimeout when the caller goes */
  pause(ms: number): Promise<void> {
    return this.deps.policy.rest(ms, this.session.signal);
  }

  /** IANA id of the zone that the mailbox lives in; `UTC` when it is not told. */
  mailboxTimeZone(): Promise<string> {
    return this.deps.zones.find(this.session, (call) => this.call('read', call));
  }

  private send(repeat: Repeat, request: GraphRequest): Promise<unknown> {
    return this.deps.policy.run({
      repeat,
      signal: this.session.signal,
      admit: (attempt) => this.admission.run(1, attempt),
      send: (attempt) => this.try(request, attempt),
    });
  }

  private try(request: GraphRequest, attempt: Attempt): Promise<unknown> {
    const { accountId, signal } = this.session;
    attempt.isConditional = request.headers['if-match'] !== undefined;
    return this.deps.transport.send(request, new GraphTry(this.accessToken, accountId, signal, attempt.timeoutMs));
  }
}

export function calendarPath(calendarId: string): string {
  return calendarId === PRIMARY ? '/me/calendar' : `/me/calendars/${encodeURIComponent(calendarId)}`;
}
