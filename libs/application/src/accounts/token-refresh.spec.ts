import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { ExpiryReason, EndUserAccount } from '#domain/accounts';
import type { DomainError } from '#domain/system';
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

const fresh = (fixture: AccountsFixture, account: EndUserAccount) =>
  fixture.time.during(fixture.credentialsService.getFresh(account, signal));

describe('T4 a grant that is refused', () => {
  it.each<ExpiryReason>(['invalid_grant', 'consent_revoked', 'user_deleted'])(
    'twice, five seconds apart, makes the account EXPIRED with the reason %s, and its application is told',
    async (reason) => {
      const fixture = accountsFixture();
      const account = await fixture.grantedAccount();
      fixture.authorization.decide = () => grantRejected(reason);
      const startedAtMs = fixture.time.nowMs();
      await expect(fresh(fixture, account)).rejects.toMatchObject({ code: 'EndUserAccountExpired' });
      expect(fixture.time.nowMs() - startedAtMs).toBe(5_000);
      expect(fixture.authorization.refreshed).toHaveLength(2);
      expect(await fixture.statusOf(account)).toBe(`EXPIRED ${reason}`);
      expect(fixture.outbox.messages).toEqual([
        {
          eventType: 'enduseraccount.updated',
          payload: {
            eventType: 'enduseraccount.updated',
            timestamp: new Date(fixture.time.nowMs()).toISOString(),
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
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    fixture.authorization.decide = () => grantRejected();
    const callers = [fixture.process(), fixture.process(), fixture.process()].flatMap(({ credentialsService }) =>
      Array.from({ length: 50 }, () => credentialsService.getFresh(account, signal)),
    );
    const outcomes = await fixture.time.during(Promise.allSettled(callers));
    expect(
      new Set(outcomes.map((outcome) => outcome.status === 'rejected' && (outcome.reason as DomainError).code)),
    ).toEqual(new Set(['EndUserAccountExpired']));
    expect(fixture.authorization.refreshed).toHaveLength(2);
    expect(fixture.outbox.messages).toHaveLength(1);
  });

  it('once, and granted then, is used', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    fixture.authorization.decide = (_, call) => (call === 1 ? grantRejected() : fixture.authorization.grant());
    expect((await fresh(fixture, account)).credentials).toMatchObject({ accessToken: 'access-1' });
    expect(await fixture.statusOf(account)).toBe('ACTIVE');
  });

  it.each([
    ['before the refusal is known', 0],
    ['while it is being confirmed', 2_000],
  ])('means nothing when other credentials are stored %s', async (_, afterMs) => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    fixture.authorization.decide = async () => {
      if (afterMs === 0) await fixture.reconnect(account);
      else void fixture.time.sleep(afterMs).then(() => fixture.reconnect(account));
      return grantRejected();
    };
    expect((await fresh(fixture, account)).credentials).toMatchObject({ accessToken: 'reconnected' });
    expect(fixture.authorization.refreshed).toHaveLength(1);
    expect(await fixture.statusOf(account)).toBe('ACTIVE');
  });

  it('T12 means nothing when other credentials are stored as the account is being expired', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    fixture.authorization.decide = () => grantRejected();
    const setStatus = fixture.accounts.setStatus.bind(fixture.accounts);
    fixture.accounts.setStatus = async (...given) => {
      await fixture.unitOfWork.outside(() => fixture.reconnect(account));
      return setStatus(...given);
    };
    expect((await fresh(fixture, account)).credentials).toMatchObject({ accessToken: 'reconnected' });
    expect(await fixture.statusOf(account)).toBe('ACTIVE');
    expect(fixture.outbox.messages).toEqual([]);
  });

  it('proves nothing when the endpoint is away at the second time', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    fixture.authorization.decide = (_, call) => {
      if (call > 1) throw unavailable();
      return grantRejected();
    };
    await expect(fresh(fixture, account)).rejects.toMatchObject({ code: 'ProviderUnavailable', retryAfterSeconds: 1 });
    expect(await fixture.statusOf(account)).toBe('ACTIVE');
  });

  it('is not confirmed when the lease might not last for it', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    fixture.authorization.latencyMs = 7_500;
    fixture.authorization.decide = () => grantRejected();
    await expect(fresh(fixture, account)).rejects.toMatchObject({ code: 'ProviderUnavailable', retryAfterSeconds: 1 });
    expect(fixture.authorization.refreshed).toHaveLength(1);
    expect(await fixture.statusOf(account)).toBe('ACTIVE');
  });
});

describe('T4 a client of ours that is wrong', () => {
  it("is the operator's matter: an alarm, and the account stays ACTIVE", async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    fixture.authorization.decide = clientRejected;
    await expect(fresh(fixture, account)).rejects.toMatchObject({
      code: 'ProviderUnavailable',
      message: expect.stringContaining('operator'),
      retryAfterSeconds: expect.any(Number),
    });
    expect(fixture.authorization.refreshed).toHaveLength(1);
    expect(alarms).toHaveBeenCalledWith(
      expect.objectContaining({ applicationId: 'app', providerType: 'GOOGLE', clientId: 'client' }),
    );
    expect(await fixture.statusOf(account)).toBe('ACTIVE');
  });

  it('another client than the one of the grant is not tried', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount({ clientId: 'the one before' });
    await expect(fresh(fixture, account)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    expect(fixture.authorization.refreshed).toEqual([]);
    expect(alarms).toHaveBeenCalledWith(expect.objectContaining({ clientId: 'the one before' }));
    expect(await fixture.statusOf(account)).toBe('ACTIVE');
  });

  it("the installation's client is used for the grants that it got, also when there is an own one", async () => {
    const fixture = accountsFixture();
    const installation = { ...CLIENT, clientId: 'installation', clientSecret: 'its own' };
    fixture.shared.set('GOOGLE', installation);
    const account = await fixture.grantedAccount({ clientId: 'installation' });
    await fresh(fixture, account);
    expect(fixture.authorization.clients).toEqual([installation]);
  });
});
