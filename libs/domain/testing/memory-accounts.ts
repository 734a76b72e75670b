import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import {
  CredentialCheckRepository,
  AccountRepository,
  ConnectThrottle,
  CredentialRepository,
  MassExpiryRepository,
  isOfAnotherUser,
  hasSamePublicState,
  Outbox,
  RevocationRepository,
  type AccountListQuery,
  type AccountStatus,
  type AccountStatusReason,
  type AccountUpsert,
  type AccountWithCredential,
  type ConnectAttempt,
  type Credentials,
  type AccountActivity,
  type DueCredentialCheck,
  type EndUserAccount,
  type RefreshStats,
  type OutboxMessage,
  type PendingRevocation,
  type ProviderType,
  type StoredCredential,
} from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import { OAuthClientRepository, type OAuthClient } from '#domain/oauth';
import { DomainError, ExternalIdMismatch, UnitOfWork, type Clock, type JsonObject } from '#domain/system';

type GrantClient = { providerType: ProviderType; clientId: string };

/** Undone when the transaction ends in an error. Writers do not wait for each other as they do in a database. */
export class MemoryUnitOfWork extends UnitOfWork {
  private readonly undo = new AsyncLocalStorage<(() => void)[]>();

  override async run<T>(_application: ApplicationRef, work: () => Promise<T>): Promise<T> {
    if (this.undo.getStore() !== undefined) return work();
    const steps: (() => void)[] = [];
    try {
      return await this.undo.run(steps, work);
    } catch (error) {
      for (const step of steps.reverse()) step();
      throw error;
    }
  }

  /** Somebody else's work, that is no part of this transaction. */
  outside<T>(work: () => T): T {
    return this.undo.exit(work);
  }

  get isOpen(): boolean {
    return this.undo.getStore() !== undefined;
  }

  /** Writes, and remembers how to take it back. */
  write(apply: () => void, undo: () => void): void {
    apply();
    this.undo.getStore()?.push(undo);
  }
}

export class MemoryAccounts extends AccountRepository {
  readonly rows = new Map<string, EndUserAccount>();

  constructor(
    private readonly unitOfWork: MemoryUnitOfWork,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async upsert(
    { applicationId }: ApplicationRef,
    { externalId, replacesExternalId = true, ...given }: AccountUpsert,
  ) {
    const now = new Date(this.clock.nowMs());
    const known = [...this.rows.values()].find(
      (row) =>
        row.applicationId === applicationId &&
        row.providerType === given.providerType &&
        (given.providerAccountId === null
          ? row.email.toLowerCase() === given.email.toLowerCase() && row.serverUrl === given.serverUrl
          : row.providerAccountId === given.providerAccountId),
    );
    if (!replacesExternalId && known !== undefined && isOfAnotherUser(known, externalId)) {
      throw new ExternalIdMismatch();
    }
    const isKept = externalId === undefined || (!replacesExternalId && (known?.externalId ?? '') !== '');
    const account: EndUserAccount = {
      id: known?.id ?? randomUUID(),
      applicationId,
      ...given,
      externalId: isKept ? (known?.externalId ?? null) : externalId,
      providerId: 'provider',
      status: 'ACTIVE',
      statusReason: known?.status === 'EXPIRED' ? 'reconnected' : (known?.statusReason ?? null),
      createdAt: known?.createdAt ?? now,
      updatedAt: now,
    };
    this.put(account);
    return {
      account: { ...account },
      created: known === undefined,
      wasExpired: known?.status === 'EXPIRED',
      changed: known !== undefined && !hasSamePublicState(known, account),
    };
  }

  override async getOwned({ applicationId }: ApplicationRef, id: string): Promise<EndUserAccount> {
    const row = this.rows.get(id);
    if (row?.applicationId !== applicationId) throw new DomainError('NotFound', 'There is no such account.');
    return { ...row };
  }

  override async list(_application: ApplicationRef, { after, limit }: AccountListQuery): Promise<EndUserAccount[]> {
    const rows = [...this.rows.values()];
    const from = after === null ? 0 : rows.findIndex(({ id }) => id === after.id) + 1;
    return rows.slice(from, from + limit);
  }

  override async setStatus(
    _application: ApplicationRef,
    id: string,
    status: AccountStatus,
    statusReason: AccountStatusReason,
  ): Promise<boolean> {
    const row = this.rows.get(id);
    if (row === undefined || row.status === status) return false;
    this.put({ ...row, status, statusReason });
    return true;
  }

  override async saveProviderState(_application: ApplicationRef, id: string, providerState: JsonObject): Promise<void> {
    const row = this.rows.get(id);
    if (row !== undefined) this.put({ ...row, providerState });
  }

  override async saveAuthorizedScopes(_application: ApplicationRef, id: string, scopes: string[]): Promise<void> {
    const row = this.rows.get(id);
    if (row !== undefined) this.put({ ...row, authorizedScopes: scopes });
  }

  override async findByProviderAccountId(
    { applicationId }: ApplicationRef,
    providerType: ProviderType,
    providerAccountId: string,
  ): Promise<EndUserAccount | null> {
    const found = [...this.rows.values()].find(
      (row) =>
        row.applicationId === applicationId &&
        row.providerType === providerType &&
        row.providerAccountId === providerAccountId,
    );
    return found ?? null;
  }

  override async delete(_application: ApplicationRef, id: string): Promise<boolean> {
    const row = this.rows.get(id);
    if (row === undefined) return false;
    this.unitOfWork.write(
      () => this.rows.delete(id),
      () => this.rows.set(id, row),
    );
    return true;
  }

  put(account: EndUserAccount): void {
    const before = this.rows.get(account.id);
    this.unitOfWork.write(
      () => this.rows.set(account.id, account),
      () => (before === undefined ? this.rows.delete(account.id) : this.rows.set(account.id, before)),
    );
  }
}

interface Reservation {
  id: string;
  untilMs: number;
}

export class MemoryCredentials extends CredentialRepository {
  readonly rows = new Map<string, StoredCredential>();
  readonly leases = new Map<string, Reservation>();
  /** Leases that were given out. */
  leased = 0;

