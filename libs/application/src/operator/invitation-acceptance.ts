import { Injectable } from '@nestjs/common';
import { AuditLog, OperatorInvitationRepository, type OperatorInvitation } from '#domain/operator';
import { DomainError, invalid } from '#domain/system';
import { recordSignIn } from '../system/actor.js';
import { isSecret } from '../oauth/authorization-requests.js';
import { canonicalEmail } from './operators.service.js';
import { tokenHashOf } from './operator-invitations.js';
import { assertAcceptablePassword, OperatorPasswords } from './operator-passwords.js';
import { OperatorSessions, type NewSession } from './operator-sessions.js';

export interface AcceptInvitation {
  token: string;
  /** For the setup link. An invitation has its own email. */
  email?: string;
  name: string;
  password: string;
}

@Injectable()
export class InvitationAcceptance {
  constructor(
    private readonly invitations: OperatorInvitationRepository,
    private readonly passwords: OperatorPasswords,
    private readonly sessions: OperatorSessions,
    private readonly audit: AuditLog,
  ) {}

  /** @throws DomainError NotFound when the invitation is used, withdrawn or expired */
  async open(token: string): Promise<OperatorInvitation> {
    const invitation = isSecret(token) ? await this.invitations.find({ tokenHash: tokenHashOf(token) }) : null;
    if (invitation === null) throw unusable();
    return invitation;
  }

  /** @throws DomainError NotFound for a used, withdrawn or expired link; ValidationFailed; Conflict; RateLimited */
  async accept({ token, name, password, ...sent }: AcceptInvitation): Promise<NewSession> {
    const invitation = await this.open(token);
    const email = emailOf(invitation, sent.email);
    await assertAcceptablePassword('password', password, email);
    const passwordHash = await this.passwords.hash(password);
    const newcomer = { email, name: name.trim(), passwordHash, identity: null };
    const operator = await this.invitations.accept({ tokenHash: tokenHashOf(token) }, newcomer);
    if (operator === null) throw unusable();
    await recordSignIn(this.audit, operator, 'operator.created');
    return this.sessions.begin(operator);
  }
}

function emailOf(invitation: OperatorInvitation, sent: string | undefined): string {
  const email = sent === undefined ? invitation.email : canonicalEmail(sent);
  if (email === null) throw invalid('email', 'is required');
  if (invitation.email !== null && email !== invitation.email)
    throw invalid('email', 'is not the one that was invited');
  return email;
}

function unusable(): DomainError {
  return new DomainError('NotFound', 'This link was used, withdrawn or has expired.');
}
