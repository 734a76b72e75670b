import { Injectable } from '@nestjs/common';
import {
  AuditLog,
  DomainError,
  OperatorInvitationRepository,
  OperatorRepository,
  OperatorSignOnRepository,
  type Operator,
  type OperatorIdentity,
} from '#domain';
import { currentActor } from '../actor.js';
import { OperatorSessions, type BegunSession } from './operator-sessions.js';
import type { SignOnError } from './single-sign-on-return.js';

/**
 * Which operator a person is. That is decided here, not by the identity provider: whoever has an account there is not
 * an operator yet. An address is believed once, for an invitation; after that issuer and subject count, since addresses
 * change hands.
 */
@Injectable()
export class SignOnIdentities {
  constructor(
    private readonly signOns: OperatorSignOnRepository,
    private readonly operators: OperatorRepository,
    private readonly invitations: OperatorInvitationRepository,
    private readonly sessions: OperatorSessions,
    private readonly audit: AuditLog,
  ) {}

  /** Begins a session of the operator whom the person is, or was invited to become; or says why not. */
  async logIn(identity: OperatorIdentity): Promise<BegunSession | SignOnError> {
    const operator = (await this.known(identity)) ?? (await this.invited(identity));
    // A browser that the identity provider knew already has proven nothing now.
    const provenAt = identity.authenticatedAt ?? new Date(0);
    if (typeof operator !== 'string') return this.sessions.begin(operator, provenAt);
    await this.recordFailure(identity);
    return operator;
  }

  /** Renews the session of an operator who has just signed in at the identity provider once more; or says why not. */
  async renew(secretHash: Buffer, identity: OperatorIdentity): Promise<BegunSession | SignOnError> {
    const session = await this.sessions.find(secretHash);
    if (session === null) return 'failed';
    if ((await this.signOns.operatorOf(identity)) !== session.operator.id) {
      await this.recordFailure(identity);
      return 'somebody-else';
    }
    const { authenticatedAt } = identity;
    if (authenticatedAt === null || !this.sessions.isRecent(authenticatedAt)) return 'not-asked';
    return this.sessions.renew(session);
  }

  /** Makes the operator known by this identity; or says why not. */
  async link(operatorId: string, identity: OperatorIdentity): Promise<SignOnError | null> {
    const operator = await this.operators.find(operatorId);
    if (operator === null) return 'failed';
    try {
      await this.signOns.link(operator.id, identity);
    } catch (error) {
      if (isConflict(error)) return 'taken';
      throw error;
    }
    await this.recordOf(operator, 'operator.identity-linked');
    return null;
  }

  private async known(identity: OperatorIdentity): Promise<Operator | null> {
    const operatorId = await this.signOns.operatorOf(identity);
    return operatorId === null ? null : this.operators.find(operatorId);
  }

  private async invited({ issuer, subject, verifiedEmail, name }: OperatorIdentity): Promise<Operator | SignOnError> {
    if (verifiedEmail === null) return 'email-unverified';
    const newcomer = { name: name ?? verifiedEmail, passwordHash: null, identity: { issuer, subject } };
    // An operator with this address links the identity from inside: an address alone must not open their account.
    try {
      const operator = await this.invitations.accept({ email: verifiedEmail }, newcomer);
      if (operator === null) return 'not-invited';
      await this.recordOf(operator, 'operator.created');
      return operator;
    } catch (error) {
      if (isConflict(error)) return 'not-invited';
      throw error;
    }
  }

  private async recordFailure(identity: OperatorIdentity): Promise<void> {
    await this.audit.record({
      ...{ applicationId: null, ...currentActor() },
      ...{ action: 'operator.login-failed', subject: subjectOf(identity) },
    });
  }

  /** Done by the operator: the browser that comes back from the identity provider brings no session along. */
  private async recordOf({ email }: Operator, action: string): Promise<void> {
    const [actor, subject] = [`operator:${email}`, `operator:${email}`];
    await this.audit.record({ applicationId: null, ...currentActor(), actor, action, subject });
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'Conflict';
}

function subjectOf({ issuer, subject, verifiedEmail }: OperatorIdentity): string {
  return verifiedEmail === null ? `identity:${issuer} ${subject}` : `operator:${verifiedEmail}`;
}
