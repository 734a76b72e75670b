import type { ApplicationRef } from '../applications/application.js';
import type { ProviderType } from './account.js';

export interface DueCredentialCheck {
  applicationId: string;
  accountId: string;
}

export interface AccountActivity {
  /** Last use by an application. */
  lastUsedAt: Date | null;
  /** When the provider last accepted the credentials. null when it has rejected them since. */
  acceptedAt: Date | null;
}

export abstract class CredentialCheckRepository {
  /** Claims due checks of ACTIVE accounts of all applications. The next check is due after the interval ± `spread`. */
  abstract claimDue(options: {
    limit: number;
    /** Milliseconds by provider type. */
    intervalMs: Partial<Record<ProviderType, number>>;
    /** Fraction of the interval, 0 to 1. */
    spread: number;
  }): Promise<DueCredentialCheck[]>;
  abstract checkBy(application: ApplicationRef, accountId: string, at: Date): Promise<void>;
  /** Records that an application used the account. Writes at most once every few minutes. */
  abstract recordUse(application: ApplicationRef, accountId: string, at: Date): Promise<void>;
  /** Records that the provider accepted the credentials at this time. */
  abstract recordAccepted(application: ApplicationRef, accountId: string, at: Date): Promise<void>;
  /** Returns null when there is no such account. */
  abstract activity(application: ApplicationRef, accountId: string): Promise<AccountActivity | null>;
  /** Records that the provider rejected this version. @returns time of its first rejection, by the database clock */
  abstract recordRejection(
    application: ApplicationRef,
    accountId: string,
    rowVersion: number,
  ): Promise<{ firstRejectedAt: Date; sinceMs: number }>;
  abstract clearRejection(application: ApplicationRef, accountId: string): Promise<void>;
}

/** Refreshes of one OAuth client in the last minutes, over all processes. */
export interface RefreshStats {
  /** Accounts refreshed or rejected, each counted once. */
  decided: number;
  rejected: number;
  /** When the mass-expiry breaker tripped. null while accounts may become EXPIRED. */
  breakerTrippedSince: Date | null;
}

/** State of the mass-expiry breaker, per provider and client id. */
export abstract class MassExpiryRepository {
  abstract record(
    client: { providerType: ProviderType; clientId: string },
    accountId: string,
    outcome: 'refreshed' | 'rejected',
  ): Promise<RefreshStats>;
  /** Trips the breaker. True for the one caller that tripped it. */
  abstract trip(client: { providerType: ProviderType; clientId: string }): Promise<boolean>;
  abstract release(client: { providerType: ProviderType; clientId: string }): Promise<boolean>;
  /** Whether the caller may send a probe while the breaker is tripped: one caller every `everyMs`. */
  abstract mayProbe(client: { providerType: ProviderType; clientId: string }, everyMs: number): Promise<boolean>;
  abstract breakerTrippedSince(client: { providerType: ProviderType; clientId: string }): Promise<Date | null>;
  /** The breaker is tripped and the account's last counted outcome is a rejection. */
  abstract isRejected(client: { providerType: ProviderType; clientId: string }, accountId: string): Promise<boolean>;
}
