import type { ApplicationRef } from '../applications/application.js';
import type { StoredSigningSecrets } from '../webhooks/endpoint.js';
import type { EndUserAccount, ProviderType } from './account.js';

/** Secrets in clear, in memory only. */
export type Credentials =
  | { kind: 'password'; password: string }
  /** The address of a calendar, which whoever knows it can read. */
  | { kind: 'url'; url: string }
  | {
      kind: 'oauth';
      /** The client that the grant was given to: no other one can use it. */
      clientId: string;
      /** Empty before the first refresh. */
      accessToken: string;
      refreshToken: string;
      /** null: not known, so taken for expired. */
      expiresAt: Date | null;
    };

export type OAuthCredentials = Extract<Credentials, { kind: 'oauth' }>;

/** Credentials as stored: `rowVersion` fences late writers. */
export interface StoredCredential {
  id: string;
  endUserAccountId: string;
  applicationId: string;
  credentials: Credentials;
  rowVersion: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Stored credentials of an account that lives on a grant. */
export type StoredGrant = StoredCredential & { credentials: OAuthCredentials };

export function isGrant(stored: StoredCredential): stored is StoredGrant {
  return stored.credentials.kind === 'oauth';
}

export abstract class CredentialRepository {
  /** Replaces the credentials of an account, whatever version is stored; raises the version. */
  abstract put(application: ApplicationRef, accountId: string, credentials: Credentials): Promise<StoredCredential>;
  /** @throws DomainError NotFound */
  abstract get(application: ApplicationRef, accountId: string): Promise<StoredCredential>;
  /** Version of the stored credentials, without decrypting them; null when there are none. */
  abstract version(application: ApplicationRef, accountId: string): Promise<number | null>;
  /**
   * Takes the lease of refreshing this version of the credentials: one holder at a time over all processes, by the
   * database's clock. null when somebody else holds it, when it is another version by now, or when it is gone.
   */
  abstract lease(
    application: ApplicationRef,
    accountId: string,
    rowVersion: number,
    forMs: number,
  ): Promise<string | null>;
  /** Gives the lease back; one that has passed to somebody else stays theirs. */
  abstract releaseLease(application: ApplicationRef, accountId: string, leaseId: string): Promise<void>;
  /**
   * Replaces exactly this version and ends its lease. null, and nothing written, when it is another version by now or
   * gone: a holder that slept past its lease changes nothing.
   */
  abstract replace(
    application: ApplicationRef,
    accountId: string,
    rowVersion: number,
    credentials: Credentials,
  ): Promise<StoredCredential | null>;
  /**
   * Whether any other account, of whatever application, lives on a grant of the same client and person: revoking one
   * revokes all of them.
   */
  abstract sharesGrant(
    account: Pick<EndUserAccount, 'id' | 'providerType' | 'providerAccountId'>,
    clientId: string,
  ): Promise<boolean>;
}

/** A grant that has to be revoked although its account is gone. The token is encrypted at rest. */
export interface PendingRevocation {
  id: string;
  applicationId: string;
  providerType: ProviderType;
  /** Whose grant it is: an account of theirs that was connected meanwhile must keep it. */
  providerAccountId: string | null;
  clientId: string;
  token: string;
  /** How often it has been claimed, this time included. */
  attempts: number;
}

export abstract class RevocationRepository {
  /** Call inside the {@link UnitOfWork} that deletes the account. */
  abstract add(
    application: ApplicationRef,
    revocation: Pick<PendingRevocation, 'providerType' | 'providerAccountId' | 'clientId' | 'token'>,
  ): Promise<PendingRevocation>;
  /** Due ones of all applications; whoever gets one has it for a minute, and longer after every further attempt. */
  abstract claimDue(limit: number): Promise<PendingRevocation[]>;
  /** null: it is done, or given up. */
  abstract find(application: ApplicationRef, revocationId: string): Promise<PendingRevocation | null>;
  /** Done, or given up. */
  abstract remove(revocation: PendingRevocation): Promise<void>;
  /** Whether any grant of the application's accounts has to be revoked yet. */
  abstract isAnyPending(application: ApplicationRef): Promise<boolean>;
}

export interface ConnectAttempt {
  applicationId: string;
  /** Whose key asks. */
  actor: string;
  providerType: ProviderType;
  /** Lower-cased login, and server where there is one. */
  login: string;
}

/** Counts refused connects, so that nobody can try passwords through this service. */
export abstract class ConnectGuard {
  /** @throws DomainError RateLimited, when the account or the key has had its share of refusals */
  abstract admit(attempt: ConnectAttempt): Promise<void>;
  abstract noteRefusal(attempt: ConnectAttempt): Promise<void>;
}

export interface UnreadableCredential {
  applicationId: string;
  accountId: string;
  rowVersion: number;
  /** Else a password. */
  isGrant: boolean;
}

/** What is stored, of all applications, and opens with no key that there is. */
export abstract class UnreadableSecrets {
  abstract credentials(): Promise<UnreadableCredential[]>;
  abstract oauthClients(): Promise<{ applicationId: string; providerType: ProviderType; clientId: string }[]>;
  /** Gives endpoints other secrets, which can be read. @returns whose they were */
  abstract replaceSigningSecrets(
    next: () => StoredSigningSecrets,
  ): Promise<{ applicationId: string; endpointId: string }[]>;
  /** Deletes what ends by itself or is of no use unread: begun sign-ins, kept answers, revocations, private properties. */
  abstract forgetOthers(): Promise<number>;
}
