// 45 s: token endpoints are slow and silent until the service gives up.
import type { FaultAction } from '../../apps/sandbox/src/faults/fault.js';
import { Visitor } from '../sandbox/visitor.js';
import { Browser } from '../support/browser.js';
import { TEST_CLIENT } from '../support/google-service.js';
import { startOAuthFixture, type OAuthSubject, type OAuthFixture } from '../support/oauth-subject.js';
import { eventually } from '../support/processes.js';
import { callService, startAnotherApi } from '../support/service.js';
import { Invariants } from './invariants.js';

const HOME = 'https://app.example.test/connected';
const CALLERS = 5;
const TEN_MINUTES_MS = 600_000;

let fixture: OAuthFixture;
let invariants: Invariants;

beforeAll(async () => {
  // Thirty callers ask again and again.
  fixture = await startOAuthFixture({ METRICS_PORT: '0', RATE_LIMIT_RPS: '100000' });
  const { service } = fixture;
  await service.ops('redirect-url', 'add', '--application', service.applicationId, '--url', HOME);
  invariants = await Invariants.watching(fixture);
});

afterAll(() => invariants?.expectAll());

afterAll(() => fixture?.stop());

afterEach(() => fixture.calm());

/** All callers of all accounts at once. */
const byAll = <T>(accounts: { accountId: string }[], work: (accountId: string) => Promise<T>): Promise<T[]> =>
  Promise.all(accounts.flatMap(({ accountId }) => Array.from({ length: CALLERS }, () => work(accountId))));
const threeAccounts = (subject: OAuthSubject) => Promise.all(Array.from({ length: 3 }, () => subject.withOldToken()));

describe('F28 a token endpoint that fails while many access tokens end', () => {
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
    async (_, action, status) =>
      fixture.everywhere(async (subject) => {
        const accounts = await threeAccounts(subject);
        await subject.half.clearRequests();
        await subject.half.fault({ kind: 'token' }, action);
        const responses = await byAll(accounts, (accountId) => subject.calendars(accountId));
        expect(new Set(responses.map((response) => response.status))).toEqual(new Set([status]));
        for (const { headers } of responses) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
        expect(await subject.tokenCalls()).toBe(accounts.length);

        await subject.half.clearFaults();
        await subject.half.clearRequests();
        await byAll(accounts, (accountId) =>
          eventually('the account works again', async () =>
            (await subject.calendars(accountId)).status === 200 ? true : undefined,
          ),
        );
        expect(await subject.tokenCalls()).toBe(accounts.length);
        for (const { accountId } of accounts) {
          expect([await subject.status(accountId), await subject.notifiedExpired(accountId)]).toEqual(['ACTIVE', []]);
        }
      }),
  );

  it('T1 is slow: all callers of an account wait for one call', async () =>
    fixture.everywhere(async (subject) => {
      const accounts = await threeAccounts(subject);
      await subject.half.clearRequests();
      await subject.half.fault({ kind: 'token' }, { type: 'delay', ms: 1_500 });
      const responses = await byAll(accounts, (accountId) => subject.credentials(accountId));
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(responses.map(({ body }) => body.accessToken)).size).toBe(accounts.length);
      expect(await subject.tokenCalls()).toBe(accounts.length);
    }));

  it('T5 is silent: callers are told so, and nobody is EXPIRED', async () =>
    fixture.everywhere(async (subject) => {
      const account = await subject.withOldToken();
      await subject.half.clearRequests();
      await subject.half.fault({ kind: 'token' }, { type: 'hang' });
      const responses = await byAll([account], (accountId) => subject.calendars(accountId));
      expect(new Set(responses.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
        new Set(['504 ProviderTimeout']),
      );
      expect([await subject.tokenCalls(), await subject.status(account.accountId)]).toEqual([1, 'ACTIVE']);
    }));
});

it('F29 a token endpoint still takes the refresh token of before when a process died with the answer', async () =>
  fixture.everywhere(async (subject) => {
    const { accountId } = await subject.withOldToken();
    await lostRefresh(subject, accountId);
    expect((await subject.credentials(accountId)).status).toBe(200);
    expect([await subject.tokenCalls(), await subject.notifiedExpired(accountId)]).toEqual([1, []]);
  }));

describe.each([
  ['ahead', TEN_MINUTES_MS],
  ['behind', -TEN_MINUTES_MS],
])('F34 a provider has a clock that is ten minutes %s', (_, skewMs) => {
  beforeAll(() => fixture.sandbox.advanceClock(skewMs));
  afterAll(() => fixture.sandbox.advanceClock(-skewMs));

  it('lets users sign in, and tokens be used and refreshed', async () =>
    fixture.everywhere(async (subject) => {
      const email = subject.someone();
      await subject.half.addUser({ email });
      const { baseUrl, applicationId } = subject.service;
      const browser = new Browser();
      const away = await browser.visit(
        `${baseUrl}/api/v1/oauth/authorize/${applicationId}/${subject.providerType.toLowerCase()}`,
      );
      const back = await new Visitor(subject.url).signIn(away.location!, email);
      const home = new URL((await browser.visit(back.url)).location!);
      const accountId = home.searchParams.get('endUserAccountId') ?? '';
      expect(accountId).not.toBe('');
      const { body } = await subject.credentials(accountId);
      const leftMs = Date.parse(body.expiresAt) - Date.now();
      expect(leftMs).toBeGreaterThan(50 * 60_000);
      expect(leftMs).toBeLessThanOrEqual(60 * 60_000);

      await subject.pass(accountId);
      await subject.half.expireAccessTokens(email);
      expect((await subject.calendars(accountId)).status).toBe(200);
      expect((await subject.credentials(accountId)).body.accessToken).not.toBe(body.accessToken);
    }));

  it('lets refresh tokens be brought along', async () =>
    fixture.everywhere(async (subject) => {
      const { accountId } = await subject.connected(subject.someone());
      expect((await subject.calendars(accountId)).status).toBe(200);
    }));
});

