import { Injectable } from '@nestjs/common';
import {
  AuditLog,
  OperatorInvitationRepository,
  OperatorRepository,
  OperatorSsoRepository,
  type Operator,
  type OperatorIdentity,
} from '#domain/operator';
import { DomainError } from '#domain/system';
import { recordAction, recordSignIn } from '../system/actor.js';
import { OperatorSessions, type NewSession } from './operator-sessions.js';
import type { SsoError } from './sso.service.js';

/** An email counts once, for an invitation. Afterwards issuer and subject count, because addresses change hands. */
@Injectable()
export class SsoIdentities {
  constructor(
    private readonly ssoRequests: OperatorSsoRepository,
    private readonly operators: OperatorRepository,
    private readonly invitations: OperatorInvitationRepository,
    private readonly sessions: OperatorSessions,
    private readonly audit: AuditLog,
  ) {}

  async signIn(identity: OperatorIdentity): Promise<NewSession | SsoError> {
    const operator = (await this.known(identity)) ?? (await this.invited(identity));
    // Without `auth_time` the authentication may be old.
    const authenticatedAt = identity.authenticatedAt ?? new Date(0);
    if (typeof operator !== 'string') return this.sessions.begin(operator, authenticatedAt);
    await recordAction(this.audit, 'operator.login-failed', subjectOf(identity));
    return operator;
  }

  async renew(secretHash: Buffer, identity: OperatorIdentity): Promise<NewSession | SsoError> {
    const session = await this.sessions.find(secretHash);
    if (session === null) return 'failed';
    if ((await this.ssoRequests.operatorOf(identity)) !== session.operator.id) {
      await recordAction(this.audit, 'operator.login-failed', subjectOf(identity));
      return 'somebody-else';
    }
    const { authenticatedAt } = identity;
    if (authenticatedAt === null || !this.sessions.isRecent(authenticatedAt)) return 'not-asked';
    return this.sessions.renew(session);
  }

  async link(operatorId: string, identity: OperatorIdentity): Promise<SsoError | null> {
    const operator = await this.operators.find(operatorId);
    if (operator === null) return 'failed';
    try {
      await this.ssoRequests.link(operator.id, identity);
    } catch (error) {
      if (isConflict(error)) return 'taken';
      throw error;
    }
    await recordSignIn(this.audit, operator, 'operator.identity-linked');
    return null;
  }

  private async known(identity: OperatorIdentity): Promise<Operator | null> {
    const operatorId = await this.ssoRequests.operatorOf(identity);
    return operatorId === null ? null : this.operators.find(operatorId);
  }

  private async invited({ issuer, subject, verifiedEmail, name }: OperatorIdentity): Promise<Operator | SsoError> {
    if (verifiedEmail === null) return 'email-unverified';
    const newcomer = { name: name ?? verifiedEmail, passwordHash: null, identity: { issuer, subject } };
    // An existing operator has to link the identity when signed in: an email alone must not open the account.
    try {
      const operator = await this.invitations.accept({ email: verifiedEmail }, newcomer);
      if (operator === null) return 'not-invited';
      await recordSignIn(this.audit, operator, 'operator.created');
      return operator;
    } catch (error) {
      if (isConflict(error)) return 'not-invited';
      throw error;
    }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'Conflict';
}

function subjectOf({ issuer, subject, verifiedEmail }: OperatorIdentity): string {
  return verifiedEmail === null ? `identity:${issuer} ${subject}` : `operator:${verifiedEmail}`;
}
