import type { OAuthCredentials, StoredCredential } from '#domain/accounts';
import { accountsFixture, APP, grantRejected, MINUTE_MS, signal, unavailable } from '../../testing/accounts-fixture.js';
import { DomainError } from '#domain/system';

const oauth = ({ credentials }: StoredCredential) => credentials as OAuthCredentials;

describe('CredentialsService.getFresh', () => {
  it('gives what is stored when it lives for more than five minutes', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount({}, 5 * MINUTE_MS + 1);
    expect(oauth(await fixture.credentialsService.getFresh(account, signal)).accessToken).toBe('access-0');
    expect(fixture.authorization.refreshed).toEqual([]);
  });

  it.each([
    ['lives for five minutes', { expiresAt: undefined }, 5 * MINUTE_MS],
    ['is not known to live', { expiresAt: null }, 0],
  ])('T15 refreshes an access token that %s', async (_, credentials, expiresInMs) => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount(
      credentials.expiresAt === null ? { expiresAt: null } : {},
      expiresInMs,
    );
    const fresh = oauth(await fixture.credentialsService.getFresh(account, signal));
    expect(fresh.accessToken).toBe('access-1');
    expect(fresh.expiresAt!.getTime() - fixture.time.nowMs()).toBeGreaterThan(5 * MINUTE_MS);
    expect(oauth(await fixture.credentials.get(APP, account.id))).toEqual(fresh);
  });

  it('leaves passwords alone', async () => {
    const fixture = accountsFixture();
    const account = await fixture.passwordAccount();
    expect((await fixture.credentialsService.getFresh(account, signal)).credentials).toEqual({
      kind: 'password',
      password: 'first',
    });
    expect(fixture.credentials.leased).toBe(0);
  });

  it('T1 200 callers in each of 4 processes cost one token call', async () => {
    const fixture = accountsFixture();
    fixture.authorization.latencyMs = 300;
    const account = await fixture.grantedAccount();
    const processes = [fixture.process(), fixture.process(), fixture.process(), fixture.process()];
    const callers = processes.flatMap(({ credentialsService }) =>
      Array.from({ length: 200 }, () => credentialsService.getFresh(account, signal)),
    );
    const startedAtMs = fixture.time.nowMs();
    const fresh = await fixture.time.during(Promise.all(callers));
    expect(fresh).toHaveLength(800);
    expect(new Set(fresh.map((stored) => oauth(stored).accessToken))).toEqual(new Set(['access-1']));
    expect(fixture.authorization.refreshed).toHaveLength(1);
    expect(fixture.time.nowMs() - startedAtMs).toBeLessThanOrEqual(300 + 100);
  });

  it('T2 the lease of a holder that hangs runs out; its late answer changes nothing and frees nothing', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    const late = Promise.withResolvers<void>();
    fixture.authorization.decide = async (_, call) => {
      if (call > 1) return fixture.authorization.grant({ refreshToken: 'second' });
      const response = fixture.authorization.grant({ refreshToken: 'first' });
      await late.promise;
      return response;
    };
    const hung = fixture.process().credentialsService.getFresh(account, signal);
    await fixture.time.pass(1_000);
    const taken = await fixture.time.during(fixture.process().credentialsService.getFresh(account, signal));
    expect(oauth(taken).refreshToken).toBe('second');

    const next = await fixture.credentials.lease(APP, account.id, taken.rowVersion, 20_000);
    late.resolve();
    expect(oauth(await fixture.time.during(hung))).toEqual(oauth(taken));
    expect(fixture.credentials.leases.get(account.id)!.id).toBe(next);
    expect(oauth(await fixture.credentials.get(APP, account.id)).refreshToken).toBe('second');
  });

  it('T3 keeps the refresh token and the scopes when the answer says nothing of them', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    expect(oauth(await fixture.credentialsService.getFresh(account, signal)).refreshToken).toBe('refresh-person-1');
    expect((await fixture.accounts.getOwned(APP, account.id)).authorizedScopes).toEqual(['calendar', 'openid']);
  });

  it('T3 stores the refresh token and the fewer scopes of the answer', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    fixture.authorization.decide = () => fixture.authorization.grant({ refreshToken: 'rotated', scopes: ['openid'] });
    expect(oauth(await fixture.credentialsService.getFresh(account, signal))).toMatchObject({
      clientId: 'client',
      refreshToken: 'rotated',
    });
    expect((await fixture.accounts.getOwned(APP, account.id)).authorizedScopes).toEqual(['openid']);
  });

  it('T3 takes scopes back with the tokens that could not be stored', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    fixture.authorization.decide = async () => {
      await fixture.reconnect(account);
      return fixture.authorization.grant({ scopes: ['openid'] });
    };
    expect(oauth(await fixture.credentialsService.getFresh(account, signal)).accessToken).toBe('reconnected');
    expect((await fixture.accounts.getOwned(APP, account.id)).authorizedScopes).toEqual(['calendar', 'openid']);
  });

  it('gives out a token that its provider makes live for less than five minutes', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    const expiresAt = new Date(fixture.time.nowMs() + MINUTE_MS);
    fixture.authorization.decide = () => fixture.authorization.grant({ expiresAt });
    expect(oauth(await fixture.credentialsService.getFresh(account, signal)).expiresAt).toEqual(expiresAt);
    expect(fixture.authorization.refreshed).toHaveLength(1);
  });

  it('T14 an account that is deleted meanwhile is NotFound, and stays away', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    fixture.authorization.decide = async () => {
      await fixture.accounts.delete(APP, account.id);
      return fixture.authorization.grant({ refreshToken: 'rotated', scopes: ['openid'] });
    };
    await expect(fixture.credentialsService.getFresh(account, signal)).rejects.toMatchObject({ code: 'NotFound' });
    expect(fixture.accounts.rows.size).toBe(0);
  });

  it('T14 who waits for the refresh of an account that is deleted is told so', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    await fixture.credentials.lease(APP, account.id, 1, 20_000);
    const waiting = fixture.credentialsService.getFresh(account, signal);
    await fixture.time.pass(100);
    await fixture.accounts.delete(APP, account.id);
    await expect(fixture.time.during(waiting)).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('F29 tokens that could not be stored are asked for again with the old refresh token', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    const replace = fixture.credentials.replace.bind(fixture.credentials);
    fixture.credentials.replace = async () => Promise.reject(new Error('database away'));
    await expect(fixture.credentialsService.getFresh(account, signal)).rejects.toThrow('database away');
    fixture.credentials.replace = replace;
    expect(oauth(await fixture.credentialsService.getFresh(account, signal)).accessToken).toBe('access-2');
    expect(fixture.authorization.refreshed).toEqual(['refresh-person-1', 'refresh-person-1']);
  });

  it('F29 where the old one died with its use, the account becomes EXPIRED once', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    const replace = fixture.credentials.replace.bind(fixture.credentials);
    fixture.credentials.replace = async () => Promise.reject(new Error('killed'));
    fixture.authorization.decide = (_, call) =>
      call === 1 ? fixture.authorization.grant({ refreshToken: 'lost' }) : grantRejected();
    await expect(fixture.credentialsService.getFresh(account, signal)).rejects.toThrow('killed');
    fixture.credentials.replace = replace;
    const attempts = [fixture.process(), fixture.process()].map(({ credentialsService }) =>
      credentialsService.getFresh(account, signal),
    );
    const outcomes = await fixture.time.during(Promise.allSettled(attempts));
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && (outcome.reason as DomainError).code)).toEqual([
      'EndUserAccountExpired',
      'EndUserAccountExpired',
    ]);
    expect(fixture.authorization.refreshed).toHaveLength(3);
    expect(fixture.outbox.published).toEqual([['enduseraccount.updated', 'EXPIRED', 'invalid_grant']]);
  });

  it('lets go of a caller whose time is up, and finishes the refresh', async () => {
    const fixture = accountsFixture();
    fixture.authorization.latencyMs = 3_000;
    const account = await fixture.grantedAccount();
    const caller = new AbortController();
    const waiting = fixture.credentialsService.getFresh(account, caller.signal);
    const reason = new DomainError('ProviderTimeout', 'up');
    setImmediate(() => caller.abort(reason));
    await expect(waiting).rejects.toBe(reason);
    await fixture.time.pass(5_000);
    expect(oauth(await fixture.credentials.get(APP, account.id)).accessToken).toBe('access-1');
  });

  it('does not begin for a caller whose time is up', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    const reason = new DomainError('ProviderTimeout', 'up');
    await expect(fixture.credentialsService.getFresh(account, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(fixture.authorization.refreshed).toEqual([]);
  });

  it('a refresh under way is seen through before the process ends', async () => {
    const fixture = accountsFixture();
    fixture.authorization.latencyMs = 3_000;
    const account = await fixture.grantedAccount();
    const waiting = fixture.credentialsService.getFresh(account, signal);
    await fixture.time.pass(10);
    await fixture.time.during(fixture.credentialsService.beforeApplicationShutdown());
    expect(oauth(await fixture.credentials.get(APP, account.id)).accessToken).toBe('access-1');
    await waiting;
  });

  it('T12 ends with the credentials that were stored last, in whatever order refreshes and reconnects happen', async () => {
    for (let seed = 1; seed <= 1_000; seed += 1) {
      const fixture = accountsFixture();
      const random = randomOf(seed);
      const account = await fixture.grantedAccount({ refreshToken: 'grant-0.0' });
      const heads = new Map([['grant-0', 'grant-0.0']]);
      // A strict server: each refresh of a grant replaces its refresh token, and only the newest is good.
      fixture.authorization.decide = async (refreshToken, call) => {
        const [grant] = refreshToken.split('.') as [string];
        if (heads.get(grant) !== refreshToken) return grantRejected();
        heads.set(grant, `${grant}.${call}`);
        await fixture.time.sleep(random(200));
        return fixture.authorization.grant({ refreshToken: `${grant}.${call}` });
      };
      const reconnect = async (grant: string) => {
        await fixture.time.sleep(random(400));
        heads.set(grant, `${grant}.0`);
        await fixture.unitOfWork.run(APP, async () => {
          await fixture.credentials.put(APP, account.id, {
            kind: 'oauth',
            clientId: 'client',
            accessToken: '',
            refreshToken: `${grant}.0`,
            expiresAt: null,
          });
          await fixture.accounts.setStatus(APP, account.id, 'ACTIVE', 'reconnected');
        });
      };
      const use = async () => {
        await fixture.time.sleep(random(400));
        const { credentialsService } = fixture.process();
        await credentialsService.getFresh(account, signal);
      };
      await fixture.time.during(Promise.allSettled([reconnect('grant-1'), reconnect('grant-2'), use(), use(), use()]));
      const { refreshToken } = oauth(await fixture.credentials.get(APP, account.id));
      const [grant] = refreshToken.split('.') as [string];
      expect({ seed, refreshToken }).toEqual({ seed, refreshToken: heads.get(grant) });
      expect(grant).not.toBe('grant-0');
      expect({ seed, status: (await fixture.accounts.getOwned(APP, account.id)).status }).toEqual({
        seed,
        status: 'ACTIVE',
      });
    }
  });
});