  constructor(
    private readonly accounts: MemoryAccounts,
    private readonly unitOfWork: MemoryUnitOfWork,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async put(
    { applicationId }: ApplicationRef,
    accountId: string,
    credentials: Credentials,
  ): Promise<StoredCredential> {
    const before = this.current(accountId);
    const now = new Date(this.clock.nowMs());
    const row: StoredCredential = {
      id: before?.id ?? randomUUID(),
      endUserAccountId: accountId,
      applicationId,
      credentials,
      rowVersion: (before?.rowVersion ?? 0) + 1,
      createdAt: before?.createdAt ?? now,
      updatedAt: now,
    };
    this.unitOfWork.write(
      () => this.rows.set(accountId, row),
      () => (before === undefined ? this.rows.delete(accountId) : this.rows.set(accountId, before)),
    );
    return row;
  }

  override async get(_application: ApplicationRef, accountId: string): Promise<StoredCredential> {
    const row = this.current(accountId);
    if (row === undefined) throw new DomainError('NotFound', 'There are no credentials.');
    return row;
  }

  override async getWithAccount(application: ApplicationRef, accountId: string): Promise<AccountWithCredential> {
    const [account, row] = [await this.accounts.getOwned(application, accountId), this.current(accountId)];
    const credential = () => {
      if (row === undefined) throw new DomainError('NotFound', 'There are no credentials.');
      return row;
    };
    return { account, credential };
  }

  override async version(_application: ApplicationRef, accountId: string): Promise<number | null> {
    return this.current(accountId)?.rowVersion ?? null;
  }

  override async lease(
    _application: ApplicationRef,
    accountId: string,
    rowVersion: number,
    forMs: number,
  ): Promise<string | null> {
    if (this.current(accountId)?.rowVersion !== rowVersion) return null;
    const held = this.leases.get(accountId);
    if (held !== undefined && held.untilMs > this.clock.nowMs()) return null;
    const lease = { id: randomUUID(), untilMs: this.clock.nowMs() + forMs };
    this.leases.set(accountId, lease);
    this.leased += 1;
    return lease.id;
  }

  override async releaseLease(_application: ApplicationRef, accountId: string, leaseId: string): Promise<void> {
    if (this.leases.get(accountId)?.id === leaseId) this.leases.delete(accountId);
  }

  override async replace(
    application: ApplicationRef,
    accountId: string,
    rowVersion: number,
    credentials: Credentials,
  ): Promise<StoredCredential | null> {
    if (this.current(accountId)?.rowVersion !== rowVersion) return null;
    this.leases.delete(accountId);
    return this.put(application, accountId, credentials);
  }

  override async sharesGrant(
    { id, providerType, providerAccountId }: Pick<EndUserAccount, 'id' | 'providerType' | 'providerAccountId'>,
    clientId: string,
  ): Promise<boolean> {
    return [...this.accounts.rows.values()].some((account) => {
      const credentials = this.current(account.id)?.credentials;
      return (
        account.id !== id &&
        account.providerType === providerType &&
        account.providerAccountId === providerAccountId &&
        credentials?.kind === 'oauth' &&
        credentials.clientId === clientId
      );
    });
  }

  /** Credentials go with their account. */
  private current(accountId: string): StoredCredential | undefined {
    return this.accounts.rows.has(accountId) ? this.rows.get(accountId) : undefined;
  }
}

export class MemoryOutbox extends Outbox {
  readonly messages: OutboxMessage[] = [];