describe('T7 an access token that is refused before its time', () => {
  const apiStatuses = async (subject: OAuthSubject) =>
    (await subject.half.requests({ kind: 'api' })).map(({ status }) => status);

  it('costs two calls and a refresh', async () =>
    fixture.everywhere(async (subject) => {
      const { accountId } = await subject.withDeadToken();
      await subject.half.clearRequests();
      expect((await subject.calendars(accountId)).status).toBe(200);
      const [first, ...others] = await apiStatuses(subject);
      expect([first, new Set(others)]).toEqual([401, new Set([200])]);
      expect(await subject.tokenCalls()).toBe(1);
    }));

  it('costs no more when the new one is refused as well', async () =>
    fixture.everywhere(async (subject) => {
      const { accountId, email } = await subject.withDeadToken();
      await subject.half.fault({ kind: 'api', email }, { type: 'status', status: 401 });
      await subject.half.clearRequests();
      const { status, body } = await subject.calendars(accountId);
      expect(await apiStatuses(subject)).toEqual([401, 401]);
      expect(await subject.tokenCalls()).toBe(1);
      // What Graph alone refuses says nothing of the grant.
      const ends = subject.providerType === 'GOOGLE';
      expect([status, body.code]).toEqual(ends ? [403, 'EndUserAccountExpired'] : [502, 'ProviderUnavailable']);
      if (ends) invariants.ended.add(accountId);
      const account = await subject.service.call('GET', `/v1/endUserAccounts/${accountId}`);
      expect(account.body.status).toBe(ends ? 'EXPIRED' : 'ACTIVE');
      await subject.half.clearFaults();
      expect((await subject.calendars(accountId)).status).toBe(ends ? 403 : 200);
    }));
});

/** A refresh that the provider has done and whose outcome nobody knows. */
async function lostRefresh(subject: OAuthSubject, accountId: string): Promise<void> {
  const { service, half } = subject;
  const victim = await startAnotherApi(service.env);
  try {
    const faultId = await half.fault({ kind: 'token' }, { type: 'drip', bytesPerSecond: 1 });
    const path = `/v1/endUserAccounts/${accountId}/credentials`;
    const lost = expect(callService(victim.baseUrl, service.apiKey, 'GET', path, {})).rejects.toThrow();
    await eventually('the provider has refreshed', async () =>
      (await half.faults()).some((fault) => fault.faultId === faultId && fault.fired > 0) ? true : undefined,
    );
    victim.program.child.kill('SIGKILL');
    await lost;
  } finally {
    victim.program.child.kill('SIGKILL');
    await victim.program.exited;
  }
  await half.clearFaults();
  await half.clearRequests();
  await subject.admin(
    "update credential set leased_until = clock_timestamp() - interval '1 second' where end_user_account_id = $1",
    [accountId],
  );
}

it('F29 a token endpoint that has ended the refresh token of before: EXPIRED once, told once, asked no more', async () => {
  const { GOOGLE: google, sandbox, service } = fixture;
  const { accountId } = await google.withOldToken();
  const redirectUris = [`${service.baseUrl}/api/v1/oauth/callback/google`];
  await sandbox.addClient({ ...TEST_CLIENT, redirectUris, rotateRefreshTokens: true });
  try {
    await lostRefresh(google, accountId);
  } finally {
    await sandbox.addClient({ ...TEST_CLIENT, redirectUris });
  }
  invariants.ended.add(accountId);
  const responses = await Promise.all(Array.from({ length: CALLERS }, () => google.calendars(accountId)));
  expect(new Set(responses.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
    new Set(['403 EndUserAccountExpired']),
  );
  expect((await google.calendars(accountId)).status).toBe(403);
  expect([await google.tokenCalls(), await google.status(accountId)]).toEqual([2, 'EXPIRED']);
  expect(await google.notifiedExpired(accountId)).toEqual(['invalid_grant']);
  // What a process has written comes through a pipe.
  const alarms = await eventually('it is logged', () => {
    const logged = service.program.stdout().split('\n').slice(0, -1);
    const found = logged
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg, accountId: id }) => msg === 'account EXPIRED' && id === accountId);
    return found.length > 0 ? found : undefined;
  });
  expect(alarms).toMatchObject([{ level: 'warn', reason: 'invalid_grant', providerType: 'GOOGLE' }]);
});
