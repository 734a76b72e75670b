// 80 s: processes are killed and frozen, and their leases have to end.
import type { EndUserAccount, OAuthCredentials } from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import { KEY_ENTRY, openPersistence, type Persistence } from '../../persistence/persistence.js';
import { accountProcesses, type AccountProcess, type AccountProcesses } from './account-processes.js';
import { startTokenEndpoint, type TokenEndpoint } from './token-endpoint.js';

describe('one refresh over several processes on PostgreSQL', () => {
  let persistence: Persistence;
  let endpoint: TokenEndpoint;
  let processes: AccountProcesses;
  let application: ApplicationRef;
  let account: EndUserAccount;
  const started: AccountProcess[] = [];

  beforeAll(async () => {
    persistence = await openPersistence();
    endpoint = await startTokenEndpoint();
    processes = await accountProcesses({
      DATABASE_URL: persistence.testDatabase.url,
      ENCRYPTION_KEYS: KEY_ENTRY,
      TOKEN_URL: endpoint.url,
      CLIENT_ID: 'client',
      CLIENT_SECRET: 'secret',
    });
    application = await persistence.newApplication();
  });

  const newAccount = async (providerType: 'GOOGLE' | 'MICROSOFT') => {
    account = await persistence.newAccount(application, { providerType, serverUrl: null });
    await persistence.credentials.put(application, account.id, {
      kind: 'oauth',
      clientId: 'client',
      accessToken: 'expired',
      refreshToken: 'refresh',
      expiresAt: new Date(Date.now() - 1_000),
    });
  };

  beforeEach(async () => {
    await newAccount('GOOGLE');
    endpoint.calls.length = 0;
    endpoint.latencyMs = 0;
  });

  afterEach(async () => {
    await Promise.all(started.splice(0).map((running) => running.end()));
  });

  afterAll(async () => {
    await processes?.remove();
    await endpoint?.close();
    await persistence?.close();
  });

  const start = async (count: number) => {
    const running = await Promise.all(Array.from({ length: count }, () => processes.start()));
    started.push(...running);
    return running;
  };
  const stored = async () => {
    const { credentials, rowVersion } = await persistence.credentials.get(application, account.id);
    return { ...(credentials as OAuthCredentials), rowVersion };
  };

  it.each(['GOOGLE', 'MICROSOFT'] as const)(
    'T1 200 callers in each of 4 processes see one token call of %s, and all of them its token',
    async (providerType) => {
      await newAccount(providerType);
      endpoint.latencyMs = 500;
      const running = await start(4);
      const outcomes = await Promise.all(running.map((process) => process.use(application, account.id, 200)));
      expect(outcomes.flat()).toHaveLength(800);
      expect(new Set(outcomes.flat())).toEqual(new Set(['access-1']));
      expect(endpoint.calls).toEqual(['refresh']);
      expect(await stored()).toMatchObject({ accessToken: 'access-1', refreshToken: 'refresh', rowVersion: 2 });
    },
    120_000,
  );

  it('T2 a holder that slept past its lease changes nothing, and frees no lease of another one', async () => {
    const rotating = endpoint.answer;
    endpoint.answer = (_, call) => ({
      status: 200,
      body: { access_token: `access-${call}`, expires_in: 3_600, refresh_token: `refresh-${call}` },
    });
    const [sleeper, other] = (await start(2)) as [AccountProcess, AccountProcess];
    sleeper.holdResponses();
    const late = sleeper.use(application, account.id, 1);
    await sleeper.answered;
    sleeper.child.kill('SIGSTOP');
    try {
      // Waits until the lease has run out, then takes it over.
      expect(new Set(await other.use(application, account.id, 10))).toEqual(new Set(['access-2']));
      const taken = await stored();
      expect(taken).toMatchObject({ accessToken: 'access-2', refreshToken: 'refresh-2', rowVersion: 2 });
      const lease = await persistence.credentials.lease(application, account.id, taken.rowVersion, 60_000);
      expect(lease).not.toBeNull();

      sleeper.child.kill('SIGCONT');
      sleeper.goOn();
      expect(new Set(await late)).toEqual(new Set(['access-2']));
      expect(await stored()).toEqual(taken);
      expect(await persistence.credentials.lease(application, account.id, taken.rowVersion, 1)).toBeNull();
      expect(endpoint.calls).toEqual(['refresh', 'refresh']);
    } finally {
      sleeper.child.kill('SIGCONT');
      endpoint.answer = rotating;
    }
  });

  it('F29 a holder that is killed after the answer costs one more call, and nobody anything else', async () => {
    const [victim, other] = (await start(2)) as [AccountProcess, AccountProcess];
    victim.holdResponses();
    const lost = victim.use(application, account.id, 1);
    lost.catch(() => undefined);
    await victim.answered;
    victim.child.kill('SIGKILL');
    await expect(lost).rejects.toThrow('the process ended');
    expect(new Set(await other.use(application, account.id, 10))).toEqual(new Set(['access-2']));
    expect(endpoint.calls).toEqual(['refresh', 'refresh']);
    expect((await persistence.accounts.getOwned(application, account.id)).status).toBe('ACTIVE');
  });

  it('T4 a dead grant is confirmed once for all of them, and told once', async () => {
    const granting = endpoint.answer;
    endpoint.answer = () => ({ status: 400, body: { error: 'invalid_grant' } });
    try {
      const running = await start(3);
      const outcomes = await Promise.all(running.map((process) => process.use(application, account.id, 50)));
      expect(new Set(outcomes.flat())).toEqual(new Set(['EndUserAccountExpired']));
      expect(endpoint.calls).toEqual(['refresh', 'refresh']);
      const events = await persistence.admin<{ payload: unknown }>(
        "select payload from outbox where payload->>'endUserAccountId' = $1",
        [account.id],
      );
      expect(events).toEqual([
        {
          payload: expect.objectContaining({
            eventType: 'enduseraccount.updated',
            status: 'EXPIRED',
            reason: 'invalid_grant',
          }),
        },
      ]);
    } finally {
      endpoint.answer = granting;
    }
  });
});
