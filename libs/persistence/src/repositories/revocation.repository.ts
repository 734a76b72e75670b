import { Injectable } from '@nestjs/common';
import { RevocationRepository, type PendingRevocation } from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import { IdGenerator, isUuid } from '#domain/system';
import { Database } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM, tenant } from '../database/scope.js';
import { FieldCipher, type FieldLocation } from '../encryption/field-cipher.js';
import { GrantRevocationEntity } from '../entities/oauth.entities.js';
import { ADD_REVOCATION, CLAIM_REVOCATIONS, IS_FIRST_REVOCATION_UNDER_WAY } from './grants.statements.js';

@Injectable()
export class SqlRevocationRepository extends RevocationRepository {
  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
    private readonly cipher: FieldCipher,
    private readonly ids: IdGenerator,
  ) {
    super();
  }

  override async add(
    { applicationId }: ApplicationRef,
    revocation: Pick<PendingRevocation, 'providerType' | 'providerAccountId' | 'clientId' | 'token'>,
  ): Promise<PendingRevocation> {
    const id = this.ids.next();
    await this.database.write(tenant(applicationId), {
      text: ADD_REVOCATION,
      values: [
        applicationId,
        id,
        revocation.providerType,
        revocation.providerAccountId,
        revocation.clientId,
        this.cipher.seal(location(id), Buffer.from(revocation.token, 'utf8')),
      ],
    });
    return { ...revocation, id, applicationId, attempts: 0 };
  }

  override async claimDue(limit: number): Promise<PendingRevocation[]> {
    const { rows } = await this.database.write<Omit<PendingRevocation, 'token'> & { token: Buffer }>(SYSTEM, {
      text: CLAIM_REVOCATIONS,
      values: [limit],
    });
    return rows.map(({ token, ...row }) => ({
      ...row,
      token: this.cipher.open(location(row.id), token).toString('utf8'),
    }));
  }

  override async find({ applicationId }: ApplicationRef, revocationId: string): Promise<PendingRevocation | null> {
    if (!isUuid(revocationId)) return null;
    const found = await this.entities.query(tenant(applicationId), (tables) =>
      tables
        .selectFrom('GrantRevocation')
        .select(['id', 'application as applicationId', 'providerType', 'providerAccountId', 'clientId', 'attempts'])
        .select('token')
        .where('application', '=', applicationId)
        .where('id', '=', revocationId)
        .executeTakeFirst(),
    );
    return found === undefined ? null : { ...found, token: found.token.text(found.id) };
  }

  override async remove({ applicationId: application, id }: PendingRevocation): Promise<void> {
    if (!isUuid(id)) return;
    await this.entities.within(tenant(application), (em) =>
      em.nativeDelete(GrantRevocationEntity, { application, id }),
    );
  }

  override async isAnyPending({ applicationId }: ApplicationRef): Promise<boolean> {
    const pending = await this.entities.query(tenant(applicationId), (tables) =>
      tables
        .selectFrom('GrantRevocation')
        .select('id')
        .where('application', '=', applicationId)
        .limit(1)
        .executeTakeFirst(),
    );
    return pending !== undefined;
  }

  override async isFirstAttemptUnderWay({
    providerType,
    providerAccountId,
    clientId,
  }: Pick<PendingRevocation, 'providerType' | 'providerAccountId' | 'clientId'>): Promise<boolean> {
    const values = [providerType, providerAccountId, clientId];
    return (await this.database.read(SYSTEM, { text: IS_FIRST_REVOCATION_UNDER_WAY, values })).length > 0;
  }
}

function location(rowId: string): FieldLocation {
  return { table: 'grant_revocation', column: 'token', rowId };
}
