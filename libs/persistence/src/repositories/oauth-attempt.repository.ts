import { Injectable } from '@nestjs/common';
import {
  Clock,
  Ids,
  OAuthAttemptRepository,
  isUuid,
  noSuchApplication,
  type OAuthAttempt,
  type PreparedSignIn,
} from '#domain';
import { foreignKeyAsNotFound } from '../database/database-errors.js';
import { Database } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM, tenant } from '../database/scope.js';
import { EncryptedField } from '../encryption/encrypted.type.js';

type SecretJson<Kept> = Omit<Kept, 'applicationId' | 'providerType' | 'stateHash' | 'addressHash' | 'expiresAt'>;

type Row = Pick<OAuthAttempt, 'applicationId' | 'providerType' | 'stateHash' | 'expiresAt'>;

@Injectable()
export class SqlOAuthAttemptRepository extends OAuthAttemptRepository {
  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async save({ applicationId, providerType, stateHash, expiresAt, ...secret }: OAuthAttempt): Promise<void> {
    await this.insert({ applicationId, providerType, stateHash, expiresAt }, secret);
  }

  override async take(stateHash: Buffer): Promise<OAuthAttempt | null> {
    return this.remove<OAuthAttempt>(stateHash);
  }

  override async prepare(signIn: PreparedSignIn): Promise<void> {
    const { applicationId, providerType, addressHash: stateHash, expiresAt, ...secret } = signIn;
    await this.insert({ applicationId, providerType, stateHash, expiresAt }, secret);
  }

  override async takePrepared(addressHash: Buffer): Promise<PreparedSignIn | null> {
    const prepared = await this.remove<PreparedSignIn>(addressHash);
    if (prepared === null) return null;
    const { stateHash, ...rest } = prepared;
    return { ...rest, addressHash: stateHash };
  }

  private async insert(
    { applicationId, providerType, stateHash, expiresAt }: Row,
    secret: SecretJson<OAuthAttempt> | SecretJson<PreparedSignIn>,
  ): Promise<void> {
    if (!isUuid(applicationId)) throw noSuchApplication();
    const id = this.ids.next();
    await foreignKeyAsNotFound(() =>
      this.entities.query(tenant(applicationId), (tables) =>
        tables
          .insertInto('OAuthAttempt')
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
          .deleteFrom('OAuthAttempt')
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
