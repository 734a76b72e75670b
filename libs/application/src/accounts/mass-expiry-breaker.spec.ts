import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { EndUserAccount } from '#domain/accounts';
import type { DomainError } from '#domain/system';
import {
  accountsFixture,
  APP,
  CLIENT,
  grantRejected,
  MINUTE_MS,
  signal,
  type AccountsFixture,
} from '../../testing/accounts-fixture.js';

const GOOGLE = { providerType: 'GOOGLE', clientId: 'client' } as const;

const alarms = jest.spyOn(Logger.prototype, 'error');
const notices = jest.spyOn(Logger.prototype, 'warn');
beforeEach(() => {
  for (const log of [alarms, notices]) {
    log.mockReset();
    log.mockImplementation(() => undefined);
  }
});

const granted = (fixture: AccountsFixture, count: number) =>
  Promise.all(Array.from({ length: count }, () => fixture.grantedAccount()));

/** Uses them at once; `code` of each failure, or 'ok'. */
async function outcomes(fixture: AccountsFixture, accounts: EndUserAccount[]): Promise<string[]> {
  const settled = await fixture.time.during(
    Promise.allSettled(accounts.map((account) => fixture.credentialsService.getFresh(account, signal))),
  );
  return settled.map((outcome) => (outcome.status === 'fulfilled' ? 'ok' : (outcome.reason as DomainError).code));
}

const expired = (fixture: AccountsFixture) =>
  [...fixture.accounts.rows.values()].filter(({ status }) => status === 'EXPIRED').length;

