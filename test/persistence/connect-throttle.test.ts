import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ConnectAttempt } from '#domain/accounts';
import { DomainError } from '#domain/system';
import { openPersistence, type Persistence } from './persistence.js';

let persistence: Persistence;
let elsewhere: Persistence;
let applicationId: string;
let passwordSignIn = 0;

beforeAll(async () => {
  persistence = await openPersistence();
  elsewhere = await openPersistence({ testDatabase: persistence.testDatabase });
  ({ applicationId } = await persistence.newApplication());
});

afterAll(async () => {
  await elsewhere.close();
  await persistence.close();
});

const attempt = (given: Partial<ConnectAttempt> = {}): ConnectAttempt => ({
  applicationId,
  actor: `api-key:${(passwordSignIn += 1)}`,
  providerType: 'CALDAV',
  login: `user${passwordSignIn}@example.org https://dav.example.org/`,
  ...given,
});
const refuse = async (times: number, next: () => ConnectAttempt) => {
  for (let count = 0; count < times; count += 1) {
    const one = next();
    await persistence.connectGuard.admit(one);
    await elsewhere.connectGuard.recordRejection(one);
  }
};
const pass = (time: string) =>
  persistence.admin(`update failed_connect set rejected_at = rejected_at - interval '${time}'`);

describe('N53 refused connects', () => {
  it('stop a login after five, over all processes and keys', async () => {
    const { login } = attempt();
    await refuse(5, () => attempt({ login }));
    for (const { connectGuard } of [persistence, elsewhere]) {
      await expect(connectGuard.admit(attempt({ login }))).rejects.toMatchObject({ code: 'RateLimited' });
    }
  });

  it('stop a key after twenty, whatever logins it tried', async () => {
    const { actor } = attempt();
    await refuse(20, () => attempt({ actor }));
    await expect(persistence.connectGuard.admit(attempt({ actor }))).rejects.toMatchObject({ code: 'RateLimited' });
    await expect(persistence.connectGuard.admit(attempt())).resolves.toBeUndefined();
  });

  it('count for the same application, provider and login only', async () => {
    const other = await persistence.newApplication();
    const { login } = attempt();
    await refuse(5, () => attempt({ login }));
    for (const free of [attempt({ login, ...other }), attempt({ login, providerType: 'APPLE' }), attempt()]) {
      await expect(persistence.connectGuard.admit(free)).resolves.toBeUndefined();
    }
    const { actor } = attempt();
    await refuse(20, () => attempt({ actor }));
    await expect(persistence.connectGuard.admit(attempt({ actor, ...other }))).resolves.toBeUndefined();
  });

  it('count for ten minutes, and the answer says when to come back', async () => {
    const { login } = attempt();
    await refuse(1, () => attempt({ login }));
    await pass('4 minutes');
    await refuse(4, () => attempt({ login }));
    const rejected = await persistence.connectGuard.admit(attempt({ login })).catch((error: unknown) => error);
    expect(rejected).toBeInstanceOf(DomainError);
    const { retryAfterSeconds } = rejected as DomainError;
    // The oldest of the five is four minutes old, and some seconds on a busy machine.
    expect(retryAfterSeconds).toBeLessThanOrEqual(360);
    expect(retryAfterSeconds).toBeGreaterThan(300);
    await pass('6 minutes');
    await expect(persistence.connectGuard.admit(attempt({ login }))).resolves.toBeUndefined();
  });

  it('outlive the transaction in which they were noted', async () => {
    const { login } = attempt();
    await refuse(4, () => attempt({ login }));
    const failing = persistence.unitOfWork.run({ applicationId }, async () => {
      await persistence.connectGuard.recordRejection(attempt({ login }));
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    await expect(persistence.connectGuard.admit(attempt({ login }))).rejects.toMatchObject({ code: 'RateLimited' });
  });

  it('do not keep the login in clear', async () => {
    await persistence.connectGuard.recordRejection(attempt({ login: 'canary@example.org' }));
    const rows = await persistence.admin<{ row: string }>('select r::text as row from failed_connect r');
    const dump = rows.map(({ row }) => row).join('\n');
    expect(rows.length).toBeGreaterThan(0);
    for (const form of ['canary', Buffer.from('canary').toString('hex')]) expect(dump).not.toContain(form);
  });
});
