import type { EntityName, FilterQuery, QueryOrderMap } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { UnreadableSecrets, type ProviderType, type UnreadableCredential } from '#domain/accounts';
import type { StoredSigningSecrets } from '#domain/webhooks';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM } from '../database/scope.js';
import { DisposableSecretType, EncryptedField } from '../encryption/encrypted.type.js';
import { readable } from '../encryption/field-cipher.js';
import { CredentialEntity } from '../entities/accounts.entities.js';
import { OAuthClientEntity } from '../entities/oauth.entities.js';
import { WebhookEndpointEntity } from '../entities/webhooks.entities.js';

const BATCH = 500;

interface SecretRow {
  id: string;
}

@Injectable()
export class SqlUnreadableSecrets extends UnreadableSecrets {
  constructor(private readonly entities: EntityManagers) {
    super();
  }

  override async credentials(): Promise<UnreadableCredential[]> {
    const rows = await this.unreadable(CredentialEntity, ({ secret }) => secret);
    return rows.map(({ application, endUserAccount, rowVersion, oauthClientId }) => ({
      applicationId: application.id,
      accountId: endUserAccount.id,
      rowVersion,
      isGrant: oauthClientId !== null,
    }));
  }

  override async oauthClients(): Promise<{ applicationId: string; providerType: ProviderType; clientId: string }[]> {
    const rows = await this.unreadable(OAuthClientEntity, ({ clientSecret }) => clientSecret);
    return rows.map(({ application, providerType, clientId }) => ({
      applicationId: application.id,
      providerType,
      clientId,
    }));
  }

  override async replaceSigningSecrets(
    next: () => StoredSigningSecrets,
  ): Promise<{ applicationId: string; endpointId: string }[]> {
    const rows = await this.unreadable(WebhookEndpointEntity, ({ secrets }) => secrets);
    for (const { id } of rows) {
      await this.entities.within(SYSTEM, (em) =>
        em.nativeUpdate(WebhookEndpointEntity, { id }, { secrets: EncryptedField.ofJson(id, next()) }),
      );
    }
    return rows.map(({ id, application }) => ({ applicationId: application.id, endpointId: id }));
  }

  override async deleteOthers(): Promise<number> {
    let forgotten = 0;
    for (const { entity, property } of this.disposable()) {
      const rows = await this.unreadable(entity, (row) => row[property as never]);
      const ids = rows.map(({ id }) => id);
      forgotten += await this.entities.within(SYSTEM, (em) => em.nativeDelete(entity, { id: ids }));
    }
    return forgotten;
  }

  private disposable(): { entity: EntityName<SecretRow>; property: string }[] {
    return this.entities
      .metadata()
      .flatMap(({ class: entity, props }) =>
        props
          .filter(({ customType }) => customType instanceof DisposableSecretType)
          .map(({ name }) => ({ entity: entity as EntityName<SecretRow>, property: name })),
      );
  }

  private async unreadable<Row extends SecretRow>(
    entity: EntityName<Row>,
    secretOf: (row: Row) => EncryptedField | null | undefined,
  ): Promise<Row[]> {
    const found: Row[] = [];
    for (let after: string | null = null; ;) {
      const where = (after === null ? {} : { id: { $gt: after } }) as FilterQuery<Row>;
      const orderBy = { id: 'asc' } as QueryOrderMap<Row>;
      const rows: Row[] = await this.entities.within(SYSTEM, (em) => em.find(entity, where, { orderBy, limit: BATCH }));
      found.push(
        ...rows.filter((row) => {
          const secret = secretOf(row) ?? null;
          return secret !== null && readable(() => secret.open(row.id)) === null;
        }),
      );
      const last = rows.at(-1);
      if (last === undefined || rows.length < BATCH) return found;
      after = last.id;
    }
  }
}
