import type { ProviderType } from '../accounts/account.js';
import type { ApplicationRef } from '../applications/application.js';
import type { ReadingPriority } from '../usage/reading-plan.js';
import type { ComposedMessage, MessageTarget, QueuedMessage } from '../webhooks/message.js';

/** A claimed sync: the right to read a calendar for changes until the lease ends. */
export interface ClaimedSync {
  syncedCalendarId: string;
  leaseId: string;
  /** Number of sync requests that this sync covers. */
  syncRequests: string;
  applicationId: string;
  accountId: string;
  calendarId: string;
  providerType: ProviderType;
  /** Changes are announced up to this token. null before the first sync. */
  syncToken: string | null;
  /** null when the last sync succeeded. */
  failingForMs: number | null;
  /** Trigger since the last successful sync: a notification, an internal request, or the schedule alone. */
  trigger: 'notification' | 'internal' | 'schedule';
  /** A live channel reports changes, so the schedule only covers lost notifications. */
  isPushed: boolean;
  /** null unless it is pushed. */
  readingPriority: ReadingPriority | null;
  /** Project, or origin of the server, that the requests count against. */
  quotaOwner: string;
  /** Syncs in a row that ended with a crash of the worker. */
  stalledCount: number;
  /** W3C `traceparent` of the last traced sync request. null without one. */
  traceparent: string | null;
}

export interface SyncResult {
  syncToken: string | null;
  nextSyncInMs: number;
  /** Builds the message of a subscription. null when nothing changed. */
  compose: ((target: MessageTarget) => ComposedMessage) | null;
}

export abstract class SyncWakeup {
  /** Starts due syncs before the next periodic run. Returns at once, never throws, and may be lost. */
  abstract wake(): void;
}

/** Synced calendars, on the database clock. Syncs of one calendar start at least two seconds apart. */
export abstract class SyncedCalendarRepository {
  /** Keeps the calendar until its subscription exists. @throws DomainError NotFound when there is no such account */
  abstract register(
    application: ApplicationRef,
    accountId: string,
    calendarId: string,
  ): Promise<{ syncedCalendarId: string }>;
  /** Requests syncs after notifications, over all applications. @param traceparents by id, of traced ones */
  abstract requestSync(syncedCalendarIds: string[], traceparents?: ReadonlyMap<string, string>): Promise<void>;
  /** Requests a sync that starts from now on, without counting as a reported change. */
  abstract requestSyncAfterGap(syncedCalendarId: string): Promise<void>;
  /** Returns false when the calendar has no subscription. `PRIMARY` may be any calendar of the account. */
  abstract requestSyncOfCalendar(application: ApplicationRef, accountId: string, calendarId: string): Promise<boolean>;
  abstract requestSyncOfAccount(application: ApplicationRef, accountId: string): Promise<void>;
  /** Claims due syncs of ACTIVE accounts, longest due first. */
  abstract claimSyncs(options: {
    limit: number;
    leaseMs: number;
    /** Minimum time between the starts of two syncs of one calendar. */
    coalesceMs: number;
  }): Promise<ClaimedSync[]>;
  /**
   * Claims the first sync, due or not. `begun`: it has succeeded before; `busy`: another caller runs it.
   * @throws DomainError NotFound when the calendar is not registered
   */
  abstract claimInitialSync(
    application: ApplicationRef,
    syncedCalendarId: string,
    leaseMs: number,
  ): Promise<ClaimedSync | 'done' | 'busy'>;
  /** Extends the lease. Returns false when it was lost. */
  abstract extend(sync: ClaimedSync, leaseMs: number): Promise<boolean>;
  /** Ends the sync. @returns one new message per subscription; null, and nothing written, when the lease was lost */
  abstract complete(sync: ClaimedSync, result: SyncResult): Promise<QueuedMessage[] | null>;
  /** Ends a failed sync. The next one is due after `inMs`, or on a request. Returns false when the lease was lost. */
  abstract defer(sync: ClaimedSync, inMs: number): Promise<boolean>;
  /** Returns an unstarted sync: it is due again at once. False when the lease was lost. */
  abstract release(sync: ClaimedSync): Promise<boolean>;
}

/** Collection as of a sync token, for servers that report no changes. */
export interface SyncSnapshot {
  /** resource → fingerprint, then the ids returned for it, separated by spaces */
  entries: Record<string, string>;
  changeTag: string | null;
}

export abstract class SyncSnapshotStore {
  /** Returns the id. Keeps the newest dozens per calendar, and deletes those unused for 30 days. */
  abstract save(
    scope: { applicationId: string; accountId: string; calendarId: string },
    snapshot: SyncSnapshot,
  ): Promise<string>;
  abstract replace(
    scope: { applicationId: string; accountId: string; calendarId: string },
    snapshotId: string,
    snapshot: SyncSnapshot,
  ): Promise<boolean>;
  /** Returns null when the snapshot was deleted. A find counts as use. */
  abstract find(
    scope: { applicationId: string; accountId: string; calendarId: string },
    snapshotId: string,
  ): Promise<SyncSnapshot | null>;
}
