// 24 s: every case connects accounts by whole sign-ins at the sandbox.
import { startGoogleService, TEST_CLIENT, type GoogleService } from '../support/google-service.js';
import { asAdmin } from '../support/postgres.js';
import { eventually } from '../support/processes.js';
import { grantIsGone, isGrantAlive } from './sandbox-grants.js';
import { runWorker, type WorkerUnderTest } from '../support/worker.js';

describe('the grants of accounts', () => {
  let google: GoogleService;
  let worker: WorkerUnderTest | undefined;

  beforeAll(async () => {
    google = await startGoogleService({});
  });

  afterEach(async () => {
    await worker?.stop();
    worker = undefined;
    await google.sandbox.clearFaults();
    await google.sandbox.expectNoViolations();
  });

  afterAll(() => google?.stop());

  const admin = (text: string, values: unknown[] = []) =>
    asAdmin(google.service.adminDatabaseUrl, async (client) => (await client.query(text, values)).rows);
  const statusOf = async (accountId: string) =>
    (await google.service.call('GET', `/v1/endUserAccounts/${accountId}`)).body.status;
  const calendarsOf = (accountId: string) => google.service.call('GET', `/v1/calendars/${accountId}`);
  const publishedFor = async (accountId: string) => {
    const rows = await admin("select payload from outbox where payload->>'endUserAccountId' = $1 order by created_at", [
      accountId,
    ]);
    return rows.map(({ payload }) => [payload.eventType, payload.status, payload.reason ?? null]);
  };
  const tokenCalls = async () => (await google.sandbox.requests({ kind: 'token' })).length;
  const startWorker = async () => {
    const { DATABASE_URL, ...env } = google.service.env;
    worker = await runWorker(DATABASE_URL!, { ...env, EXPIRY_PROBE_INTERVAL: '5' });
  };

  it('T7 an access token that dies before its time costs one refresh, and no account', async () => {
    const { accountId } = await google.connected('ada@example.test');
    await calendarsOf(accountId);
    await aMinuteLater(accountId);
    await google.sandbox.expireAccessTokens('ada@example.test');
    const before = await tokenCalls();
    const responses = await Promise.all(Array.from({ length: 20 }, () => calendarsOf(accountId)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await tokenCalls()) - before).toBe(1);
    expect(await statusOf(accountId)).toBe('ACTIVE');
  });

  it('a worker finds out, without any request of the application, that a user took access away', async () => {
    const { accountId } = await google.connected('bob@example.test');
    await aMinuteLater(accountId);
    await google.sandbox.revoke('bob@example.test', TEST_CLIENT.clientId);
    await startWorker();
    await eventually('EXPIRED', async () => ((await statusOf(accountId)) === 'EXPIRED' ? true : undefined), {
      timeoutMs: 90_000,
      everyMs: 250,
    });
    expect(await publishedFor(accountId)).toEqual([
      ['enduseraccount.created', 'ACTIVE', null],
      ['enduseraccount.updated', 'EXPIRED', 'invalid_grant'],
    ]);
    expect((await calendarsOf(accountId)).body.code).toBe('EndUserAccountExpired');

    expect((await google.connected('bob@example.test')).accountId).toBe(accountId);
    expect((await publishedFor(accountId)).slice(2)).toEqual([
      ['enduseraccount.credential.updated', 'ACTIVE', null],
      ['enduseraccount.updated', 'ACTIVE', 'reconnected'],
    ]);
    expect((await calendarsOf(accountId)).status).toBe(200);
  });

  it('a worker replaces an access token that died before its time', async () => {
    const { accountId } = await google.connected('carol@example.test');
    const before = await versionOf(accountId);
    await google.sandbox.expireAccessTokens('carol@example.test');
    await aMinuteLater(accountId);
    await startWorker();
    await eventually('a new token', async () => ((await versionOf(accountId)) > before ? true : undefined));
    expect(await statusOf(accountId)).toBe('ACTIVE');
  });

  it('T14 deleting an account gives its grant back', async () => {
    const { accountId, grant } = await google.connected('dave@example.test');
    expect((await google.service.call('DELETE', `/v1/endUserAccounts/${accountId}`)).status).toBe(200);
    await grantIsGone(google.sandbox, grant.refreshToken);
    await eventually('nothing is left to do', async () =>
      (await admin('select 1 from grant_revocation')).length === 0 ? true : undefined,
    );
    expect((await publishedFor(accountId)).at(-1)).toEqual(['enduseraccount.deleted', 'ACTIVE', null]);
  });

  it('T14 whoever comes back while the grant is being given back connects with a grant that works, or not at all', async () => {
    const email = 'fay@example.test';
    const { accountId, grant } = await google.connected(email);
    await google.sandbox.fault({ kind: 'revoke' }, { type: 'delay', ms: 500 });
    await google.service.call('DELETE', `/v1/endUserAccounts/${accountId}`);
    const body = { email, providerType: 'GOOGLE', refreshToken: grant.refreshToken };
    const again = await google.service.call('POST', '/v1/endUserAccounts', { body });
    expect([again.status, again.body.code]).toEqual([400, 'CredentialsRejected']);
    expect(await admin('select 1 from end_user_account where email = $1', [email])).toEqual([]);
    const next = await google.connected(email);
    expect((await calendarsOf(next.accountId)).status).toBe(200);
  });

  it('T14 a worker gives back what could not be given back at once', async () => {
    const { accountId, grant } = await google.connected('erin@example.test');
    await google.sandbox.fault({ kind: 'revoke' }, { type: 'status', status: 503 });
    await google.service.call('DELETE', `/v1/endUserAccounts/${accountId}`);
    await eventually('the first attempt has failed', () =>
      google.service.program.stdout().includes('grant revocation pending') ? true : undefined,
    );
    await google.sandbox.clearFaults();
    expect(await isGrantAlive(google.sandbox, grant.refreshToken)).toBe(true);
    await admin("update grant_revocation set next_attempt_at = now() - interval '1 second'");
    await startWorker();
    await grantIsGone(google.sandbox, grant.refreshToken);
    await eventually('nothing is left to do', async () =>
      (await admin('select 1 from grant_revocation')).length === 0 ? true : undefined,
    );
  });

  async function versionOf(accountId: string): Promise<number> {
    const [row] = await admin('select row_version from credential where end_user_account_id = $1', [accountId]);
    return row.row_version as number;
  }

  /** As far as the account's credentials tell: young tokens are not refreshed for a refusal. */
  async function aMinuteLater(accountId: string): Promise<void> {
    await admin("update credential set updated_at = updated_at - interval '2 minutes' where end_user_account_id = $1", [
      accountId,
    ]);
  }
});
