// 50 s: a hundred accounts are checked, in the time that a worker gives itself.
import { randomBytes } from 'node:crypto';
import { startGoogleService, TEST_CLIENT, type GoogleService } from '../../support/google-service.js';
import { asAdmin } from '../../support/postgres.js';
import { eventually } from '../../support/processes.js';
import { runWorker, type WorkerUnderTest } from '../../support/worker.js';

interface Connected {
  email: string;
  accountId: string;
}

const TRIPPED = 'mass-expiry breaker tripped';

describe('T6 60 of 100 grants of one client die at once', () => {
  let google: GoogleService;
  let worker: WorkerUnderTest | undefined;
  let rejected: Connected[];
  let others: Connected[];

  beforeAll(async () => {
    google = await startGoogleService({ RATE_LIMIT_RPS: '100000' });
    const accounts: Connected[] = [];
    for (let index = 0; index < 100; index += 1) {
      const email = `p${index}-${randomBytes(3).toString('hex')}@example.test`;
      accounts.push({ email, accountId: (await google.connected(email)).accountId });
    }
    rejected = accounts.slice(0, 60);
    others = accounts.slice(60);
    for (const { email } of rejected) await google.sandbox.revoke(email, TEST_CLIENT.clientId);
    await expireAll();
    const { DATABASE_URL, ...env } = google.service.env;
    worker = await runWorker(DATABASE_URL!, { ...env, EXPIRY_PROBE_INTERVAL: '5' });
  });

  afterAll(async () => {
    await worker?.stop();
    await google?.stop();
  });

  const admin = (text: string, values: unknown[] = []) =>
    asAdmin(google.service.adminDatabaseUrl, async (client) => (await client.query(text, values)).rows);
  const statuses = async (accounts: Connected[]): Promise<string[]> => {
    const ids = accounts.map(({ accountId }) => accountId);
    return (await admin('select status from end_user_account where id = any($1)', [ids])).map(({ status }) => status);
  };
  /** Every access token is out of date, and older than a minute as far as the credentials tell. */
  const expireAll = async () => {
    for (const { email } of await google.sandbox.users()) await google.sandbox.expireAccessTokens(email);
    await admin("update credential set updated_at = updated_at - interval '2 minutes'");
  };
  const use = (accounts: Connected[]) =>
    Promise.all(accounts.map(({ accountId }) => google.service.call('GET', `/v1/calendars/${accountId}`)));
  const logs = () => [google.service.program, worker!].map(({ stdout }) => stdout()).join('');

  it('none of them becomes EXPIRED, whoever finds out: requests and a worker, with one alarm', async () => {
    const responses = await use(rejected);
    expect(new Set(responses.map(({ body }) => body.code))).toEqual(new Set(['ProviderUnavailable']));
    expect(responses.every(({ headers }) => Number(headers.get('retry-after')) >= 1)).toBe(true);
    await eventually('the worker has met it, too', () =>
      worker!.stdout().includes('credential check failed') ? true : undefined,
    );
    expect(new Set(await statuses(rejected))).toEqual(new Set(['ACTIVE']));
    await eventually('the alarm', () => (logs().includes(TRIPPED) ? true : undefined));
    expect(logs().split(TRIPPED)).toHaveLength(2);
    expect(await admin('select provider_type, client_id from mass_expiry_breaker')).toEqual([
      { provider_type: 'GOOGLE', client_id: TEST_CLIENT.clientId },
    ]);
    await worker!.stop();
  });

  it('the other 40 are refreshed as ever, and end nothing', async () => {
    await expireAll();
    const responses = await use(others);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await admin('select 1 from mass_expiry_breaker')).toHaveLength(1);
  });

  it('who connects again is served at once', async () => {
    const [first] = rejected.splice(0, 1);
    await google.connected(first!.email);
    await expireAll();
    expect((await use([first!])).map(({ status }) => status)).toEqual([200]);
    expect(await admin('select 1 from mass_expiry_breaker')).toHaveLength(1);
  });

  it('an operator who knows better lets them be judged: few at a time become EXPIRED', async () => {
    const [one] = rejected;
    const { applicationId } = google.service;
    const released = await google.service.ops(
      ...['oauth-client', 'release', '--application', applicationId, '--provider', 'google'],
    );
    expect(released).toMatchObject({ clientId: TEST_CLIENT.clientId, released: true });
    await eventually('EXPIRED', async () => {
      await use([one!]);
      return (await statuses([one!]))[0] === 'EXPIRED' ? true : undefined;
    });
    expect((await use([one!]))[0]?.body.code).toBe('EndUserAccountExpired');
    expect(new Set(await statuses(rejected.slice(1)))).toEqual(new Set(['ACTIVE']));
    expect(await admin("select payload->>'reason' as reason from outbox where payload->>'status' = 'EXPIRED'")).toEqual(
      [{ reason: 'invalid_grant' }],
    );
  });
});
