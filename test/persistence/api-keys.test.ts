import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Statement } from '#persistence';
import { openPersistence, type Persistence } from './persistence.js';

let persistence: Persistence;
const statements: Statement[] = [];

beforeAll(async () => {
  persistence = await openPersistence({ onStatement: (statement) => void statements.push(statement) });
});

afterAll(() => persistence.close());

const UNKNOWN = '0197a000-0000-7000-8000-000000000000';
const key = (id: string, applicationId: string) => ({
  id,
  applicationId,
  name: 'ci',
  scopes: ['read' as const, 'write' as const],
  secretHash: Buffer.alloc(32, 7),
  secretTail: 'wxyz',
  expiresAt: new Date(Date.UTC(2027, 0, 1)),
});

describe('applications', () => {
  it('are made, found, listed in order and deleted with all they own', async () => {
    const made = await persistence.applications.create({ name: 'acme', rateLimitRps: 7 });
    const next = await persistence.applications.create({ name: 'next' });
    expect(await persistence.applications.find(made.id)).toEqual(made);
    expect(next.rateLimitRps).toBeNull();
    expect((await persistence.applications.list()).map(({ id }) => id)).toEqual([made.id, next.id]);
    const scope = { applicationId: made.id };
    const account = await persistence.newAccount(scope);
    await persistence.credentials.put(scope, account.id, { kind: 'password', password: 'x' });
    await persistence.apiKeys.create(key('goes-too', made.id));
    await persistence.audit.record({ ...scope, actor: 'ops', action: 'made', subject: 's', requestId: null });
    expect(await persistence.applications.delete(made.id)).toBe(true);
    expect(await persistence.applications.delete(made.id)).toBe(false);
    expect(await persistence.apiKeys.findForVerification('goes-too')).toBeNull();
    expect(await persistence.admin('select 1 from credential')).toEqual([]);
    // What was done to it outlives it.
    expect(await persistence.admin('select action from audit_entry')).toEqual([{ action: 'made' }]);
  });

  it('are there for nobody from the moment their deletion begins, and go on to be deleted by one after the other', async () => {
    const { id } = await persistence.applications.create({ name: 'leaving' });
    const { id: stays } = await persistence.applications.create({ name: 'stays', environment: 'production' });
    await persistence.apiKeys.create(key('leaving', id));
    expect(await persistence.applications.claimDeletion(60_000)).toBeNull();
    expect(await persistence.applications.beginDeletion(id)).toBe(true);
    expect(await persistence.applications.beginDeletion(id)).toBe(false);
    expect(await persistence.applications.find(id)).toBeNull();
    expect(await persistence.applications.findCounted(id)).toBeNull();
    expect(await persistence.applications.update(id, { name: 'back' })).toBeNull();
    expect(await persistence.applications.lockEnvironment(id)).toBeNull();
    expect((await persistence.applications.list()).map((application) => application.id)).not.toContain(id);
    expect(await persistence.apiKeys.findForVerification('leaving')).toBeNull();
    await expect(persistence.signInTests.begin({ applicationId: id }, 'GOOGLE')).rejects.toMatchObject({
      code: 'NotFound',
    });
    const claims = await Promise.all([1, 2, 3].map(() => persistence.applications.claimDeletion(60_000)));
    expect(claims.toSorted()).toEqual([id, null, null]);
    // At once, although the due time is stored in whole milliseconds, half of them rounded up.
    for (let time = 0; time < 50; time += 1) {
      await persistence.applications.continueDeletion(id, 0);
      expect(await persistence.applications.claimDeletion(60_000)).toBe(id);
    }
    await persistence.applications.continueDeletion(stays, 0);
    expect(await persistence.applications.find(stays)).toMatchObject({ environment: 'production' });
    expect(await persistence.applications.delete(id)).toBe(true);
    expect(await persistence.applications.delete(stays)).toBe(true);
  });

  it('are not there for unknown ids and for what is no id', async () => {
    for (const id of [UNKNOWN, '', 'x', '\0']) {
      expect(await persistence.applications.find(id)).toBeNull();
      expect(await persistence.applications.delete(id)).toBe(false);
      expect(await persistence.apiKeys.list(id)).toEqual([]);
      await expect(persistence.apiKeys.create(key(`k-${id.length}`, id))).rejects.toMatchObject({ code: 'NotFound' });
    }
  });
});

describe('API keys', () => {
  it('N04 are stored as hash and tail, and verified by id', async () => {
    const { id: applicationId } = await persistence.applications.create({ name: 'keys', rateLimitRps: 12 });
    const made = await persistence.apiKeys.create(key('key-1', applicationId));
    expect(made).toMatchObject({ id: 'key-1', scopes: ['read', 'write'], revokedAt: null, lastUsedAt: null });
    expect(await persistence.apiKeys.findForVerification('key-1')).toEqual({
      ...made,
      secretHash: Buffer.alloc(32, 7),
      rateLimitRps: 12,
    });
    for (const unknown of ['', 'key-2', 'KEY-1', UNKNOWN]) {
      expect(await persistence.apiKeys.findForVerification(unknown)).toBeNull();
    }
    expect(await persistence.apiKeys.list(applicationId)).toEqual([made]);
    expect(Object.keys(made)).not.toContain('secretHash');
  });

  it('F34 are dated by the database: a key of a machine whose clock is ahead hides no later key', async () => {
    const { id: applicationId } = await persistence.applications.create({ name: 'clocks' });
    const clock = { nowMs: () => Date.now() + 3_600_000 };
    const ahead = await openPersistence({ testDatabase: persistence.testDatabase, clock });
    const { createdAt } = await ahead.apiKeys.create(key('ahead', applicationId)).finally(() => ahead.close());
    await persistence.apiKeys.create(key('later', applicationId));
    const since = await persistence.apiKeys.listSecretHashes(createdAt);
    expect(since.map(({ id }) => id)).toEqual(expect.arrayContaining(['ahead', 'later']));
  });

  it('are revoked once: the first date stays', async () => {
    const { id: applicationId } = await persistence.applications.create({ name: 'revoke' });
    await persistence.apiKeys.create(key('key-r', applicationId));
    expect(await persistence.apiKeys.revoke('key-r', new Date(1_000))).toBe(true);
    expect(await persistence.apiKeys.revoke('key-r', new Date(2_000))).toBe(true);
    expect((await persistence.apiKeys.findForVerification('key-r'))?.revokedAt).toEqual(new Date(1_000));
    expect(await persistence.apiKeys.revoke('nobody', new Date())).toBe(false);
  });

  it('note their use at most once a minute', async () => {
    const { id: applicationId } = await persistence.applications.create({ name: 'touch' });
    await persistence.apiKeys.create(key('key-t', applicationId));
    const used = async () => (await persistence.apiKeys.findForVerification('key-t'))?.lastUsedAt?.getTime();
    const start = Date.UTC(2026, 10, 21);
    statements.length = 0;
    for (let ms = 0; ms < 59_999; ms += 100) await persistence.apiKeys.touch('key-t', new Date(start + ms));
    expect(statements).toHaveLength(1);
    expect(await used()).toBe(start);
    await persistence.apiKeys.touch('key-t', new Date(start + 60_000));
    expect(await used()).toBe(start + 60_000);
    // Another replica, which has not written yet, does not either.
    const replica = await openPersistence({ testDatabase: persistence.testDatabase });
    await replica.apiKeys.touch('key-t', new Date(start + 90_000));
    await replica.close();
    expect(await used()).toBe(start + 60_000);
  });
});
