import type { ProviderType } from '../accounts/account.js';
import type { ApplicationRef } from '../applications/application.js';
import type { ComposedMessage, MessageTarget, QueuedMessage } from '../webhooks/message.js';

/** A claimed sync: the right to read a calendar for changes until the lease ends. */
export interface CalendarLook {
  watchedCalendarId: string;
  leaseId: string;
  /** Number of sync requests that this sync covers. */
  hints: string;
  applicationId: string;
  accountId: string;
  calendarId: string;
  providerType: ProviderType;
  /** Changes are announced up to this token. null before the first sync. */
  syncToken: string | null;
  /** null when the last sync succeeded. */
  failingForMs: number | null;
  /**
   * Trigger since the last successful sync: a notification (among others), internal requests, or the schedule alone.
   */
  cause: 'push' | 'hint' | 'timer';
  /** A live channel reports changes, so the schedule only covers lost notifications. */
  isPushed: boolean;
  /** Syncs in a row that ended with a crash of the worker. */
  deaths: number;
  /** W3C `traceparent` of the last traced sync request. null without one. */
  traceparent: string | null;
}

export interface LookResult {
  syncToken: string | null;
  /** Time to the next sync when no request comes earlier. */
  nextLookInMs: number;
  /** Builds the message of a subscription. null when nothing changed. */
  compose: ((target: MessageTarget) => ComposedMessage) | null;
}

/** Wakes the workers after a sync became due. */
export abstract class Lookout {
  /** Starts due syncs before the next periodic run. Returns at once, never throws, and may be lost. */
  abstract wake(): void;
}

/**
 * Synced calendars, on the database clock. The first request after a quiet period makes a sync due at once; syncs of
 * one calendar start at least two seconds apart.
 */
export abstract class WatchedCalendarRepository {
  /**
   * Registers the calendar and keeps it from being deleted until its subscription exists.
   * @throws DomainError NotFound when there is no such account
   */
  abstract watch(
    application: ApplicationRef,
    accountId: string,
    calendarId: string,
  ): Promise<{ watchedCalendarId: string }>;
  /**
   * Requests syncs after notifications, over all applications. Repeated ids count repeatedly.
   * @param traceparents of the traced ones, by id
   */
  abstract hint(watchedCalendarIds: string[], traceparents?: ReadonlyMap<string, string>): Promise<void>;
  /** Requests a sync that starts from now on, without counting as a reported change. */
  abstract lookAnew(watchedCalendarId: string): Promise<void>;
  /** Returns false when the calendar has no subscription. `PRIMARY` may be any calendar of the account. */
  abstract hintCalendar(application: ApplicationRef, accountId: string, calendarId: string): Promise<boolean>;
  /** Requests a sync and a channel reconciliation of all synced calendars of the account. */
  abstract hintAccount(application: ApplicationRef, accountId: string): Promise<void>;
  /** Claims due syncs of ACTIVE accounts, longest due first. One sync per calendar runs over all processes. */
  abstract claimLooks(options: {
    limit: number;
    leaseMs: number;
    /** Minimum time between the starts of two syncs of one calendar. */
    coalesceMs: number;
  }): Promise<CalendarLook[]>;
  /**
   * Claims the first sync of a calendar before its subscription is confirmed, due or not.
   * @returns `begun` when the first sync already succeeded, `busy` while another caller runs it
   * @throws DomainError NotFound when the calendar is not registered
   */
  abstract claimFirstLook(
    application: ApplicationRef,
    watchedCalendarId: string,
    leaseMs: number,
  ): Promise<CalendarLook | 'begun' | 'busy'>;
  /** Extends the lease. Returns false when it was lost. */
  abstract extendLook(look: CalendarLook, leaseMs: number): Promise<boolean>;
  /**
   * Ends the sync and writes its cursor and one message per subscription to its event type. A request that came
   * meanwhile makes the next sync due early.
   * @returns the new messages, all due; null, and nothing written, when the lease was lost
   */
  abstract finishLook(look: CalendarLook, result: LookResult): Promise<QueuedMessage[] | null>;
  /** Ends a failed sync. The next one is due after `inMs`, or on a request. Returns false when the lease was lost. */
  abstract putOffLook(look: CalendarLook, inMs: number): Promise<boolean>;
  /** Returns an unstarted sync: it is due again at once. False when the lease was lost. */
  abstract giveBackLook(look: CalendarLook): Promise<boolean>;
}

/** Stored view of a collection at the time of its sync token, for servers that report no changes. */
export interface SyncSnapshot {
  /** resource → fingerprint, then the ids returned for it, separated by spaces */
  entries: Record<string, string>;
  /** Change tag of the collection at that time. null when it has none. */
  changeTag: string | null;
}

export abstract class SyncSnapshotStore {
  /** Returns the snapshot's id. Keeps the newest dozens per calendar, and deletes those unused for 30 days. */
  abstract save(
    scope: { applicationId: string; accountId: string; calendarId: string },
    snapshot: SyncSnapshot,
  ): Promise<string>;
  /** Replaces a snapshot while its pages are still being read. Returns false when it was deleted. */
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
