import { TokenExchange } from '#providers/kit/oauth';
import { ScriptedEgress } from '#providers/kit/testing/scripted-egress';
import { UNDECIDED } from '#providers/kit/testing/undecided-tokens';
import { readTokenResponse } from './authorization-server.js';

const NOW = Date.UTC(2026, 10, 21);
const EXCHANGE = new TokenExchange(
  { provider: 'Microsoft', egress: new ScriptedEgress(), nowMs: () => NOW },
  new AbortController().signal,
);
const GRANTED = { access_token: 'EwB.a', token_type: 'Bearer', expires_in: 3_599 };
const DIRECTORY = 'aaaaaaaa-0000-4000-8000-000000000001';

const read = (body: Record<string, unknown> | null, status = 400, tenant = 'common') =>
  readTokenResponse({ status, headers: {}, body }, { exchange: EXCHANGE, nowMs: NOW, tenant });
const rejected = (error: string, codes: unknown, tenant?: string) =>
  read({ error, error_codes: codes, error_description: 'AADSTS1: a canary', trace_id: 't' }, 400, tenant);

describe('readTokenResponse (microsoft): tokens', () => {
  it('T3 takes the refresh token that replaces the old one', () => {
    expect(
      read({ ...GRANTED, refresh_token: 'M.C5', scope: 'User.Read Calendars.ReadWrite', id_token: 'jwt' }, 200),
    ).toEqual({
      state: 'granted',
      tokens: {
        accessToken: 'EwB.a',
        refreshToken: 'M.C5',
        expiresAt: new Date(NOW + 3_599_000),
        scopes: ['User.Read', 'Calendars.ReadWrite'],
      },
      idToken: 'jwt',
    });
  });

  it('T3 takes tokens as long as directories make them, and no longer ones', () => {
    const granted = (length: number) => read({ ...GRANTED, access_token: 'a'.repeat(length) }, 200);
    expect(granted(16_384)).toMatchObject({ state: 'granted' });
    expect(() => granted(16_385)).toThrow(expect.objectContaining({ code: 'ProviderUnavailable' }));
  });
});

