import { Injectable } from '@nestjs/common';
import {
  AccountRepository,
  Clock,
  DomainError,
  ExternalIdMismatch,
  Ids,
  isOfAnotherUser,
  isSeenAlike,
  isUuid,
  type AccountListQuery,
  type AccountStatus,
  type AccountStatusReason,
  type AccountUpsert,
  type ApplicationRef,
  type EndUserAccount,
  type JsonObject,
  type ProviderType,
} from '#domain';
import { Database } from '../database/database.js';
import { tenant, type Scope } from '../database/scope.js';
import { GatheredReads } from './gathered-reads.js';

interface AccountRow {
  id: string;
  application_id: string;
  provider_configuration_id: string;
  provider_type: ProviderType;
  email: string;
  external_id: string | null;
  authorized_scopes: string[];
  provider_account_id: string | null;
  status: AccountStatus;
  status_reason: AccountStatusReason | null;
  server_url: string | null;
  provider_state: JsonObject | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS =
  'id, application_id, provider_configuration_id, provider_type, email, external_id, authorized_scopes, ' +
  'provider_account_id, status, status_reason, server_url, provider_state, created_at, updated_at';

/** Part of the statement that changes the status: neither is there without the other. */
const NOTE_STATUS = 'insert into account_status_change (id, application_id, account_id, status, reason, changed_at)';
/** Made, or connected anew. */
const CONNECTED = 'CONNECTED';

@Injectable()
export class SqlAccountRepository extends AccountRepository {
  private readonly gathered = new GatheredReads((applicationId, ids) => this.byIds(applicationId, ids));

