import { Injectable } from '@nestjs/common';
import type { ProviderType } from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import { OAuthClientRepository, type OAuthClient } from '#domain/oauth';
import { Clock, IdGenerator, isUuid, noSuchApplication } from '#domain/system';
import { foreignKeyAsNotFound } from '../database/database-errors.js';
import { EntityManagers } from '../database/entity-managers.js';
import { tenant } from '../database/scope.js';
import { EncryptedField } from '../encryption/encrypted.type.js';
import { OAuthClientEntity } from '../entities/oauth.entities.js';

@Injectable()
export class SqlOAuthClientRepository extends OAuthClientRepository {
  constructor(
    private readonly entities: EntityManagers,
    private readonly ids: IdGenerator,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async find(
    { applicationId: application }: ApplicationRef,
    providerType: ProviderType,
  ): Promise<OAuthClient | null> {
    if (!isUuid(application)) return null;
    const client = await this.entities.within(tenant(application), (em) =>
      em.findOne(OAuthClientEntity, { application, providerType }),
    );
    if (client === null) return null;
    const { id, clientId, clientSecret, scopes, tenant: directory, expiresAt } = client;
    return {
      ...{ clientId, clientSecret: clientSecret.text(id), scopes: scopes ?? null, tenant: directory ?? null },
      expiresAt: expiresAt ?? null,
    };
  }

  override async put(
    { applicationId: application }: ApplicationRef,
    providerType: ProviderType,
    { clientSecret, clientId, scopes, tenant: directory, expiresAt = null }: OAuthClient,
  ): Promise<void> {
    if (!isUuid(application)) throw noSuchApplication();
    // Encryption binds the secret to the row id.
    const id = this.ids.next();
    const row = {
      ...{ id, application, providerType, clientId, scopes, tenant: directory },
      clientSecret: EncryptedField.ofText(id, clientSecret),
      expiresAt,
      updatedAt: new Date(this.clock.nowMs()),
    };
    await foreignKeyAsNotFound(() =>
      this.entities.query(tenant(application), (tables) =>
        tables
          .insertInto('OAuthClient')
          .values(row)
          .onConflict((conflict) => conflict.columns(['application', 'providerType']).doUpdateSet(row))
          .execute(),
      ),
    );
  }

  override async list({
    applicationId: application,
  }: ApplicationRef): Promise<(Omit<OAuthClient, 'clientSecret'> & { providerType: ProviderType })[]> {
    if (!isUuid(application)) return [];
    return this.entities.query(tenant(application), (tables) =>
      tables
        .selectFrom('OAuthClient')
        .select(['providerType', 'clientId', 'scopes', 'tenant', 'expiresAt'])
        .where('application', '=', application)
        .orderBy('providerType')
        .execute(),
    );
  }

  override async remove({ applicationId: application }: ApplicationRef, providerType: ProviderType): Promise<boolean> {
    if (!isUuid(application)) return false;
    const count = await this.entities.within(tenant(application), (em) =>
      em.nativeDelete(OAuthClientEntity, { application, providerType }),
    );
    return count > 0;
  }
}
