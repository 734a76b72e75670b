// 20 s: token endpoints fail in every way, some by silence.
import {
  startOAuthFixture,
  type OAuthProviderType,
  type OAuthSubject,
  type OAuthFixture,
} from '../support/oauth-subject.js';
import { eventually } from '../support/processes.js';

let fixture: OAuthFixture;

beforeAll(async () => {
  fixture = await startOAuthFixture({});
});

afterEach(() => fixture.calm());

afterAll(() => fixture?.stop());

/** An error of a token endpoint, with the numbers that Microsoft adds; the reason of what follows from it. */
interface Row {
  error: string;
  numbers?: number[];
  suberror?: string;
  reason: string;
}

const REFUSALS: Record<OAuthProviderType, Row[]> = {
  GOOGLE: [
    { error: 'invalid_grant', reason: 'invalid_grant' },
    { error: 'interaction_required', reason: 'consent_revoked' },
    { error: 'consent_required', reason: 'consent_revoked' },
  ],
  MICROSOFT: [
    { error: 'invalid_grant', numbers: [50_173], reason: 'invalid_grant' },
    { error: 'invalid_grant', numbers: [700_082], reason: 'invalid_grant' },
    { error: 'interaction_required', numbers: [50_076], reason: 'invalid_grant' },
    { error: 'invalid_grant', numbers: [53_003], reason: 'invalid_grant' },
    { error: 'invalid_grant', numbers: [50_034], reason: 'user_deleted' },
    { error: 'invalid_grant', numbers: [65_001], suberror: 'consent_required', reason: 'consent_revoked' },
    { error: 'consent_required', numbers: [90_094], reason: 'consent_revoked' },
    { error: 'unauthorized_client', numbers: [700_016], reason: 'consent_revoked' },
  ],
};

const CLIENT_REJECTIONS: Record<OAuthProviderType, [status: number, error: string, numbers: number[]][]> = {
  GOOGLE: [
    [401, 'invalid_client', []],
    [400, 'unauthorized_client', []],
    [401, 'deleted_client', []],
  ],
  MICROSOFT: [
    [401, 'invalid_client', [7_000_215]],
    [401, 'invalid_client', [7_000_222]],
    [400, 'invalid_request', [900_144]],
    [400, 'invalid_scope', [70_011]],
  ],
};

const fault = (
  subject: OAuthSubject,
  email: string,
  { status = 400, error, numbers = [], suberror, times }: Partial<Row> & { status?: number; times?: number },
) => {
  const body = { error, error_codes: numbers, ...(suberror !== undefined && { suberror }) };
  return subject.half.fault({ kind: 'token', email }, { type: 'status', status, body }, { times });
};
const tokenCallsOf = async ({ half }: OAuthSubject, email: string) =>
  (await half.requests({ kind: 'token' })).filter(({ user }) => user === email).length;
const stateOf = async (subject: OAuthSubject, accountId: string) => {
  const [row] = await subject.admin('select status, status_reason from end_user_account where id = $1', [accountId]);
  return [row.status, row.status_reason];
};

