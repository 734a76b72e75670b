import { Injectable } from '@nestjs/common';
import { AuditLog, OperatorRepository, type Operator, type OperatorConflict } from '#domain/operator';
import { DomainError } from '#domain/system';
import { recordAction } from '../system/actor.js';

/** Operators of the installation. At least one is an admin. */
@Injectable()
export class OperatorsService {
  constructor(
    private readonly operators: OperatorRepository,
    private readonly audit: AuditLog,
  ) {}

  list(): Promise<Operator[]> {
    return this.operators.list();
  }

  async isEmpty(): Promise<boolean> {
    return this.operators.isEmpty();
  }

  /** A new role ends the sessions of the operator. @throws DomainError NotFound, Conflict for the last admin */
  async change(operatorId: string, change: Partial<Pick<Operator, 'name' | 'role'>>): Promise<Operator> {
    const operator = admitted(await this.operators.change(operatorId, { ...change, name: change.name?.trim() }));
    if (change.name !== undefined) {
      await recordAction(this.audit, 'operator.changed', `operator-name:${operator.email}`);
    }
    if (change.role !== undefined) {
      await recordAction(this.audit, 'operator.changed', `operator-role:${operator.email}=${change.role}`);
    }
    return operator;
  }

  /** Ends the sessions of the operator. @throws DomainError NotFound, Conflict for the last admin */
  async remove(operatorId: string): Promise<void> {
    const { email } = admitted(await this.operators.remove(operatorId));
    await recordAction(this.audit, 'operator.removed', `operator:${email}`);
  }
}

function admitted(outcome: Operator | OperatorConflict): Operator {
  if (outcome === 'unknown') throw new DomainError('NotFound', 'There is no operator with this id.');
  if (outcome === 'last-admin')
    throw new DomainError('Conflict', 'One admin has to stay: make somebody else one first.');
  return outcome;
}

export function canonicalEmail(email: string): string {
  return email.toLowerCase();
}
