import type { ProviderType } from '../accounts/account.js';
import type { ApplicationRef } from '../applications/application.js';
import type { ComposedMessage, MessageTarget, QueuedMessage } from '../webhooks/message.js';

/** The right to look at a calendar, until its lease ends. */
export interface CalendarLook {
  watchedCalendarId: string;
  leaseId: string;
  /** Hints that it knows of. */
  hints: string;
  applicationId: string;
  accountId: string;
  calendarId: string;
  providerType: ProviderType;
  /** Up to where changes were announced; null: this is the first look. */
  syncToken: string | null;
  /** For how long looks have been failing; null: the last one did not. */
  failingForMs: number | null;
  /** What made it due since the last one that did not fail: a push (among others), other hints, or time alone. */
  cause: 'push' | 'hint' | 'timer';
  /** A live channel tells of its changes: the timer is for what pushes lose. */
  isPushed: boolean;
  /** How many looks at it in a row ended with the process that made them. */
  deaths: number;
  /** W3C `traceparent` of the last hint that was traced, since the look before; null: there was none. */
  traceparent: string | null;
}

export interface LookResult {
  /** Up to where changes are announced now. */
  syncToken: string | null;
  /** When to look again without a hint. */
  nextLookInMs: number;
  /** What subscriptions are told; null: nothing changed. */
  compose: ((target: MessageTarget) => ComposedMessage) | null;
}

/** Whoever made a look due calls them. */
export abstract class Lookout {
  /** Somebody looks at once instead of at the next sweep. Returns at once, never throws, and may be lost. */
  abstract wake(): void;
}

/**
 * Calendars with subscriptions, and the looks at them, on the database's clock. After a calm a hint makes a look due at
 * once; looks at one calendar begin two seconds apart.
 */
export abstract class WatchedCalendarRepository {
  /**
   * Watches the calendar, if that is not done yet, and keeps it from being forgotten until it is subscribed to.
   * @throws DomainError NotFound, when there is no such account
   */
  abstract watch(
    application: ApplicationRef,
    accountId: string,
    calendarId: string,
  ): Promise<{ watchedCalendarId: string }>;
  /**
   * Pushes: a look is due; each id counts as often as it is given. Of all applications.
   * @param traceparents of those among them that are traced
   */
  abstract hint(watchedCalendarIds: string[], traceparents?: ReadonlyMap<string, string>): Promise<void>;
  /** A look is due that begins from now on, although nobody has said that anything changed. */
  abstract lookAnew(watchedCalendarId: string): Promise<void>;
  /** False, and nothing happens, when the calendar is not watched. `PRIMARY` may be any calendar of the account. */
  abstract hintCalendar(application: ApplicationRef, accountId: string, calendarId: string): Promise<boolean>;
  /** All watched calendars of an account, their channels too. */
  abstract hintAccount(application: ApplicationRef, accountId: string): Promise<void>;
  /** Due ones of ACTIVE accounts, longest due first; one look at a time over all processes. */
  abstract claimLooks(options: {
    limit: number;
    leaseMs: number;
    /** Between the beginnings of two looks at one calendar. */
    coalesceMs: number;
  }): Promise<CalendarLook[]>;
  /**
   * The first look at a calendar that is about to be subscribed to, whether it is due or not. `begun`: that was made, by
   * whomever; `busy`: somebody is at it.
   * @throws DomainError NotFound, when the calendar is not watched
   */
  abstract claimFirstLook(
    application: ApplicationRef,
    watchedCalendarId: string,
    leaseMs: number,
  ): Promise<CalendarLook | 'begun' | 'busy'>;
  /** For a look that takes long. False when it is somebody else's by now. */
  abstract extendLook(look: CalendarLook, leaseMs: number): Promise<boolean>;
  /**
   * Ends the look: its cursor and one message for every subscription that wants its type, or, when the lease was lost,
   * nothing at all and null. After a hint that came meanwhile the next look is due as soon as it may be.
   * @returns the messages there are now, all of them due
   */
  abstract finishLook(look: CalendarLook, result: LookResult): Promise<QueuedMessage[] | null>;
  /** The look failed: another one is due then, or at a hint. False when it is somebody else's by now. */
  abstract putOffLook(look: CalendarLook, inMs: number): Promise<boolean>;
  /** The look was not made: it is due again at once. False when it is somebody else's by now. */
  abstract giveBackLook(look: CalendarLook): Promise<boolean>;
}

/** What a read had given out when its sync token was issued, for what servers cannot tell. */
export interface SyncSnapshot {
  /** resource → fingerprint and, after a space each, the ids that were given out of it */
  entries: Record<string, string>;
  /** The collection's change tag at that time; null when it has none. */
  changeTag: string | null;
}

export abstract class SyncSnapshotStore {
  /** Returns the snapshot's id. Keeps the newest of a calendar (some dozens), and none unused for 30 days. */
  abstract save(
    scope: { applicationId: string; accountId: string; calendarId: string },
    snapshot: SyncSnapshot,
  ): Promise<string>;
  /** Replaces a snapshot in place, while the pages that it is made of are still being read. False when it is gone. */
  abstract replace(
    scope: { applicationId: string; accountId: string; calendarId: string },
    snapshotId: string,
    snapshot: SyncSnapshot,
  ): Promise<boolean>;
  /** null when it has been dropped. Finding one counts as use. */
  abstract find(
    scope: { applicationId: string; accountId: string; calendarId: string },
    snapshotId: string,
  ): Promise<SyncSnapshot | null>;
}
