import { describe, expect, it, jest } from '@jest/globals';
import type { SignInSubject, OperatorRepository } from '#domain/operator';
import { DomainError } from '#domain/system';
import { ADA } from '../../testing/known-records.js';
import { actAs } from '../system/actor.js';
import type { OperatorDevices } from './operator-devices.js';
import { SignInThrottle } from './sign-in-throttle.js';
import { PasswordSignIn } from './password-sign-in.js';
import type { OperatorPasswords } from './operator-passwords.js';
import type { NewSession, OperatorSessions } from './operator-sessions.js';

const SESSION = { secret: 's', session: {} } as NewSession;
const CREDENTIALS = { email: 'Ada@Example.com', password: 'right' };
const noDevice = () => null;

interface Given {
  blockedUntil?: Date | null;
  hash?: string | null;
  /** Of logins of the address before, this one included. */
  failures?: number;
}

function fixture({ blockedUntil = null, hash = 'hash', failures: counted = 1 }: Given = {}) {
  const calls: unknown[][] = [];
  const note =
    <T>(name: string, response: T) =>
    (...given: unknown[]): Promise<T> => {
      calls.push([name, ...given]);
      return Promise.resolve(response);
    };
  const operators = {
    findByEmail: (email: string) => Promise.resolve(email === ADA.email ? { operator: ADA, passwordHash: hash } : null),
    rehashPassword: note('rehashPassword', undefined),
    updatePassword: note('updatePassword', true),
  };
  const failures = {
    claim: note('claim', blockedUntil),
    count: note('count', counted),
    clear: note('forget', undefined),
    undo: note('takeBack', undefined),
  };
  const passwords = {
    verify: jest.fn((password: string, stored: string | null, isKnown: boolean) =>
      Promise.resolve(
        stored === null ? 'wrong' : password === 'right' ? 'right' : password === 'old' ? 'outdated' : 'wrong',
      ).finally(() => isKnown && calls.push(['ahead of strangers'])),
    ),
    hash: (password: string) => Promise.resolve(`hash of ${password}`),
  };
  const recorded: unknown[] = [];
  const passwordSignIn = new PasswordSignIn(
    operators as unknown as OperatorRepository,
    new SignInThrottle(failures, { nowMs: () => 1_000 }),
    { find: (token: string) => (token === 'known' ? 'device' : null) } as unknown as OperatorDevices,
    passwords as unknown as OperatorPasswords,
    { begin: note('begin', SESSION) } as unknown as OperatorSessions,
    { record: (entry: unknown) => Promise.resolve(void recorded.push(entry)) },
  );
  const names = () => calls.map(([name]) => name);
  return { passwordSignIn, passwords, calls, names, recorded };
}