describe('T6 many grants of one client that are refused at once', () => {
  it('expire no account, and raise one alarm', async () => {
    const fixture = accountsFixture();
    const accounts = await granted(fixture, 1_000);
    fixture.authorization.decide = () => grantRejected();
    expect(new Set(await outcomes(fixture, accounts))).toEqual(new Set(['ProviderUnavailable']));
    expect(expired(fixture)).toBe(0);
    expect(alarms.mock.calls).toEqual([[expect.objectContaining({ ...GOOGLE, rejected: 20 })]]);
  });

  it('tell callers when to come again', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    await fixture.ledger.record(GOOGLE, account.id, 'rejected');
    await fixture.ledger.trip(GOOGLE);
    await fixture.ledger.mayProbe(GOOGLE, 30_000);
    await expect(fixture.credentialsService.getFresh(account, signal)).rejects.toMatchObject({
      code: 'ProviderUnavailable',
      retryAfterSeconds: 30,
    });
    expect(fixture.authorization.refreshed).toEqual([]);
  });

  it('are judged one by one below 20, and below one in twenty', async () => {
    const few = accountsFixture();
    few.authorization.decide = () => grantRejected();
    expect(new Set(await outcomes(few, await granted(few, 19)))).toEqual(new Set(['EndUserAccountExpired']));

    const rare = accountsFixture();
    await outcomes(rare, await granted(rare, 380));
    rare.authorization.decide = () => grantRejected();
    expect(new Set(await outcomes(rare, await granted(rare, 20)))).toEqual(new Set(['EndUserAccountExpired']));
    expect(alarms).not.toHaveBeenCalled();
  });

  it('are put to the test by one refresh in 30 seconds, until one succeeds', async () => {
    const fixture = accountsFixture();
    const accounts = await granted(fixture, 30);
    fixture.authorization.decide = () => grantRejected();
    await outcomes(fixture, accounts);
    const calls = () => fixture.authorization.refreshed.length;

    const before = calls();
    await fixture.time.pass(30_000);
    expect(new Set(await outcomes(fixture, accounts))).toEqual(new Set(['ProviderUnavailable']));
    expect(calls() - before).toBe(1);
    expect(await fixture.ledger.breakerTrippedSince(GOOGLE)).not.toBeNull();

    fixture.authorization.decide = () => fixture.authorization.grant();
    await fixture.time.pass(30_000);
    expect((await outcomes(fixture, accounts)).filter((outcome) => outcome === 'ok')).toHaveLength(1);
    expect(await fixture.ledger.breakerTrippedSince(GOOGLE)).toBeNull();
    expect(notices).toHaveBeenCalledWith(expect.objectContaining(GOOGLE));
    await fixture.time.pass(30_000);
    expect(new Set(await outcomes(fixture, accounts))).toEqual(new Set(['ok']));
    expect(expired(fixture)).toBe(0);
  });

  it('take nobody along whose grant was not refused', async () => {
    const fixture = accountsFixture();
    const [rejected, others] = [await granted(fixture, 60), await granted(fixture, 40)];
    const dead = new Set(rejected.map((_, index) => `refresh-person-${index + 1}`));
    fixture.authorization.decide = (token) => (dead.has(token) ? grantRejected() : fixture.authorization.grant());
    await outcomes(fixture, rejected);
    expect(new Set(await outcomes(fixture, others))).toEqual(new Set(['ok']));
    expect(await fixture.ledger.breakerTrippedSince(GOOGLE)).not.toBeNull();

    await fixture.time.pass(6 * MINUTE_MS);
    const before = fixture.authorization.refreshed.length;
    expect(new Set(await outcomes(fixture, rejected))).toEqual(new Set(['ProviderUnavailable']));
    expect(fixture.authorization.refreshed.length - before).toBe(1);
    expect(expired(fixture)).toBe(0);
  });

  it('hold those that are refused later, too', async () => {
    const fixture = accountsFixture();
    fixture.authorization.decide = () => grantRejected();
    await outcomes(fixture, await granted(fixture, 30));
    const late = await fixture.grantedAccount();
    const before = fixture.authorization.refreshed.length;
    expect(await outcomes(fixture, [late])).toEqual(['ProviderUnavailable']);
    expect(fixture.authorization.refreshed.length - before).toBe(1);
    expect(await fixture.ledger.isRejected(GOOGLE, late.id)).toBe(true);
    expect(await fixture.statusOf(late)).toBe('ACTIVE');
  });

  it('do not hold an account that is connected again', async () => {
    const fixture = accountsFixture();
    const accounts = await granted(fixture, 30);
    fixture.authorization.decide = () => grantRejected();
    await outcomes(fixture, accounts);
    fixture.authorization.decide = () => fixture.authorization.grant();
    const { email, providerAccountId } = accounts[0]!;
    await fixture.grants.store(APP, {
      providerType: 'GOOGLE',
      client: CLIENT,
      tokens: {
        accessToken: 'access-new',
        refreshToken: 'refresh-new',
        expiresAt: new Date(fixture.time.nowMs()),
        scopes: null,
        identity: { subject: providerAccountId!, email },
      },
      signal,
    });
    expect(await outcomes(fixture, [accounts[0]!])).toEqual(['ok']);
    expect(await fixture.ledger.breakerTrippedSince(GOOGLE)).not.toBeNull();
  });

  it('are judged again when an operator says so', async () => {
    const fixture = accountsFixture();
    await fixture.ledger.trip(GOOGLE);
    expect(await fixture.breaker.release(GOOGLE)).toBe(true);
    expect(await fixture.breaker.release(GOOGLE)).toBe(false);
    const account = await fixture.grantedAccount();
    fixture.authorization.decide = () => grantRejected();
    expect(await outcomes(fixture, [account])).toEqual(['EndUserAccountExpired']);
  });

  it('a refresh that began before they were held back does not end it', async () => {
    const fixture = accountsFixture();
    fixture.authorization.latencyMs = 1_000;
    const account = await fixture.grantedAccount();
    const under = fixture.credentialsService.getFresh(account, signal);
    await fixture.time.pass(100);
    await fixture.ledger.trip(GOOGLE);
    await fixture.time.during(under);
    expect(await fixture.ledger.breakerTrippedSince(GOOGLE)).not.toBeNull();
  });
});
