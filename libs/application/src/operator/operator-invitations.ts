import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  AuditLog,
  OperatorInvitationRepository,
  OperatorRepository,
  type OperatorInvitation,
  type OperatorRole,
} from '#domain/operator';
import { Clock, DomainError } from '#domain/system';
import { recordAction } from '../system/actor.js';
import { newSecret } from '../oauth/authorization-requests.js';
import { OPERATOR_URL } from '../system/settings.js';
import { canonicalEmail } from './operators.service.js';

export type EmailInvitation = OperatorInvitation & { email: string };

const LIFETIME_MS = 7 * 86_400_000;
/** The link is in the log, where every reader can use it. */
const SETUP_LINK_LIFETIME_MS = 3_600_000;

@Injectable()
export class OperatorInvitations {
  constructor(
    private readonly invitations: OperatorInvitationRepository,
    private readonly operators: OperatorRepository,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    @Inject(OPERATOR_URL) private readonly operatorUrl: string,
  ) {}

  /** Only this result contains the link. @throws DomainError Conflict when the address belongs to an operator */
  async invite(
    { role, ...invited }: { email: string; role: OperatorRole },
    invitedBy: string | null = null,
  ): Promise<EmailInvitation & { link: string }> {
    const email = canonicalEmail(invited.email);
    if ((await this.operators.findByEmail(email)) !== null) {
      throw new DomainError('Conflict', 'There is an operator with this email address already.');
    }
    const { token, ...made } = this.newToken(LIFETIME_MS);
    const created = await this.invitations.create({ ...made, email, role, invitedBy });
    await recordAction(this.audit, 'invitation.created', `operator:${email}`);
    return { ...created, email, link: this.link('invitation', token) };
  }

  async list(): Promise<EmailInvitation[]> {
    const open = await this.invitations.list();
    return open.filter((invitation): invitation is EmailInvitation => invitation.email !== null);
  }

  /** @throws DomainError NotFound */
  async withdraw(invitationId: string): Promise<void> {
    const invitation = await this.invitations.withdraw(invitationId);
    if (invitation === null) throw new DomainError('NotFound', 'There is no open invitation with this id.');
    await recordAction(this.audit, 'invitation.withdrawn', `operator:${invitation.email ?? ''}`);
  }

  /** Returns null when an operator exists. */
  async renewSetupLink(): Promise<string | null> {
    const { token, tokenHash, expiresAt } = this.newToken(SETUP_LINK_LIFETIME_MS);
    const isRenewed = await this.invitations.replaceSetupLink(tokenHash, expiresAt);
    return isRenewed ? this.link('setup', token) : null;
  }

  async withdrawSetupLink(): Promise<void> {
    await this.invitations.withdrawSetupLink();
  }

  private newToken(lifetimeMs: number): { token: string; tokenHash: Buffer; expiresAt: Date } {
    const token = newSecret();
    return { token, tokenHash: tokenHashOf(token), expiresAt: new Date(this.clock.nowMs() + lifetimeMs) };
  }

  /** In the fragment, which reaches neither server logs nor a Referer. */
  private link(page: 'setup' | 'invitation', token: string): string {
    return `${this.operatorUrl.replace(/\/$/, '')}/dashboard/${page}#${token}`;
  }
}

export function tokenHashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
