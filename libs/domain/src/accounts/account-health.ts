import type { ApplicationRef } from '../applications/application.js';
import type { ProviderType } from './account.js';

/** An account whose credential check is due. Kept apart from the account because it changes in the background. */
export interface DueCheck {
  applicationId: string;
  accountId: string;
}

export abstract class AccountHealthRepository {
  /**
   * Claims up to `limit` due checks of ACTIVE accounts of all applications. One caller gets each account; the next
   * check is due after its interval ± `spread`. First checks of new accounts are spread over the interval.
   */
  abstract claimDue(options: {
    limit: number;
    /** Milliseconds by provider type. */
    intervalMs: Partial<Record<ProviderType, number>>;
    /** Fraction of the interval, 0 to 1. */
    spread: number;
  }): Promise<DueCheck[]>;
  /** Moves the next check forward to `at`. No-op when it is due earlier. */
  abstract checkBy(application: ApplicationRef, accountId: string, at: Date): Promise<void>;
  /** Records that an application used the account. Writes at most once every few minutes. */
  abstract noteUse(application: ApplicationRef, accountId: string, at: Date): Promise<void>;
  abstract lastUse(application: ApplicationRef, accountId: string): Promise<Date | null>;
  /**
   * Records that the provider rejected this version of the credentials.
   * @returns when the provider first rejected this version (database clock), and how long ago that was
   */
  abstract noteRefusal(
    application: ApplicationRef,
    accountId: string,
    rowVersion: number,
  ): Promise<{ firstRefusedAt: Date; sinceMs: number }>;
  /** Clears earlier rejections after a success. Runs no statement when there are none. */
  abstract clearRefusal(application: ApplicationRef, accountId: string): Promise<void>;
}

/** Refreshes of one OAuth client in the last minutes, over all processes. */
export interface GrantTally {
  /** Accounts refreshed or rejected, each counted once. */
  judged: number;
  refused: number;
  /** When the mass-expiry breaker tripped. null while accounts may become EXPIRED. */
  heldSince: Date | null;
}

/** State of the mass-expiry breaker, per provider and client id. */
export abstract class GrantLedger {
  abstract record(
    client: { providerType: ProviderType; clientId: string },
    accountId: string,
    outcome: 'refreshed' | 'refused',
  ): Promise<GrantTally>;
  /** Trips the breaker. True for the one caller that tripped it. */
  abstract hold(client: { providerType: ProviderType; clientId: string }): Promise<boolean>;
  /** Resets the breaker and its counts. True for the one caller that reset it. */
  abstract release(client: { providerType: ProviderType; clientId: string }): Promise<boolean>;
  /** Whether the caller may send a probe while the breaker is tripped: one caller every `everyMs`. */
  abstract mayProbe(client: { providerType: ProviderType; clientId: string }, everyMs: number): Promise<boolean>;
  abstract heldSince(client: { providerType: ProviderType; clientId: string }): Promise<Date | null>;
  /** Whether the breaker is tripped and the account's last counted outcome is a rejection. */
  abstract isSuspect(client: { providerType: ProviderType; clientId: string }, accountId: string): Promise<boolean>;
}