describe('T4 the token endpoint answers a refresh with', () => {
  it('a refusal, twice: the account is EXPIRED, and its application is told once', () =>
    fixture.everywhere(async (subject) => {
      const decided = await Promise.all(
        REFUSALS[subject.providerType].map(async (row) => {
          const account = await subject.withDeadToken();
          await fault(subject, account.email, row);
          return { row, ...account };
        }),
      );
      await subject.half.clearRequests();
      await Promise.all(
        decided.map(async ({ row: { reason }, accountId, email }) => {
          const responses = await Promise.all(Array.from({ length: 3 }, () => subject.calendars(accountId)));
          expect(responses.map(({ body }) => body.code)).toEqual(responses.map(() => 'EndUserAccountExpired'));
          expect(await tokenCallsOf(subject, email)).toBe(2);
          expect(await stateOf(subject, accountId)).toEqual(['EXPIRED', reason]);
          expect(await subject.notifiedExpired(accountId)).toEqual([reason]);

          const credentials = await subject.credentials(accountId);
          expect([credentials.status, credentials.body.code]).toEqual([403, 'EndUserAccountExpired']);
          expect(JSON.stringify(credentials.body)).not.toMatch(/accessToken|refreshToken/);
        }),
      );
    }));

  it('invalid_grant once: nobody notices', () =>
    fixture.everywhere(async (subject) => {
      const { accountId, email } = await subject.withDeadToken();
      await fault(subject, email, { error: 'invalid_grant', times: 1 });
      await subject.half.clearRequests();
      expect((await subject.calendars(accountId)).status).toBe(200);
      expect(await subject.tokenCalls()).toBe(2);
      expect((await stateOf(subject, accountId))[0]).toBe('ACTIVE');
      expect(await subject.notifiedExpired(accountId)).toEqual([]);
    }));

  it('invalid_grant while the user connects again: the new tokens are used', () =>
    fixture.everywhere(async (subject) => {
      const { accountId, email } = await subject.withDeadToken();
      await fault(subject, email, { error: 'invalid_grant', times: 1 });
      await subject.half.clearRequests();
      const using = subject.calendars(accountId);
      await eventually('refused once', async () => ((await subject.tokenCalls()) === 1 ? true : undefined));
      expect((await subject.connected(email)).accountId).toBe(accountId);
      expect((await using).status).toBe(200);
      expect((await stateOf(subject, accountId))[0]).toBe('ACTIVE');
      expect(await subject.notifiedExpired(accountId)).toEqual([]);
    }));

  it.each([
    ...CLIENT_REJECTIONS.GOOGLE.map((row) => ['GOOGLE', ...row] as const),
    ...CLIENT_REJECTIONS.MICROSOFT.map((row) => ['MICROSOFT', ...row] as const),
  ])(
    '%s %d %s %j: an alarm for the operator, and no word against the account',
    async (providerType, status, error, numbers) => {
      const subject = fixture[providerType];
      const { accountId, email } = await subject.withDeadToken();
      await fault(subject, email, { status, error, numbers });
      const log = fixture.service.program.stdout;
      const before = log().length;
      expect((await subject.calendars(accountId)).body.code).toBe('ProviderUnavailable');
      const alarms = await eventually('the alarm', () => {
        const lines = log().slice(before).split('\n').slice(0, -1);
        const found = lines.filter((line) => line.includes('the provider refuses an OAuth client'));
        return found.length === 0 ? undefined : found.map((line) => JSON.parse(line) as Record<string, unknown>);
      });
      expect(alarms).toEqual([expect.objectContaining({ level: 'error', providerType })]);
      expect((await stateOf(subject, accountId))[0]).toBe('ACTIVE');
      expect(await subject.notifiedExpired(accountId)).toEqual([]);
    },
  );

  it.each([429, 500, 503])('T5 %d: the caller comes again, the account is as it was', (status) =>
    fixture.everywhere(async (subject) => {
      const { accountId, email } = await subject.withDeadToken();
      await fault(subject, email, { status, error: 'temporarily_unavailable' });
      const response = await subject.calendars(accountId);
      expect(['ProviderUnavailable', 'ProviderRateLimited']).toContain(response.body.code);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect((await stateOf(subject, accountId))[0]).toBe('ACTIVE');
    }),
  );
});

it('T15 credentials that are read carry a token that the provider takes', () =>
  fixture.everywhere(async (subject) => {
    const { accountId } = await subject.connected(subject.someone());
    const { status, headers, body } = await subject.credentials(accountId);
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(Date.parse(body.expiresAt) - Date.now()).toBeGreaterThan(5 * 60_000);
    const response = await fetch(subject.url + subject.words.primaryPath, {
      headers: { authorization: `Bearer ${body.accessToken}` },
    });
    await response.arrayBuffer();
    expect(response.status).toBe(200);
  }));
