import { Injectable } from '@nestjs/common';
import { AuditLog, OperatorRepository, type Operator } from '#domain/operator';
import { DomainError, invalid } from '#domain/system';
import { recordAction } from '../system/actor.js';
import { OperatorDevices } from './operator-devices.js';
import { canonicalEmail } from './operators.service.js';
import { SignInThrottle, type AllowedSignIn } from './sign-in-throttle.js';
import { assertAcceptablePassword, OperatorPasswords } from './operator-passwords.js';
import { OperatorSessions, type NewSession, type AuthenticatedSession } from './operator-sessions.js';

@Injectable()
export class PasswordSignIn {
  constructor(
    private readonly operators: OperatorRepository,
    private readonly guard: SignInThrottle,
    private readonly devices: OperatorDevices,
    private readonly passwords: OperatorPasswords,
    private readonly sessions: OperatorSessions,
    private readonly audit: AuditLog,
  ) {}

  /** An unknown address takes the same time as a wrong password. @throws DomainError Forbidden, RateLimited */
  async signIn(
    login: { email: string; password: string },
    network: string,
    deviceOf: (operatorId: string) => string | null,
  ): Promise<NewSession> {
    const email = canonicalEmail(login.email);
    const found = (await this.operators.findByEmail(email)) ?? NOBODY;
    const device = this.deviceOf(found, deviceOf);
    const admitted =
      device === null ? await this.guard.allowUnknown(email, network) : await this.guard.allowKnown('device', device);
    const known = await this.authenticate(found, email, login.password, admitted, device !== null);
    if (known === null) throw new DomainError('Forbidden', 'The email address or the password is wrong.');
    return this.sessions.begin(known.operator);
  }

  /** Ends every session and begins one. @throws DomainError ValidationFailed, RateLimited, Conflict for no password */
  async updatePassword(
    operator: Operator,
    { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
  ): Promise<NewSession> {
    const { id, email } = operator;
    assertHasPassword(operator);
    await assertAcceptablePassword('newPassword', newPassword, email);
    const known = await this.authenticateOwn(operator, 'currentPassword', currentPassword);
    const newHash = await this.passwords.hash(newPassword);
    if (!(await this.operators.updatePassword(id, known.passwordHash, newHash))) {
      throw new DomainError('Conflict', 'The password was changed meanwhile.');
    }
    await recordAction(this.audit, 'operator.password-changed', `operator:${email}`);
    return this.sessions.begin(known.operator);
  }

  /** @throws DomainError ValidationFailed, RateLimited, Conflict without a password */
  async reauthenticate(session: AuthenticatedSession, password: string): Promise<NewSession> {
    assertHasPassword(session.operator);
    await this.authenticateOwn(session.operator, 'password', password);
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

  /** Counted separately and ahead of strangers. */
  private async authenticateOwn({ id, email }: Operator, field: string, password: string): Promise<KnownOperator> {
    const found = (await this.operators.findByEmail(email)) ?? NOBODY;
    const known = await this.authenticate(found, email, password, await this.guard.allowKnown('operator', id), true);
    if (known === null) throw invalid(field, 'is wrong');
    return known;
  }

  private async authenticate(
    { operator, passwordHash }: FoundOperator,
    email: string,
    password: string,
    admitted: AllowedSignIn,
    isKnown: boolean,
  ): Promise<KnownOperator | null> {
    const verdict = await this.verify(password, passwordHash, admitted, isKnown);
    if (operator === null || passwordHash === null || verdict === 'wrong') {
      await recordAction(this.audit, 'operator.login-failed', `operator:${email}`);
      return null;
    }
    await admitted.succeeded();
    if (verdict === 'right') return { operator, passwordHash };
    const newHash = await this.passwords.hash(password);
    await this.operators.rehashPassword(operator.id, passwordHash, newHash);
    return { operator, passwordHash: newHash };
  }

  /** An attempt that was shed by overload does not count as a guess. */
  private async verify(password: string, passwordHash: string | null, admitted: AllowedSignIn, isKnown: boolean) {
    try {
      return await this.passwords.verify(password, passwordHash, isKnown);
    } catch (error) {
      await admitted.notTried();
      throw error;
    }
  }
}

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
