import { Injectable } from '@nestjs/common';
import {
  AccountRepository,
  isOfAnotherUser,
  hasSamePublicState,
  type AccountListQuery,
  type AccountStatus,
  type AccountStatusReason,
  type AccountUpsert,
  type EndUserAccount,
  type ProviderType,
} from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import {
  Clock,
  ExternalIdMismatch,
  IdGenerator,
  isUuid,
  noSuchAccount,
  noSuchApplication,
  type JsonObject,
} from '#domain/system';
import { Database } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { tenant } from '../database/scope.js';
import { EndUserAccountEntity } from '../entities/accounts.entities.js';
import {
  ACCOUNTS_BY_ID,
  INSERT_ACCOUNT,
  LIST_ACCOUNTS,
  LOCK_ACCOUNT_OF_LOGIN,
  LOCK_ACCOUNT_OF_PERSON,
  RECONNECT_ACCOUNT,
  SET_STATUS,
} from './accounts.statements.js';
import { lockApplication } from './application.repository.js';
import { ReadBatcher } from './read-batcher.js';

const COLUMNS = [
  ...(['id', 'application as applicationId', 'providerType', 'email', 'externalId', 'authorizedScopes'] as const),
  ...(['providerAccountId', 'providerConfiguration as providerId', 'status', 'statusReason', 'serverUrl'] as const),
  ...(['providerState', 'createdAt', 'updatedAt'] as const),
] as const;

@Injectable()
export class SqlAccountRepository extends AccountRepository {
  private readonly gathered = new ReadBatcher((applicationId, ids) => this.byIds(applicationId, ids));

  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
    private readonly ids: IdGenerator,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async upsert(
    { applicationId }: ApplicationRef,
    account: AccountUpsert,
  ): Promise<{ account: EndUserAccount; created: boolean; wasExpired: boolean; changed: boolean }> {
    return this.database.transaction(tenant(applicationId), async () => {
      const configurationId = await this.configurationId(applicationId, account.providerType);
      for (;;) {
        const made = await this.insert(applicationId, configurationId, account);
        if (made !== undefined) return { account: made, created: true, wasExpired: false, changed: false };
        const found = await this.lockByKey(applicationId, account);
        // Another process deleted the account between the two statements. The next insert succeeds.
        if (found === undefined) continue;
        const kept = account.replacesExternalId === false ? keptExternalId(found, account) : account.externalId;
        const updated = await this.reconnect(applicationId, found.id, { ...account, externalId: kept });
        const changed = !hasSamePublicState(found, updated);
        return { account: updated, created: false, wasExpired: found.status === 'EXPIRED', changed };
      }
    });
  }

  override async getOwned({ applicationId }: ApplicationRef, accountId: string): Promise<EndUserAccount> {
    if (!isUuid(accountId)) throw noSuchAccount();
    // A read of a transaction must run inside it.
    const account = this.database.inTransaction()
      ? (await this.byIds(applicationId, [accountId]))[0]
      : await this.gathered.find(applicationId, accountId);
    if (account === undefined) throw noSuchAccount();
    // Concurrent callers share one row.
    return { ...account, authorizedScopes: [...account.authorizedScopes] };
  }

  override async list(
    { applicationId }: ApplicationRef,
    { limit, search, status, after }: AccountListQuery,
  ): Promise<EndUserAccount[]> {
    // PostgreSQL text cannot hold NUL: no row can match, and the server would reject the parameter.
    if (search?.includes('\0') === true) return [];
    if (after !== null && !isUuid(after.id)) return [];
    return this.database.read<EndUserAccount>(tenant(applicationId), {
      text: LIST_ACCOUNTS,
      values: [applicationId, status, search, after?.createdAt ?? null, after?.id ?? null, limit],
    });
  }

  override async setStatus(
    { applicationId }: ApplicationRef,
    accountId: string,
    status: AccountStatus,
    reason: AccountStatusReason,
  ): Promise<boolean> {
    if (!isUuid(accountId)) return false;
    const { count } = await this.database.write(tenant(applicationId), {
      text: SET_STATUS,
      values: [applicationId, accountId, status, reason, this.now(), this.ids.next()],
    });
    return count > 0;
  }

  override async saveProviderState(
    { applicationId: application }: ApplicationRef,
    accountId: string,
    providerState: JsonObject,
  ): Promise<void> {
    if (!isUuid(accountId)) return;
    await this.entities.within(tenant(application), (em) =>
      em.nativeUpdate(EndUserAccountEntity, { application, id: accountId }, { providerState, updatedAt: this.now() }),
    );
  }

