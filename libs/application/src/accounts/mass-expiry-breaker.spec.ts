import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { DomainError, EndUserAccount } from '#domain';
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

const granted = (world: AccountsFixture, count: number) =>
  Promise.all(Array.from({ length: count }, () => world.grantedAccount()));

/** Uses them at once; `code` of each failure, or 'ok'. */
async function outcomes(world: AccountsFixture, accounts: EndUserAccount[]): Promise<string[]> {
  const settled = await world.time.during(
    Promise.allSettled(accounts.map((account) => world.credentialsService.getFresh(account, signal))),
  );
  return settled.map((outcome) => (outcome.status === 'fulfilled' ? 'ok' : (outcome.reason as DomainError).code));
}

const expired = (world: AccountsFixture) =>
  [...world.accounts.rows.values()].filter(({ status }) => status === 'EXPIRED').length;

describe('T6 many grants of one client that are refused at once', () => {
  it('expire no account, and raise one alarm', async () => {
    const world = accountsFixture();
    const accounts = await granted(world, 1_000);
    world.authorization.decide = () => grantRejected();
    expect(new Set(await outcomes(world, accounts))).toEqual(new Set(['ProviderUnavailable']));
    expect(expired(world)).toBe(0);
    expect(alarms.mock.calls).toEqual([[expect.objectContaining({ ...GOOGLE, refused: 20 })]]);
  });

  it('tell callers when to come again', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount();
    await world.ledger.record(GOOGLE, account.id, 'refused');
    await world.ledger.hold(GOOGLE);
    await world.ledger.mayProbe(GOOGLE, 30_000);
    await expect(world.credentialsService.getFresh(account, signal)).rejects.toMatchObject({
      code: 'ProviderUnavailable',
      retryAfterSeconds: 30,
    });
    expect(world.authorization.refreshed).toEqual([]);
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
    const world = accountsFixture();
    const accounts = await granted(world, 30);
    world.authorization.decide = () => grantRejected();
    await outcomes(world, accounts);
    const calls = () => world.authorization.refreshed.length;

    const before = calls();
    await world.time.pass(30_000);
    expect(new Set(await outcomes(world, accounts))).toEqual(new Set(['ProviderUnavailable']));
    expect(calls() - before).toBe(1);
    expect(await world.ledger.heldSince(GOOGLE)).not.toBeNull();

    world.authorization.decide = () => world.authorization.grant();
    await world.time.pass(30_000);
    expect((await outcomes(world, accounts)).filter((outcome) => outcome === 'ok')).toHaveLength(1);
    expect(await world.ledger.heldSince(GOOGLE)).toBeNull();
    expect(notices).toHaveBeenCalledWith(expect.objectContaining(GOOGLE));
    await world.time.pass(30_000);
    expect(new Set(await outcomes(world, accounts))).toEqual(new Set(['ok']));
    expect(expired(world)).toBe(0);
  });

  it('take nobody along whose grant was not refused', async () => {
    const world = accountsFixture();
    const [refused, others] = [await granted(world, 60), await granted(world, 40)];
    const dead = new Set(refused.map((_, index) => `refresh-person-${index + 1}`));
    world.authorization.decide = (token) => (dead.has(token) ? grantRejected() : world.authorization.grant());
    await outcomes(world, refused);
    expect(new Set(await outcomes(world, others))).toEqual(new Set(['ok']));
    expect(await world.ledger.heldSince(GOOGLE)).not.toBeNull();

    await world.time.pass(6 * MINUTE_MS);
    const before = world.authorization.refreshed.length;
    expect(new Set(await outcomes(world, refused))).toEqual(new Set(['ProviderUnavailable']));
    expect(world.authorization.refreshed.length - before).toBe(1);
    expect(expired(world)).toBe(0);
  });

  it('hold those that are refused later, too', async () => {
    const world = accountsFixture();
    world.authorization.decide = () => grantRejected();
    await outcomes(world, await granted(world, 30));
    const late = await world.grantedAccount();
    const before = world.authorization.refreshed.length;
    expect(await outcomes(world, [late])).toEqual(['ProviderUnavailable']);
    expect(world.authorization.refreshed.length - before).toBe(1);
    expect(await world.ledger.isSuspect(GOOGLE, late.id)).toBe(true);
    expect(await world.statusOf(late)).toBe('ACTIVE');
  });

  it('do not hold an account that is connected again', async () => {
    const world = accountsFixture();
    const accounts = await granted(world, 30);
    world.authorization.decide = () => grantRejected();
    await outcomes(world, accounts);
    world.authorization.decide = () => world.authorization.grant();
    const { email, providerAccountId } = accounts[0]!;
    await world.grants.store(APP, {
      providerType: 'GOOGLE',
      client: CLIENT,
      tokens: {
        accessToken: 'access-new',
        refreshToken: 'refresh-new',
        expiresAt: new Date(world.time.nowMs()),
        scopes: null,
        identity: { subject: providerAccountId!, email },
      },
      signal,
    });
    expect(await outcomes(world, [accounts[0]!])).toEqual(['ok']);
    expect(await world.ledger.heldSince(GOOGLE)).not.toBeNull();
  });

  it('are judged again when an operator says so', async () => {
    const world = accountsFixture();
    await world.ledger.hold(GOOGLE);
    expect(await world.breaker.release(GOOGLE)).toBe(true);
    expect(await world.breaker.release(GOOGLE)).toBe(false);
    const account = await world.grantedAccount();
    world.authorization.decide = () => grantRejected();
    expect(await outcomes(world, [account])).toEqual(['EndUserAccountExpired']);
  });

  it('a refresh that began before they were held back does not end it', async () => {
    const world = accountsFixture();
    world.authorization.latencyMs = 1_000;
    const account = await world.grantedAccount();
    const under = world.credentialsService.getFresh(account, signal);
    await world.time.pass(100);
    await world.ledger.hold(GOOGLE);
    await world.time.during(under);
    expect(await world.ledger.heldSince(GOOGLE)).not.toBeNull();
  });
});
