import type { OAuthCredentials, StoredCredential } from '#domain';
import { accountsFixture, APP, grantRejected, MINUTE_MS, signal, unavailable } from '../../testing/accounts-fixture.js';
import { DomainError } from '#domain';

const oauth = ({ credentials }: StoredCredential) => credentials as OAuthCredentials;

describe('CredentialsService.getFresh', () => {
  it('gives what is stored when it lives for more than five minutes', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount({}, 5 * MINUTE_MS + 1);
    expect(oauth(await world.credentialsService.getFresh(account, signal)).accessToken).toBe('access-0');
    expect(world.authorization.refreshed).toEqual([]);
  });

  it.each([
    ['lives for five minutes', { expiresAt: undefined }, 5 * MINUTE_MS],
    ['is not known to live', { expiresAt: null }, 0],
  ])('T15 refreshes an access token that %s', async (_, credentials, expiresInMs) => {
    const world = accountsFixture();
    const account = await world.grantedAccount(credentials.expiresAt === null ? { expiresAt: null } : {}, expiresInMs);
    const fresh = oauth(await world.credentialsService.getFresh(account, signal));
    expect(fresh.accessToken).toBe('access-1');
    expect(fresh.expiresAt!.getTime() - world.time.nowMs()).toBeGreaterThan(5 * MINUTE_MS);
    expect(oauth(await world.credentials.get(APP, account.id))).toEqual(fresh);
  });

  it('leaves passwords alone', async () => {
    const world = accountsFixture();
    const account = await world.passwordAccount();
    expect((await world.credentialsService.getFresh(account, signal)).credentials).toEqual({
      kind: 'password',
      password: 'first',
    });
    expect(world.credentials.leased).toBe(0);
  });

  it('T1 200 callers in each of 4 processes cost one token call', async () => {
    const world = accountsFixture();
    world.authorization.latencyMs = 300;
    const account = await world.grantedAccount();
    const processes = [world.process(), world.process(), world.process(), world.process()];
    const callers = processes.flatMap(({ credentialsService }) =>
      Array.from({ length: 200 }, () => credentialsService.getFresh(account, signal)),
    );
    const startedAtMs = world.time.nowMs();
    const fresh = await world.time.during(Promise.all(callers));
    expect(fresh).toHaveLength(800);
    expect(new Set(fresh.map((stored) => oauth(stored).accessToken))).toEqual(new Set(['access-1']));
    expect(world.authorization.refreshed).toHaveLength(1);
    expect(world.time.nowMs() - startedAtMs).toBeLessThanOrEqual(300 + 100);
  });

  it('T2 the lease of a holder that hangs runs out; its late answer changes nothing and frees nothing', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount();
    const late = Promise.withResolvers<void>();
    world.authorization.decide = async (_, call) => {
      if (call > 1) return world.authorization.grant({ refreshToken: 'second' });
      const answer = world.authorization.grant({ refreshToken: 'first' });
      await late.promise;
      return answer;
    };
    const hung = world.process().credentialsService.getFresh(account, signal);
    await world.time.pass(1_000);
    const taken = await world.time.during(world.process().credentialsService.getFresh(account, signal));
    expect(oauth(taken).refreshToken).toBe('second');

    const next = await world.credentials.lease(APP, account.id, taken.rowVersion, 20_000);
    late.resolve();
    expect(oauth(await world.time.during(hung))).toEqual(oauth(taken));
    expect(world.credentials.leases.get(account.id)!.id).toBe(next);
    expect(oauth(await world.credentials.get(APP, account.id)).refreshToken).toBe('second');
  });

  it('T3 keeps the refresh token and the scopes when the answer says nothing of them', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount();
    expect(oauth(await world.credentialsService.getFresh(account, signal)).refreshToken).toBe('refresh-person-1');
    expect((await world.accounts.getOwned(APP, account.id)).authorizedScopes).toEqual(['calendar', 'openid']);
  });

  it('T3 stores the refresh token and the fewer scopes of the answer', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount();
    world.authorization.decide = () => world.authorization.grant({ refreshToken: 'rotated', scopes: ['openid'] });
    expect(oauth(await world.credentialsService.getFresh(account, signal))).toMatchObject({
      clientId: 'client',
      refreshToken: 'rotated',
    });
    expect((await world.accounts.getOwned(APP, account.id)).authorizedScopes).toEqual(['openid']);
  });

  it('T3 takes scopes back with the tokens that could not be stored', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount();
    world.authorization.decide = async () => {
      await world.reconnect(account);
      return world.authorization.grant({ scopes: ['openid'] });
    };
    expect(oauth(await world.credentialsService.getFresh(account, signal)).accessToken).toBe('reconnected');
    expect((await world.accounts.getOwned(APP, account.id)).authorizedScopes).toEqual(['calendar', 'openid']);
  });

  it('gives out a token that its provider makes live for less than five minutes', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount();
    const expiresAt = new Date(world.time.nowMs() + MINUTE_MS);
    world.authorization.decide = () => world.authorization.grant({ expiresAt });
    expect(oauth(await world.credentialsService.getFresh(account, signal)).expiresAt).toEqual(expiresAt);
    expect(world.authorization.refreshed).toHaveLength(1);
  });

  it('T14 an account that is deleted meanwhile is NotFound, and stays away', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount();
    world.authorization.decide = async () => {
      await world.accounts.delete(APP, account.id);
      return world.authorization.grant({ refreshToken: 'rotated', scopes: ['openid'] });
    };
    await expect(world.credentialsService.getFresh(account, signal)).rejects.toMatchObject({ code: 'NotFound' });
    expect(world.accounts.rows.size).toBe(0);
  });

  it('T14 who waits for the refresh of an account that is deleted is told so', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount();
    await world.credentials.lease(APP, account.id, 1, 20_000);
    const waiting = world.credentialsService.getFresh(account, signal);
    await world.time.pass(100);
    await world.accounts.delete(APP, account.id);
    await expect(world.time.during(waiting)).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('F29 tokens that could not be stored are asked for again with the old refresh token', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount();
    const replace = world.credentials.replace.bind(world.credentials);
    world.credentials.replace = async () => Promise.reject(new Error('database away'));
    await expect(world.credentialsService.getFresh(account, signal)).rejects.toThrow('database away');
    world.credentials.replace = replace;
    expect(oauth(await world.credentialsService.getFresh(account, signal)).accessToken).toBe('access-2');
    expect(world.authorization.refreshed).toEqual(['refresh-person-1', 'refresh-person-1']);
  });

  it('F29 where the old one died with its use, the account becomes EXPIRED once', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount();
    const replace = world.credentials.replace.bind(world.credentials);
    world.credentials.replace = async () => Promise.reject(new Error('killed'));
    world.authorization.decide = (_, call) =>
      call === 1 ? world.authorization.grant({ refreshToken: 'lost' }) : grantRejected();
    await expect(world.credentialsService.getFresh(account, signal)).rejects.toThrow('killed');
    world.credentials.replace = replace;
    const attempts = [world.process(), world.process()].map(({ credentialsService }) =>
      credentialsService.getFresh(account, signal),
    );
    const outcomes = await world.time.during(Promise.allSettled(attempts));
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && (outcome.reason as DomainError).code)).toEqual([
      'EndUserAccountExpired',
      'EndUserAccountExpired',
    ]);
    expect(world.authorization.refreshed).toHaveLength(3);
    expect(world.outbox.told).toEqual([['enduseraccount.updated', 'EXPIRED', 'invalid_grant']]);
  });

  it('lets go of a caller whose time is up, and finishes the refresh', async () => {
    const world = accountsFixture();
    world.authorization.latencyMs = 3_000;
    const account = await world.grantedAccount();
    const caller = new AbortController();
    const waiting = world.credentialsService.getFresh(account, caller.signal);
    const reason = new DomainError('ProviderTimeout', 'up');
    setImmediate(() => caller.abort(reason));
    await expect(waiting).rejects.toBe(reason);
    await world.time.pass(5_000);
    expect(oauth(await world.credentials.get(APP, account.id)).accessToken).toBe('access-1');
  });

  it('does not begin for a caller whose time is up', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount();
    const reason = new DomainError('ProviderTimeout', 'up');
    await expect(world.credentialsService.getFresh(account, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(world.authorization.refreshed).toEqual([]);
  });

  it('a refresh under way is seen through before the process ends', async () => {
    const world = accountsFixture();
    world.authorization.latencyMs = 3_000;
    const account = await world.grantedAccount();
    const waiting = world.credentialsService.getFresh(account, signal);
    await world.time.pass(10);
    await world.time.during(world.credentialsService.beforeApplicationShutdown());
    expect(oauth(await world.credentials.get(APP, account.id)).accessToken).toBe('access-1');
    await waiting;
  });

  it('T12 ends with the credentials that were stored last, in whatever order refreshes and reconnects happen', async () => {
    for (let seed = 1; seed <= 1_000; seed += 1) {
      const world = accountsFixture();
      const random = randomOf(seed);
      const account = await world.grantedAccount({ refreshToken: 'grant-0.0' });
      const heads = new Map([['grant-0', 'grant-0.0']]);
      // A strict server: each refresh of a grant replaces its refresh token, and only the newest is good.
      world.authorization.decide = async (refreshToken, call) => {
        const [grant] = refreshToken.split('.') as [string];
        if (heads.get(grant) !== refreshToken) return grantRejected();
        heads.set(grant, `${grant}.${call}`);
        await world.time.sleep(random(200));
        return world.authorization.grant({ refreshToken: `${grant}.${call}` });
      };
      const reconnect = async (grant: string) => {
        await world.time.sleep(random(400));
        heads.set(grant, `${grant}.0`);
        await world.unitOfWork.run(APP, async () => {
          await world.credentials.put(APP, account.id, {
            kind: 'oauth',
            clientId: 'client',
            accessToken: '',
            refreshToken: `${grant}.0`,
            expiresAt: null,
          });
          await world.accounts.setStatus(APP, account.id, 'ACTIVE', 'reconnected');
        });
      };
      const use = async () => {
        await world.time.sleep(random(400));
        const { credentialsService } = world.process();
        await credentialsService.getFresh(account, signal);
      };
      await world.time.during(Promise.allSettled([reconnect('grant-1'), reconnect('grant-2'), use(), use(), use()]));
      const { refreshToken } = oauth(await world.credentials.get(APP, account.id));
      const [grant] = refreshToken.split('.') as [string];
      expect({ seed, refreshToken }).toEqual({ seed, refreshToken: heads.get(grant) });
      expect(grant).not.toBe('grant-0');
      expect({ seed, status: (await world.accounts.getOwned(APP, account.id)).status }).toEqual({
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
    const world = accountsFixture();
    const account = await world.grantedAccount();
    world.authorization.decide = () => {
      throw new DomainError(code, 'away', { retryAfterSeconds: hint });
    };
    await expect(world.credentialsService.getFresh(account, signal)).rejects.toMatchObject({ code, retryAfterSeconds });
    expect(await world.statusOf(account)).toBe('ACTIVE');
    expect(world.outbox.messages).toEqual([]);
  });

  it('is not asked again before the time it said, and is right after', async () => {
    const world = accountsFixture();
    const account = await world.grantedAccount();
    world.authorization.decide = () => {
      throw new DomainError('ProviderRateLimited', 'slow down', { retryAfterSeconds: 17 });
    };
    await expect(world.credentialsService.getFresh(account, signal)).rejects.toMatchObject({ retryAfterSeconds: 17 });
    await world.time.pass(10_000);
    await expect(world.credentialsService.getFresh(account, signal)).rejects.toMatchObject({
      code: 'ProviderRateLimited',
      retryAfterSeconds: 7,
    });
    expect(world.authorization.refreshed).toHaveLength(1);
    world.authorization.decide = () => world.authorization.grant();
    await world.time.pass(7_000);
    expect(oauth(await world.credentialsService.getFresh(account, signal)).accessToken).toBe('access-1');
  });

  it('1,000 accounts in use through an outage of ten minutes: none EXPIRED, all well afterwards', async () => {
    const world = accountsFixture();
    const accounts = await Promise.all(Array.from({ length: 1_000 }, () => world.grantedAccount()));
    world.authorization.decide = () => {
      throw unavailable();
    };
    const use = () => Promise.allSettled(accounts.map((account) => world.credentialsService.getFresh(account, signal)));
    for (let minute = 0; minute < 10; minute += 1) {
      for (const outcome of await use()) {
        expect(outcome.status === 'rejected' && (outcome.reason as DomainError)).toMatchObject({
          code: 'ProviderUnavailable',
          retryAfterSeconds: expect.any(Number),
        });
      }
      await world.time.pass(MINUTE_MS);
    }
    world.authorization.decide = () => world.authorization.grant();
    expect((await use()).filter(({ status }) => status === 'rejected')).toEqual([]);
    expect([...world.accounts.rows.values()].filter(({ status }) => status === 'EXPIRED')).toEqual([]);
    expect(world.outbox.messages).toEqual([]);
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
