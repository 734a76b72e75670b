import { Injectable } from '@nestjs/common';
import {
  Clock,
  CredentialRepository,
  DomainError,
  Ids,
  isUuid,
  type ApplicationRef,
  type Credentials,
  type EndUserAccount,
  type OAuthCredentials,
  type StoredCredential,
} from '#domain';
import { Database } from '../database/database.js';
import { SYSTEM, tenant } from '../database/scope.js';
import { FieldCipher, type FieldLocation } from '../encryption/field-cipher.js';
import { GatheredReads } from './gathered-reads.js';

interface CredentialRow {
  id: string;
  application_id: string;
  end_user_account_id: string;
  secret: Buffer;
  row_version: number;
  created_at: Date;
  updated_at: Date;
}

/** `Credentials` as JSON. */
type SecretJson =
  Exclude<Credentials, OAuthCredentials> | (Omit<OAuthCredentials, 'expiresAt'> & { expiresAt: string | null });

const COLUMNS = 'id, application_id, end_user_account_id, secret, row_version, created_at, updated_at';

@Injectable()
export class SqlCredentialRepository extends CredentialRepository {
  /** Callers of one account share a statement and a decryption: a token that has run out is missed by all at once. */
  private readonly gathered = new GatheredReads((applicationId, accountIds) =>
    this.ofAccounts(applicationId, accountIds),
  );

