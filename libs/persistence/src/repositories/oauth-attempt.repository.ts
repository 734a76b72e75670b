import { Clock, DomainError, Ids, OAuthAttemptRepository, type OAuthAttempt, type ProviderType } from '#domain';
import { isForeignKeyViolation } from '../database/database-errors.js';
import { Database } from '../database/database.js';
import { isUuid, SYSTEM, tenant } from '../database/scope.js';
import type { FieldCipher, FieldLocation } from '../encryption/field-cipher.js';

interface AttemptRow {
  id: string;
  application_id: string;
  provider_type: ProviderType;
  state_hash: Buffer;
  secret: Buffer;
  expires_at: Date;
}

/** What is encrypted of an attempt, as JSON. */
type SecretJson = Omit<OAuthAttempt, 'applicationId' | 'providerType' | 'stateHash' | 'expiresAt'>;

export class SqlOAuthAttemptRepository extends OAuthAttemptRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: FieldCipher,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async save(attempt: OAuthAttempt): Promise<void> {
    const { applicationId, providerType, stateHash, expiresAt, ...secret } = attempt;
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

  override async take(stateHash: Buffer): Promise<OAuthAttempt | null> {
    // Not part of a transaction of the caller: undoing that must not bring the attempt back.
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
    const secret = this.cipher.openJson(location(row.id), row.secret) as SecretJson;
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
