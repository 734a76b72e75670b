import type { InferEntity } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { OperatorSessionRepository, type NewOperatorSession, type OperatorSession } from '#domain/operator';
import { Clock } from '#domain/system';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM } from '../database/scope.js';
import { OperatorSessionEntity } from '../entities/operators.entities.js';
import { toOperator } from './operator.repository.js';

@Injectable()
export class SqlOperatorSessionRepository extends OperatorSessionRepository {
  constructor(
    private readonly entities: EntityManagers,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async create({ operatorId: operator, ...session }: NewOperatorSession): Promise<void> {
    const row = { ...session, operator, lastUsedAt: session.createdAt };
    await this.entities.within(SYSTEM, (em) => em.insert(OperatorSessionEntity, row));
  }

  override async find(secretHash: Buffer): Promise<OperatorSession | null> {
    const session = await this.entities.within(SYSTEM, (em) =>
      em.findOne(OperatorSessionEntity, { secretHash }, { populate: ['operator'] }),
    );
    return session === null ? null : toSession(session);
  }

  override async list(operator: string): Promise<OperatorSession[]> {
    const later = { $gt: new Date(this.clock.nowMs()) };
    const sessions = await this.entities.within(SYSTEM, (em) =>
      em.find(
        OperatorSessionEntity,
        { operator, idleUntil: later, endsAt: later },
        { populate: ['operator'], orderBy: { createdAt: 'desc' } },
      ),
    );
    return sessions.map(toSession);
  }

  override async touch(
    secretHash: Buffer,
    { idleUntil, lastUsedAt }: { idleUntil: Date; lastUsedAt: Date },
  ): Promise<void> {
    await this.entities.query(SYSTEM, (tables) =>
      tables
        .updateTable('OperatorSession')
        .set((session) => ({
          idleUntil: session.fn<Date>('greatest', [
            'idleUntil',
            session.fn('least', [session.val(idleUntil), 'endsAt']),
          ]),
          lastUsedAt,
        }))
        .where('secretHash', '=', secretHash)
        .where(({ fn }) => fn.coalesce('lastUsedAt', 'createdAt'), '<', lastUsedAt)
        .execute(),
    );
  }

  override async renew(secretHash: Buffer, renewed: { secretHash: Buffer; authenticatedAt: Date }): Promise<boolean> {
    const count = await this.entities.within(SYSTEM, (em) =>
      em.nativeUpdate(OperatorSessionEntity, { secretHash }, renewed),
    );
    return count > 0;
  }

  override async end(secretHash: Buffer): Promise<boolean> {
    return (await this.entities.within(SYSTEM, (em) => em.nativeDelete(OperatorSessionEntity, { secretHash }))) > 0;
  }

  override async endOthers(operator: string, secretHash: Buffer): Promise<void> {
    await this.entities.within(SYSTEM, (em) =>
      em.nativeDelete(OperatorSessionEntity, { operator, secretHash: { $ne: secretHash } }),
    );
  }
}

/** Sessions of the previous version lack two times: both default to the creation. */
function toSession(session: InferEntity<typeof OperatorSessionEntity>): OperatorSession {
  const { secretHash, operator, createdAt, authenticatedAt, lastUsedAt, device, network, idleUntil, endsAt } = session;
  return {
    secretHash,
    operator: toOperator(operator),
    createdAt,
    authenticatedAt: authenticatedAt ?? createdAt,
    lastUsedAt: lastUsedAt ?? createdAt,
    device: device ?? null,
    network: network ?? null,
    idleUntil,
    endsAt,
  };
}
