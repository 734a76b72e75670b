import type { FaultAction } from '../../apps/sandbox/src/faults/fault.js';
import { Visitor } from '../sandbox/visitor.js';
import { Browser } from '../support/browser.js';
import { startGoogleService, TEST_CLIENT, type GoogleService } from '../support/google-service.js';
import { asAdmin } from '../support/postgres.js';
import { eventually, freePort } from '../support/processes.js';
import { callService, startApi } from '../support/service.js';

const HOME = 'https://app.example.test/connected';
const CALLERS = 5;
const TEN_MINUTES_MS = 600_000;

describe('the token endpoint', () => {
  let google: GoogleService;
  let people = 0;

  beforeAll(async () => {
    google = await startGoogleService();
    const { service } = google;
    await service.ops('redirect-url', 'add', '--application', service.applicationId, '--url', HOME);
  }, 120_000);

  afterEach(async () => {
    await google.sandbox.clearFaults();
    await google.sandbox.expectNoViolations();
  });

  afterAll(() => google?.stop());

  const admin = (text: string, values: unknown[] = []) =>
    asAdmin(google.service.adminDatabaseUrl, async (client) => (await client.query(text, values)).rows);
  const someone = () => `person-${(people += 1)}@example.test`;
  const credentialsOf = (accountId: string) =>
    google.service.call('GET', `/v1/endUserAccounts/${accountId}/credentials`);
  const calendarsOf = (accountId: string) => google.service.call('GET', `/v1/calendars/${accountId}`);
  const statusOf = async (accountId: string) =>
    (await google.service.call('GET', `/v1/endUserAccounts/${accountId}`)).body.status;
  const tokenCalls = async () => (await google.sandbox.requests({ kind: 'token' })).length;
  const told = async (accountId: string) =>
    (
      await admin(
        "select payload->>'status' as status, payload->>'reason' as reason from outbox " +
          "where payload->>'endUserAccountId' = $1 and payload->>'eventType' = 'enduseraccount.updated'",
        [accountId],
      )
    ).map(({ status, reason }) => [status, reason]);

  /** An account whose access token has to be refreshed before its next use. */
  async function stale(): Promise<{ accountId: string; email: string }> {
    const { sandbox, service } = google;
    const email = someone();
    await sandbox.addUser({ email });
    const { accessToken, refreshToken } = await sandbox.grant(email, TEST_CLIENT.clientId);
    const body = { access_token: accessToken, expires_in: 1, token_type: 'Bearer' };
    await sandbox.fault({ kind: 'token', email }, { type: 'replace', body }, { times: 1 });
    const connected = await service.call('POST', '/v1/endUserAccounts', {
      body: { email, providerType: 'GOOGLE', refreshToken },
    });
    expect(connected.status).toBe(200);
    return { accountId: connected.body.id, email };
  }

  describe('F28 fails while many access tokens end', () => {
    const outages: [string, FaultAction, number][] = [
      ['500', { type: 'status', status: 500 }, 502],
      ['503 with a hint', { type: 'status', status: 503, headers: { 'retry-after': '2' } }, 502],
      ['429', { type: 'status', status: 429, headers: { 'retry-after': '2' } }, 429],
      ["a proxy's page", { type: 'html' }, 502],
      ['half of an answer', { type: 'truncate' }, 502],
      ['garbage', { type: 'garbage' }, 502],
      ['a reset', { type: 'reset' }, 502],
      ['tokens of wrong types', { type: 'replace', body: { access_token: 7, token_type: [] } }, 502],
      ['an error code of another kind', { type: 'status', status: 400, body: { error: { invalid_grant: 1 } } }, 502],
    ];

    it.each(outages)(
      'T5 with %s: one call an account, nobody EXPIRED, and all well afterwards',
      async (_, action, status) => {
        const accounts = await Promise.all([stale(), stale(), stale()]);
        await google.sandbox.clearRequests();
        await google.sandbox.fault({ kind: 'token' }, action);
        const answers = await Promise.all(
          accounts.flatMap(({ accountId }) => Array.from({ length: CALLERS }, () => calendarsOf(accountId))),
        );
        expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([status]));
        for (const { headers } of answers) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
        expect(await tokenCalls()).toBe(accounts.length);

        await google.sandbox.clearFaults();
        await google.sandbox.clearRequests();
        await Promise.all(
          accounts.flatMap(({ accountId }) =>
            Array.from({ length: CALLERS }, () =>
              eventually('the account works again', async () =>
                (await calendarsOf(accountId)).status === 200 ? true : undefined,
              ),
            ),
          ),
        );
        expect(await tokenCalls()).toBe(accounts.length);
        for (const { accountId } of accounts) {
          expect([await statusOf(accountId), await told(accountId)]).toEqual(['ACTIVE', []]);
        }
      },
    );

    it('T1 is slow: all callers of an account wait for one call', async () => {
      const accounts = await Promise.all([stale(), stale(), stale()]);
      await google.sandbox.clearRequests();
      await google.sandbox.fault({ kind: 'token' }, { type: 'delay', ms: 1_500 });
      const answers = await Promise.all(
        accounts.flatMap(({ accountId }) => Array.from({ length: CALLERS }, () => credentialsOf(accountId))),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ body }) => body.accessToken)).size).toBe(accounts.length);
      expect(await tokenCalls()).toBe(accounts.length);
    });

    it('T5 is silent: callers are told so, and nobody is EXPIRED', async () => {
      const { accountId } = await stale();
      await google.sandbox.clearRequests();
      await google.sandbox.fault({ kind: 'token' }, { type: 'hang' });
      const answers = await Promise.all(Array.from({ length: CALLERS }, () => calendarsOf(accountId)));
      expect(new Set(answers.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
        new Set(['504 ProviderTimeout']),
      );
      expect([await tokenCalls(), await statusOf(accountId)]).toEqual([1, 'ACTIVE']);
    });
  });

  describe('F29 has answered a process that dies before it stores the tokens', () => {
    /** A refresh that Google has done and whose outcome nobody knows. */
    async function lostRefresh(accountId: string): Promise<void> {
      const { service, sandbox } = google;
      const victim = await startApi({ ...service.env, PORT: String(await freePort()) });
      try {
        const faultId = await sandbox.fault({ kind: 'token' }, { type: 'drip', bytesPerSecond: 1 });
        const path = `/v1/endUserAccounts/${accountId}/credentials`;
        const lost = expect(callService(victim.baseUrl, service.apiKey, 'GET', path, {})).rejects.toThrow();
        await eventually('Google has refreshed', async () =>
          (await sandbox.faults()).some((fault) => fault.faultId === faultId && fault.fired > 0) ? true : undefined,
        );
        victim.program.child.kill('SIGKILL');
        await lost;
      } finally {
        victim.program.child.kill('SIGKILL');
        await victim.program.exited;
      }
      await sandbox.clearFaults();
      await sandbox.clearRequests();
      await admin("update credential set leased_until = clock_timestamp() - interval '1 second'");
    }

    it('and still takes the refresh token of before: the next caller gets new ones', async () => {
      const { accountId } = await stale();
      await lostRefresh(accountId);
      expect((await credentialsOf(accountId)).status).toBe(200);
      expect([await tokenCalls(), await told(accountId)]).toEqual([1, []]);
    });

    it('and has ended the refresh token of before: EXPIRED once, told once, asked no more', async () => {
      const { accountId } = await stale();
      const redirectUris = [`${google.service.baseUrl}/api/v1/oauth/callback/google`];
      await google.sandbox.addClient({ ...TEST_CLIENT, redirectUris, rotateRefreshTokens: true });
      try {
        await lostRefresh(accountId);
      } finally {
        await google.sandbox.addClient({ ...TEST_CLIENT, redirectUris });
      }
      const answers = await Promise.all(Array.from({ length: CALLERS }, () => calendarsOf(accountId)));
      expect(new Set(answers.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
        new Set(['403 EndUserAccountExpired']),
      );
      expect((await calendarsOf(accountId)).status).toBe(403);
      expect([await tokenCalls(), await statusOf(accountId)]).toEqual([2, 'EXPIRED']);
      expect(await told(accountId)).toEqual([['EXPIRED', 'invalid_grant']]);
      const alarms = logged().filter(({ msg, accountId: id }) => msg === 'an account is EXPIRED' && id === accountId);
      expect(alarms).toMatchObject([{ level: 'warn', reason: 'invalid_grant', providerType: 'GOOGLE' }]);
    });
  });

  describe.each([
    ['ahead', TEN_MINUTES_MS],
    ['behind', -TEN_MINUTES_MS],
  ])('F34 has a clock that is ten minutes %s', (_, skewMs) => {
    beforeAll(() => google.sandbox.advanceClock(skewMs));
    afterAll(() => google.sandbox.advanceClock(-skewMs));

    it('lets users sign in, and tokens be used and refreshed', async () => {
      const { sandbox, service } = google;
      const email = someone();
      await sandbox.addUser({ email });
      const browser = new Browser();
      const away = await browser.visit(`${service.baseUrl}/api/v1/oauth/authorize/${service.applicationId}/google`);
      const back = await new Visitor(sandbox.googleUrl).signIn(away.location!, email);
      const home = new URL((await browser.visit(back.url)).location!);
      const accountId = home.searchParams.get('endUserAccountId') ?? '';
      expect(accountId).not.toBe('');
      const { body } = await credentialsOf(accountId);
      const leftMs = Date.parse(body.expiresAt) - Date.now();
      expect(leftMs).toBeGreaterThan(50 * 60_000);
      expect(leftMs).toBeLessThanOrEqual(60 * 60_000);

      await aMinuteLater(accountId);
      await sandbox.expireAccessTokens(email);
      expect((await calendarsOf(accountId)).status).toBe(200);
      expect((await credentialsOf(accountId)).body.accessToken).not.toBe(body.accessToken);
    });

    it('lets refresh tokens be brought along', async () => {
      const { accountId } = await google.connected(someone());
      expect((await calendarsOf(accountId)).status).toBe(200);
    });
  });

  describe('T7 an access token that is refused before its time', () => {
    it('costs two calls and a refresh', async () => {
      const email = someone();
      const { accountId } = await google.connected(email);
      await aMinuteLater(accountId);
      await google.sandbox.expireAccessTokens(email);
      await google.sandbox.clearRequests();
      expect((await calendarsOf(accountId)).status).toBe(200);
      expect((await google.sandbox.requests({ kind: 'api' })).map(({ status }) => status)).toEqual([401, 200]);
      expect(await tokenCalls()).toBe(1);
    });

    it('costs no more when the new one is refused as well', async () => {
      const email = someone();
      const { accountId } = await google.connected(email);
      await aMinuteLater(accountId);
      await google.sandbox.fault({ kind: 'api', email }, { type: 'status', status: 401, reason: 'authError' });
      await google.sandbox.clearRequests();
      expect((await calendarsOf(accountId)).body.code).toBe('EndUserAccountExpired');
      expect((await google.sandbox.requests({ kind: 'api' })).map(({ status }) => status)).toEqual([401, 401]);
      expect(await tokenCalls()).toBe(1);
      expect((await calendarsOf(accountId)).status).toBe(403);
      expect((await google.sandbox.requests({ kind: 'api' })).length).toBe(2);
    });
  });

  /** As far as the account's credentials tell: young tokens are not refreshed for a refusal. */
  async function aMinuteLater(accountId: string): Promise<void> {
    await admin("update credential set updated_at = updated_at - interval '2 minutes' where end_user_account_id = $1", [
      accountId,
    ]);
  }

  function logged(): Record<string, unknown>[] {
    return google.service.program
      .stdout()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }
});
