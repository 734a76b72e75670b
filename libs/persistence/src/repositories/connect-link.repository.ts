import { Injectable } from '@nestjs/common';
import type { ApplicationRef } from '#domain/applications';
import { ConnectLinkRepository, type ConnectLink, type NewConnectLink } from '#domain/connect-links';
import { Clock, IdGenerator, isUuid, noSuchApplication } from '#domain/system';
import { foreignKeyAsNotFound } from '../database/database-errors.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM, tenant } from '../database/scope.js';
import { EncryptedField } from '../encryption/encrypted.type.js';

type SecretJson = Pick<ConnectLink, 'redirectUrl' | 'callerState' | 'externalId'>;

@Injectable()
export class SqlConnectLinkRepository extends ConnectLinkRepository {
  constructor(
    private readonly entities: EntityManagers,
    private readonly ids: IdGenerator,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async create({
    applicationId,
    providerType,
    secretHash,
    expiresAt,
    ...rest
  }: NewConnectLink): Promise<void> {
    if (!isUuid(applicationId)) throw noSuchApplication();
    const id = this.ids.next();
    const secret: SecretJson = rest;
    const row = { id, application: applicationId, providerType, secretHash, expiresAt };
    await foreignKeyAsNotFound(() =>
      this.entities.query(tenant(applicationId), (tables) =>
        tables
          .insertInto('ConnectLink')
          .values({ ...row, secret: EncryptedField.ofJson(id, secret) })
          .execute(),
      ),
    );
  }

  override async find(secretHash: Buffer): Promise<ConnectLink | null> {
    const row = await this.entities.query(SYSTEM, (tables) =>
      tables
        .selectFrom('ConnectLink')
        .select(['id', 'application as applicationId', 'providerType', 'secret', 'expiresAt'])
        .where('secretHash', '=', secretHash)
        .where('expiresAt', '>', new Date(this.clock.nowMs()))
        .executeTakeFirst(),
    );
    if (row === undefined) return null;
    const { secret, ...link } = row;
    return { ...link, ...(secret.json(row.id) as SecretJson) };
  }

  override async use({ applicationId }: ApplicationRef, linkId: string): Promise<boolean> {
    if (!isUuid(applicationId) || !isUuid(linkId)) return false;
    const { numDeletedRows } = await this.entities.query(tenant(applicationId), (tables) =>
      tables
        .deleteFrom('ConnectLink')
        .where('application', '=', applicationId)
        .where('id', '=', linkId)
        .where('expiresAt', '>', new Date(this.clock.nowMs()))
        .executeTakeFirstOrThrow(),
    );
    return numDeletedRows > 0n;
  }
}