  constructor(
    private readonly database: Database,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async upsert(
    { applicationId }: ApplicationRef,
    account: AccountUpsert,
  ): Promise<{ account: EndUserAccount; created: boolean; wasExpired: boolean; changed: boolean }> {
    const scope = tenant(applicationId);
    return this.database.transaction(scope, async () => {
      const configurationId = await this.configurationId(scope, applicationId, account.providerType);
      for (;;) {
        const created = await this.insert(scope, applicationId, configurationId, account);
        if (created !== undefined) {
          return { account: toAccount(created), created: true, wasExpired: false, changed: false };
        }
        const found = await this.lockByKey(scope, applicationId, account);
        // Deleted between the two statements: then it can be inserted after all.
        if (found === undefined) continue;
        const kept = account.replacesExternalId === false ? keptExternalId(found, account) : account.externalId;
        const updated = toAccount(
          await this.reconnect(scope, applicationId, found.id, { ...account, externalId: kept }),
        );
        return {
          account: updated,
          created: false,
          wasExpired: found.status === 'EXPIRED',
          changed: !isSeenAlike(toAccount(found), updated),
        };
      }
    });
  }

  override async getOwned({ applicationId }: ApplicationRef, accountId: string): Promise<EndUserAccount> {
    if (!isUuid(accountId)) throw noSuchAccount();
    // What belongs to a transaction has to be read inside of it.
    const row = this.database.inTransaction()
      ? (await this.byIds(applicationId, [accountId]))[0]
      : await this.gathered.find(applicationId, accountId);
    if (row === undefined) throw noSuchAccount();
    return toAccount(row);
  }

  override async list(
    { applicationId }: ApplicationRef,
    { limit, search, status, after }: AccountListQuery,
  ): Promise<EndUserAccount[]> {
    const conditions = ['application_id = $1'];
    const values: unknown[] = [applicationId, limit];
    const parameter = (value: unknown) => `$${values.push(value)}`;
    if (status !== null) conditions.push(`status = ${parameter(status)}`);
    if (search !== null) {
      // No text in the database holds NUL: nothing can match, and the server would refuse the parameter.
      if (search.includes('\0')) return [];
      // `position` knows no wildcards: the search is literal whatever it contains (N18).
      const sought = `lower(${parameter(search)}::text)`;
      conditions.push(`(position(${sought} in lower(email)) > 0 or position(${sought} in lower(external_id)) > 0)`);
    }
    if (after !== null) {
      if (!isUuid(after.id)) return [];
      conditions.push(`(created_at, id) < (${parameter(after.createdAt)}::timestamptz, ${parameter(after.id)}::uuid)`);
    }
    const rows = await this.database.read<AccountRow>(tenant(applicationId), {
      text:
        `select ${COLUMNS} from end_user_account where ${conditions.join(' and ')} ` +
        'order by created_at desc, id desc limit $2',
      values,
    });
    return rows.map(toAccount);
  }

  override async setStatus(
    { applicationId }: ApplicationRef,
    accountId: string,
    status: AccountStatus,
    reason: AccountStatusReason,
  ): Promise<boolean> {
    if (!isUuid(accountId)) return false;
    const { count } = await this.database.write(tenant(applicationId), {
      text:
        'with changed as (update end_user_account set status = $3, status_reason = $4, updated_at = $5 ' +
        'where application_id = $1 and id = $2 and status <> $3 returning *) ' +
        `${NOTE_STATUS} select $6::uuid, application_id, id, status, status_reason, updated_at from changed`,
      values: [applicationId, accountId, status, reason, this.now(), this.ids.next()],
    });
    return count > 0;
  }

  override async saveProviderState(
    { applicationId }: ApplicationRef,
    accountId: string,
    state: JsonObject,
  ): Promise<void> {
    if (!isUuid(accountId)) return;
    await this.database.write(tenant(applicationId), {
      text:
        'update end_user_account set provider_state = $3, updated_at = $4 ' + 'where application_id = $1 and id = $2',
      values: [applicationId, accountId, JSON.stringify(state), this.now()],
    });
  }

  override async saveAuthorizedScopes(
    { applicationId }: ApplicationRef,
    accountId: string,
    scopes: string[],
  ): Promise<void> {
    if (!isUuid(accountId)) return;
    await this.database.write(tenant(applicationId), {
      text:
        'update end_user_account set authorized_scopes = $3, updated_at = $4 ' +
        'where application_id = $1 and id = $2 and authorized_scopes <> $3',
      values: [applicationId, accountId, scopes, this.now()],
    });
  }

  override async findByProviderAccountId(
    { applicationId }: ApplicationRef,
    providerType: ProviderType,
    providerAccountId: string,
  ): Promise<EndUserAccount | null> {
    const [row] = await this.database.read<AccountRow>(tenant(applicationId), {
      text:
        `select ${COLUMNS} from end_user_account ` +
        'where application_id = $1 and provider_type = $2 and provider_account_id = $3',
      values: [applicationId, providerType, providerAccountId],
    });
    return row === undefined ? null : toAccount(row);
  }

  override async delete({ applicationId }: ApplicationRef, accountId: string): Promise<boolean> {
    if (!isUuid(accountId)) return false;
    const { count } = await this.database.write(tenant(applicationId), {
      text: 'delete from end_user_account where application_id = $1 and id = $2',
      values: [applicationId, accountId],
    });
    return count > 0;
  }

  private byIds(applicationId: string, ids: string[]): Promise<AccountRow[]> {
    return this.database.read<AccountRow>(tenant(applicationId), {
      name: 'accounts-by-id',
      text: `select ${COLUMNS} from end_user_account where application_id = $1 and id = any($2)`,
      values: [applicationId, ids],
    });
  }

  /** The application's configuration of a provider; made when it is first needed. */
  private async configurationId(scope: Scope, applicationId: string, providerType: ProviderType): Promise<string> {
    const find = {
      text: 'select id from provider_configuration where application_id = $1 and provider_type = $2',
      values: [applicationId, providerType],
    };
    const [known] = await this.database.read<{ id: string }>(scope, find);
    if (known !== undefined) return known.id;
    await this.database.write(scope, {
      text:
        'insert into provider_configuration (id, application_id, provider_type, created_at) values ($1, $2, $3, $4) ' +
        'on conflict (application_id, provider_type) do nothing',
      values: [this.ids.next(), applicationId, providerType, this.now()],
    });
    const [made] = await this.database.read<{ id: string }>(scope, find);
    return (made as { id: string }).id;
  }

  private async insert(
    scope: Scope,
    applicationId: string,
    configurationId: string,
    account: AccountUpsert,
  ): Promise<AccountRow | undefined> {
    const { rows } = await this.database.write<AccountRow>(scope, {
      text:
        'with made as (insert into end_user_account (id, application_id, provider_configuration_id, provider_type, email, ' +
        'external_id, authorized_scopes, provider_account_id, status, server_url, provider_state, created_at, ' +
        "updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, 'ACTIVE', $9, $10, $11, $11) " +
        'on conflict do nothing ' +
        `returning ${COLUMNS}), watched as (insert into account_health (end_user_account_id, application_id) ` +
        'select id, application_id from made), ' +
        `noted as (${NOTE_STATUS} select $12::uuid, application_id, id, '${CONNECTED}', null, created_at from made) ` +
        `select ${COLUMNS} from made`,
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
    scope: Scope,
    applicationId: string,
    { providerType, providerAccountId, email, serverUrl }: AccountUpsert,
  ): Promise<AccountRow | undefined> {
    const [isIt, key] =
      providerAccountId === null
        ? [
            // As the unique index has it: a server of the user's choice may tell `Ada` from `ada`.
            'provider_account_id is null and (case when server_url is null then lower(email) else email end) = ' +
              '(case when $4::text is null then lower($3::text) else $3::text end) and server_url is not distinct from $4',
            [email, serverUrl],
          ]
        : ['provider_account_id = $3', [providerAccountId]];
    const { rows } = await this.database.write<AccountRow>(scope, {
      text:
        `select ${COLUMNS} from end_user_account where application_id = $1 and provider_type = $2 ` +
        `and ${isIt} for update`,
      values: [applicationId, providerType, ...key],
    });
    return rows[0];
  }

  private async reconnect(
    scope: Scope,
    applicationId: string,
    accountId: string,
    account: AccountUpsert,
  ): Promise<AccountRow> {
    const { rows } = await this.database.write<AccountRow>(scope, {
      text:
        'with renewed as (update end_user_account set email = $3, external_id = case when $4 then $5 else external_id end, ' +
        "authorized_scopes = $6, provider_account_id = $7, provider_state = $8, status = 'ACTIVE', " +
        "status_reason = case when status = 'ACTIVE' then status_reason else 'reconnected' end, updated_at = $9 " +
        `where application_id = $1 and id = $2 returning ${COLUMNS}), ` +
        `noted as (${NOTE_STATUS} select $10::uuid, application_id, id, '${CONNECTED}', 'reconnected', updated_at ` +
        `from renewed) select ${COLUMNS} from renewed`,
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
    return rows[0] as AccountRow; // the row is locked by this transaction
  }

  private now(): Date {
    return new Date(this.clock.nowMs());
  }
}

function toAccount(row: AccountRow): EndUserAccount {
  return {
    id: row.id,
    applicationId: row.application_id,
    providerType: row.provider_type,
    email: row.email,
    externalId: row.external_id,
    authorizedScopes: [...row.authorized_scopes],
    providerAccountId: row.provider_account_id,
    providerId: row.provider_configuration_id,
    status: row.status,
    statusReason: row.status_reason,
    serverUrl: row.server_url,
    providerState: row.provider_state,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** What becomes of a stored external id, undefined: it stays. @throws ExternalIdMismatch */
function keptExternalId({ external_id: stored }: AccountRow, { externalId }: AccountUpsert): string | null | undefined {
  if (isOfAnotherUser({ externalId: stored }, externalId)) throw new ExternalIdMismatch();
  return (stored ?? '') === '' ? externalId : undefined;
}

function noSuchAccount(): DomainError {
  return new DomainError('NotFound', 'There is no end user account with this id.');
}
