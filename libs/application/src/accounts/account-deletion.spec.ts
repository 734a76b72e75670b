import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DomainError } from '#domain/system';
import { accountsFixture, APP, CLIENT, unavailable, type AccountsFixture } from '../../testing/accounts-fixture.js';

for (const level of ['warn', 'error'] as const) jest.spyOn(Logger.prototype, level).mockImplementation(() => undefined);

/** Removes, and lets the attempt to revoke come to its end. */
const remove = async (fixture: AccountsFixture, id: string) => {
  await fixture.deletion.delete(APP, id);
  await fixture.time.pass(0);
};

describe('AccountDeletion', () => {
  it('deletes the account, tells its application and gives the grant back', async () => {
    const fixture = accountsFixture();
    const { id } = await fixture.grantedAccount();
    await remove(fixture, id);
    expect(fixture.accounts.rows.size).toBe(0);
    expect(fixture.outbox.messages).toEqual([
      { eventType: 'enduseraccount.deleted', payload: expect.objectContaining({ endUserAccountId: id }) },
    ]);
    expect(fixture.authorization.revoked).toEqual(['refresh-person-1']);
    expect(fixture.revocations.rows.size).toBe(0);
  });

  it('has nothing to give back for a password', async () => {
    const fixture = accountsFixture();
    await remove(fixture, (await fixture.passwordAccount()).id);
    expect(fixture.outbox.published).toEqual([['enduseraccount.deleted', 'ACTIVE']]);
    expect(fixture.authorization.revoked).toEqual([]);
  });

  it('is NotFound for an unknown id, and when somebody else was faster', async () => {
    const fixture = accountsFixture();
    await expect(fixture.deletion.delete(APP, 'unknown')).rejects.toMatchObject({ code: 'NotFound' });
    const { id } = await fixture.grantedAccount();
    fixture.accounts.delete = async () => false;
    await expect(fixture.deletion.delete(APP, id)).rejects.toMatchObject({ code: 'NotFound' });
    expect(fixture.revocations.rows.size).toBe(0);
    expect(fixture.outbox.messages).toEqual([]);
  });

  it('T14 leaves the revocation in the database when this process or the provider fails', async () => {
    const fixture = accountsFixture();
    fixture.authorization.revoking = async () => Promise.reject(unavailable());
    await remove(fixture, (await fixture.grantedAccount()).id);
    expect([...fixture.revocations.rows.values()]).toMatchObject([
      { providerType: 'GOOGLE', providerAccountId: 'person-1', clientId: 'client', token: 'refresh-person-1' },
    ]);
    fixture.authorization.revoking = async () => undefined;
    for (const pending of await fixture.revocations.claimDue()) await fixture.revocation.attempt(pending);
    expect(fixture.authorization.revoked).toEqual(['refresh-person-1', 'refresh-person-1']);
    expect(fixture.revocations.rows.size).toBe(0);
  });

  it('answers before the provider does', async () => {
    const fixture = accountsFixture();
    const { id } = await fixture.grantedAccount();
    fixture.authorization.revoking = () => new Promise(() => undefined);
    await fixture.deletion.delete(APP, id);
    expect(fixture.accounts.rows.size).toBe(0);
  });

  it('succeeds also when the attempt meets a database that is away', async () => {
    const fixture = accountsFixture();
    const { id } = await fixture.grantedAccount();
    fixture.credentials.sharesGrant = async () => Promise.reject(new Error('database away'));
    await remove(fixture, id);
    expect(fixture.revocations.rows.size).toBe(1);
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
      const fixture = accountsFixture();
      const { id } = await fixture.grantedAccount();
      const steps = fixture[port] as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
      const original = steps[step]!;
      steps[step] = async (...given) => {
        if (when === 'after') await original.apply(steps, given);
        throw new Error('killed');
      };
      await fixture.deletion.delete(APP, id).catch(() => undefined);
      await fixture.time.pass(0);
      steps[step] = original;

      // The application that got no answer asks again; a worker takes up what is left.
      if (fixture.accounts.rows.size > 0) {
        expect(fixture.outbox.messages).toEqual([]);
        expect(fixture.revocations.rows.size).toBe(0);
        await remove(fixture, id);
      }
      for (const pending of await fixture.revocations.claimDue()) await fixture.process().revocation.attempt(pending);
      expect(fixture.accounts.rows.size).toBe(0);
      expect(fixture.revocations.rows.size).toBe(0);
      expect(fixture.outbox.published).toEqual([['enduseraccount.deleted', 'ACTIVE']]);
      expect(fixture.authorization.revoked).toContain('refresh-person-1');
    },
  );
});

describe('GrantRevocation', () => {
  const pendingOf = async (fixture: AccountsFixture) => {
    fixture.authorization.revoking = async () => Promise.reject(unavailable());
    await remove(fixture, (await fixture.grantedAccount()).id);
    fixture.authorization.revoked.length = 0;
    return [...fixture.revocations.rows.values()][0]!;
  };

  it('leaves a grant alone that another account lives on', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    const twin = { ...account, id: 'twin', applicationId: 'another' };
    fixture.accounts.put(twin);
    await fixture.credentials.put({ applicationId: 'another' }, 'twin', {
      kind: 'oauth',
      clientId: CLIENT.clientId,
      accessToken: '',
      refreshToken: 'another',
      expiresAt: null,
    });
    await remove(fixture, account.id);
    expect(fixture.authorization.revoked).toEqual([]);
    expect(fixture.revocations.rows.size).toBe(0);
  });

  it('leaves the grant alone of a person who came back meanwhile', async () => {
    const fixture = accountsFixture();
    const pending = await pendingOf(fixture);
    const again = await fixture.grantedAccount();
    fixture.accounts.put({ ...again, providerAccountId: 'person-1' });
    await fixture.revocation.attempt(pending);
    expect(fixture.authorization.revoked).toEqual([]);
    expect(fixture.revocations.rows.size).toBe(0);
  });

  it.each([
    ['stays for later while the provider is away', unavailable(), 19, 1],
    ['is given up after 20 attempts', unavailable(), 20, 0],
    ['is given up when it is refused for good', new DomainError('ProviderRejected', 'no'), 1, 0],
  ])('%s', async (_, error, attempts, left) => {
    const fixture = accountsFixture();
    const pending = await pendingOf(fixture);
    fixture.authorization.revoking = async () => Promise.reject(error);
    await fixture.revocation.attempt({ ...pending, attempts });
    expect(fixture.revocations.rows.size).toBe(left);
  });

  it('waits for the client of the grant', async () => {
    const fixture = accountsFixture();
    const pending = await pendingOf(fixture);
    fixture.ownClients.clients.clear();
    await fixture.revocation.attempt(pending);
    expect(fixture.authorization.revoked).toEqual([]);
    expect(fixture.revocations.rows.size).toBe(1);
  });
});
