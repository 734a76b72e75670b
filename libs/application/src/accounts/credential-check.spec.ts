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
import type { EndUserAccount } from '#domain/accounts';

const INTERVAL_MS = 8 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

const check = (fixture: AccountsFixture, account: EndUserAccount) => {
  const verify = jest.spyOn(fixture.provider, 'verify').mockClear();
  return fixture.time.during(fixture.check.check(account, INTERVAL_MS, signal)).then(() => ({
    refreshed: fixture.authorization.refreshed.length,
    verified: verify.mock.calls.length,
  }));
};

describe('CredentialCheck', () => {
  it('tries a password', async () => {
    const fixture = accountsFixture();
    expect(await check(fixture, await fixture.passwordAccount())).toEqual({ refreshed: 0, verified: 1 });
  });

  it('T8 refreshes a token in use that would live less than ten minutes after the next check', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount({}, INTERVAL_MS + 10 * MINUTE_MS - 1);
    await fixture.health.recordUse(APP, account.id, new Date(fixture.time.nowMs()));
    expect(await check(fixture, account)).toEqual({ refreshed: 1, verified: 0 });
  });

  it('T8 leaves a token in use alone that lives longer, and tries it', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount({}, INTERVAL_MS + 10 * MINUTE_MS);
    await fixture.health.recordUse(APP, account.id, new Date(fixture.time.nowMs()));
    expect(await check(fixture, account)).toEqual({ refreshed: 0, verified: 1 });
  });

  it('T8 refreshes nothing ahead of time that nobody has used for an hour', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount({}, 10 * MINUTE_MS);
    expect(await check(fixture, account)).toEqual({ refreshed: 0, verified: 1 });
    await fixture.health.recordUse(APP, account.id, new Date(fixture.time.nowMs() - 60 * MINUTE_MS));
    expect(await check(fixture, account)).toEqual({ refreshed: 0, verified: 1 });
  });

  it('T8 exercises a refresh token that was not used for 20 days', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount({}, 365 * DAY_MS);
    await fixture.time.pass(20 * DAY_MS - 1);
    expect(await check(fixture, account)).toEqual({ refreshed: 0, verified: 1 });
    await fixture.time.pass(1);
    expect(await check(fixture, account)).toEqual({ refreshed: 1, verified: 0 });
  });

  it('tries no credentials that the provider accepted a moment ago, and returns when that is too old', async () => {
    const fixture = accountsFixture();
    const account = await fixture.passwordAccount();
    await fixture.access.useInBackground(APP, account.id, signal, 'sync', async ({ session }) =>
      session.observer?.accepted(),
    );
    const acceptedAtMs = fixture.time.nowMs();
    await fixture.time.pass(INTERVAL_MS);
    expect(await check(fixture, account)).toEqual({ refreshed: 0, verified: 0 });
    const againAtMs = acceptedAtMs + 1.1 * INTERVAL_MS;
    expect(fixture.health.checks.get(account.id)).toBe(againAtMs);
    await fixture.time.pass(againAtMs - fixture.time.nowMs());
    expect(await check(fixture, account)).toEqual({ refreshed: 0, verified: 1 });
  });

  it('tries a password that was rejected after it was accepted', async () => {
    const fixture = accountsFixture();
    const account = await fixture.passwordAccount();
    await fixture.access.useInBackground(APP, account.id, signal, 'sync', async ({ session }) =>
      session.observer?.accepted(),
    );
    await fixture.health.recordRejection(APP, account.id, 1);
    expect(await check(fixture, account)).toEqual({ refreshed: 0, verified: 1 });
  });

  it('refreshes the tokens where the provider has no other way to verify them', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount({}, 60 * MINUTE_MS);
    fixture.provider.verify = async () => false;
    expect(await check(fixture, account)).toEqual({ refreshed: 1, verified: 1 });
  });

  it('finds out that a grant is dead', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount({}, 60 * MINUTE_MS);
    await fixture.time.pass(MINUTE_MS);
    fixture.provider.verify = async () => Promise.reject(rejected());
    fixture.authorization.decide = () => grantRejected();
    await expect(check(fixture, account)).rejects.toMatchObject({ code: 'EndUserAccountExpired' });
    expect(fixture.outbox.published).toEqual([['enduseraccount.updated', 'EXPIRED', 'invalid_grant']]);
  });
});
