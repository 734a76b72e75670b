import { Injectable } from '@nestjs/common';
import { AuditLog, DomainError, invalid, OperatorRepository, type Operator } from '#domain';
import { currentActor } from '../actor.js';
import { OperatorDevices } from './operator-devices.js';
import { canonicalEmail } from './operators.service.js';
import { OperatorLoginGuard, type AdmittedLogin } from './operator-login-guard.js';
import { assertAcceptablePassword, OperatorPasswords } from './operator-passwords.js';
import { OperatorSessions, type BegunSession, type ProvenSession } from './operator-sessions.js';

/** Operators with a password. Who guesses is held up. */
@Injectable()
export class OperatorLogins {
  constructor(
    private readonly operators: OperatorRepository,
    private readonly guard: OperatorLoginGuard,
    private readonly devices: OperatorDevices,
    private readonly passwords: OperatorPasswords,
    private readonly sessions: OperatorSessions,
    private readonly audit: AuditLog,
  ) {}

  /**
   * An address without an operator costs and answers the same as a wrong password.
   * @param network where the request comes from
   * @param deviceOf what the browser has of {@link OperatorDevices} for an operator; null: nothing
   * @throws DomainError Forbidden, RateLimited
   */
  async logIn(
    login: { email: string; password: string },
    network: string,
    deviceOf: (operatorId: string) => string | null,
  ): Promise<BegunSession> {
    const email = canonicalEmail(login.email);
    const found = (await this.operators.findByEmail(email)) ?? NOBODY;
    const device = this.deviceOf(found, deviceOf);
    const admitted =
      device === null ? await this.guard.admitStranger(email, network) : await this.guard.admitKnown('device', device);
    const known = await this.prove(found, email, login.password, admitted, device !== null);
    if (known === null) throw new DomainError('Forbidden', 'The email address or the password is wrong.');
    return this.sessions.begin(known.operator);
  }

  /**
   * Every session of the operator ends; the answer is a new one.
   * @throws DomainError ValidationFailed, RateLimited, Conflict for who has no password
   */
  async changePassword(
    operator: Operator,
    { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
  ): Promise<BegunSession> {
    const { id, email } = operator;
    assertHasPassword(operator);
    await assertAcceptablePassword('newPassword', newPassword, email);
    const known = await this.proveOwn(operator, 'currentPassword', currentPassword);
    const newHash = await this.passwords.hash(newPassword);
    if (!(await this.operators.changePassword(id, known.passwordHash, newHash))) {
      throw new DomainError('Conflict', 'The password was changed meanwhile.');
    }
    await this.record('operator.password-changed', email);
    return this.sessions.begin(known.operator);
  }

  /**
   * Proves once more who it is, for what asks for that.
   * @throws DomainError ValidationFailed, RateLimited, Conflict for who has no password
   */
  async reauthenticate(session: ProvenSession, password: string): Promise<BegunSession> {
    assertHasPassword(session.operator);
    await this.proveOwn(session.operator, 'password', password);
    return this.sessions.renew(session);
  }

  private deviceOf(
    { operator, passwordHash }: FoundOperator,
    deviceOf: (operatorId: string) => string | null,
  ): string | null {
    const token = operator === null ? null : deviceOf(operator.id);
    if (operator === null || passwordHash === null || token === null) return null;
    return this.devices.find(token, operator.id, passwordHash);
  }

  /**
   * By who is signed in: counted by itself, and ahead of strangers.
   * @param field of the request that has the password
   * @throws DomainError ValidationFailed, RateLimited
   */
  private async proveOwn({ id, email }: Operator, field: string, password: string): Promise<KnownOperator> {
    const found = (await this.operators.findByEmail(email)) ?? NOBODY;
    const known = await this.prove(found, email, password, await this.guard.admitKnown('operator', id), true);
    if (known === null) throw invalid(field, 'is wrong');
    return known;
  }

  /** @param isKnown those who are known go ahead of strangers */
  private async prove(
    { operator, passwordHash }: FoundOperator,
    email: string,
    password: string,
    admitted: AdmittedLogin,
    isKnown: boolean,
  ): Promise<KnownOperator | null> {
    const verdict = await this.verify(password, passwordHash, admitted, isKnown);
    if (operator === null || passwordHash === null || verdict === 'wrong') {
      await this.record('operator.login-failed', email);
      return null;
    }
    await admitted.succeeded();
    if (verdict === 'right') return { operator, passwordHash };
    const newHash = await this.passwords.hash(password);
    await this.operators.rehashPassword(operator.id, passwordHash, newHash);
    return { operator, passwordHash: newHash };
  }

  /** Who is turned away because many are at it has not guessed. */
  private async verify(password: string, passwordHash: string | null, admitted: AdmittedLogin, isKnown: boolean) {
    try {
      return await this.passwords.verify(password, passwordHash, isKnown);
    } catch (error) {
      await admitted.untried();
      throw error;
    }
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

interface FoundOperator {
  operator: Operator | null;
  passwordHash: string | null;
}

const NOBODY: FoundOperator = { operator: null, passwordHash: null };

function assertHasPassword({ hasPassword }: Operator): void {
  if (!hasPassword) throw new DomainError('Conflict', 'This operator signs in by single sign-on alone.');
}
