import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { ExpiryReason, DomainError, EndUserAccount } from '#domain';
import {
  accountsFixture,
  CLIENT,
  clientRejected,
  grantRejected,
  signal,
  unavailable,
  type AccountsFixture,
} from '../../testing/accounts-fixture.js';

const alarms = jest.spyOn(Logger.prototype, 'error');
beforeEach(() => {
  alarms.mockReset();
  alarms.mockImplementation(() => undefined);
});

const fresh = (world: AccountsFixture, account: EndUserAccount) =>
  world.time.during(world.credentialsService.getFresh(account, signal));

describe('T4 a grant that is refused', () => {
  it.each<ExpiryReason>(['invalid_grant', 'consent_revoked', 'user_deleted'])(
    'twice, five seconds apart, makes the account EXPIRED with the reason %s, and its application is told',
    async (reason) => {
      const world = accountsFixture();
      const account = await world.grantedAccount();
      world.authorization.decide = () => grantRejected(reason);
      const startedAtMs = world.time.nowMs();
      await expect(fresh(world, account)).rejects.toMatchObject({ code: 'EndUserAccountExpired' });
      expect(world.time.nowMs() - startedAtMs).toBe(5_000);
      expect(world.authorization.refreshed).toHaveLength(2);
      expect(await world.statusOf(account)).toBe(`EXPIRED ${reason}`);
      expect(world.outbox.messages).toEqual([
        {
          eventType: 'enduseraccount.updated',
          payload: {
            eventType: 'enduseraccount.updated',
            timestamp: new Date(world.time.nowMs()).toISOString(),
            endUserAccountId: account.id,
            externalId: '',
            providerType: 'GOOGLE',
            status: 'EXPIRED',
            reason,
          },
        },
      ]);
      expect(alarms).not.toHaveBeenCalled();
    },
  );

  it('is asked for once more by one caller for all, in whichever process', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount();
    world.authorization.decide = () => grantRejected();
    const callers = [world.process(), world.process(), world.process()].flatMap(({ credentialsService }) =>
      Array.from({ length: 50 }, () => credentialsService.getFresh(account, signal)),
    );
    const outcomes = await world.time.during(Promise.allSettled(callers));
    expect(
      new Set(outcomes.map((outcome) => outcome.status === 'rejected' && (outcome.reason as DomainError).code)),
    ).toEqual(new Set(['EndUserAccountExpired']));
    expect(world.authorization.refreshed).toHaveLength(2);
    expect(world.outbox.messages).toHaveLength(1);
  });

  it('once, and granted then, is used', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount();
    world.authorization.decide = (_, call) => (call === 1 ? grantRejected() : world.authorization.grant());
    expect((await fresh(world, account)).credentials).toMatchObject({ accessToken: 'access-1' });
    expect(await world.statusOf(account)).toBe('ACTIVE');
  });

  it.each([
    ['before the refusal is known', 0],
    ['while it is being confirmed', 2_000],
  ])('means nothing when other credentials are stored %s', async (_, afterMs) => {
    const world = accountsFixture();
    const account = await world.grantedAccount();
    world.authorization.decide = async () => {
      if (afterMs === 0) await world.reconnect(account);
      else void world.time.sleep(afterMs).then(() => world.reconnect(account));
      return grantRejected();
    };
    expect((await fresh(world, account)).credentials).toMatchObject({ accessToken: 'reconnected' });
    expect(world.authorization.refreshed).toHaveLength(1);
    expect(await world.statusOf(account)).toBe('ACTIVE');
  });

  it('T12 means nothing when other credentials are stored as the account is being expired', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount();
    world.authorization.decide = () => grantRejected();
    const setStatus = world.accounts.setStatus.bind(world.accounts);
    world.accounts.setStatus = async (...given) => {
      await world.unitOfWork.outside(() => world.reconnect(account));
      return setStatus(...given);
    };
    expect((await fresh(world, account)).credentials).toMatchObject({ accessToken: 'reconnected' });
    expect(await world.statusOf(account)).toBe('ACTIVE');
    expect(world.outbox.messages).toEqual([]);
  });

  it('proves nothing when the endpoint is away at the second time', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount();
    world.authorization.decide = (_, call) => {
      if (call > 1) throw unavailable();
      return grantRejected();
    };
    await expect(fresh(world, account)).rejects.toMatchObject({ code: 'ProviderUnavailable', retryAfterSeconds: 1 });
    expect(await world.statusOf(account)).toBe('ACTIVE');
  });

  it('is not confirmed when the lease might not last for it', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount();
    world.authorization.latencyMs = 7_500;
    world.authorization.decide = () => grantRejected();
    await expect(fresh(world, account)).rejects.toMatchObject({ code: 'ProviderUnavailable', retryAfterSeconds: 1 });
    expect(world.authorization.refreshed).toHaveLength(1);
    expect(await world.statusOf(account)).toBe('ACTIVE');
  });
});

describe('T4 a client of ours that is wrong', () => {
  it("is the operator's matter: an alarm, and the account stays ACTIVE", async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount();
    world.authorization.decide = clientRejected;
    await expect(fresh(world, account)).rejects.toMatchObject({
      code: 'ProviderUnavailable',
      message: expect.stringContaining('operator'),
      retryAfterSeconds: expect.any(Number),
    });
    expect(world.authorization.refreshed).toHaveLength(1);
    expect(alarms).toHaveBeenCalledWith(
      expect.objectContaining({ applicationId: 'app', providerType: 'GOOGLE', clientId: 'client' }),
    );
    expect(await world.statusOf(account)).toBe('ACTIVE');
  });

  it('another client than the one of the grant is not tried', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount({ clientId: 'the one before' });
    await expect(fresh(world, account)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    expect(world.authorization.refreshed).toEqual([]);
    expect(alarms).toHaveBeenCalledWith(expect.objectContaining({ clientId: 'the one before' }));
    expect(await world.statusOf(account)).toBe('ACTIVE');
  });

  it("the installation's client is used for the grants that it got, also when there is an own one", async () => {
    const world = accountsFixture();
    const installation = { ...CLIENT, clientId: 'installation', clientSecret: 'its own' };
    world.shared.set('GOOGLE', installation);
    const account = await world.grantedAccount({ clientId: 'installation' });
    await fresh(world, account);
    expect(world.authorization.clients).toEqual([installation]);
  });
});
