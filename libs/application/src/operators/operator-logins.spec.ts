import { describe, expect, it, jest } from '@jest/globals';
import type { Operator, OperatorRepository } from '#domain';
import { actAs } from '../actor.js';
import { OperatorLogins } from './operator-logins.js';
import type { OperatorPasswords } from './operator-passwords.js';
import type { BegunSession, OperatorSessions } from './operator-sessions.js';

const ADA: Operator = {
  id: '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5',
  email: 'ada@example.com',
  name: 'Ada',
  role: 'viewer',
  hasPassword: true,
  createdAt: new Date(0),
  lastLoginAt: null,
};
const SESSION = { secret: 's', view: {} } as BegunSession;
const LOGIN = { email: 'Ada@Example.com', password: 'right' };

function world({ blockedUntil = null, hash = 'hash' }: { blockedUntil?: Date | null; hash?: string | null } = {}) {
  const calls: unknown[][] = [];
  const note =
    <T>(name: string, answer: T) =>
    (...given: unknown[]): Promise<T> => {
      calls.push([name, ...given]);
      return Promise.resolve(answer);
    };
  const operators = {
    findByEmail: (email: string) => Promise.resolve(email === ADA.email ? { operator: ADA, passwordHash: hash } : null),
    rehashPassword: note('rehashPassword', undefined),
    changePassword: note('changePassword', true),
  };
  const failures = {
    claim: note('claim', blockedUntil),
    forget: note('forget', undefined),
    takeBack: note('takeBack', undefined),
  };
  const passwords = {
    verify: jest.fn((password: string, stored: string | null) =>
      Promise.resolve(
        stored === null ? 'wrong' : password === 'right' ? 'right' : password === 'old' ? 'outdated' : 'wrong',
      ),
    ),
    hash: (password: string) => Promise.resolve(`hash of ${password}`),
  };
  const recorded: unknown[] = [];
  const logins = new OperatorLogins(
    operators as unknown as OperatorRepository,
    failures,
    passwords as unknown as OperatorPasswords,
    { begin: note('begin', SESSION) } as unknown as OperatorSessions,
    { record: (entry: unknown) => Promise.resolve(void recorded.push(entry)) },
    { nowMs: () => 1_000 },
  );
  const names = () => calls.map(([name]) => name);
  return { logins, passwords, calls, names, recorded };
}

describe('N62 a login', () => {
  it('is counted before it is tried; a right one forgets the address, and takes back one of the network', async () => {
    const { logins, calls, names } = world();
    expect(await logins.logIn(LOGIN, '203.0.113.5')).toBe(SESSION);
    expect(names()).toEqual(['claim', 'forget', 'takeBack', 'begin']);
    const [address, network] = calls[0]?.[1] as Buffer[];
    expect([address, network].map((subject) => subject?.length)).toEqual([32, 32]);
    expect(calls[1]).toEqual(['forget', address]);
    expect(calls[2]).toEqual(['takeBack', network]);
  });

  it('of nobody costs a look at a password as well, and ends as a wrong password does', async () => {
    const endings: unknown[] = [];
    for (const login of [
      { email: 'nobody@example.com', password: 'right' },
      { email: ADA.email, password: 'wrong' },
    ]) {
      const { logins, passwords, names, recorded } = world();
      const error = await logins.logIn(login, '203.0.113.5').catch((thrown: unknown) => thrown);
      expect(passwords.verify).toHaveBeenCalledTimes(1);
      expect(recorded).toMatchObject([{ action: 'operator.login-failed', subject: `operator:${login.email}` }]);
      expect(JSON.stringify(recorded)).not.toContain(login.password);
      const { code, message } = error as { code: string; message: string };
      endings.push([code, message, names()]);
    }
    expect(endings[0]).toEqual(endings[1]);
    expect(endings[0]).toEqual(['Forbidden', expect.any(String), ['claim']]);
  });

  it('of an operator without a password is a wrong one', async () => {
    const { logins, passwords } = world({ hash: null });
    await expect(logins.logIn(LOGIN, 'n')).rejects.toMatchObject({ code: 'Forbidden' });
    expect(passwords.verify).toHaveBeenCalledWith('right', null);
  });

  it('has to wait while its address or network is blocked, and no password is looked at', async () => {
    const { logins, passwords } = world({ blockedUntil: new Date(33_500) });
    await expect(logins.logIn(LOGIN, 'n')).rejects.toMatchObject({ code: 'RateLimited', retryAfterSeconds: 33 });
    expect(passwords.verify).not.toHaveBeenCalled();
  });

  it('makes the hash anew when the parameters have grown, in place of the one that was there', async () => {
    const { logins, calls } = world();
    await logins.logIn({ ...LOGIN, password: 'old' }, 'n');
    expect(calls).toContainEqual(['rehashPassword', ADA.id, 'hash', 'hash of old']);
  });
});

describe('a new password', () => {
  const change = { currentPassword: 'right', newPassword: 'correct horse battery' };

  it('takes the place of the one that was proven, and begins a new session', async () => {
    const { logins, calls, recorded } = world();
    const actor = { actor: 'operator:ada@example.com', requestId: 'r' };
    expect(await actAs(actor, () => logins.changePassword(ADA, change, 'n'))).toBe(SESSION);
    expect(calls).toContainEqual(['changePassword', ADA.id, 'hash', 'hash of correct horse battery']);
    expect(recorded).toMatchObject([{ ...actor, action: 'operator.password-changed' }]);
  });

  it('needs the one before, which is guessed no faster here than at the login', async () => {
    const { logins, names } = world();
    await expect(logins.changePassword(ADA, { ...change, currentPassword: 'x' }, 'n')).rejects.toMatchObject({
      code: 'ValidationFailed',
      details: [{ path: 'currentPassword' }],
    });
    expect(names()).toEqual(['claim']);
  });

  it('is refused to who has none', async () => {
    await expect(world().logins.changePassword({ ...ADA, hasPassword: false }, change, 'n')).rejects.toMatchObject({
      code: 'Conflict',
    });
  });
});