  override async saveAuthorizedScopes(
    { applicationId }: ApplicationRef,
    accountId: string,
    scopes: string[],
  ): Promise<void> {
    if (!isUuid(accountId)) return;
    await this.entities.query(tenant(applicationId), (tables) =>
      tables
        .updateTable('EndUserAccount')
        .set({ authorizedScopes: scopes, updatedAt: this.now() })
        .where('application', '=', applicationId)
        .where('id', '=', accountId)
        .where((account) => account('authorizedScopes', '<>', account.val(scopes)))
        .execute(),
    );
  }

  override async findByProviderAccountId(
    { applicationId }: ApplicationRef,
    providerType: ProviderType,
    providerAccountId: string,
  ): Promise<EndUserAccount | null> {
    const account = await this.entities.query(tenant(applicationId), (tables) =>
      tables
        .selectFrom('EndUserAccount')
        .select(COLUMNS)
        .where('application', '=', applicationId)
        .where('providerType', '=', providerType)
        .where('providerAccountId', '=', providerAccountId)
        .executeTakeFirst(),
    );
    return account ?? null;
  }

  override async delete({ applicationId: application }: ApplicationRef, accountId: string): Promise<boolean> {
    if (!isUuid(accountId)) return false;
    const count = await this.entities.within(tenant(application), (em) =>
      em.nativeDelete(EndUserAccountEntity, { application, id: accountId }),
    );
    return count > 0;
  }

  private byIds(applicationId: string, ids: string[]): Promise<EndUserAccount[]> {
    return this.database.read<EndUserAccount>(tenant(applicationId), {
      ...ACCOUNTS_BY_ID,
      values: [applicationId, ids],
    });
  }

  /** @throws DomainError NotFound when the application is gone or being deleted */
  private async configurationId(application: string, providerType: ProviderType): Promise<string> {
    return this.entities.query(tenant(application), async (tables) => {
      // A deletion that waits sees the account of this transaction.
      await lockApplication(tables, application).executeTakeFirstOrThrow(noSuchApplication);
      const find = tables
        .selectFrom('ProviderConfiguration')
        .select('id')
        .where('application', '=', application)
        .where('providerType', '=', providerType);
      const known = await find.executeTakeFirst();
      if (known !== undefined) return known.id;
      await tables
        .insertInto('ProviderConfiguration')
        .values({ id: this.ids.next(), application, providerType, createdAt: this.now() })
        .onConflict((conflict) => conflict.columns(['application', 'providerType']).doNothing())
        .execute();
      return (await find.executeTakeFirstOrThrow()).id;
    });
  }

  private async insert(
    applicationId: string,
    configurationId: string,
    account: AccountUpsert,
  ): Promise<EndUserAccount | undefined> {
    const { rows } = await this.database.write<EndUserAccount>(tenant(applicationId), {
      text: INSERT_ACCOUNT,
      values: [
        this.ids.next(),
        applicationId,
        configurationId,
        account.providerType,
        account.email,
        account.externalId ?? null,
        account.authorizedScopes,
        account.providerAccountId,
        account.serverUrl,
        JSON.stringify(account.providerState),
        this.now(),
        this.ids.next(),
      ],
    });
    return rows[0];
  }

  private async lockByKey(
    applicationId: string,
    { providerType, providerAccountId, email, serverUrl }: AccountUpsert,
  ): Promise<EndUserAccount | undefined> {
    const [text, key] =
      providerAccountId === null
        ? [LOCK_ACCOUNT_OF_LOGIN, [email, serverUrl]]
        : [LOCK_ACCOUNT_OF_PERSON, [providerAccountId]];
    const { rows } = await this.database.write<EndUserAccount>(tenant(applicationId), {
      text,
      values: [applicationId, providerType, ...key],
    });
    return rows[0];
  }

  private async reconnect(applicationId: string, accountId: string, account: AccountUpsert): Promise<EndUserAccount> {
    const { rows } = await this.database.write<EndUserAccount>(tenant(applicationId), {
      text: RECONNECT_ACCOUNT,
      values: [
        applicationId,
        accountId,
        account.email,
        account.externalId !== undefined,
        account.externalId ?? null,
        account.authorizedScopes,
        account.providerAccountId,
        JSON.stringify(account.providerState),
        this.now(),
        this.ids.next(),
      ],
    });
    return rows[0] as EndUserAccount; // this transaction holds the row lock
  }

  private now(): Date {
    return new Date(this.clock.nowMs());
  }
}

/** The external id to store; undefined keeps the stored one. @throws ExternalIdMismatch */
function keptExternalId(found: EndUserAccount, { externalId }: AccountUpsert): string | null | undefined {
  if (isOfAnotherUser(found, externalId)) throw new ExternalIdMismatch();
  return (found.externalId ?? '') === '' ? externalId : undefined;
}
