import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EndUserAccount } from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import { UnitOfWork } from '#domain/system';
import type { Scope } from '#persistence';
import { openPersistence, type Persistence } from './persistence.js';

let persistence: Persistence;
let mine: ApplicationRef;
let theirs: ApplicationRef;
let myAccounts: EndUserAccount[];
let theirAccount: EndUserAccount;
const scopes: Scope[] = [];

beforeAll(async () => {
  persistence = await openPersistence({ onStatement: (_, scope) => void scopes.push(scope) });
  mine = await persistence.newApplication();
  theirs = await persistence.newApplication();
  myAccounts = [await persistence.newAccount(mine), await persistence.newAccount(mine, { email: 'two@example.test' })];
  theirAccount = await persistence.newAccount(theirs);
});

afterAll(() => persistence.close());

beforeEach(() => void (scopes.length = 0));

describe('accounts that are asked for at the same time', () => {
  it('are one statement for each application', async () => {
    const ids = [...myAccounts, ...myAccounts].map(({ id }) => id);
    const found = await Promise.all([
      ...ids.map((id) => persistence.accounts.getOwned(mine, id)),
      persistence.accounts.getOwned(theirs, theirAccount.id),
    ]);
    expect(found.map(({ id }) => id)).toEqual([...ids, theirAccount.id]);
    expect(scopes.map(({ setting }) => setting)).toEqual([mine.applicationId, theirs.applicationId]);
  });

  it('N05 are found by their owner only, in the same turn too', async () => {
    const [own, foreign, unknown] = await Promise.allSettled([
      persistence.accounts.getOwned(theirs, theirAccount.id),
      persistence.accounts.getOwned(mine, theirAccount.id),
      persistence.accounts.getOwned(mine, mine.applicationId),
    ]);
    expect(own).toMatchObject({ status: 'fulfilled', value: { applicationId: theirs.applicationId } });
    expect(foreign).toMatchObject({ status: 'rejected', reason: { code: 'NotFound' } });
    expect(unknown).toMatchObject({ status: 'rejected', reason: { code: 'NotFound' } });
  });

  it('share nothing that one of the callers could change', async () => {
    const { id } = myAccounts[0] as EndUserAccount;
    const [one, other] = await Promise.all([
      persistence.accounts.getOwned(mine, id),
      persistence.accounts.getOwned(mine, id),
    ]);
    one.email = 'changed@example.test';
    one.authorizedScopes.push('changed');
    expect(other.email).toBe((myAccounts[0] as EndUserAccount).email);
    expect(other.authorizedScopes).toEqual([]);
  });

  it('are read inside of the transaction that asks', async () => {
    const { id } = myAccounts[0] as EndUserAccount;
    const unitOfWork = persistence.module.get(UnitOfWork);
    await expect(
      unitOfWork.run(mine, async () => {
        await persistence.accounts.setStatus(mine, id, 'EXPIRED', 'password_rejected');
        const inside = persistence.accounts.getOwned(mine, id);
        expect((await inside).status).toBe('EXPIRED');
        throw new Error('undo');
      }),
    ).rejects.toThrow('undo');
    expect((await persistence.accounts.getOwned(mine, id)).status).toBe('ACTIVE');
  });
});