describe('T4 readTokenResponse (microsoft): decisions', () => {
  it.each([
    ['revoked', 50_173],
    ['expired', 70_000],
    ['not used for long', 70_008],
    ['not used for 90 days', 700_082],
    ['of a browser application', 700_084],
    ['a sign-in frequency', 70_043],
    ['a broken session', 50_132],
    ['another broken session', 50_133],
    ['a disabled user', 50_057],
    ['an expired password', 50_055],
    ['another expired password', 50_144],
    ['a code that was used', 54_005],
    ['a number that nobody knows', 999_999],
  ])('invalid_grant for %s (%d) is dead', (_, number) => {
    expect(rejected('invalid_grant', [number])).toEqual({
      state: 'grant-rejected',
      reason: 'invalid_grant',
      error: {
        status: 400,
        code: 'invalid_grant',
        message: `Microsoft does not accept the grant (any more). AADSTS${number}`,
        retryable: false,
      },
    });
  });

  it.each([
    ['interaction_required', 50_076, 'invalid_grant'],
    ['invalid_grant', 50_079, 'invalid_grant'],
    ['interaction_required', 53_003, 'invalid_grant'],
    ['login_required', 50_058, 'invalid_grant'],
    ['invalid_grant', 50_034, 'user_deleted'],
    ['invalid_grant', 51_004, 'user_deleted'],
    ['invalid_grant', 65_001, 'consent_revoked'],
    ['invalid_grant', 65_004, 'consent_revoked'],
    ['consent_required', 90_094, 'consent_revoked'],
    ['consent_required', 90_095, 'consent_revoked'],
    ['consent_required', 1, 'consent_revoked'],
    ['access_denied', 1, 'consent_revoked'],
    ['interaction_required', 50_105, 'consent_revoked'],
  ])('%s %d needs the user: %s', (error, number, reason) => {
    expect(rejected(error, [number])).toMatchObject({ state: 'grant-rejected', reason });
  });

  it('hears consent in the suberror', () => {
    const response = { error: 'invalid_grant', suberror: 'consent_required', error_codes: [1] };
    expect(read(response)).toMatchObject({ state: 'grant-rejected', reason: 'consent_revoked' });
    expect(read({ ...response, suberror: 'bad_token' })).toMatchObject({ reason: 'invalid_grant' });
    expect(read({ ...response, error: 'invalid_client' })).toMatchObject({ state: 'client-rejected' });
  });

  it.each([
    ['invalid_client', 7_000_215],
    ['invalid_client', 7_000_222],
    ['invalid_client', 7_000_218],
    ['unauthorized_client', 1],
    ['invalid_request', 900_144],
    ['invalid_request', 9_002_313],
    ['invalid_request', 9_002_331],
    ['invalid_scope', 70_011],
    ['unsupported_grant_type', 70_003],
    ['a_new_code', 50_173],
  ])('%s %d is for the operator', (error, number) => {
    expect(rejected(error, [number])).toMatchObject({
      state: 'client-rejected',
      error: { code: error, message: expect.stringMatching(new RegExp(`request\\. AADSTS${number}$`)) },
    });
  });

  it.each([70_001, 700_016, 7_000_112])(
    'unauthorized_client %d refuses a grant where other directories may know the client',
    (number) => {
      for (const tenant of ['common', 'organizations']) {
        expect(rejected('unauthorized_client', [number], tenant)).toMatchObject({
          state: 'grant-rejected',
          reason: 'consent_revoked',
        });
      }
      for (const tenant of ['consumers', 'contoso.onmicrosoft.com', DIRECTORY]) {
        expect(rejected('unauthorized_client', [number], tenant)).toMatchObject({ state: 'client-rejected' });
      }
    },
  );

  it('unauthorized_client for a user who is not assigned refuses that grant', () => {
    expect(rejected('unauthorized_client', [50_105], DIRECTORY)).toMatchObject({
      state: 'grant-rejected',
      reason: 'consent_revoked',
    });
  });

  it('goes by the description when there are no numbers, and repeats nothing of it', () => {
    const body = { error: 'invalid_grant', error_description: 'AADSTS65001: The canary has not consented' };
    const response = read(body);
    expect(response).toMatchObject({ reason: 'consent_revoked' });
    expect(JSON.stringify(response)).not.toContain('canary');
    expect(read({ ...body, error_codes: [] })).toMatchObject({ reason: 'invalid_grant' });
  });

  it.each([
    [null],
    ['50033'],
    [{ length: 1, 0: 50_033 }],
    [['50033', 50_033.5, -50_033, null, Number.NaN]],
    [Array.from({ length: 1_000 }, () => 'x')],
  ])('T3 finds no numbers in %j', (codes) => {
    const response = rejected('invalid_grant', codes);
    expect(response).toMatchObject({ state: 'grant-rejected', reason: 'invalid_grant' });
    expect(JSON.stringify(response)).not.toContain('50033');
  });
});

describe('T5 readTokenResponse (microsoft): no decision', () => {
  it.each([50_033, 50_087, 70_012, 90_006, 90_012, 90_024, 90_033, 90_055, 90_090, 90_091])(
    'on %d, even as invalid_grant and among others',
    (number) => {
      expect(() => rejected('invalid_grant', [70_000, number])).toThrow(
        expect.objectContaining({ code: 'ProviderUnavailable' }),
      );
    },
  );

  it('on 50196, which wants minutes of rest', () => {
    for (const error of ['invalid_grant', 'invalid_client', 'server_error']) {
      expect(() => rejected(error, [50_196])).toThrow(
        expect.objectContaining({ code: 'ProviderRateLimited', retryAfterSeconds: 300 }),
      );
    }
  });

  it.each(UNDECIDED)('on %d %j', (status, body) => {
    expect(() => read(body, status)).toThrow(expect.objectContaining({ code: 'ProviderUnavailable' }));
  });
});
