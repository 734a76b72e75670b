import type {
  AccountStatus,
  AccountStatusReason,
  ApiKey,
  ApiKeyScope,
  Application,
  ApplicationOptions,
  ApplicationRef,
  CountedApplication,
  Credentials,
  EndUserAccount,
  Environment,
  JsonObject,
  ProviderType,
  StoredCredential,
} from './account.js';
import type { ExtendedProperties } from './event.js';
import type { OAuthAttempt, OAuthClient, OutboxMessage, PreparedSignIn } from './oauth.js';

// Ports are abstract classes: they are the injection tokens (interfaces vanish at run time).

/** Time, injected. */
export abstract class Clock {
  abstract nowMs(): number;
}

/** UUIDv7 strings. */
export abstract class Ids {
  abstract next(): string;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether it is a UUID as text (RFC 9562 §4), in lower or upper case. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** Runs `work` in one database transaction; repositories called inside join it. Nested calls join the outer one. */
export abstract class UnitOfWork {
  abstract run<T>(application: ApplicationRef, work: () => Promise<T>): Promise<T>;
}

/** One that is being deleted is not there for `list`, `find`, `update` and the like, nor for its keys. */
export abstract class ApplicationRepository {
  abstract create(application: {
    name: string;
    rateLimitRps?: number | null;
    /** Default: development. */
    environment?: Environment;
  }): Promise<Application>;
  /** Oldest first. */
  abstract list(): Promise<CountedApplication[]>;
  abstract find(applicationId: string): Promise<Application | null>;
  abstract findCounted(applicationId: string): Promise<CountedApplication | null>;
  /** What is not named stays as it is. @returns null when there is no such application */
  abstract update(applicationId: string, options: Partial<ApplicationOptions>): Promise<Application | null>;
  /** The environment, which stays what it is until the {@link UnitOfWork} ends; null: there is no such application. */
  abstract holdEnvironment(applicationId: string): Promise<Environment | null>;
  /** From now on it is not there any more. False when it was not there. */
  abstract beginDeletion(applicationId: string): Promise<boolean>;
  /** One whose deletion is to go on; nobody else gets it within that time. null: there is none. */
  abstract claimDeletion(leaseMs: number): Promise<string | null>;
  /** When the deletion is to go on. */
  abstract continueDeletion(applicationId: string, inMs: number): Promise<void>;
  /** Deletes its endpoints and subscriptions, with their messages: nothing more is sent. */
  abstract deleteEndpoints(applicationId: string): Promise<void>;
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

/** What tells a guess from a key. */
export type ApiKeySecretHash = Pick<ApiKeyForVerification, 'id' | 'secretHash' | 'createdAt'>;

export abstract class ApiKeyRepository {
  abstract create(key: NewApiKey): Promise<ApiKey>;
  abstract list(applicationId: string): Promise<ApiKey[]>;
  /** By the key id inside of the key text. The only read that is not scoped by application: it finds out which one. */
  abstract findForVerification(keyId: string): Promise<ApiKeyForVerification | null>;
  /** Of the keys that were made at that time or later, and are not revoked; null: of all of these. */
  abstract listSecretHashes(createdSince: Date | null): Promise<ApiKeySecretHash[]>;
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

/** Applications' own OAuth clients; secrets are encrypted at rest. */
export abstract class OAuthClientRepository {
  abstract find(application: ApplicationRef, providerType: ProviderType): Promise<OAuthClient | null>;
  /** Replaces the one that is there. @throws DomainError NotFound, when there is no such application */
  abstract put(application: ApplicationRef, providerType: ProviderType, client: OAuthClient): Promise<void>;
  /** Secrets left out. */
  abstract list(
    application: ApplicationRef,
  ): Promise<(Omit<OAuthClient, 'clientSecret'> & { providerType: ProviderType })[]>;
  /** False when there was none. */
  abstract remove(application: ApplicationRef, providerType: ProviderType): Promise<boolean>;
}

/** The OAuth clients of the installation, for applications without one of their own. */
export abstract class SharedOAuthClients {
  abstract for(providerType: ProviderType): OAuthClient | null;
}

/** Where an application lets its users be sent back to. */
export abstract class RedirectUrlRepository {
  /** Oldest first: the first one is the default. */
  abstract list(application: ApplicationRef): Promise<string[]>;
  /** False when it is there already. @throws DomainError NotFound, when there is no such application */
  abstract add(application: ApplicationRef, url: string): Promise<boolean>;
  /** False when it was not there. */
  abstract remove(application: ApplicationRef, url: string): Promise<boolean>;
  /** `to` stands where `from` stood. False when `from` was not there. Call when `to` is not there. */
  abstract replace(application: ApplicationRef, from: string, to: string): Promise<boolean>;
}

export abstract class OAuthAttemptRepository {
  abstract save(attempt: OAuthAttempt): Promise<void>;
  /**
   * Takes the attempt out: it exists for the first caller only, and not once it has expired. Not scoped by application:
   * it says which one it is.
   */
  abstract take(stateHash: Buffer): Promise<OAuthAttempt | null>;
  /** @throws DomainError NotFound, when there is no such application */
  abstract prepare(signIn: PreparedSignIn): Promise<void>;
  /** As {@link take}. */
  abstract takePrepared(addressHash: Buffer): Promise<PreparedSignIn | null>;
}

/** Messages to the application. Call inside the {@link UnitOfWork} that makes them true. */
export abstract class Outbox {
  abstract append(application: ApplicationRef, message: OutboxMessage): Promise<void>;
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

/** How many requests of one account may be under way at its provider at once, over all processes. */
export abstract class ProviderSlots {
  /**
   * Runs `work` when one of the account's `limit` slots is free. A slot of a process that died is free again within
   * seconds; work that outlives its slot's lease is not stopped.
   * @throws DomainError RateLimited (with retryAfterSeconds) when none becomes free before the signal's deadline or 20 s;
   *   what `work` throws
   */
  abstract hold<T>(
    scope: { applicationId: string; accountId: string },
    limit: number,
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T>;
}

/** Counts refused connects, so that nobody can try passwords through this service. */
export abstract class ConnectGuard {
  /** @throws DomainError RateLimited, when the account or the key has had its share of refusals */
  abstract admit(attempt: ConnectAttempt): Promise<void>;
  abstract noteRefusal(attempt: ConnectAttempt): Promise<void>;
}

export interface ConnectAttempt {
  applicationId: string;
  /** Whose key asks. */
  actor: string;
  providerType: ProviderType;
  /** Lower-cased login, and server where there is one. */
  login: string;
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
  /** null: it was done to none of them. */
  applicationId: string | null;
  /** Who: `api-key:<id>`, `operator:<email>`, `ops`, `system`. */
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
