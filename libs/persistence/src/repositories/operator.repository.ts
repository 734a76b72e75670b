import { LockMode, type EntityManager, type InferEntity } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { OperatorRepository, type Operator, type OperatorConflict, type OperatorRole } from '#domain/operator';
import { isUuid } from '#domain/system';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM } from '../database/scope.js';
import { OperatorSessionEntity, OperatorEntity } from '../entities/operators.entities.js';

type OperatorRow = InferEntity<typeof OperatorEntity>;

@Injectable()
export class SqlOperatorRepository extends OperatorRepository {
  constructor(private readonly entities: EntityManagers) {
    super();
  }

  override async list(): Promise<Operator[]> {
    const operators = await this.entities.within(SYSTEM, (em) =>
      em.findAll(OperatorEntity, { orderBy: { email: 'asc' } }),
    );
    return operators.map(toOperator);
  }

  override async find(operatorId: string): Promise<Operator | null> {
    if (!isUuid(operatorId)) return null;
    const operator = await this.entities.within(SYSTEM, (em) => em.findOne(OperatorEntity, operatorId));
    return operator === null ? null : toOperator(operator);
  }

  override async findByEmail(email: string): Promise<{ operator: Operator; passwordHash: string | null } | null> {
    const operator = await this.entities.within(SYSTEM, (em) => em.findOne(OperatorEntity, { email }));
    return operator === null ? null : { operator: toOperator(operator), passwordHash: operator.passwordHash ?? null };
  }

  override async isEmpty(): Promise<boolean> {
    return (await this.entities.within(SYSTEM, (em) => em.count(OperatorEntity))) === 0;
  }

  override async updatePassword(operatorId: string, from: string, to: string): Promise<boolean> {
    return this.entities.transaction(SYSTEM, async (em) => {
      const isChanged = await replacePasswordHash(em, operatorId, from, to);
      if (isChanged) await endSessions(em, operatorId);
      return isChanged;
    });
  }

  override async rehashPassword(operatorId: string, from: string, to: string): Promise<void> {
    await this.entities.within(SYSTEM, (em) => replacePasswordHash(em, operatorId, from, to));
  }

  override async recordSignIn(operatorId: string, at: Date): Promise<void> {
    await this.entities.within(SYSTEM, (em) =>
      em.nativeUpdate(OperatorEntity, { id: operatorId }, { lastSignInAt: at }),
    );
  }

  override async change(
    operatorId: string,
    { name, role }: { name?: string; role?: OperatorRole },
  ): Promise<Operator | OperatorConflict> {
    return this.changing(operatorId, role === 'viewer', async (em, operator) => {
      if (role !== undefined && role !== operator.role) await endSessions(em, operatorId);
      operator.name = name ?? operator.name;
      operator.role = role ?? operator.role;
    });
  }

  override async remove(operatorId: string): Promise<Operator | OperatorConflict> {
    return this.changing(operatorId, true, async (em, operator) => {
      em.remove(operator);
    });
  }

  /** Locks all admins in one order: of two who demote each other, one stays admin. */
  private async changing(
    operatorId: string,
    losesAdmin: boolean,
    work: (em: EntityManager, operator: OperatorRow) => Promise<void>,
  ): Promise<Operator | OperatorConflict> {
    if (!isUuid(operatorId)) return 'unknown';
    return this.entities.transaction(SYSTEM, async (em) => {
      const operators = await em.find(
        OperatorEntity,
        { $or: [{ role: 'admin' }, { id: operatorId }] },
        { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
      );
      const operator = operators.find(({ id }) => id === operatorId.toLowerCase());
      if (operator === undefined) return 'unknown';
      const hasOtherAdmin = operators.some((other) => other !== operator && other.role === 'admin');
      if (losesAdmin && operator.role === 'admin' && !hasOtherAdmin) return 'last-admin';
      await work(em, operator);
      return toOperator(operator);
    });
  }
}

export function toOperator(operator: OperatorRow): Operator {
  const { id, email, name, role, passwordHash, createdAt, lastSignInAt } = operator;
  return { id, email, name, role, hasPassword: passwordHash !== null, createdAt, lastSignInAt: lastSignInAt ?? null };
}

async function replacePasswordHash(em: EntityManager, id: string, from: string, to: string): Promise<boolean> {
  return (await em.nativeUpdate(OperatorEntity, { id, passwordHash: from }, { passwordHash: to })) > 0;
}

async function endSessions(em: EntityManager, operator: string): Promise<void> {
  await em.nativeDelete(OperatorSessionEntity, { operator });
}
