import { Injectable } from '@nestjs/common';
import {
  Clock,
  DomainError,
  Ids,
  OAuthClientRepository,
  isUuid,
  type ApplicationRef,
  type OAuthClient,
  type ProviderType,
} from '#domain';
import { Database } from '../database/database.js';
import { tenant } from '../database/scope.js';
import { FieldCipher, type FieldLocation } from '../encryption/field-cipher.js';

interface ClientRow {
  id: string;
  provider_type: ProviderType;
  client_id: string;
  client_secret: Buffer;
  scopes: string[] | null;
  tenant: string | null;
}

@Injectable()
export class SqlOAuthClientRepository extends OAuthClientRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: FieldCipher,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async find({ applicationId }: ApplicationRef, providerType: ProviderType): Promise<OAuthClient | null> {
    if (!isUuid(applicationId)) return null;
    const [row] = await this.database.read<ClientRow>(tenant(applicationId), {
      name: 'oauth-client-find',
      text:
        'select id, client_id, client_secret, scopes, tenant from oauth_client ' +
        'where application_id = $1 and provider_type = $2',
      values: [applicationId, providerType],
    });
    if (row === undefined) return null;
    return {
      clientId: row.client_id,
      clientSecret: this.cipher.open(location(row.id), row.client_secret).toString('utf8'),
      scopes: row.scopes,
      tenant: row.tenant,
    };
  }

  override async put(
    { applicationId }: ApplicationRef,
    providerType: ProviderType,
    client: OAuthClient,
  ): Promise<void> {
    if (!isUuid(applicationId)) throw noSuchApplication();
    const id = this.ids.next();
    const { count } = await this.database.write(tenant(applicationId), {
      text:
        'insert into oauth_client (id, application_id, provider_type, client_id, client_secret, scopes, tenant, ' +
        'updated_at) select $2, id, $3, $4, $5, $6, $7, $8 from application where id = $1 for key share ' +
        // The new secret is bound to the new id.
        'on conflict (application_id, provider_type) do update set id = excluded.id, ' +
        'client_id = excluded.client_id, client_secret = excluded.client_secret, scopes = excluded.scopes, ' +
        'tenant = excluded.tenant, updated_at = excluded.updated_at',
      values: [
        applicationId,
        id,
        providerType,
        client.clientId,
        this.cipher.seal(location(id), Buffer.from(client.clientSecret, 'utf8')),
        client.scopes,
        client.tenant,
        new Date(this.clock.nowMs()),
      ],
    });
    if (count === 0) throw noSuchApplication();
  }

  override async list({
    applicationId,
  }: ApplicationRef): Promise<(Omit<OAuthClient, 'clientSecret'> & { providerType: ProviderType })[]> {
    if (!isUuid(applicationId)) return [];
    const rows = await this.database.read<Omit<ClientRow, 'id' | 'client_secret'>>(tenant(applicationId), {
      text:
        'select provider_type, client_id, scopes, tenant from oauth_client where application_id = $1 ' +
        'order by provider_type',
      values: [applicationId],
    });
    return rows.map((row) => ({
      providerType: row.provider_type,
      clientId: row.client_id,
      scopes: row.scopes,
      tenant: row.tenant,
    }));
  }

  override async remove({ applicationId }: ApplicationRef, providerType: ProviderType): Promise<boolean> {
    if (!isUuid(applicationId)) return false;
    const { count } = await this.database.write(tenant(applicationId), {
      text: 'delete from oauth_client where application_id = $1 and provider_type = $2',
      values: [applicationId, providerType],
    });
    return count > 0;
  }
}

function location(rowId: string): FieldLocation {
  return { table: 'oauth_client', column: 'client_secret', rowId };
}

function noSuchApplication(): DomainError {
  return new DomainError('NotFound', 'There is no application with this id.');
}
