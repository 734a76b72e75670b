import type {
  AccountStatus,
  AccountStatusReason,
  ApiKey,
  ApiKeyScope,
  Application,
  ApplicationRef,
  Credentials,
  EndUserAccount,
  JsonObject,
  ProviderType,
  StoredCredential,
} from './account.js';
import type { ExtendedProperties } from './event.js';

// Ports are abstract classes: they are the injection tokens (interfaces vanish at run time).

/** Time, injected. */
export abstract class Clock {
  abstract nowMs(): number;
}

/** UUIDv7 strings. */
export abstract class Ids {
  abstract next(): string;
}

/** Runs `work` in one database transaction; repositories called inside join it. Nested calls join the outer one. */
export abstract class UnitOfWork {
  abstract run<T>(application: ApplicationRef, work: () => Promise<T>): Promise<T>;
}

export abstract class ApplicationRepository {
  abstract create(application: { name: string; rateLimitRps?: number | null }): Promise<Application>;
  abstract list(): Promise<Application[]>;
  abstract find(applicationId: string): Promise<Application | null>;
  /** Deletes the application and everything it owns. False when it did not exist. */
  abstract delete(applicationId: string): Promise<boolean>;
}

export interface NewApiKey {
  id: string;
  applicationId: string;
  name: string;
  scopes: ApiKeyScope[];
  /** SHA-256 of the secret part, 32 bytes. */
  secretHash: Buffer;
  /** Last four characters of the secret. */
  secretTail: string;
  expiresAt: Date | null;
}

/** An API key with what the guard needs to judge it. */
export interface ApiKeyForVerification extends ApiKey {
  secretHash: Buffer;
  /** Of the application; null: the server's default. */
  rateLimitRps: number | null;
}

export abstract class ApiKeyRepository {
  abstract create(key: NewApiKey): Promise<ApiKey>;
  abstract list(applicationId: string): Promise<ApiKey[]>;
  /** By the key id inside of the key text. The only read that is not scoped by application: it finds out which one. */
  abstract findForVerification(keyId: string): Promise<ApiKeyForVerification | null>;
  /** False when there is no such key. Revoking twice keeps the first date. */
  abstract revoke(keyId: string, revokedAt: Date): Promise<boolean>;
  /** Written at most once a minute per key; callers may call it at every request. */
  abstract touch(keyId: string, usedAt: Date): Promise<void>;
}

export interface AccountUpsert {
  providerType: ProviderType;
  email: string;
  serverUrl: string | null;
  /** undefined keeps what is stored. */
  externalId?: string | null;
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
   * Creates the account, or updates the one with the same (application, providerType, lower-cased email, serverUrl):
   * its id and createdAt stay, its status becomes ACTIVE.
   */
  abstract upsert(
    application: ApplicationRef,
    account: AccountUpsert,
  ): Promise<{ account: EndUserAccount; created: boolean; wasExpired: boolean }>;
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
  /** Deletes the account and everything that hangs on it. False when it did not exist. */
  abstract delete(application: ApplicationRef, accountId: string): Promise<boolean>;
}

export abstract class CredentialRepository {
  /** Replaces the credentials of an account, whatever version is stored; raises the version. */
  abstract put(application: ApplicationRef, accountId: string, credentials: Credentials): Promise<StoredCredential>;
  /** @throws DomainError NotFound */
  abstract get(application: ApplicationRef, accountId: string): Promise<StoredCredential>;
  /** Version of the stored credentials, without decrypting them; null when there are none. */
  abstract version(application: ApplicationRef, accountId: string): Promise<number | null>;
}

/** Properties that a provider has no private place for; encrypted at rest. `instance` is '' for the series or event. */
export interface PrivatePropertyKey {
  applicationId: string;
  accountId: string;
  calendarId: string;
  iCalUid: string;
  /** '' for an event or a series, else the date part of the instance id. */
  instance: string;
}

export abstract class PrivatePropertyStore {
  /** All instances of the uids asked: `uid → instance → properties`. */
  abstract load(
    scope: { applicationId: string; accountId: string; calendarId: string },
    iCalUids: string[],
  ): Promise<Map<string, Map<string, ExtendedProperties>>>;
  /** An empty object removes the entry. */
  abstract save(key: PrivatePropertyKey, properties: ExtendedProperties): Promise<void>;
  /** Removes the entries of every instance of a uid, or of one instance. */
  abstract remove(key: Omit<PrivatePropertyKey, 'instance'> & { instance?: string }): Promise<void>;
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

export interface IdempotencyKeyScope {
  applicationId: string;
  key: string;
}

export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  /** JSON text. */
  body: string;
}

export type IdempotencyClaim =
  /** Go on; finish with `complete` or `release`. `claimId` proves who holds it. */
  | { state: 'claimed'; claimId: string }
  /** The same request already succeeded. */
  | { state: 'completed'; answer: StoredAnswer }
  /** The same key was used with another request. */
  | { state: 'mismatch' }
  /** Another request with this key is still running. */
  | { state: 'inFlight'; retryAfterSeconds: number };

export abstract class IdempotencyRepository {
  /** `fingerprint`: hash over method, path and body. A claim whose holder died is taken over after `lockMs`. */
  abstract claim(scope: IdempotencyKeyScope, fingerprint: string, lockMs: number): Promise<IdempotencyClaim>;
  abstract complete(scope: IdempotencyKeyScope, claimId: string, answer: StoredAnswer): Promise<void>;
  abstract release(scope: IdempotencyKeyScope, claimId: string): Promise<void>;
}

export interface AuditEntry {
  applicationId: string;
  /** Who: `api-key:<id>`, `operator:<id>`, `ops`, `system`. */
  actor: string;
  /** `credentials.read`, `api-key.created`, … */
  action: string;
  /** What it was done to: `end-user-account:<id>`. */
  subject: string;
  requestId: string | null;
}

export abstract class AuditLog {
  abstract record(entry: AuditEntry): Promise<void>;
}

/** How many requests an account may still send to its provider. */
export abstract class ProviderBudget {
  /**
   * Takes one request from the account's budget, waiting for it when it is not far off.
   * @throws DomainError RateLimited (with retryAfterSeconds) when it would take longer than the signal's deadline or 20 s
   */
  abstract take(
    scope: { applicationId: string; accountId: string },
    requestsPerMinute: number,
    signal: AbortSignal,
  ): Promise<void>;
}