  constructor(
    private readonly database: Database,
    private readonly cipher: FieldCipher,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async put(
    { applicationId }: ApplicationRef,
    accountId: string,
    credentials: Credentials,
  ): Promise<StoredCredential> {
    if (!isUuid(accountId)) throw noSuchCredential();
    // The ciphertext is bound to the row's id, so that must be known first. Who loses a race learns it and comes again.
    for (;;) {
      const known = await this.rowId(applicationId, accountId);
      const id = known ?? this.ids.next();
      const { rows } = await this.database.write<CredentialRow>(tenant(applicationId), {
        text: known === undefined ? INSERT : OVERWRITE,
        values: [
          applicationId,
          accountId,
          id,
          this.cipher.sealJson(location(id), toSecret(credentials)),
          clientIdOf(credentials),
          this.now(),
        ],
      });
      if (rows[0] !== undefined) return toStored(rows[0], credentials);
      if (!(await this.hasAccount(applicationId, accountId))) throw noSuchCredential();
    }
  }

  override async get({ applicationId }: ApplicationRef, accountId: string): Promise<StoredCredential> {
    if (!isUuid(accountId)) throw noSuchCredential();
    // What belongs to a transaction has to be read inside of it.
    const found = this.database.inTransaction()
      ? (await this.ofAccounts(applicationId, [accountId]))[0]
      : await this.gathered.find(applicationId, accountId);
    if (found === undefined) throw noSuchCredential();
    return found.open();
  }

  override async version({ applicationId }: ApplicationRef, accountId: string): Promise<number | null> {
    if (!isUuid(accountId)) return null;
    const [row] = await this.database.read<{ row_version: number }>(tenant(applicationId), {
      name: 'credential-version',
      text: 'select row_version from credential where application_id = $1 and end_user_account_id = $2',
      values: [applicationId, accountId],
    });
    return row?.row_version ?? null;
  }

  override async lease(
    { applicationId }: ApplicationRef,
    accountId: string,
    rowVersion: number,
    forMs: number,
  ): Promise<string | null> {
    if (!isUuid(accountId)) return null;
    // Not part of a transaction of the caller: others must see the lease at once.
    const { rows } = await this.database.detached(() =>
      this.database.write<{ lease_id: string }>(tenant(applicationId), {
        text:
          "update credential set lease_id = $4, leased_until = clock_timestamp() + $5 * interval '1 ms' " +
          'where application_id = $1 and end_user_account_id = $2 and row_version = $3 ' +
          'and (leased_until is null or leased_until <= clock_timestamp()) returning lease_id',
        values: [applicationId, accountId, rowVersion, this.ids.next(), forMs],
      }),
    );
    return rows[0]?.lease_id ?? null;
  }

  override async releaseLease({ applicationId }: ApplicationRef, accountId: string, leaseId: string): Promise<void> {
    if (!isUuid(accountId)) return;
    await this.database.detached(() =>
      this.database.write(tenant(applicationId), {
        text:
          'update credential set lease_id = null, leased_until = null ' +
          'where application_id = $1 and end_user_account_id = $2 and lease_id = $3',
        values: [applicationId, accountId, leaseId],
      }),
    );
  }

  override async replace(
    { applicationId }: ApplicationRef,
    accountId: string,
    rowVersion: number,
    credentials: Credentials,
  ): Promise<StoredCredential | null> {
    if (!isUuid(accountId)) return null;
    const id = await this.rowId(applicationId, accountId);
    if (id === undefined) return null;
    const { rows } = await this.database.write<CredentialRow>(tenant(applicationId), {
      text:
        'update credential set secret = $4, oauth_client_id = $5, row_version = row_version + 1, lease_id = null, ' +
        'leased_until = null, updated_at = $6 where application_id = $1 and id = $2 and row_version = $3 ' +
        `returning ${COLUMNS}`,
      values: [
        applicationId,
        id,
        rowVersion,
        this.cipher.sealJson(location(id), toSecret(credentials)),
        clientIdOf(credentials),
        this.now(),
      ],
    });
    return rows[0] === undefined ? null : toStored(rows[0], credentials);
  }

  override async sharesGrant(
    { id, providerType, providerAccountId }: Pick<EndUserAccount, 'id' | 'providerType' | 'providerAccountId'>,
    clientId: string,
  ): Promise<boolean> {
    // Accounts whose person nobody knows might all be the same one's.
    const rows = await this.database.read(SYSTEM, {
      text:
        'select 1 from credential c join end_user_account a on a.id = c.end_user_account_id ' +
        'where c.oauth_client_id = $1 and a.provider_type = $2 ' +
        'and a.provider_account_id is not distinct from $3 and a.id <> $4 limit 1',
      values: [clientId, providerType, providerAccountId, id],
    });
    return rows.length > 0;
  }

  private async rowId(applicationId: string, accountId: string): Promise<string | undefined> {
    const [row] = await this.database.read<{ id: string }>(tenant(applicationId), {
      text: 'select id from credential where application_id = $1 and end_user_account_id = $2',
      values: [applicationId, accountId],
    });
    return row?.id;
  }

  private now(): Date {
    return new Date(this.clock.nowMs());
  }

  private async ofAccounts(
    applicationId: string,
    accountIds: string[],
  ): Promise<{ id: string; open: () => StoredCredential }[]> {
    const rows = await this.database.read<CredentialRow>(tenant(applicationId), {
      name: 'credentials-of-accounts',
      text: `select ${COLUMNS} from credential where application_id = $1 and end_user_account_id = any($2)`,
      values: [applicationId, accountIds],
    });
    return rows.map((row) => {
      let opened: StoredCredential | undefined;
      // Not before somebody asks: a row that cannot be decrypted fails those alone who want it.
      const open = () =>
        (opened ??= toStored(row, fromSecret(this.cipher.openJson(location(row.id), row.secret) as SecretJson)));
      return { id: row.end_user_account_id, open };
    });
  }

  private async hasAccount(applicationId: string, accountId: string): Promise<boolean> {
    const rows = await this.database.read(tenant(applicationId), {
      text: 'select 1 from end_user_account where application_id = $1 and id = $2',
      values: [applicationId, accountId],
    });
    return rows.length > 0;
  }
}

/** $1: application, $2: account, $3: id, $4: secret, $5: client, $6: now. The lock keeps a deletion of the account away. */
const INSERT = `
  insert into credential (id, application_id, end_user_account_id, secret, oauth_client_id, row_version, created_at, updated_at)
  select $3, application_id, id, $4, $5, 1, $6, $6 from end_user_account where application_id = $1 and id = $2
     for key share
  on conflict do nothing returning ${COLUMNS}`;

/** An insert under the id that the row has could meet the primary key, which an upsert by account does not arbitrate. */
const OVERWRITE = `
  update credential set secret = $4, oauth_client_id = $5, row_version = row_version + 1, lease_id = null,
         leased_until = null, updated_at = $6
   where application_id = $1 and end_user_account_id = $2 and id = $3 returning ${COLUMNS}`;

function location(rowId: string): FieldLocation {
  return { table: 'credential', column: 'secret', rowId };
}

function clientIdOf(credentials: Credentials): string | null {
  return credentials.kind === 'oauth' ? credentials.clientId : null;
}

function toSecret(credentials: Credentials): SecretJson {
  return credentials.kind === 'oauth'
    ? { ...credentials, expiresAt: credentials.expiresAt?.toISOString() ?? null }
    : credentials;
}

function fromSecret(secret: SecretJson): Credentials {
  return secret.kind === 'oauth'
    ? { ...secret, expiresAt: secret.expiresAt === null ? null : new Date(secret.expiresAt) }
    : secret;
}

function toStored(row: CredentialRow, credentials: Credentials): StoredCredential {
  return {
    id: row.id,
    endUserAccountId: row.end_user_account_id,
    applicationId: row.application_id,
    credentials,
    rowVersion: row.row_version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function noSuchCredential(): DomainError {
  return new DomainError('NotFound', 'There are no credentials of this end user account.');
}
