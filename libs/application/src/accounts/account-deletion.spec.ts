import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DomainError } from '#domain';
import { accountsFixture, APP, CLIENT, unavailable, type AccountsFixture } from '../../testing/accounts-fixture.js';

for (const level of ['warn', 'error'] as const) jest.spyOn(Logger.prototype, level).mockImplementation(() => undefined);

/** Removes, and lets the attempt to revoke come to its end. */
const remove = async (world: AccountsFixture, id: string) => {
  await world.deletion.delete(APP, id);
  await world.time.pass(0);
};

describe('AccountDeletion', () => {
  it('deletes the account, tells its application and gives the grant back', async () => {
    const world = accountsFixture();
    const { id } = await world.grantedAccount();
    await remove(world, id);
    expect(world.accounts.rows.size).toBe(0);
    expect(world.outbox.messages).toEqual([
      { eventType: 'enduseraccount.deleted', payload: expect.objectContaining({ endUserAccountId: id }) },
    ]);
    expect(world.authorization.revoked).toEqual(['refresh-person-1']);
    expect(world.revocations.rows.size).toBe(0);
  });

  it('has nothing to give back for a password', async () => {
    const world = accountsFixture();
    await remove(world, (await world.passwordAccount()).id);
    expect(world.outbox.told).toEqual([['enduseraccount.deleted', 'ACTIVE']]);
    expect(world.authorization.revoked).toEqual([]);
  });

  it('is NotFound for an unknown id, and when somebody else was faster', async () => {
    const world = accountsFixture();
    await expect(world.deletion.delete(APP, 'unknown')).rejects.toMatchObject({ code: 'NotFound' });
    const { id } = await world.grantedAccount();
    world.accounts.delete = async () => false;
    await expect(world.deletion.delete(APP, id)).rejects.toMatchObject({ code: 'NotFound' });
    expect(world.revocations.rows.size).toBe(0);
    expect(world.outbox.messages).toEqual([]);
  });

  it('T14 leaves the revocation in the database when this process or the provider fails', async () => {
    const world = accountsFixture();
    world.authorization.revoking = async () => Promise.reject(unavailable());
    await remove(world, (await world.grantedAccount()).id);
    expect([...world.revocations.rows.values()]).toMatchObject([
      { providerType: 'GOOGLE', providerAccountId: 'person-1', clientId: 'client', token: 'refresh-person-1' },
    ]);
    world.authorization.revoking = async () => undefined;
    for (const pending of await world.revocations.claimDue()) await world.revocation.attempt(pending);
    expect(world.authorization.revoked).toEqual(['refresh-person-1', 'refresh-person-1']);
    expect(world.revocations.rows.size).toBe(0);
  });

  it('answers before the provider does', async () => {
    const world = accountsFixture();
    const { id } = await world.grantedAccount();
    world.authorization.revoking = () => new Promise(() => undefined);
    await world.deletion.delete(APP, id);
    expect(world.accounts.rows.size).toBe(0);
  });

  it('succeeds also when the attempt meets a database that is away', async () => {
    const world = accountsFixture();
    const { id } = await world.grantedAccount();
    world.credentials.sharesGrant = async () => Promise.reject(new Error('database away'));
    await remove(world, id);
    expect(world.revocations.rows.size).toBe(1);
  });
});

describe('T14 a process that dies while it deletes an account', () => {
  /** Every step of a deletion that leaves a trace. */
  const STEPS = [
    ['accounts', 'delete'],
    ['outbox', 'append'],
    ['revocations', 'add'],
    ['credentials', 'sharesGrant'],
    ['authorization', 'revoke'],
    ['revocations', 'remove'],
  ] as const;

  it.each(STEPS.flatMap(([port, step]) => [[port, step, 'before'] as const, [port, step, 'after'] as const]))(
    'at %s.%s, %s it: the next one finds nothing half done',
    async (port, step, when) => {
      const world = accountsFixture();
      const { id } = await world.grantedAccount();
      const steps = world[port] as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
      const original = steps[step]!;
      steps[step] = async (...given) => {
        if (when === 'after') await original.apply(steps, given);
        throw new Error('killed');
      };
      await world.deletion.delete(APP, id).catch(() => undefined);
      await world.time.pass(0);
      steps[step] = original;

      // The application that got no answer asks again; a worker takes up what is left.
      if (world.accounts.rows.size > 0) {
        expect(world.outbox.messages).toEqual([]);
        expect(world.revocations.rows.size).toBe(0);
        await remove(world, id);
      }
      for (const pending of await world.revocations.claimDue()) await world.process().revocation.attempt(pending);
      expect(world.accounts.rows.size).toBe(0);
      expect(world.revocations.rows.size).toBe(0);
      expect(world.outbox.told).toEqual([['enduseraccount.deleted', 'ACTIVE']]);
      expect(world.authorization.revoked).toContain('refresh-person-1');
    },
  );
});

describe('GrantRevocation', () => {
  const pendingOf = async (world: AccountsFixture) => {
    world.authorization.revoking = async () => Promise.reject(unavailable());
    await remove(world, (await world.grantedAccount()).id);
    world.authorization.revoked.length = 0;
    return [...world.revocations.rows.values()][0]!;
  };

  it('leaves a grant alone that another account lives on', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount();
    const twin = { ...account, id: 'twin', applicationId: 'another' };
    world.accounts.put(twin);
    await world.credentials.put({ applicationId: 'another' }, 'twin', {
      kind: 'oauth',
      clientId: CLIENT.clientId,
      accessToken: '',
      refreshToken: 'another',
      expiresAt: null,
    });
    await remove(world, account.id);
    expect(world.authorization.revoked).toEqual([]);
    expect(world.revocations.rows.size).toBe(0);
  });

  it('leaves the grant alone of a person who came back meanwhile', async () => {
    const world = accountsFixture();
    const pending = await pendingOf(world);
    const again = await world.grantedAccount();
    world.accounts.put({ ...again, providerAccountId: 'person-1' });
    await world.revocation.attempt(pending);
    expect(world.authorization.revoked).toEqual([]);
    expect(world.revocations.rows.size).toBe(0);
  });

  it.each([
    ['stays for later while the provider is away', unavailable(), 19, 1],
    ['is given up after 20 attempts', unavailable(), 20, 0],
    ['is given up when it is refused for good', new DomainError('ProviderRejected', 'no'), 1, 0],
  ])('%s', async (_, error, attempts, left) => {
    const world = accountsFixture();
    const pending = await pendingOf(world);
    world.authorization.revoking = async () => Promise.reject(error);
    await world.revocation.attempt({ ...pending, attempts });
    expect(world.revocations.rows.size).toBe(left);
  });

  it('waits for the client of the grant', async () => {
    const world = accountsFixture();
    const pending = await pendingOf(world);
    world.ownClients.clients.clear();
    await world.revocation.attempt(pending);
    expect(world.authorization.revoked).toEqual([]);
    expect(world.revocations.rows.size).toBe(1);
  });
});