  constructor(private readonly unitOfWork: MemoryUnitOfWork) {
    super();
  }

  override async append(_application: ApplicationRef, message: OutboxMessage): Promise<void> {
    if (!this.unitOfWork.isOpen) throw new Error('an event outside of the transaction that makes it true');
    this.unitOfWork.write(
      () => this.messages.push(message),
      () => this.messages.splice(this.messages.indexOf(message), 1),
    );
  }

  /** `[eventType, status, reason]` of each. */
  get published(): unknown[] {
    return this.messages.map(({ eventType, payload }) =>
      payload['reason'] === undefined
        ? [eventType, payload['status']]
        : [eventType, payload['status'], payload['reason']],
    );
  }
}

export class MemoryHealth extends CredentialCheckRepository {
  readonly rejections = new Map<string, { rowVersion: number; atMs: number }>();
  readonly checks = new Map<string, number>();
  readonly uses = new Map<string, Date>();
  readonly proofs = new Map<string, Date>();
  /** Times that {@link recordUse} was called. */
  recorded = 0;

  constructor(private readonly clock: Clock) {
    super();
  }

  override async claimDue(): Promise<DueCredentialCheck[]> {
    return [];
  }

  override async checkBy(_application: ApplicationRef, accountId: string, at: Date): Promise<void> {
    this.checks.set(accountId, Math.min(at.getTime(), this.checks.get(accountId) ?? Number.POSITIVE_INFINITY));
  }

  override async recordUse(_application: ApplicationRef, accountId: string, at: Date): Promise<void> {
    this.recorded += 1;
    this.uses.set(accountId, at);
  }

  override async recordAccepted(_application: ApplicationRef, accountId: string, at: Date): Promise<void> {
    this.proofs.set(accountId, at);
  }

  override async activity(_application: ApplicationRef, accountId: string): Promise<AccountActivity> {
    const acceptedAt = this.rejections.has(accountId) ? null : (this.proofs.get(accountId) ?? null);
    return { lastUsedAt: this.uses.get(accountId) ?? null, acceptedAt };
  }

  override async recordRejection(_application: ApplicationRef, accountId: string, rowVersion: number) {
    const known = this.rejections.get(accountId);
    const rejection = known?.rowVersion === rowVersion ? known : { rowVersion, atMs: this.clock.nowMs() };
    this.rejections.set(accountId, rejection);
    return { firstRejectedAt: new Date(rejection.atMs), sinceMs: this.clock.nowMs() - rejection.atMs };
  }

  override async clearRejection(_application: ApplicationRef, accountId: string): Promise<void> {
    this.rejections.delete(accountId);
  }
}

/** Remembers the last five minutes. */
export class MemoryLedger extends MassExpiryRepository {
  private readonly outcomes = new Map<string, Map<string, { rejected: boolean; atMs: number }>>();
  private readonly tripped = new Map<string, { since: Date; probedAtMs: number | null }>();

  constructor(private readonly clock: Clock) {
    super();
  }

  override async record(
    client: GrantClient,
    accountId: string,
    outcome: 'refreshed' | 'rejected',
  ): Promise<RefreshStats> {
    const nowMs = this.clock.nowMs();
    const outcomes = this.outcomes.get(keyOf(client)) ?? new Map<string, { rejected: boolean; atMs: number }>();
    this.outcomes.set(keyOf(client), outcomes.set(accountId, { rejected: outcome === 'rejected', atMs: nowMs }));
    const recent = [...outcomes.values()].filter(({ atMs }) => atMs > nowMs - 5 * 60_000);
    return {
      decided: recent.length,
      rejected: recent.filter(({ rejected }) => rejected).length,
      breakerTrippedSince: await this.breakerTrippedSince(client),
    };
  }

