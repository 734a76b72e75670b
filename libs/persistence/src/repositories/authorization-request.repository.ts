import { Injectable } from '@nestjs/common';
import { AuthorizationRequestRepository, type AuthorizationRequest, type PreparedSignIn } from '#domain/oauth';
import { Clock, IdGenerator, isUuid, noSuchApplication } from '#domain/system';
import { foreignKeyAsNotFound } from '../database/database-errors.js';
import { Database } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM, tenant } from '../database/scope.js';
import { EncryptedField } from '../encryption/encrypted.type.js';

type SecretJson<Kept> = Omit<Kept, 'applicationId' | 'providerType' | 'stateHash' | 'urlHash' | 'expiresAt'>;

type Row = Pick<AuthorizationRequest, 'applicationId' | 'providerType' | 'stateHash' | 'expiresAt'>;

@Injectable()
export class SqlAuthorizationRequestRepository extends AuthorizationRequestRepository {
  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
    private readonly ids: IdGenerator,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async save({
    applicationId,
    providerType,
    stateHash,
    expiresAt,
    ...secret
  }: AuthorizationRequest): Promise<void> {
    await this.insert({ applicationId, providerType, stateHash, expiresAt }, secret);
  }

  override async take(stateHash: Buffer): Promise<AuthorizationRequest | null> {
    return this.remove<AuthorizationRequest>(stateHash);
  }

  override async prepare(signIn: PreparedSignIn): Promise<void> {
    const { applicationId, providerType, urlHash: stateHash, expiresAt, ...secret } = signIn;
    await this.insert({ applicationId, providerType, stateHash, expiresAt }, secret);
  }

  override async takePrepared(urlHash: Buffer): Promise<PreparedSignIn | null> {
    const prepared = await this.remove<PreparedSignIn>(urlHash);
    if (prepared === null) return null;
    const { stateHash, ...rest } = prepared;
    return { ...rest, urlHash: stateHash };
  }

  private async insert(
    { applicationId, providerType, stateHash, expiresAt }: Row,
    secret: SecretJson<AuthorizationRequest> | SecretJson<PreparedSignIn>,
  ): Promise<void> {
    if (!isUuid(applicationId)) throw noSuchApplication();
    const id = this.ids.next();
    await foreignKeyAsNotFound(() =>
      this.entities.query(tenant(applicationId), (tables) =>
        tables
          .insertInto('AuthorizationRequest')
          .values({
            id,
            application: applicationId,
            providerType,
            stateHash,
            secret: EncryptedField.ofJson(id, secret),
            expiresAt,
          })
          .execute(),
      ),
    );
  }

  private async remove<Kept>(stateHash: Buffer): Promise<(Row & SecretJson<Kept>) | null> {
    // Outside a transaction of the caller: its rollback must not restore the row.
    const row = await this.database.detached(() =>
      this.entities.query(SYSTEM, (tables) =>
        tables
          .deleteFrom('AuthorizationRequest')
          .where('stateHash', '=', stateHash)
          .returning(['id', 'application as applicationId', 'providerType', 'stateHash', 'secret', 'expiresAt'])
          .executeTakeFirst(),
      ),
    );
    if (row === undefined || row.expiresAt.getTime() <= this.clock.nowMs()) return null;
    const { id, secret, ...attempt } = row;
    return { ...(secret.json(id) as SecretJson<Kept>), ...attempt };
  }
}
