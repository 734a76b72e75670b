import {
  Clock,
  CredentialRepository,
  DomainError,
  Ids,
  type ApplicationRef,
  type Credentials,
  type StoredCredential,
} from '#domain';
import { Database } from '../database/database.js';
import { isUuid, tenant } from '../database/scope.js';
import type { FieldCipher, FieldLocation } from '../encryption/field-cipher.js';

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
  | { kind: 'password'; password: string }
  | { kind: 'oauth'; accessToken: string; refreshToken: string | null; expiresAt: string | null };

const COLUMNS = 'id, application_id, end_user_account_id, secret, row_version, created_at, updated_at';

export class SqlCredentialRepository extends CredentialRepository {
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
      const [known] = await this.database.read<{ id: string }>(tenant(applicationId), {
        text: 'select id from credential where application_id = $1 and end_user_account_id = $2',
        values: [applicationId, accountId],
      });
      const id = known?.id ?? this.ids.next();
      const { rows } = await this.database.write<CredentialRow>(tenant(applicationId), {
        text:
          'insert into credential (id, application_id, end_user_account_id, secret, row_version, created_at, ' +
          'updated_at) select $3, application_id, id, $4, 1, $5, $5 from end_user_account ' +
          // The lock keeps a deletion of the account from slipping in between.
          'where application_id = $1 and id = $2 for key share ' +
          'on conflict (end_user_account_id) do update set secret = excluded.secret, ' +
          'row_version = credential.row_version + 1, updated_at = excluded.updated_at ' +
          `where credential.id = excluded.id returning ${COLUMNS}`,
        values: [
          applicationId,
          accountId,
          id,
          this.cipher.sealJson(location(id), toSecret(credentials)),
          new Date(this.clock.nowMs()),
        ],
      });
      if (rows[0] !== undefined) return toStored(rows[0], credentials);
      if (!(await this.hasAccount(applicationId, accountId))) throw noSuchCredential();
    }
  }

  override async get({ applicationId }: ApplicationRef, accountId: string): Promise<StoredCredential> {
    if (!isUuid(accountId)) throw noSuchCredential();
    const [row] = await this.database.read<CredentialRow>(tenant(applicationId), {
      name: 'credential-get',
      text: `select ${COLUMNS} from credential where application_id = $1 and end_user_account_id = $2`,
      values: [applicationId, accountId],
    });
    if (row === undefined) throw noSuchCredential();
    return toStored(row, fromSecret(this.cipher.openJson(location(row.id), row.secret) as SecretJson));
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

  private async hasAccount(applicationId: string, accountId: string): Promise<boolean> {
    const rows = await this.database.read(tenant(applicationId), {
      text: 'select 1 from end_user_account where application_id = $1 and id = $2',
      values: [applicationId, accountId],
    });
    return rows.length > 0;
  }
}

function location(rowId: string): FieldLocation {
  return { table: 'credential', column: 'secret', rowId };
}

function toSecret(credentials: Credentials): SecretJson {
  return credentials.kind === 'password'
    ? credentials
    : { ...credentials, expiresAt: credentials.expiresAt?.toISOString() ?? null };
}

function fromSecret(secret: SecretJson): Credentials {
  return secret.kind === 'password'
    ? secret
    : { ...secret, expiresAt: secret.expiresAt === null ? null : new Date(secret.expiresAt) };
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
