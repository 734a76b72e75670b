import { Injectable } from '@nestjs/common';
import { Clock, DomainError, Ids, OperatorSignOnRepository, type OperatorSignOn, type OperatorSubject } from '#domain';
import { isUniqueViolation } from '../database/database-errors.js';
import { Database } from '../database/database.js';
import { SYSTEM } from '../database/scope.js';
import { FieldCipher, type FieldLocation } from '../encryption/field-cipher.js';

interface SignOnRow {
  id: string;
  secret: Buffer;
  expires_at: Date;
}

/** What is encrypted of a sign-on, as JSON. */
type SecretJson = Omit<OperatorSignOn, 'stateHash' | 'expiresAt'>;

@Injectable()
export class SqlOperatorSignOnRepository extends OperatorSignOnRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: FieldCipher,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async save({ stateHash, expiresAt, ...secret }: OperatorSignOn): Promise<void> {
    const id = this.ids.next();
    await this.database.write(SYSTEM, {
      text: 'insert into operator_sign_on (id, state_hash, secret, expires_at) values ($1, $2, $3, $4)',
      values: [id, stateHash, this.cipher.sealJson(location(id), secret), expiresAt],
    });
  }

  override async take(stateHash: Buffer): Promise<OperatorSignOn | null> {
    const { rows } = await this.database.write<SignOnRow>(SYSTEM, {
      text: 'delete from operator_sign_on where state_hash = $1 returning id, secret, expires_at',
      values: [stateHash],
    });
    const [row] = rows;
    if (row === undefined || row.expires_at.getTime() <= this.clock.nowMs()) return null;
    const secret = this.cipher.openJson(location(row.id), row.secret) as SecretJson;
    // One that an older version has kept renews nothing.
    return { ...secret, renews: secret.renews ?? null, stateHash, expiresAt: row.expires_at };
  }

  override async operatorOf({ issuer, subject }: OperatorSubject): Promise<string | null> {
    const [row] = await this.database.read<{ id: string }>(SYSTEM, {
      text: 'select id from operator where issuer = $1 and subject = $2',
      values: [issuer, subject],
    });
    return row?.id ?? null;
  }

  override async link(operatorId: string, { issuer, subject }: OperatorSubject): Promise<void> {
    try {
      await this.database.write(SYSTEM, {
        text: 'update operator set issuer = $2, subject = $3 where id = $1',
        values: [operatorId, issuer, subject],
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new DomainError('Conflict', 'Another operator signs in with this identity.');
    }
  }
}

function location(rowId: string): FieldLocation {
  return { table: 'operator_sign_on', column: 'secret', rowId };
}
