import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { OAuthCredentials } from '#domain/accounts';
import { DomainError, type ErrorCode } from '#domain/system';
import {
  accountsFixture,
  APP,
  grantRejected,
  MINUTE_MS,
  rejected,
  signal,
  type AccountsFixture,
} from '../../testing/accounts-fixture.js';
import type { OpenAccount } from './account-access.js';

const use = <T>(fixture: AccountsFixture, id: string, work: (open: OpenAccount) => Promise<T>) =>
  fixture.time.during(fixture.access.use(APP, id, signal, work));

const refuse = () => jest.fn(async (_open: OpenAccount) => Promise.reject(rejected()));
const accessToken = ({ session }: OpenAccount) => (session.credentials as OAuthCredentials).accessToken;

describe('AccountAccess', () => {
  it('opens an account with its provider, credentials in clear, and the signal', async () => {
    const fixture = accountsFixture();
    const { id } = await fixture.passwordAccount();
    const result = await fixture.access.use(APP, id, signal, async ({ provider, session, account }) => {
      expect(provider.type).toBe('CALDAV');
      expect(account.id).toBe(id);
      expect(session).toMatchObject({
        applicationId: 'app',
        accountId: id,
        email: 'alice',
        serverUrl: 'https://dav.example/',
        credentials: { kind: 'password', password: 'first' },
        providerState: { version: 1 },
        signal,
      });
      await session.saveProviderState({ version: 2 });
      return 'done';
    });
    expect(result).toBe('done');
    expect(fixture.accounts.rows.get(id)!.providerState).toEqual({ version: 2 });
  });

  it('refuses an EXPIRED account before credentials or provider are touched', async () => {
    const fixture = accountsFixture();
    const account = await fixture.passwordAccount();
    await fixture.accounts.setStatus(APP, account.id, 'EXPIRED', 'password_rejected');
    const get = jest.spyOn(fixture.credentials, 'get');
    const work = refuse();
    await expect(use(fixture, account.id, work)).rejects.toMatchObject({ code: 'EndUserAccountExpired' });
    await expect(fixture.access.useInBackground(APP, account.id, signal, 'sync', work)).rejects.toMatchObject({
      code: 'EndUserAccountExpired',
    });
    expect(work).not.toHaveBeenCalled();
    expect(get).not.toHaveBeenCalled();
  });

  it('passes on that the account is unknown', async () => {
    const fixture = accountsFixture();
    await expect(use(fixture, 'other', refuse())).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('notes the use, now and then, and makes nobody wait for that', async () => {
    const warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const fixture = accountsFixture();
    const { id } = await fixture.passwordAccount();
    const work = async () => 'done';
    for (let call = 0; call < 10; call += 1) await use(fixture, id, work);
    expect(fixture.health.recorded).toBe(1);
    await fixture.time.pass(5 * MINUTE_MS);
    await use(fixture, id, work);
    expect(fixture.health.recorded).toBe(2);
    await fixture.time.pass(5 * MINUTE_MS);
    fixture.health.recordUse = async () => Promise.reject(new Error('database away'));
    expect(await use(fixture, id, work)).toBe('done');
    expect(warnings).toHaveBeenCalledTimes(1);
    warnings.mockRestore();
  });

  it('notes that the provider accepted the credentials, now and then', async () => {
    const fixture = accountsFixture();
    const { id } = await fixture.passwordAccount();
    const recorded = jest.spyOn(fixture.health, 'recordAccepted');
    const work = async ({ session }: OpenAccount) => session.observer?.accepted();
    for (let call = 0; call < 10; call += 1) await use(fixture, id, work);
    expect(recorded).toHaveBeenCalledTimes(1);
    await fixture.time.pass(30_000);
    await use(fixture, id, work);
    await use(fixture, id, async () => undefined);
    expect(recorded).toHaveBeenCalledTimes(2);
  });

  it('does not take a check of its own for a use', async () => {
    const fixture = accountsFixture();
    const account = await fixture.passwordAccount();
    await fixture.access.verify(account, signal);
    await fixture.access.useInBackground(APP, account.id, signal, 'sync', async () => 'done');
    expect(fixture.health.recorded).toBe(0);
  });

  it.each<ErrorCode>([
    'Forbidden',
    'NotFound',
    'ProviderUnavailable',
    'ProviderTimeout',
    'ProviderRateLimited',
    'RateLimited',
    'ServerNotAllowed',
    'ProviderRejected',
    'SyncTokenExpired',
    'InternalServerError',
  ])('T16 %s expires nothing and is not tried again', async (code) => {
    const fixture = accountsFixture();
    const accounts = [await fixture.passwordAccount(), await fixture.grantedAccount({}, 60 * MINUTE_MS)];
    const error = new DomainError(code, 'no');
    for (const account of accounts) {
      const work = jest.fn(async () => Promise.reject(error));
      await expect(use(fixture, account.id, work)).rejects.toBe(error);
      expect(work).toHaveBeenCalledTimes(1);
      expect(await fixture.statusOf(account)).toBe('ACTIVE');
    }
    expect(fixture.health.rejections.size).toBe(0);
  });

  it('T16 nor does a fault of our own', async () => {
    const fixture = accountsFixture();
    const account = await fixture.passwordAccount();
    const fault = new TypeError('ours');
    await expect(use(fixture, account.id, async () => Promise.reject(fault))).rejects.toBe(fault);
    expect(await fixture.statusOf(account)).toBe('ACTIVE');
  });
});

describe('a password that is refused', () => {
  it('T16 expires nothing at first: it will be tried again, and the caller told when to come back', async () => {
    const fixture = accountsFixture();
    const account = await fixture.passwordAccount();
    const work = refuse();
    await expect(use(fixture, account.id, work)).rejects.toMatchObject({
      code: 'ProviderUnavailable',
      retryAfterSeconds: 30,
    });
    expect(work).toHaveBeenCalledTimes(1);
    expect(await fixture.statusOf(account)).toBe('ACTIVE');
    expect(fixture.health.checks.get(account.id)).toBe(fixture.time.nowMs() + 30_000);

    await fixture.time.pass(29_999);
    await expect(use(fixture, account.id, refuse())).rejects.toMatchObject({
      code: 'ProviderUnavailable',
      retryAfterSeconds: 1,
    });
    expect(await fixture.statusOf(account)).toBe('ACTIVE');
  });

  it('T16 and refused again 30 seconds later makes the account EXPIRED, and its application is told once', async () => {
    const fixture = accountsFixture();
    const account = await fixture.passwordAccount();
    await expect(use(fixture, account.id, refuse())).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    await fixture.time.pass(30_000);
    const callers = Array.from({ length: 10 }, () => fixture.process().access.use(APP, account.id, signal, refuse()));
    for (const outcome of await Promise.allSettled(callers)) {
      expect(outcome).toMatchObject({ reason: { code: 'EndUserAccountExpired' } });
    }
    expect(await fixture.statusOf(account)).toBe('EXPIRED password_rejected');
    expect(fixture.outbox.published).toEqual([['enduseraccount.updated', 'EXPIRED', 'password_rejected']]);
  });

  it('T16 is forgotten when it is accepted in between', async () => {
    const fixture = accountsFixture();
    const account = await fixture.passwordAccount();
    await expect(use(fixture, account.id, refuse())).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    await fixture.time.pass(20_000);
    await use(fixture, account.id, async () => 'done');
    await fixture.time.pass(20_000);
    await expect(use(fixture, account.id, refuse())).rejects.toMatchObject({ retryAfterSeconds: 30 });
    expect(await fixture.statusOf(account)).toBe('ACTIVE');
  });

  it('T16 is confirmed by a check of our own, too', async () => {
    const fixture = accountsFixture();
    const account = await fixture.passwordAccount();
    fixture.provider.verify = async () => Promise.reject(rejected());
    await expect(fixture.access.verify(account, signal)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    await fixture.time.pass(30_000);
    await expect(fixture.access.verify(account, signal)).rejects.toMatchObject({ code: 'EndUserAccountExpired' });
  });

  it('what the provider has done is not reported as a failure because a refusal could not be forgotten', async () => {
    const warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const fixture = accountsFixture();
    const account = await fixture.passwordAccount();
    fixture.health.clearRejection = async () => Promise.reject(new Error('database away'));
    expect(await use(fixture, account.id, async () => 'done')).toBe('done');
    expect(warnings).toHaveBeenCalledTimes(1);
    warnings.mockRestore();
  });

  it('T16 gets its one try when it was replaced meanwhile, and nothing is held against it', async () => {
    const fixture = accountsFixture();
    const account = await fixture.passwordAccount();
    const passwords: unknown[] = [];
    const result = await use(fixture, account.id, async ({ session }) => {
      passwords.push(session.credentials);
      if (passwords.length > 1) return 'done';
      await fixture.credentials.put(APP, account.id, { kind: 'password', password: 'second' });
      throw rejected();
    });
    expect(result).toBe('done');
    expect(passwords).toEqual([
      { kind: 'password', password: 'first' },
      { kind: 'password', password: 'second' },
    ]);
    expect(fixture.health.rejections.size).toBe(0);
  });

  it('new ones that are refused, too, begin anew', async () => {
    const fixture = accountsFixture();
    const account = await fixture.passwordAccount();
    await expect(use(fixture, account.id, refuse())).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    await fixture.time.pass(60_000);
    await fixture.credentials.put(APP, account.id, { kind: 'password', password: 'second' });
    await expect(use(fixture, account.id, refuse())).rejects.toMatchObject({ retryAfterSeconds: 30 });
    expect(await fixture.statusOf(account)).toBe('ACTIVE');
  });

  it('does not go on for ever when they are replaced again and again', async () => {
    const fixture = accountsFixture();
    const account = await fixture.passwordAccount();
    const work = jest.fn(async () => {
      await fixture.credentials.put(APP, account.id, { kind: 'password', password: 'another' });
      throw rejected();
    });
    await expect(use(fixture, account.id, work)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    expect(work).toHaveBeenCalledTimes(2);
    expect(await fixture.statusOf(account)).toBe('ACTIVE');
  });

  it('T12 an account that is connected again while it is being expired stays ACTIVE, and is used', async () => {
    const fixture = accountsFixture();
    const account = await fixture.passwordAccount();
    await expect(use(fixture, account.id, refuse())).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    await fixture.time.pass(30_000);
    const setStatus = fixture.accounts.setStatus.bind(fixture.accounts);
    fixture.accounts.setStatus = async (...given) => {
      await fixture.unitOfWork.outside(() =>
        fixture.credentials.put(APP, account.id, { kind: 'password', password: 'second' }),
      );
      return setStatus(...given);
    };
    const result = await use(fixture, account.id, async ({ session: { credentials } }) => {
      if (credentials.kind === 'password' && credentials.password === 'first') throw rejected();
      return 'done';
    });
    expect(result).toBe('done');
    expect(await fixture.statusOf(account)).toBe('ACTIVE');
    expect(fixture.outbox.messages).toEqual([]);
  });

  it('of an account that is deleted meanwhile is NotFound, and gets no status', async () => {
    const fixture = accountsFixture();
    const { id } = await fixture.passwordAccount();
    const setStatus = jest.spyOn(fixture.accounts, 'setStatus');
    const work = async () => {
      await fixture.accounts.delete(APP, id);
      throw rejected();
    };
    await expect(use(fixture, id, work)).rejects.toMatchObject({ code: 'NotFound' });
    expect(setStatus).not.toHaveBeenCalled();
  });
});

describe('T7 an access token that is refused before its time', () => {
  it('is refreshed once, and the work replayed once', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount({}, 60 * MINUTE_MS);
    await fixture.time.pass(10 * MINUTE_MS);
    const tokens: string[] = [];
    const result = await use(fixture, account.id, async (open) => {
      tokens.push(accessToken(open));
      if (tokens.length === 1) throw rejected();
      return 'done';
    });
    expect(result).toBe('done');
    expect(tokens).toEqual(['access-0', 'access-1']);
    expect(fixture.authorization.refreshed).toHaveLength(1);
    expect(await fixture.statusOf(account)).toBe('ACTIVE');
  });

  it('and refused anew makes the account EXPIRED, after two provider calls and one token call', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount({}, 60 * MINUTE_MS);
    await fixture.time.pass(10 * MINUTE_MS);
    const work = refuse();
    await expect(use(fixture, account.id, work)).rejects.toMatchObject({ code: 'EndUserAccountExpired' });
    expect(work).toHaveBeenCalledTimes(2);
    expect(fixture.authorization.refreshed).toHaveLength(1);
    expect(fixture.outbox.published).toEqual([['enduseraccount.updated', 'EXPIRED', 'consent_revoked']]);
  });

  it('and refused anew is not believed where only the token endpoint can end a grant', async () => {
    const fixture = accountsFixture();
    fixture.ownClients.clients.set('MICROSOFT', fixture.ownClients.clients.get('GOOGLE')!);
    const account = await fixture.grantedAccount({}, 60 * MINUTE_MS, 'MICROSOFT');
    await fixture.time.pass(10 * MINUTE_MS);
    const work = refuse();
    await expect(use(fixture, account.id, work)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    expect(work).toHaveBeenCalledTimes(2);
    expect(fixture.authorization.refreshed).toHaveLength(1);
    expect(await fixture.statusOf(account)).toBe('ACTIVE');
    expect(fixture.outbox.published).toEqual([]);
  });

  it('costs no second token call when it was just refreshed', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    const work = refuse();
    await expect(use(fixture, account.id, work)).rejects.toMatchObject({ code: 'EndUserAccountExpired' });
    expect(work).toHaveBeenCalledTimes(2);
    expect(fixture.authorization.refreshed).toHaveLength(1);
  });

  it('is for the token endpoint to judge, however young it is', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount({}, 60 * MINUTE_MS);
    await fixture.time.pass(1_000);
    const work = refuse();
    await expect(use(fixture, account.id, work)).rejects.toMatchObject({ code: 'EndUserAccountExpired' });
    expect(work).toHaveBeenCalledTimes(2);
    expect(fixture.authorization.refreshed).toHaveLength(1);
  });

  it('of many callers costs one token call', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount({}, 60 * MINUTE_MS);
    await fixture.time.pass(10 * MINUTE_MS);
    const work = async (open: OpenAccount) => {
      if (accessToken(open) === 'access-0') throw rejected();
      return 'done';
    };
    const callers = Array.from({ length: 100 }, () => fixture.access.use(APP, account.id, signal, work));
    expect(new Set(await fixture.time.during(Promise.all(callers)))).toEqual(new Set(['done']));
    expect(fixture.authorization.refreshed).toHaveLength(1);
  });

  it('shows that the grant is dead when that is refused, too', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount({}, 60 * MINUTE_MS);
    await fixture.time.pass(10 * MINUTE_MS);
    fixture.authorization.decide = () => grantRejected();
    const work = refuse();
    await expect(use(fixture, account.id, work)).rejects.toMatchObject({ code: 'EndUserAccountExpired' });
    expect(work).toHaveBeenCalledTimes(1);
    expect(await fixture.statusOf(account)).toBe('EXPIRED invalid_grant');
  });

  it('T6 expires nothing when it happens to many at once', async () => {
    const alarms = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const fixture = accountsFixture();
    const accounts = await Promise.all(Array.from({ length: 100 }, () => fixture.grantedAccount({}, 60 * MINUTE_MS)));
    await fixture.time.pass(10 * MINUTE_MS);
    const outcomes = await fixture.time.during(
      Promise.allSettled(accounts.map(({ id }) => fixture.access.use(APP, id, signal, refuse()))),
    );
    const codes = outcomes.map((outcome) => outcome.status === 'rejected' && (outcome.reason as DomainError).code);
    expect(codes.filter((code) => code === 'EndUserAccountExpired').length).toBeLessThan(20);
    expect(codes.filter((code) => code === 'ProviderUnavailable').length).toBeGreaterThan(80);
    expect(alarms).toHaveBeenCalledTimes(1);
    alarms.mockRestore();
  });

  it('is not held against credentials that were stored meanwhile', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount({}, 60 * MINUTE_MS);
    await fixture.time.pass(10 * MINUTE_MS);
    let calls = 0;
    const work = async () => {
      if ((calls += 1) === 2) {
        await fixture.credentials.put(APP, account.id, { kind: 'password', password: 'whatever' });
      }
      throw rejected();
    };
    await expect(use(fixture, account.id, work)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    expect(await fixture.statusOf(account)).toBe('ACTIVE');
  });
});
