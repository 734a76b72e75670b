import { Injectable } from '@nestjs/common';
import { UnreadableSecrets, type ProviderType, type StoredSigningSecrets, type UnreadableCredential } from '#domain';
import { Database } from '../database/database.js';
import { SYSTEM } from '../database/scope.js';
import { readable, FieldCipher } from '../encryption/field-cipher.js';
import { sealSecrets } from './webhook-secrets.js';

const BATCH = 500;

const OTHERS = [
  ['idempotency_record', 'answer'],
  ['private_property', 'properties'],
  ['grant_revocation', 'token'],
  ['oauth_attempt', 'secret'],
  ['operator_sign_on', 'secret'],
] as const;

interface SealedRow {
  id: string;
  sealed: Buffer;
}

@Injectable()
export class SqlUnreadableSecrets extends UnreadableSecrets {
  constructor(
    private readonly database: Database,
    private readonly cipher: FieldCipher,
  ) {
    super();
  }

  override async credentials(): Promise<UnreadableCredential[]> {
    const rows = await this.unreadable<{
      application_id: string;
      end_user_account_id: string;
      row_version: number;
      oauth_client_id: string | null;
    }>('credential', 'secret', 'application_id, end_user_account_id, row_version, oauth_client_id');
    return rows.map((row) => ({
      applicationId: row.application_id,
      accountId: row.end_user_account_id,
      rowVersion: row.row_version,
      isGrant: row.oauth_client_id !== null,
    }));
  }

  override async oauthClients(): Promise<{ applicationId: string; providerType: ProviderType; clientId: string }[]> {
    const rows = await this.unreadable<{ application_id: string; provider_type: ProviderType; client_id: string }>(
      ...(['oauth_client', 'client_secret', 'application_id, provider_type, client_id'] as const),
    );
    return rows.map((row) => ({
      applicationId: row.application_id,
      providerType: row.provider_type,
      clientId: row.client_id,
    }));
  }

  override async replaceSigningSecrets(
    next: () => StoredSigningSecrets,
  ): Promise<{ applicationId: string; endpointId: string }[]> {
    const rows = await this.unreadable<{ application_id: string }>('webhook_endpoint', 'secrets', 'application_id');
    for (const { id } of rows) {
      await this.database.write(SYSTEM, {
        text: 'update webhook_endpoint set secrets = $2 where id = $1',
        values: [id, sealSecrets(this.cipher, id, next())],
      });
    }
    return rows.map((row) => ({ applicationId: row.application_id, endpointId: row.id }));
  }

  override async forgetOthers(): Promise<number> {
    let forgotten = 0;
    for (const [table, column] of OTHERS) {
      const rows = await this.unreadable(table, column);
      const ids = rows.map(({ id }) => id);
      const { count } = await this.database.write(SYSTEM, {
        text: `delete from ${table} where id = any($1)`,
        values: [ids],
      });
      forgotten += count;
    }
    return forgotten;
  }

  private async unreadable<Row>(table: string, column: string, more = 'id'): Promise<(Row & SealedRow)[]> {
    const found: (Row & SealedRow)[] = [];
    for (let after: string | null = null; ;) {
      const rows: (Row & SealedRow)[] = await this.database.read<Row & SealedRow>(SYSTEM, {
        text:
          `select id, ${column} as sealed, ${more} from ${table} ` +
          `where ($1::uuid is null or id > $1) and ${column} is not null order by id limit ${BATCH}`,
        values: [after],
      });
      found.push(
        ...rows.filter(({ id: rowId, sealed }) => {
          return readable(() => this.cipher.open({ table, column, rowId }, sealed)) === null;
        }),
      );
      const last = rows.at(-1);
      if (last === undefined || rows.length < BATCH) return found;
      after = last.id;
    }
  }
}
