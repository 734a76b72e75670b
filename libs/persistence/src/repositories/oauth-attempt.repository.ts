import { Injectable } from '@nestjs/common';
import {
  Clock,
  DomainError,
  Ids,
  OAuthAttemptRepository,
  isUuid,
  type OAuthAttempt,
  type PreparedSignIn,
  type ProviderType,
} from '#domain';
import { isForeignKeyViolation } from '../database/database-errors.js';
import { Database } from '../database/database.js';
import { SYSTEM, tenant } from '../database/scope.js';
import { FieldCipher, type FieldLocation } from '../encryption/field-cipher.js';

interface AttemptRow {
  id: string;
  application_id: string;
  provider_type: ProviderType;
  state_hash: Buffer;
  secret: Buffer;
  expires_at: Date;
}

/** What is encrypted of a row, as JSON. */
type SecretJson<Kept> = Omit<Kept, 'applicationId' | 'providerType' | 'stateHash' | 'addressHash' | 'expiresAt'>;

/** What both have of their own, besides what is encrypted. */
type Row = Pick<OAuthAttempt, 'applicationId' | 'providerType' | 'stateHash' | 'expiresAt'>;

/** Sign-ins under way, and the prepared ones: no hash of the one can be a hash of the other. */
@Injectable()
export class SqlOAuthAttemptRepository extends OAuthAttemptRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: FieldCipher,
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
    try {
      await this.database.write(tenant(applicationId), {
        text:
          'insert into oauth_attempt (application_id, id, provider_type, state_hash, secret, expires_at) ' +
          'values ($1, $2, $3, $4, $5, $6)',
        values: [applicationId, id, providerType, stateHash, this.cipher.sealJson(location(id), secret), expiresAt],
      });
    } catch (error) {
      if (isForeignKeyViolation(error)) throw noSuchApplication();
      throw error;
    }
  }

  /** Deletes what it reads: of many callers one gets it. */
  private async remove<Kept>(stateHash: Buffer): Promise<(Row & SecretJson<Kept>) | null> {
    // Not part of a transaction of the caller: undoing that must not bring the row back.
    const { rows } = await this.database.detached(() =>
      this.database.write<AttemptRow>(SYSTEM, {
        text:
          'delete from oauth_attempt where state_hash = $1 ' +
          'returning id, application_id, provider_type, state_hash, secret, expires_at',
        values: [stateHash],
      }),
    );
    const [row] = rows;
    if (row === undefined || row.expires_at.getTime() <= this.clock.nowMs()) return null;
    const secret = this.cipher.openJson(location(row.id), row.secret) as SecretJson<Kept>;
    return {
      ...secret,
      applicationId: row.application_id,
      providerType: row.provider_type,
      stateHash: row.state_hash,
      expiresAt: row.expires_at,
    };
  }
}

function location(rowId: string): FieldLocation {
  return { table: 'oauth_attempt', column: 'secret', rowId };
}

function noSuchApplication(): DomainError {
  return new DomainError('NotFound', 'There is no application with this id.');
}
