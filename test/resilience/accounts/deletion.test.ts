import { startGoogleService, type GoogleService } from '../../support/google-service.js';
import { asAdmin } from '../../support/postgres.js';
import { eventually } from '../../support/processes.js';
import { grantIsGone, isGrantAlive } from '../../accounts/sandbox-grants.js';
import { runWorker, type WorkerUnderTest } from '../../support/worker.js';

describe('T14 an account that is deleted', () => {
  let google: GoogleService;
  let worker: WorkerUnderTest | undefined;

  beforeEach(async () => {
    google = await startGoogleService({});
  });

  afterEach(async () => {
    await worker?.stop();
    worker = undefined;
    await google?.stop();
  });

  const admin = (text: string, values: unknown[] = []) =>
    asAdmin(google.service.adminDatabaseUrl, async (client) => (await client.query(text, values)).rows);
  const reached = (kind: 'token' | 'revoke') =>
    eventually(`a ${kind} call is under way`, async () =>
      (await google.sandbox.requests({ kind })).length > 0 ? true : undefined,
    );

  it('while its tokens are refreshed stays away, and its grant is given back', async () => {
    const { accountId, grant } = await google.connected('ada@example.test');
    await google.sandbox.expireAccessTokens('ada@example.test');
    await admin("update credential set updated_at = updated_at - interval '2 minutes'");
    await google.sandbox.clearRequests();
    await google.sandbox.fault({ kind: 'token' }, { type: 'delay', ms: 2_000 });
    const using = google.service.call('GET', `/v1/calendars/${accountId}`);
    await reached('token');
    expect((await google.service.call('DELETE', `/v1/endUserAccounts/${accountId}`)).status).toBe(200);
    expect((await using).body.code).toBe('NotFound');
    await google.sandbox.clearFaults();
    for (const table of ['end_user_account', 'credential', 'credential_check']) {
      expect([table, await admin(`select 1 from ${table}`)]).toEqual([table, []]);
    }
    await grantIsGone(google.sandbox, grant.refreshToken);
    expect((await admin('select payload from outbox')).map(({ payload }) => payload.eventType)).toEqual([
      'enduseraccount.created',
      'enduseraccount.deleted',
    ]);
  });

  it('by an api that is killed before it has told the provider: a worker does', async () => {
    const { accountId, grant } = await google.connected('bob@example.test');
    await google.sandbox.fault({ kind: 'revoke' }, { type: 'hang' });
    expect((await google.service.call('DELETE', `/v1/endUserAccounts/${accountId}`)).status).toBe(200);
    await reached('revoke');
    google.service.program.child.kill('SIGKILL');
    await google.service.program.exited;
    await google.sandbox.clearFaults();
    expect(await isGrantAlive(google.sandbox, grant.refreshToken)).toBe(true);
    expect(await admin('select 1 from grant_revocation')).toHaveLength(1);

    await admin("update grant_revocation set next_attempt_at = now() - interval '1 second'");
    const { DATABASE_URL, ...env } = google.service.env;
    worker = await runWorker(DATABASE_URL!, env);
    await grantIsGone(google.sandbox, grant.refreshToken);
    await eventually('nothing is left to do', async () =>
      (await admin('select 1 from grant_revocation')).length === 0 ? true : undefined,
    );
  });
});
