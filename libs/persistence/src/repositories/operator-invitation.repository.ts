import { LockMode, type EntityManager, type InferEntity } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import {
  OperatorInvitationRepository,
  type InvitationProof,
  type NewOperator,
  type NewOperatorInvitation,
  type Operator,
  type OperatorInvitation,
} from '#domain/operator';
import { Clock, DomainError, IdGenerator, isUuid } from '#domain/system';
import { isUniqueViolation } from '../database/database-errors.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM } from '../database/scope.js';
import { OperatorInvitationEntity, OperatorEntity } from '../entities/operators.entities.js';
import { toOperator } from './operator.repository.js';

/** Key of the advisory lock under which operators are created. Any unique constant. */
const NEWCOMERS_LOCK = 7_215_011;

@Injectable()
export class SqlOperatorInvitationRepository extends OperatorInvitationRepository {
  constructor(
    private readonly entities: EntityManagers,
    private readonly ids: IdGenerator,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async create(invitation: NewOperatorInvitation): Promise<OperatorInvitation> {
    return this.alone(async (em) => {
      await em.nativeDelete(OperatorInvitationEntity, { email: invitation.email });
      return this.insert(em, invitation);
    });
  }

  override async replaceSetupLink(tokenHash: Buffer, expiresAt: Date): Promise<boolean> {
    return this.alone(async (em) => {
      if ((await em.count(OperatorEntity)) > 0) return false;
      await em.nativeDelete(OperatorInvitationEntity, { email: null });
      await this.insert(em, { tokenHash, email: null, role: 'admin', invitedBy: null, expiresAt });
      return true;
    });
  }

  override async withdrawSetupLink(): Promise<void> {
    await this.entities.within(SYSTEM, (em) => em.nativeDelete(OperatorInvitationEntity, { email: null }));
  }

  override async list(): Promise<OperatorInvitation[]> {
    const found = await this.entities.within(SYSTEM, (em) =>
      em.find(
        OperatorInvitationEntity,
        { email: { $ne: null }, expiresAt: { $gt: this.now() } },
        { populate: ['invitedBy'], orderBy: { createdAt: 'desc', id: 'desc' } },
      ),
    );
    return found.map(toInvitation);
  }

  override async find(proof: InvitationProof): Promise<OperatorInvitation | null> {
    const invitation = await this.entities.within(SYSTEM, (em) =>
      em.findOne(OperatorInvitationEntity, this.matching(proof), { populate: ['invitedBy'] }),
    );
    return invitation === null ? null : toInvitation(invitation);
  }

  override async withdraw(invitationId: string): Promise<OperatorInvitation | null> {
    if (!isUuid(invitationId)) return null;
    return this.entities.transaction(SYSTEM, async (em) => {
      const where = { id: invitationId, email: { $ne: null } };
      const invitation = await em.findOne(OperatorInvitationEntity, where, { populate: ['invitedBy'] });
      const count = await em.nativeDelete(OperatorInvitationEntity, where);
      return invitation === null || count === 0 ? null : toInvitation(invitation);
    });
  }

  override async accept(proof: InvitationProof, operator: NewOperator): Promise<Operator | null> {
    return this.alone(async (em) => {
      const invitation = await em.findOne(OperatorInvitationEntity, this.matching(proof), {
        lockMode: LockMode.PESSIMISTIC_WRITE,
      });
      if (invitation === null) return null;
      const { id, email, role } = invitation;
      await em.nativeDelete(OperatorInvitationEntity, { $or: [{ id }, { email: null }] });
      const { name, passwordHash, identity } = operator;
      const admitted = em.create(OperatorEntity, {
        ...{ id: this.ids.next(), email: (email ?? operator.email) as string, name, role, passwordHash },
        ...{ issuer: identity?.issuer ?? null, subject: identity?.subject ?? null },
        ...{ createdAt: this.now(), lastSignInAt: null },
      });
      try {
        await em.flush();
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        throw new DomainError('Conflict', 'There is an operator with this email address already.');
      }
      return toOperator(admitted);
    });
  }

  private async insert(
    em: EntityManager,
    { invitedBy, ...invitation }: Omit<NewOperatorInvitation, 'email'> & { email: string | null },
  ): Promise<OperatorInvitation> {
    const inviter = invitedBy === null ? null : await em.findOneOrFail(OperatorEntity, invitedBy);
    const created = { ...invitation, id: this.ids.next(), invitedBy: inviter, createdAt: this.now() };
    return toInvitation(em.create(OperatorInvitationEntity, created));
  }

  /** Serializes creation: no setup link appears beside the first operator, and never two of them. */
  private async alone<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
    return this.entities.alone(SYSTEM, NEWCOMERS_LOCK, work);
  }

  private matching(proof: InvitationProof) {
    const expiresAt = { $gt: this.now() };
    return 'tokenHash' in proof ? { tokenHash: proof.tokenHash, expiresAt } : { email: proof.email, expiresAt };
  }

  private now(): Date {
    return new Date(this.clock.nowMs());
  }
}

function toInvitation(invitation: InferEntity<typeof OperatorInvitationEntity>): OperatorInvitation {
  const { id, email, role, invitedBy, createdAt, expiresAt } = invitation;
  return { id, email: email ?? null, role, invitedBy: invitedBy?.email ?? null, createdAt, expiresAt };
}
