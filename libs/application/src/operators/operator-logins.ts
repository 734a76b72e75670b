import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  AuditLog,
  Clock,
  DomainError,
  invalid,
  OperatorLoginFailures,
  OperatorRepository,
  type Operator,
} from '#domain';
import { currentActor } from '../actor.js';
import { canonicalEmail } from './operator-email.js';
import { assertAcceptablePassword, OperatorPasswords } from './operator-passwords.js';
import { OperatorSessions, type BegunSession } from './operator-sessions.js';

/** Operators with a password. Who guesses is slowed down, by address and by network. */
@Injectable()
export class OperatorLogins {
  constructor(
    private readonly operators: OperatorRepository,
    private readonly failures: OperatorLoginFailures,
    private readonly passwords: OperatorPasswords,
    private readonly sessions: OperatorSessions,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * An address without an operator costs and answers the same as a wrong password.
   * @param network where the request comes from
   * @throws DomainError Forbidden, RateLimited
   */
  async logIn(login: { email: string; password: string }, network: string): Promise<BegunSession> {
    const known = await this.prove(canonicalEmail(login.email), login.password, network);
    if (known === null) throw new DomainError('Forbidden', 'The email address or the password is wrong.');
    return this.sessions.begin(known.operator);
  }

  /**
   * Every session of the operator ends; the answer is a new one.
   * @throws DomainError ValidationFailed, RateLimited, Conflict for who has no password
   */
  async changePassword(
    { id, email, hasPassword }: Operator,
    { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
    network: string,
  ): Promise<BegunSession> {
    if (!hasPassword) throw new DomainError('Conflict', 'This operator signs in by single sign-on alone.');
    assertAcceptablePassword('newPassword', newPassword, email);
    const known = await this.prove(email, currentPassword, network);
    if (known === null) throw invalid('currentPassword', 'is wrong');
    const newHash = await this.passwords.hash(newPassword);
    if (!(await this.operators.changePassword(id, known.passwordHash, newHash))) {
      throw new DomainError('Conflict', 'The password was changed meanwhile.');
    }
    await this.record('operator.password-changed', email);
    return this.sessions.begin(known.operator);
  }

  private async prove(email: string, password: string, network: string): Promise<KnownOperator | null> {
    const [address, origin] = [subjectOf('email', email), subjectOf('network', network)];
    await this.claim([address, origin]);
    const { operator, passwordHash } = (await this.operators.findByEmail(email)) ?? NOBODY;
    const verdict = await this.passwords.verify(password, passwordHash);
    if (operator === null || passwordHash === null || verdict === 'wrong') {
      await this.record('operator.login-failed', email);
      return null;
    }
    await this.failures.forget(address);
    await this.failures.takeBack(origin);
    if (verdict === 'right') return { operator, passwordHash };
    const newHash = await this.passwords.hash(password);
    await this.operators.rehashPassword(operator.id, passwordHash, newHash);
    return { operator, passwordHash: newHash };
  }

  private async claim(subjects: Buffer[]): Promise<void> {
    const until = await this.failures.claim(subjects);
    if (until === null) return;
    const retryAfterSeconds = Math.max(1, Math.ceil((until.getTime() - this.clock.nowMs()) / 1_000));
    throw new DomainError('RateLimited', `Too many wrong passwords. Try again in ${retryAfterSeconds} seconds.`, {
      retryAfterSeconds,
    });
  }

  private async record(action: string, email: string): Promise<void> {
    await this.audit.record({ applicationId: null, ...currentActor(), action, subject: `operator:${email}` });
  }
}

/** An operator who has proven to be it, with the PHC string of the password. */
interface KnownOperator {
  operator: Operator;
  passwordHash: string;
}

const NOBODY = { operator: null, passwordHash: null };

/** What failures are counted for. */
function subjectOf(kind: 'email' | 'network', value: string): Buffer {
  return hash('sha256', `${kind}:${value}`, 'buffer');
}
