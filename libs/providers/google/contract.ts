import type { calendar_v3 } from '@googleapis/calendar';
import type { AccountSession, ProviderBudget, SyncSnapshotStore } from '#domain';
import type { Egress } from '#egress';
import { type EventOperations, ProviderRefusal, type Repeat } from '#providers/kit/calls';

/** Where Google is, and how much is asked of it. */
export interface GoogleSettings {
  /** Roots of the Calendar API, of the sign-in pages and of the token endpoints. */
  apiUrl: string;
  oauthUrl: string;
  tokenUrl: string;
  /** For one account. */
  requestsPerMinute: number;
  /** For all tries of one call together, milliseconds. */
  timeoutMs: number;
}

/** What the adapter is made with. */
export interface GoogleProviderDeps extends GoogleSettings {
  egress: Egress;
  budget: ProviderBudget;
  /** What reads of a window, or with filters, had given out when their sync tokens were issued. */
  snapshots: SyncSnapshotStore;
  nowMs(): number;
}

/** One account in use, for one operation. */
export interface GoogleConnection {
  readonly session: AccountSession;
  /** The official client with this account's token, through the guarded egress. Call it inside {@link call} only. */
  readonly api: calendar_v3.Calendar;
  /**
   * One call under the account's budget, the deadline and the retry policy. `send` does nothing but call the client,
   * once: it may be run again, and what it calls later belongs to no call.
   * @throws GoogleFault with what Google answered; DomainError for everything else. The provider turns a fault that
   *   nobody handled into a DomainError by the one table of errors.ts
   */
  call<T>(repeat: Repeat, send: () => Promise<{ data: T }>): Promise<T>;
  /**
   * The calendar as the account sees it (role, zone, colours, conference types); `primary` is resolved. Kept for some
   * seconds. @throws DomainError NotFound
   */
  calendar(calendarId: string): Promise<calendar_v3.Schema$CalendarListEntry & { id: string }>;
}

/** The event half of the adapter. */
export type GoogleEventOperations = EventOperations<GoogleConnection>;

/** What Google answered instead of a result; `code` is the `reason` of its error body. */
export class GoogleFault extends ProviderRefusal {
  override readonly name = 'GoogleFault';

  constructor(status: number, reason: string | null, detail: string, retryAfterMs: number | null) {
    super('Google', status, reason, detail, retryAfterMs);
  }
}