  override async trip(client: GrantClient): Promise<boolean> {
    if (this.tripped.has(keyOf(client))) return false;
    this.tripped.set(keyOf(client), { since: new Date(this.clock.nowMs()), probedAtMs: null });
    return true;
  }

  override async release(client: GrantClient): Promise<boolean> {
    this.outcomes.delete(keyOf(client));
    return this.tripped.delete(keyOf(client));
  }

  override async mayProbe(client: GrantClient, everyMs: number): Promise<boolean> {
    const hold = this.tripped.get(keyOf(client));
    const nowMs = this.clock.nowMs();
    if (hold === undefined || (hold.probedAtMs !== null && hold.probedAtMs > nowMs - everyMs)) return false;
    hold.probedAtMs = nowMs;
    return true;
  }

  override async breakerTrippedSince(client: GrantClient): Promise<Date | null> {
    return this.tripped.get(keyOf(client))?.since ?? null;
  }

  override async isRejected(client: GrantClient, accountId: string): Promise<boolean> {
    const since = await this.breakerTrippedSince(client);
    const outcome = this.outcomes.get(keyOf(client))?.get(accountId);
    return since !== null && outcome?.rejected === true && outcome.atMs > since.getTime() - 5 * 60_000;
  }
}

export class MemoryOAuthClients extends OAuthClientRepository {
  readonly clients = new Map<ProviderType, OAuthClient>();

  override async find(_application: ApplicationRef, providerType: ProviderType): Promise<OAuthClient | null> {
    return this.clients.get(providerType) ?? null;
  }

  override async put(_application: ApplicationRef, providerType: ProviderType, client: OAuthClient): Promise<void> {
    this.clients.set(providerType, client);
  }

  override async list() {
    return [...this.clients].map(([providerType, { clientId, scopes, tenant }]) => ({
      providerType,
      clientId,
      scopes,
      tenant,
    }));
  }

  override async remove(_application: ApplicationRef, providerType: ProviderType): Promise<boolean> {
    return this.clients.delete(providerType);
  }
}

/** Counts, and refuses after `limit` refusals of one login. */
export class MemoryConnectThrottle extends ConnectThrottle {
  readonly rejections: ConnectAttempt[] = [];
  limit = 5;

  override async admit({ login }: ConnectAttempt): Promise<void> {
    if (this.rejections.filter((rejection) => rejection.login === login).length >= this.limit) {
      throw new DomainError('RateLimited', 'Too many refused logins.');
    }
  }

  override async recordRejection(attempt: ConnectAttempt): Promise<void> {
    this.rejections.push(attempt);
  }
}

export class MemoryRevocations extends RevocationRepository {
  readonly rows = new Map<string, PendingRevocation>();

  constructor(private readonly unitOfWork: MemoryUnitOfWork) {
    super();
  }

  override async add(
    { applicationId }: ApplicationRef,
    given: Omit<PendingRevocation, 'id' | 'applicationId' | 'attempts'>,
  ) {
    const revocation = { ...given, id: randomUUID(), applicationId, attempts: 0 };
    this.unitOfWork.write(
      () => this.rows.set(revocation.id, revocation),
      () => this.rows.delete(revocation.id),
    );
    return revocation;
  }

  override async claimDue(): Promise<PendingRevocation[]> {
    for (const revocation of this.rows.values()) revocation.attempts += 1;
    return [...this.rows.values()];
  }

  override async find({ applicationId }: ApplicationRef, id: string): Promise<PendingRevocation | null> {
    const revocation = this.rows.get(id);
    return revocation?.applicationId === applicationId ? revocation : null;
  }

  override async remove({ id }: PendingRevocation): Promise<void> {
    this.rows.delete(id);
  }

  override async isAnyPending({ applicationId }: ApplicationRef): Promise<boolean> {
    return [...this.rows.values()].some((revocation) => revocation.applicationId === applicationId);
  }

  override async isFirstAttemptUnderWay({
    providerAccountId,
    clientId,
  }: Pick<PendingRevocation, 'providerType' | 'providerAccountId' | 'clientId'>): Promise<boolean> {
    return [...this.rows.values()].some(
      (row) => row.attempts === 0 && row.providerAccountId === providerAccountId && row.clientId === clientId,
    );
  }
}

function keyOf({ providerType, clientId }: GrantClient): string {
  return `${providerType} ${clientId}`;
}
