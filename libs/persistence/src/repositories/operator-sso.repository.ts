import { Injectable } from '@nestjs/common';
import { OperatorSsoRepository, type OperatorSsoRequest, type OperatorSubject } from '#domain/operator';
import { Clock, DomainError, IdGenerator } from '#domain/system';
import { isUniqueViolation } from '../database/database-errors.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM } from '../database/scope.js';
import { EncryptedField } from '../encryption/encrypted.type.js';
import { OperatorSsoRequestEntity, OperatorEntity } from '../entities/operators.entities.js';

type SecretJson = Omit<OperatorSsoRequest, 'stateHash' | 'expiresAt'>;

@Injectable()
export class SqlOperatorSsoRepository extends OperatorSsoRepository {
  constructor(
    private readonly entities: EntityManagers,
    private readonly ids: IdGenerator,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async save({ stateHash, expiresAt, ...secret }: OperatorSsoRequest): Promise<void> {
    const id = this.ids.next();
    await this.entities.within(SYSTEM, (em) =>
      em.insert(OperatorSsoRequestEntity, { id, stateHash, secret: EncryptedField.ofJson(id, secret), expiresAt }),
    );
  }

  override async take(stateHash: Buffer): Promise<OperatorSsoRequest | null> {
    const row = await this.entities.query(SYSTEM, (tables) =>
      tables
        .deleteFrom('OperatorSsoRequest')
        .where('stateHash', '=', stateHash)
        .returning(['id', 'secret', 'expiresAt'])
        .executeTakeFirst(),
    );
    if (row === undefined || row.expiresAt.getTime() <= this.clock.nowMs()) return null;
    const secret = row.secret.json(row.id) as SecretJson;
    // Rows of an older version lack the field.
    return { ...secret, renews: secret.renews ?? null, stateHash, expiresAt: row.expiresAt };
  }

  override async operatorOf({ issuer, subject }: OperatorSubject): Promise<string | null> {
    const operator = await this.entities.within(SYSTEM, (em) => em.findOne(OperatorEntity, { issuer, subject }));
    return operator?.id ?? null;
  }

  override async link(operatorId: string, { issuer, subject }: OperatorSubject): Promise<void> {
    try {
      await this.entities.within(SYSTEM, (em) =>
        em.nativeUpdate(OperatorEntity, { id: operatorId }, { issuer, subject }),
      );
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new DomainError('Conflict', 'Another operator signs in with this identity.');
    }
  }
}
