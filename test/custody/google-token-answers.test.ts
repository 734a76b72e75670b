import { jest } from '@jest/globals';
import { startGoogleService, type GoogleService } from '../support/google-service.js';
import { asAdmin } from '../support/postgres.js';
import { eventually } from '../support/processes.js';
import type { Answer } from '../support/service.js';

/** Other suites may have the machine at the same time. */
jest.setTimeout(60_000);

let google: GoogleService;
let people = 0;

beforeAll(async () => {
  google = await startGoogleService();
}, 120_000);

afterEach(() => google.sandbox.clearFaults());

afterAll(() => google?.stop());

const admin = (text: string, values: unknown[]) =>
  asAdmin(google.service.adminDatabaseUrl, async (client) => (await client.query(text, values)).rows);
const use = (accountId: string): Promise<Answer> => google.service.call('GET', `/v1/calendars/${accountId}`);
const tokenCalls = async () => (await google.sandbox.requests({ kind: 'token' })).length;
const statusOf = async (accountId: string) => {
  const [row] = await admin('select status, status_reason from end_user_account where id = $1', [accountId]);
  return [row.status, row.status_reason];
};
const told = async (accountId: string) => {
  const rows = await admin(
    "select payload from outbox where payload->>'endUserAccountId' = $1 and payload->>'status' = 'EXPIRED'",
    [accountId],
  );
  return rows.map(({ payload }) => payload.reason);
};

/** An account whose access token has just died, not to be taken for a new one. */
async function withDeadToken(): Promise<{ accountId: string; email: string }> {
  const email = `person-${(people += 1)}@example.test`;
  const { accountId } = await google.connected(email);
  await google.sandbox.expireAccessTokens(email);
  await admin("update credential set updated_at = updated_at - interval '2 minutes' where end_user_account_id = $1", [
    accountId,
  ]);
  await google.sandbox.clearRequests();
  return { accountId, email };
}

const answerTokens = (status: number, error: string, times?: number) =>
  google.sandbox.fault({ kind: 'token' }, { type: 'status', status, body: { error } }, { times });

describe('T4 the token endpoint answers a refresh with', () => {
  it.each([
    ['invalid_grant', 'invalid_grant'],
    ['interaction_required', 'consent_revoked'],
    ['consent_required', 'consent_revoked'],
  ])('%s, twice: the account is EXPIRED, and its application is told once', async (error, reason) => {
    const { accountId } = await withDeadToken();
    await answerTokens(400, error);
    const answers = await Promise.all([use(accountId), use(accountId), use(accountId)]);
    expect(answers.map(({ body }) => body.code)).toEqual(Array.from({ length: 3 }, () => 'EndUserAccountExpired'));
    expect(await tokenCalls()).toBe(2);
    expect(await statusOf(accountId)).toEqual(['EXPIRED', reason]);
    expect(await told(accountId)).toEqual([reason]);

    const credentials = await google.service.call('GET', `/v1/endUserAccounts/${accountId}/credentials`);
    expect([credentials.status, credentials.body.code]).toEqual([403, 'EndUserAccountExpired']);
    expect(JSON.stringify(credentials.body)).not.toMatch(/accessToken|refreshToken/);
  });

  it('invalid_grant once: nobody notices', async () => {
    const { accountId } = await withDeadToken();
    await answerTokens(400, 'invalid_grant', 1);
    expect((await use(accountId)).status).toBe(200);
    expect(await tokenCalls()).toBe(2);
    expect((await statusOf(accountId))[0]).toBe('ACTIVE');
    expect(await told(accountId)).toEqual([]);
  });

  it('invalid_grant while the user connects again: the new tokens are used', async () => {
    const { accountId, email } = await withDeadToken();
    await answerTokens(400, 'invalid_grant', 1);
    const using = use(accountId);
    await eventually('refused once', async () => ((await tokenCalls()) === 1 ? true : undefined));
    expect((await google.connected(email)).accountId).toBe(accountId);
    expect((await using).status).toBe(200);
    expect((await statusOf(accountId))[0]).toBe('ACTIVE');
    expect(await told(accountId)).toEqual([]);
  });

  it.each([
    [401, 'invalid_client'],
    [400, 'unauthorized_client'],
    [401, 'deleted_client'],
  ])('%d %s: an alarm for the operator, and no word against the account', async (status, error) => {
    const { accountId } = await withDeadToken();
    await answerTokens(status, error);
    const log = google.service.program.stdout;
    const before = log().length;
    expect((await use(accountId)).body.code).toBe('ProviderUnavailable');
    const alarms = await eventually('the alarm', () => {
      const lines = log().slice(before).split('\n').slice(0, -1);
      const found = lines.filter((line) => line.includes('the provider refuses an OAuth client'));
      return found.length === 0 ? undefined : found.map((line) => JSON.parse(line) as Record<string, unknown>);
    });
    expect(alarms).toEqual([expect.objectContaining({ level: 'error', providerType: 'GOOGLE' })]);
    expect((await statusOf(accountId))[0]).toBe('ACTIVE');
    expect(await told(accountId)).toEqual([]);
  });

  it.each([429, 500, 503])('T5 %d: the caller comes again, the account is as it was', async (status) => {
    const { accountId } = await withDeadToken();
    await answerTokens(status, 'temporarily_unavailable');
    const answer = await use(accountId);
    expect(['ProviderUnavailable', 'ProviderRateLimited']).toContain(answer.body.code);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await statusOf(accountId))[0]).toBe('ACTIVE');
  });
});

it('T15 credentials that are read carry a token that Google takes', async () => {
  const { accountId } = await google.connected(`person-${(people += 1)}@example.test`);
  const { status, headers, body } = await google.service.call('GET', `/v1/endUserAccounts/${accountId}/credentials`);
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(Date.parse(body.expiresAt) - Date.now()).toBeGreaterThan(5 * 60_000);
  const answer = await fetch(`${google.sandbox.googleUrl}/calendar/v3/users/me/calendarList/primary`, {
    headers: { authorization: `Bearer ${body.accessToken}` },
  });
  await answer.arrayBuffer();
  expect(answer.status).toBe(200);
});
