import type { ApplicationRef } from '../applications/application.js';
import type { JsonObject } from '../system/ports.js';

/** A provider in capitals: the `type` of a `CalendarProvider` in libs/providers. */
export type ProviderType = string;

export const ACCOUNT_STATUSES = ['ACTIVE', 'EXPIRED'] as const;

export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

/** Why an account became EXPIRED or ACTIVE again. Part of the `enduseraccount.updated` payload. */
export type AccountStatusReason =
  'invalid_grant' | 'password_rejected' | 'consent_revoked' | 'user_deleted' | 'reconnected';

export type ExpiryReason = Exclude<AccountStatusReason, 'reconnected'>;

/** One user's authenticated account at one provider: section 2.1 of the interface specification. */
export interface EndUserAccount {
  id: string;
  applicationId: string;
  providerType: ProviderType;
  /** As the user typed it. Only the upsert key is lower-cased. */
  email: string;
  externalId: string | null;
  authorizedScopes: string[];
  providerAccountId: string | null;
  /** Opaque and stable id of the application's configuration of this provider. */
  providerId: string;
  status: AccountStatus;
  statusReason: AccountStatusReason | null;
  /** Normalized. null unless the type is CALDAV. */
  serverUrl: string | null;
  /** The adapter's discovery at connect time (principal, homes, features). Opaque outside the adapter. */
  providerState: JsonObject | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Compares the public state of two accounts, ignoring `updatedAt` and the order of scopes (RFC 6749 §3.3). */
export function hasSamePublicState(one: EndUserAccount, other: EndUserAccount): boolean {
  return seen(one) === seen(other);
}

function seen({ authorizedScopes, externalId, ...account }: EndUserAccount): string {
  const { email, providerAccountId, providerId, status, serverUrl } = account;
  const scopes = [...new Set(authorizedScopes)].sort();
  return JSON.stringify([email, externalId ?? '', scopes, providerAccountId, providerId, status, serverUrl]);
}

/** Whether `externalId` would move the account to another user. null and '' stand for no user. */
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
  /** undefined keeps the stored value. */
  externalId?: string | null;
  /** false keeps a stored `externalId` that is not empty. Default: true. */
  replacesExternalId?: boolean;
  authorizedScopes: string[];
  providerAccountId: string | null;
  providerState: JsonObject;
}

export interface AccountListQuery {
  limit: number;
  search: string | null;
  status: AccountStatus | null;
  /** Keyset: last row of the previous page. */
  after: { createdAt: Date; id: string } | null;
}

export abstract class AccountRepository {
  /**
   * Creates or updates the account, and sets it ACTIVE. The key is the providerAccountId, else lower-cased email and
   * serverUrl.
   * @returns `changed`: the account existed and is not {@link hasSamePublicState}; true when `wasExpired` is
   * @throws ExternalIdMismatch when the account {@link isOfAnotherUser} and `replacesExternalId` is false
   */
  abstract upsert(
    application: ApplicationRef,
    account: AccountUpsert,
  ): Promise<{ account: EndUserAccount; created: boolean; wasExpired: boolean; changed: boolean }>;
  /** @throws DomainError NotFound, also for an id of another application or a malformed one */
  abstract getOwned(application: ApplicationRef, accountId: string): Promise<EndUserAccount>;
  abstract list(application: ApplicationRef, query: AccountListQuery): Promise<EndUserAccount[]>;
  /** Returns false when the account already had the status. */
  abstract setStatus(
    application: ApplicationRef,
    accountId: string,
    status: AccountStatus,
    reason: AccountStatusReason,
  ): Promise<boolean>;
  abstract saveProviderState(application: ApplicationRef, accountId: string, state: JsonObject): Promise<void>;
  abstract saveAuthorizedScopes(application: ApplicationRef, accountId: string, scopes: string[]): Promise<void>;
  abstract findByProviderAccountId(
    application: ApplicationRef,
    providerType: ProviderType,
    providerAccountId: string,
  ): Promise<EndUserAccount | null>;
  abstract delete(application: ApplicationRef, accountId: string): Promise<boolean>;
}
