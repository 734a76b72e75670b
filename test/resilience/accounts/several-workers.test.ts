// 35 s: three workers check accounts in the time that they give themselves.
import { startGoogleService, TEST_CLIENT, type GoogleService } from '../../support/google-service.js';
import { asAdmin } from '../../support/postgres.js';
import { eventually } from '../../support/processes.js';
import { runWorker, type WorkerUnderTest } from '../../support/worker.js';

const ACCOUNTS = 30;
const INTERVAL_S = 5;

describe('T8 three workers without a leader', () => {
  let google: GoogleService;
  const workers: WorkerUnderTest[] = [];
  const accounts: { email: string; accountId: string }[] = [];

  beforeAll(async () => {
    google = await startGoogleService({});
    for (let index = 0; index < ACCOUNTS; index += 1) {
      const email = `person-${index}@example.test`;
      accounts.push({ email, accountId: (await google.connected(email)).accountId });
    }
  });

  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await google?.stop();
  });

  const admin = (text: string) =>
    asAdmin(google.service.adminDatabaseUrl, async (client) => (await client.query(text)).rows);

  it('refresh each account once, and go on checking all of them', async () => {
    await admin("update credential set updated_at = updated_at - interval '2 minutes'");
    for (const { email } of accounts) await google.sandbox.expireAccessTokens(email);
    await google.sandbox.clearRequests();
    const { DATABASE_URL, ...env } = google.service.env;
    for (let index = 0; index < 3; index += 1) {
      workers.push(await runWorker(DATABASE_URL!, { ...env, EXPIRY_PROBE_INTERVAL: String(INTERVAL_S) }));
    }
    const checks = async () => {
      const requests = await google.sandbox.requests({ kind: 'userinfo' });
      return accounts.map(
        ({ email }) => requests.filter(({ user, status }) => user === email && status === 200).length,
      );
    };
    await eventually('each was checked three times', async () =>
      Math.min(...(await checks())) >= 3 ? true : undefined,
    );
    const refreshes = await google.sandbox.requests({ kind: 'token' });
    expect(refreshes.map(({ user }) => user).toSorted()).toEqual(accounts.map(({ email }) => email).toSorted());
    expect(await admin('select distinct row_version from credential')).toEqual([{ row_version: 2 }]);
    expect(await admin('select distinct status from end_user_account')).toEqual([{ status: 'ACTIVE' }]);
  });

  it('tell the application once of each account whose grant is gone', async () => {
    const gone = accounts.slice(0, 5);
    for (const { email } of gone) await google.sandbox.revoke(email, TEST_CLIENT.clientId);
    await admin("update credential set updated_at = updated_at - interval '2 minutes'");
    await eventually('EXPIRED', async () => {
      const expired = await admin("select 1 from end_user_account where status = 'EXPIRED'");
      return expired.length === gone.length ? true : undefined;
    });
    const events = await admin(
      "select payload->>'endUserAccountId' as id from outbox where payload->>'status' = 'EXPIRED' order by 1",
    );
    expect(events.map(({ id }) => id)).toEqual(gone.map(({ accountId }) => accountId).toSorted());
  });
});
