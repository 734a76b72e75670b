import type { ApplicationRef } from '../applications/application.js';
import type { JsonObject } from '../system/ports.js';

/**
 * A provider, in capitals. Which ones there are is known at run time: `type` of each `CalendarProvider`, defined in
 * libs/providers.
 */
export type ProviderType = string;

export const ACCOUNT_STATUSES = ['ACTIVE', 'EXPIRED'] as const;

export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

/** Why an account became EXPIRED or ACTIVE again; part of the `enduseraccount.updated` payload. */
export type AccountStatusReason =
  'invalid_grant' | 'password_rejected' | 'consent_revoked' | 'user_deleted' | 'reconnected';

/** The evidence that the credentials of an account are dead. */
export type ExpiryReason = Exclude<AccountStatusReason, 'reconnected'>;

/** One user's authenticated account at one provider: section 2.1 of the interface specification. */
export interface EndUserAccount {
  id: string;
  applicationId: string;
  providerType: ProviderType;
  /** As given by the user. Lower-cased for the upsert key only. */
  email: string;
  externalId: string | null;
  authorizedScopes: string[];
  providerAccountId: string | null;
  /** Opaque and stable: the application's configuration of this provider. */
  providerId: string;
  status: AccountStatus;
  statusReason: AccountStatusReason | null;
  /** CALDAV only, normalised. */
  serverUrl: string | null;
  /** What the provider's adapter learned at connect time (principal, homes, features). Opaque outside of the adapter. */
  providerState: JsonObject | null;
  createdAt: Date;
  updatedAt: Date;
}

/**
 * Whether an application is shown the same of two states of an account (section 2.1 of the interface specification), the
 * time of the change aside. The order of scopes says nothing (RFC 6749 §3.3).
 */
export function isSeenAlike(one: EndUserAccount, other: EndUserAccount): boolean {
  return seen(one) === seen(other);
}

/** What can change of what is shown. */
function seen({ authorizedScopes, externalId, ...account }: EndUserAccount): string {
  const { email, providerAccountId, providerId, status, serverUrl } = account;
  const scopes = [...new Set(authorizedScopes)].sort();
  return JSON.stringify([email, externalId ?? '', scopes, providerAccountId, providerId, status, serverUrl]);
}

/** Whether `externalId` would move the account from one user of the application to another. An empty text names nobody. */
export function isOfAnotherUser(
  { externalId: stored }: Pick<EndUserAccount, 'externalId'>,
  externalId: string | null | undefined,
): boolean {
  return (stored ?? '') !== '' && (externalId ?? '') !== '' && stored !== externalId;
}

export interface AccountUpsert {
  providerType: ProviderType;
  email: string;
  serverUrl: string | null;
  /** undefined keeps what is stored. */
  externalId?: string | null;
  /** false: an `externalId` that is stored, other than an empty text, stays. Default: true. */
  replacesExternalId?: boolean;
  authorizedScopes: string[];
  providerAccountId: string | null;
  providerState: JsonObject;
}

export interface AccountListQuery {
  limit: number;
  /** Case-insensitive substring of email or externalId, taken literally. */
  search: string | null;
  status: AccountStatus | null;
  /** Keyset: the last row of the page before. */
  after: { createdAt: Date; id: string } | null;
}

export abstract class AccountRepository {
  /**
   * Creates the account, or updates the one that it is: the one with the same (application, providerType,
   * providerAccountId), or where the provider gives no such id, with the same (application, providerType, lower-cased
   * email, serverUrl). Its id and createdAt stay, its status becomes ACTIVE.
   * @returns `changed`: whether it was there, but not {@link isSeenAlike}. True whenever `wasExpired` is.
   * @throws ExternalIdMismatch when the account {@link isOfAnotherUser}, and stays that. Nothing is written then
   */
  abstract upsert(
    application: ApplicationRef,
    account: AccountUpsert,
  ): Promise<{ account: EndUserAccount; created: boolean; wasExpired: boolean; changed: boolean }>;
  /** @throws DomainError NotFound, for an id of another application and for something that is no id too */
  abstract getOwned(application: ApplicationRef, accountId: string): Promise<EndUserAccount>;
  /** Newest first. */
  abstract list(application: ApplicationRef, query: AccountListQuery): Promise<EndUserAccount[]>;
  /** No-op when the status is already that. False when nothing changed. */
  abstract setStatus(
    application: ApplicationRef,
    accountId: string,
    status: AccountStatus,
    reason: AccountStatusReason,
  ): Promise<boolean>;
  abstract saveProviderState(application: ApplicationRef, accountId: string, state: JsonObject): Promise<void>;
  /** What the provider says is granted now. No-op when it is the same. */
  abstract saveAuthorizedScopes(application: ApplicationRef, accountId: string, scopes: string[]): Promise<void>;
  /** By the provider's own id of the account; null when there is none. */
  abstract findByProviderAccountId(
    application: ApplicationRef,
    providerType: ProviderType,
    providerAccountId: string,
  ): Promise<EndUserAccount | null>;
  /** Deletes the account and everything that hangs on it. False when it did not exist. */
  abstract delete(application: ApplicationRef, accountId: string): Promise<boolean>;
}
