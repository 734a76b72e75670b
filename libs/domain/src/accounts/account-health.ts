import type { ApplicationRef } from '../applications/application.js';
import type { ProviderType } from './account.js';

/** How an account's credentials do, kept apart from the account: it changes without anybody's doing. */
export interface DueCheck {
  applicationId: string;
  accountId: string;
}

export abstract class AccountHealthRepository {
  /**
   * Accounts (ACTIVE ones, of all applications) whose check is due, at most `limit`; each is given to one caller only
   * and is due again after its interval ± `spread` of it. New accounts are spread over the interval. None: nothing is
   * due.
   */
  abstract claimDue(options: {
    limit: number;
    /** By provider type, milliseconds. */
    intervalMs: Partial<Record<ProviderType, number>>;
    /** 0 to 1. */
    spread: number;
  }): Promise<DueCheck[]>;
  /** Makes the next check due at that time, when that is earlier than it is. */
  abstract checkBy(application: ApplicationRef, accountId: string, at: Date): Promise<void>;
  /** Notes that an application used the account; written at most once in some minutes. */
  abstract noteUse(application: ApplicationRef, accountId: string, at: Date): Promise<void>;
  abstract lastUse(application: ApplicationRef, accountId: string): Promise<Date | null>;
  /**
   * Notes that the provider refused this version of the credentials.
   * @returns when it refused this version first, by the database's clock, and how long ago that is
   */
  abstract noteRefusal(
    application: ApplicationRef,
    accountId: string,
    rowVersion: number,
  ): Promise<{ firstRefusedAt: Date; sinceMs: number }>;
  /** The credentials worked: earlier refusals count no more. No statement when there is nothing to forget. */
  abstract clearRefusal(application: ApplicationRef, accountId: string): Promise<void>;
}

/** What is known of a client's refreshes in the last minutes, over all processes. */
export interface GrantTally {
  /** Accounts that were refreshed or refused, each counted once. */
  judged: number;
  refused: number;
  /** Since when transitions to EXPIRED are held; null: they are not. */
  heldSince: Date | null;
}

/** The memory of the mass-expiry breaker, per provider and client id. */
export abstract class GrantLedger {
  abstract record(
    client: { providerType: ProviderType; clientId: string },
    accountId: string,
    outcome: 'refreshed' | 'refused',
  ): Promise<GrantTally>;
  /** Begins to hold. True for the one caller that did. */
  abstract hold(client: { providerType: ProviderType; clientId: string }): Promise<boolean>;
  /** Ends it and forgets the tally. True for the one caller that did. */
  abstract release(client: { providerType: ProviderType; clientId: string }): Promise<boolean>;
  /** While held: whether the caller may probe now; true for one caller in `everyMs`. */
  abstract mayProbe(client: { providerType: ProviderType; clientId: string }, everyMs: number): Promise<boolean>;
  abstract heldSince(client: { providerType: ProviderType; clientId: string }): Promise<Date | null>;
  /** While held: whether the account's last outcome is a refusal, of since then or of the tally that led to it. */
  abstract isSuspect(client: { providerType: ProviderType; clientId: string }, accountId: string): Promise<boolean>;
}
