import type { Calendar, Event } from '@microsoft/microsoft-graph-types';
import type { AccountSession, ProviderBudget, ProviderSlots, SyncSnapshotStore } from '#domain';
import type { Egress } from '#egress';
import { type EventOperations, ProviderRefusal, type Repeat } from '#providers/kit/calls';

/** Where Microsoft is, and how much is asked of it. */
export interface MicrosoftSettings {
  /** Roots of Graph and of the identity platform. */
  graphUrl: string;
  loginUrl: string;
  /** For one account. */
  requestsPerMinute: number;
  /** For all tries of one call together, milliseconds. */
  timeoutMs: number;
}

/** What the adapter is made with. */
export interface MicrosoftProviderDeps extends MicrosoftSettings {
  egress: Egress;
  budget: ProviderBudget;
  slots: ProviderSlots;
  /** What reads had given out when their sync tokens were issued. */
  snapshots: SyncSnapshotStore;
  nowMs(): number;
}

/** One request to Graph. */
export interface GraphCall {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/v1.0`, segments percent-encoded: `/me/calendars/AAMk%3D/events`. */
  path: string;
  /** `$top`, `startDateTime`, … not yet encoded. */
  query?: Readonly<Record<string, string>>;
  /** On top of what every call carries (immutable ids, UTC, text bodies). A preference in `prefer` wins over that one. */
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
}

/** Answer of one call of a batch. */
export interface GraphBatchAnswer {
  status: number;
  /** Parsed; null when there was none. */
  body: unknown;
}

/** One account in use, for one operation. */
export interface GraphConnection {
  readonly session: AccountSession;
  /**
   * One call through the official client, under the account's budget and slots, the deadline and the retry policy.
   * @returns the parsed body; null when there was none
   * @throws GraphFault with what Graph answered; DomainError for everything else. The provider turns a fault that nobody
   *   handled into a DomainError by the one table of errors.ts
   */
  call(repeat: Repeat, call: GraphCall): Promise<unknown>;
  /**
   * Reads the page behind a link that Graph gave (`@odata.nextLink`, `@odata.deltaLink`): of the configured root only.
   * `state` is what {@link stateOf} kept of it; headers as in {@link GraphCall}.
   */
  follow(state: string, headers?: Readonly<Record<string, string>>): Promise<unknown>;
  /** What has to be kept of a link to follow it later: path and query, never an origin. @throws DomainError for a foreign one */
  stateOf(link: string): string;
  /**
   * Reads, at most 20 to a round trip; answers in the order of the calls.
   * @throws as {@link call}, also for a part that is still throttled, or fails, after its repeats
   */
  batch(calls: readonly GraphCall[]): Promise<GraphBatchAnswer[]>;
  /** The calendar as the account sees it. Kept for some seconds. @throws DomainError NotFound */
  calendar(calendarId: string): Promise<Calendar & { id: string }>;
  /** IANA id of the zone that the mailbox lives in; `UTC` when it is not told. */
  mailboxTimeZone(): Promise<string>;
}

/** An event of Graph as it arrives: any field may be missing or of another type. */
export type GraphEvent = Event & { '@odata.etag'?: string };

/** The event half of the adapter. */
export type MicrosoftEventOperations = EventOperations<GraphConnection>;

/** What Graph answered instead of a result; `code` is the most specific one of its error body. */
export class GraphFault extends ProviderRefusal {
  override readonly name = 'GraphFault';

  constructor(status: number, code: string | null, detail: string, retryAfterMs: number | null) {
    super('Graph', status, code, detail, retryAfterMs);
  }
}