describe('T5 a token endpoint that does not decide', () => {
  it.each([
    ['ProviderUnavailable', undefined, 1],
    ['ProviderTimeout', undefined, 1],
    ['ProviderRateLimited', 17, 17],
  ] as const)('%s is passed on with Retry-After, and expires nothing', async (code, hint, retryAfterSeconds) => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    fixture.authorization.decide = () => {
      throw new DomainError(code, 'away', { retryAfterSeconds: hint });
    };
    await expect(fixture.credentialsService.getFresh(account, signal)).rejects.toMatchObject({
      code,
      retryAfterSeconds,
    });
    expect(await fixture.statusOf(account)).toBe('ACTIVE');
    expect(fixture.outbox.messages).toEqual([]);
  });

  it('is not asked again before the time it said, and is right after', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    fixture.authorization.decide = () => {
      throw new DomainError('ProviderRateLimited', 'slow down', { retryAfterSeconds: 17 });
    };
    await expect(fixture.credentialsService.getFresh(account, signal)).rejects.toMatchObject({ retryAfterSeconds: 17 });
    await fixture.time.pass(10_000);
    await expect(fixture.credentialsService.getFresh(account, signal)).rejects.toMatchObject({
      code: 'ProviderRateLimited',
      retryAfterSeconds: 7,
    });
    expect(fixture.authorization.refreshed).toHaveLength(1);
    fixture.authorization.decide = () => fixture.authorization.grant();
    await fixture.time.pass(7_000);
    expect(oauth(await fixture.credentialsService.getFresh(account, signal)).accessToken).toBe('access-1');
  });

  it('1,000 accounts in use through an outage of ten minutes: none EXPIRED, all well afterwards', async () => {
    const fixture = accountsFixture();
    const accounts = await Promise.all(Array.from({ length: 1_000 }, () => fixture.grantedAccount()));
    fixture.authorization.decide = () => {
      throw unavailable();
    };
    const use = () =>
      Promise.allSettled(accounts.map((account) => fixture.credentialsService.getFresh(account, signal)));
    for (let minute = 0; minute < 10; minute += 1) {
      for (const outcome of await use()) {
        expect(outcome.status === 'rejected' && (outcome.reason as DomainError)).toMatchObject({
          code: 'ProviderUnavailable',
          retryAfterSeconds: expect.any(Number),
        });
      }
      await fixture.time.pass(MINUTE_MS);
    }
    fixture.authorization.decide = () => fixture.authorization.grant();
    expect((await use()).filter(({ status }) => status === 'rejected')).toEqual([]);
    expect([...fixture.accounts.rows.values()].filter(({ status }) => status === 'EXPIRED')).toEqual([]);
    expect(fixture.outbox.messages).toEqual([]);
  });
});

/** Whole numbers below a bound; the same ones for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
