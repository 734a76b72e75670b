// 30 s: a worker starts for each case, and looks by its own schedule.
import { startMicrosoftService, TEST_MICROSOFT_CLIENT, type MicrosoftService } from '../support/microsoft-service.js';
import { asAdmin } from '../support/postgres.js';
import { eventually } from '../support/processes.js';
import { runWorker, type WorkerUnderTest } from '../support/worker.js';

describe('the grants of MICROSOFT accounts', () => {
  let microsoft: MicrosoftService;
  let worker: WorkerUnderTest | undefined;

  beforeAll(async () => {
    microsoft = await startMicrosoftService({});
  });

  afterEach(async () => {
    await worker?.stop();
    worker = undefined;
    await microsoft.sandbox.microsoft.clearFaults();
    expect(await microsoft.sandbox.microsoft.violations()).toEqual([]);
  });

  afterAll(() => microsoft?.stop());

  const admin = (text: string, values: unknown[] = []) =>
    asAdmin(microsoft.service.adminDatabaseUrl, async (client) => (await client.query(text, values)).rows);
  const statusOf = async (accountId: string) =>
    (await microsoft.service.call('GET', `/v1/endUserAccounts/${accountId}`)).body.status;
  const calendarsOf = (accountId: string) => microsoft.service.call('GET', `/v1/calendars/${accountId}`);
  const versionOf = async (accountId: string): Promise<number> => {
    const [row] = await admin('select row_version from credential where end_user_account_id = $1', [accountId]);
    return row.row_version;
  };
  const credentialsOf = async (accountId: string) =>
    (await microsoft.service.call('GET', `/v1/endUserAccounts/${accountId}/credentials`)).body;
  const tokenCalls = async () => (await microsoft.sandbox.microsoft.requests({ kind: 'token' })).length;
  /** As far as the account's credentials tell. */
  const pass = (accountId: string, time: string) =>
    admin(`update credential set updated_at = updated_at - interval '${time}' where end_user_account_id = $1`, [
      accountId,
    ]);
  const startWorker = async () => {
    const { DATABASE_URL, ...env } = microsoft.service.env;
    worker = await runWorker(DATABASE_URL!, { ...env, EXPIRY_PROBE_INTERVAL: '5' });
  };

  it('T3 keeps the refresh token that comes with every refresh, in place of the one that was used', async () => {
    const { accountId, grant } = await microsoft.connected('ada@contoso.example');
    const tokens = new Set([grant.refreshToken]);
    for (let refresh = 0; refresh < 3; refresh += 1) {
      await pass(accountId, '2 minutes');
      await microsoft.sandbox.microsoft.expireAccessTokens('ada@contoso.example');
      expect((await calendarsOf(accountId)).status).toBe(200);
      tokens.add((await credentialsOf(accountId)).refreshToken);
    }
    // Connecting by a refresh token is a use of it, too.
    expect(tokens.size).toBe(4);
  });

  it('T8 a worker exercises a refresh token that nobody used for 20 days, long before it dies of that', async () => {
    const { accountId } = await microsoft.connected('bob@outlook.example');
    const before = await versionOf(accountId);
    await pass(accountId, '20 days');
    await startWorker();
    await eventually('a new token', async () => ((await versionOf(accountId)) > before ? true : undefined));
    expect(await statusOf(accountId)).toBe('ACTIVE');
  });

  it('a worker finds out, without any request of the application, that access was taken away', async () => {
    const { accountId } = await microsoft.connected('carol@contoso.example');
    await pass(accountId, '2 minutes');
    await microsoft.sandbox.microsoft.revoke('carol@contoso.example', TEST_MICROSOFT_CLIENT.clientId);
    await startWorker();
    await eventually('EXPIRED', async () => ((await statusOf(accountId)) === 'EXPIRED' ? true : undefined), {
      timeoutMs: 90_000,
      everyMs: 250,
    });
    expect((await microsoft.connected('carol@contoso.example')).accountId).toBe(accountId);
    expect(await statusOf(accountId)).toBe('ACTIVE');
  });

  it.each([
    ['a directory that does not answer', 'invalid_grant', 90_033, /^(502|503)$/],
    ['too many refreshes alike', 'invalid_grant', 50_196, /^(429|502|503)$/],
  ])(
    'T4 %s (%s, AADSTS%d) takes no account away',
    async (_, error, code, status) => {
      const email = `t${code}@contoso.example`;
      const { accountId } = await microsoft.connected(email);
      await pass(accountId, '2 minutes');
      await microsoft.sandbox.microsoft.expireAccessTokens(email);
      await microsoft.sandbox.microsoft.failTokens({ email, error, codes: [code] });
      expect(String((await calendarsOf(accountId)).status)).toMatch(status);
      expect(await statusOf(accountId)).toBe('ACTIVE');
    },
    60_000,
  );

  it('T4 AADSTS50196 is not answered with one refresh more', async () => {
    const email = 'loop@contoso.example';
    const { accountId } = await microsoft.connected(email);
    await microsoft.sandbox.microsoft.expireAccessTokens(email);
    await pass(accountId, '2 minutes');
    await microsoft.sandbox.microsoft.failTokens({ email, error: 'invalid_grant', codes: [50_196], times: 1 });
    const rejected = await calendarsOf(accountId);
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThanOrEqual(290);
    const before = await tokenCalls();
    expect((await calendarsOf(accountId)).status).toBe(rejected.status);
    expect(await tokenCalls()).toBe(before);
  });

  it('T14 leave nothing to do behind when their account is deleted: there is no way to give them back', async () => {
    const { accountId } = await microsoft.connected('dave@contoso.example');
    expect((await microsoft.service.call('DELETE', `/v1/endUserAccounts/${accountId}`)).status).toBe(200);
    await eventually('nothing is left to do', async () =>
      (await admin('select 1 from grant_revocation')).length === 0 ? true : undefined,
    );
  });
});
