import type { ApplicationRef } from '../applications/application.js';
import type { StoredSigningSecrets } from '../webhooks/endpoint.js';
import type { EndUserAccount, ProviderType } from './account.js';

/** Secrets in clear text, in memory only. */
export type Credentials =
  | { kind: 'password'; password: string }
  /** Secret address of a calendar: knowing it is enough to read the calendar. */
  | { kind: 'url'; url: string }
  | {
      kind: 'oauth';
      /** OAuth client that received the grant. No other client can use it (RFC 6749 §6). */
      clientId: string;
      accessToken: string;
      refreshToken: string;
      /** null when unknown, and then treated as expired. */
      expiresAt: Date | null;
    };

export type OAuthCredentials = Extract<Credentials, { kind: 'oauth' }>;

/** Credentials as stored. `rowVersion` fences late writers. */
export interface StoredCredential {
  id: string;
  endUserAccountId: string;
  applicationId: string;
  credentials: Credentials;
  rowVersion: number;
  createdAt: Date;
  updatedAt: Date;
}

/** An account and its credentials from one read. */
export interface AccountWithCredential {
  account: EndUserAccount;
  /** Decrypts. @throws DomainError NotFound when the account has no credentials */
  credential(): StoredCredential;
}

export type StoredGrant = StoredCredential & { credentials: OAuthCredentials };

export function isGrant(stored: StoredCredential): stored is StoredGrant {
  return stored.credentials.kind === 'oauth';
}

export abstract class CredentialRepository {
  /** Replaces the credentials of an account whatever version is stored, and raises the version. */
  abstract put(application: ApplicationRef, accountId: string, credentials: Credentials): Promise<StoredCredential>;
  abstract get(application: ApplicationRef, accountId: string): Promise<StoredCredential>;
  /** @throws DomainError NotFound when there is no such account */
  abstract getWithAccount(application: ApplicationRef, accountId: string): Promise<AccountWithCredential>;
  /** Returns the stored version without decrypting. null when no credentials are stored. */
  abstract version(application: ApplicationRef, accountId: string): Promise<number | null>;
  /** Acquires the refresh lease of a version. Returns null when another caller holds it or the version was replaced. */
  abstract lease(
    application: ApplicationRef,
    accountId: string,
    rowVersion: number,
    forMs: number,
  ): Promise<string | null>;
  /** Releases the lease. No-op when another caller holds it. */
  abstract releaseLease(application: ApplicationRef, accountId: string, leaseId: string): Promise<void>;
  /** Replaces this version and ends its lease. Returns null, and writes nothing, when another version is stored. */
  abstract replace(
    application: ApplicationRef,
    accountId: string,
    rowVersion: number,
    credentials: Credentials,
  ): Promise<StoredCredential | null>;
  /** Whether any other account has a grant of the same client and person. Revoking one revokes all of them. */
  abstract sharesGrant(
    account: Pick<EndUserAccount, 'id' | 'providerType' | 'providerAccountId'>,
    clientId: string,
  ): Promise<boolean>;
}

/** A grant to revoke after its account was deleted. The token is encrypted at rest. */
export interface PendingRevocation {
  id: string;
  applicationId: string;
  providerType: ProviderType;
  providerAccountId: string | null;
  clientId: string;
  token: string;
  /** Claims so far, this one included. */
  attempts: number;
}

export abstract class RevocationRepository {
  abstract add(
    application: ApplicationRef,
    revocation: Pick<PendingRevocation, 'providerType' | 'providerAccountId' | 'clientId' | 'token'>,
  ): Promise<PendingRevocation>;
  /** Claims due revocations of all applications, each for one minute and longer after every further attempt. */
  abstract claimDue(limit: number): Promise<PendingRevocation[]>;
  /** Returns null when the revocation is done or abandoned. */
  abstract find(application: ApplicationRef, revocationId: string): Promise<PendingRevocation | null>;
  abstract remove(revocation: PendingRevocation): Promise<void>;
  abstract isAnyPending(application: ApplicationRef): Promise<boolean>;
  /** Whether a grant of this client and person, of any application, may be ending right now. */
  abstract isFirstAttemptUnderWay(
    grant: Pick<PendingRevocation, 'providerType' | 'providerAccountId' | 'clientId'>,
  ): Promise<boolean>;
}

export interface ConnectAttempt {
  applicationId: string;
  actor: string;
  providerType: ProviderType;
  /** Lower-cased login, with the server where the provider needs one. */
  login: string;
}

/** Throttles failed connects, so that clients cannot try passwords through this service. */
export abstract class ConnectThrottle {
  /** @throws DomainError RateLimited after too many rejected connects of the account or the key */
  abstract admit(attempt: ConnectAttempt): Promise<void>;
  abstract recordRejection(attempt: ConnectAttempt): Promise<void>;
}

export interface UnreadableCredential {
  applicationId: string;
  accountId: string;
  rowVersion: number;
  /** false for a password. */
  isGrant: boolean;
}

export abstract class UnreadableSecrets {
  abstract credentials(): Promise<UnreadableCredential[]>;
  abstract oauthClients(): Promise<{ applicationId: string; providerType: ProviderType; clientId: string }[]>;
  /** Replaces unreadable signing secrets and returns their endpoints. */
  abstract replaceSigningSecrets(
    next: () => StoredSigningSecrets,
  ): Promise<{ applicationId: string; endpointId: string }[]>;
  /** Deletes unreadable sign-ins, idempotent responses, revocations and properties. @returns number of rows */
  abstract deleteOthers(): Promise<number>;
}