describe('N62 a login', () => {
  it('is counted before it is tried; a right one forgets the address, and takes back one of the network', async () => {
    const { passwordSignIn, calls, names } = fixture();
    expect(await passwordSignIn.signIn(CREDENTIALS, '203.0.113.5', noDevice)).toBe(SESSION);
    expect(names()).toEqual(['claim', 'count', 'forget', 'takeBack', 'begin']);
    const [pair, network] = calls[0]?.[1] as SignInSubject[];
    const address = calls[1]?.[1];
    expect(new Set([pair?.hash, network?.hash, address].map((hash) => (hash as Buffer).toString('hex'))).size).toBe(3);
    expect([pair?.maxWaitSeconds, network?.maxWaitSeconds]).toEqual([900, 5]);
    expect(calls[2]).toEqual(['forget', [pair?.hash, address]]);
    expect(calls[3]).toEqual(['takeBack', network?.hash]);
  });

  it('is counted for its network and address together: neither another network nor another address is held up', async () => {
    const pairs: string[] = [];
    for (const [email, network] of [
      [ADA.email, '203.0.113.5'],
      [ADA.email, '203.0.113.6'],
      ['eve@example.com', '203.0.113.5'],
      [CREDENTIALS.email, '203.0.113.5'],
    ] as const) {
      const { passwordSignIn, calls } = fixture();
      await passwordSignIn.signIn({ email, password: 'x' }, network, noDevice).catch(() => undefined);
      pairs.push((calls[0]?.[1] as SignInSubject[])[0]!.hash.toString('hex'));
    }
    expect(new Set(pairs).size).toBe(3);
    expect(pairs[3]).toBe(pairs[0]);
  });

  it('with a device of before is counted for the device alone, and goes ahead of strangers', async () => {
    const { passwordSignIn, calls, names } = fixture({ failures: 1_000_000 });
    const deviceOf = jest.fn((operatorId: string) => (operatorId === ADA.id ? 'known' : null));
    expect(await passwordSignIn.signIn(CREDENTIALS, '203.0.113.5', deviceOf)).toBe(SESSION);
    expect(names()).toEqual(['claim', 'ahead of strangers', 'forget', 'begin']);
    const [device, ...others] = calls[0]?.[1] as SignInSubject[];
    expect([device?.maxWaitSeconds, others]).toEqual([900, []]);
    expect(calls[2]).toEqual(['forget', [device?.hash]]);
    const stranger = fixture();
    await stranger.passwordSignIn.signIn(CREDENTIALS, '203.0.113.5', () => 'of somebody else');
    expect(stranger.names()).toContain('count');
  });

  it.each([
    [5, 0],
    [6, 250],
    [7, 500],
    [9, 2_000],
    [5_000, 2_000],
  ])('that is the %ith for its address waits for %i ms, and is tried', async (failures, ms) => {
    const { passwordSignIn } = fixture({ failures });
    const begun = performance.now();
    expect(await passwordSignIn.signIn(CREDENTIALS, '203.0.113.5', noDevice)).toBe(SESSION);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(ms - 2);
  });

  it('is refused when a hundred are made to wait already', async () => {
    const { passwordSignIn } = fixture({ failures: 6 });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 101 }, () => passwordSignIn.signIn(CREDENTIALS, 'n', noDevice)),
    );
    const rejected = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    expect(rejected).toMatchObject([{ code: 'RateLimited', retryAfterSeconds: 1 }]);
    expect(await passwordSignIn.signIn(CREDENTIALS, 'n', noDevice)).toBe(SESSION);
  });

  it('that nobody had the time to look at is no failure', async () => {
    for (const deviceOf of [noDevice, () => 'known']) {
      const { passwordSignIn, passwords, calls } = fixture();
      passwords.verify.mockRejectedValue(new DomainError('RateLimited', 'Too many are signing in at the moment.'));
      await expect(passwordSignIn.signIn(CREDENTIALS, 'n', deviceOf)).rejects.toMatchObject({ code: 'RateLimited' });
      const counted = calls.flatMap(([name, subjects]) =>
        name === 'claim' ? (subjects as SignInSubject[]).map(({ hash }) => hash) : name === 'count' ? [subjects] : [],
      );
      const takenBack = calls.flatMap(([name, subject]) => (name === 'takeBack' ? [subject] : []));
      expect(new Set(takenBack)).toEqual(new Set(counted));
    }
  });

  it('of nobody costs a look at a password as well, and ends as a wrong password does', async () => {
    const endings: unknown[] = [];
    for (const login of [
      { email: 'nobody@example.com', password: 'right' },
      { email: ADA.email, password: 'wrong' },
    ]) {
      const { passwordSignIn, passwords, names, recorded } = fixture();
      const error = await passwordSignIn.signIn(login, '203.0.113.5', noDevice).catch((thrown: unknown) => thrown);
      expect(passwords.verify).toHaveBeenCalledTimes(1);
      expect(recorded).toMatchObject([{ action: 'operator.login-failed', subject: `operator:${login.email}` }]);
      expect(JSON.stringify(recorded)).not.toContain(login.password);
      const { code, message } = error as { code: string; message: string };
      endings.push([code, message, names()]);
    }
    expect(endings[0]).toEqual(endings[1]);
    expect(endings[0]).toEqual(['Forbidden', expect.any(String), ['claim', 'count']]);
  });

  it('of an operator without a password is a wrong one', async () => {
    const { passwordSignIn, passwords } = fixture({ hash: null });
    await expect(passwordSignIn.signIn(CREDENTIALS, 'n', () => 'known')).rejects.toMatchObject({ code: 'Forbidden' });
    expect(passwords.verify).toHaveBeenCalledWith('right', null, false);
  });

  it('has to wait while its address or network is blocked, and no password is looked at', async () => {
    const { passwordSignIn, passwords } = fixture({ blockedUntil: new Date(33_500) });
    await expect(passwordSignIn.signIn(CREDENTIALS, 'n', noDevice)).rejects.toMatchObject({
      code: 'RateLimited',
      retryAfterSeconds: 33,
    });
    expect(passwords.verify).not.toHaveBeenCalled();
  });

  it('makes the hash anew when the parameters have grown, in place of the one that was there', async () => {
    const { passwordSignIn, calls } = fixture();
    await passwordSignIn.signIn({ ...CREDENTIALS, password: 'old' }, 'n', noDevice);
    expect(calls).toContainEqual(['rehashPassword', ADA.id, 'hash', 'hash of old']);
  });
});

describe('a new password', () => {
  const change = { currentPassword: 'right', newPassword: 'correct horse battery' };

  it('takes the place of the one that was proven, and begins a new session', async () => {
    const { passwordSignIn, calls, recorded } = fixture();
    const actor = { actor: 'operator:ada@example.com', requestId: 'r' };
    expect(await actAs(actor, () => passwordSignIn.updatePassword(ADA, change))).toBe(SESSION);
    expect(calls).toContainEqual(['updatePassword', ADA.id, 'hash', 'hash of correct horse battery']);
    expect(recorded).toMatchObject([{ ...actor, action: 'operator.password-changed' }]);
  });

  it('needs the one before, which is guessed no faster here than at the login', async () => {
    const { passwordSignIn, names } = fixture();
    await expect(passwordSignIn.updatePassword(ADA, { ...change, currentPassword: 'x' })).rejects.toMatchObject({
      code: 'ValidationFailed',
      details: [{ path: 'currentPassword' }],
    });
    expect(names()).toEqual(['claim', 'ahead of strangers']);
  });

  it('is not held up by what is done to the address without a session', async () => {
    const { passwordSignIn, calls } = fixture({ failures: 1_000_000 });
    await passwordSignIn.updatePassword(ADA, change);
    const [own, ...others] = calls[0]?.[1] as SignInSubject[];
    expect([own?.maxWaitSeconds, others]).toEqual([900, []]);
    expect(calls).toContainEqual(['forget', [own?.hash]]);
  });

  it('is refused to who has none', async () => {
    await expect(fixture().passwordSignIn.updatePassword({ ...ADA, hasPassword: false }, change)).rejects.toMatchObject(
      {
        code: 'Conflict',
      },
    );
  });
});
