import { jest } from '@jest/globals';
import {
  accountsFixture,
  APP,
  grantRejected,
  MINUTE_MS,
  rejected,
  signal,
  type AccountsFixture,
} from '../../testing/accounts-fixture.js';
import type { EndUserAccount } from '#domain';

const INTERVAL_MS = 8 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

const check = (world: AccountsFixture, account: EndUserAccount) => {
  const verify = jest.spyOn(world.provider, 'verify').mockClear();
  return world.time.during(world.check.check(account, INTERVAL_MS, signal)).then(() => ({
    refreshed: world.authorization.refreshed.length,
    verified: verify.mock.calls.length,
  }));
};

describe('CredentialCheck', () => {
  it('tries a password', async () => {
    const world = accountsFixture();
    expect(await check(world, await world.passwordAccount())).toEqual({ refreshed: 0, verified: 1 });
  });

  it('T8 refreshes a token in use that would live less than ten minutes after the next check', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount({}, INTERVAL_MS + 10 * MINUTE_MS - 1);
    await world.health.noteUse(APP, account.id, new Date(world.time.nowMs()));
    expect(await check(world, account)).toEqual({ refreshed: 1, verified: 0 });
  });

  it('T8 leaves a token in use alone that lives longer, and tries it', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount({}, INTERVAL_MS + 10 * MINUTE_MS);
    await world.health.noteUse(APP, account.id, new Date(world.time.nowMs()));
    expect(await check(world, account)).toEqual({ refreshed: 0, verified: 1 });
  });

  it('T8 refreshes nothing ahead of time that nobody has used for an hour', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount({}, 10 * MINUTE_MS);
    expect(await check(world, account)).toEqual({ refreshed: 0, verified: 1 });
    await world.health.noteUse(APP, account.id, new Date(world.time.nowMs() - 60 * MINUTE_MS));
    expect(await check(world, account)).toEqual({ refreshed: 0, verified: 1 });
  });

  it('T8 exercises a refresh token that was not used for 20 days', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount({}, 365 * DAY_MS);
    await world.time.pass(20 * DAY_MS - 1);
    expect(await check(world, account)).toEqual({ refreshed: 0, verified: 1 });
    await world.time.pass(1);
    expect(await check(world, account)).toEqual({ refreshed: 1, verified: 0 });
  });

  it('finds out that a grant is dead', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount({}, 60 * MINUTE_MS);
    await world.time.pass(MINUTE_MS);
    world.provider.verify = async () => Promise.reject(rejected());
    world.authorization.decide = () => grantRejected();
    await expect(check(world, account)).rejects.toMatchObject({ code: 'EndUserAccountExpired' });
    expect(world.outbox.told).toEqual([['enduseraccount.updated', 'EXPIRED', 'invalid_grant']]);
  });
});
