import { TokenExchange } from '#providers/kit/oauth';
import { ScriptedEgress } from '#providers/kit/testing/scripted-egress';
import { UNDECIDED } from '#providers/kit/testing/undecided-tokens';
import { readTokenResponse } from './authorization-server.js';

const NOW = Date.UTC(2026, 10, 21);
const EXCHANGE = new TokenExchange(
  { provider: 'Google', egress: new ScriptedEgress(), nowMs: () => NOW },
  new AbortController().signal,
);
const GRANTED = { access_token: 'ya29.a', token_type: 'Bearer', expires_in: 3599 };
const read = (body: Record<string, unknown> | null, status = 200) =>
  readTokenResponse({ status, headers: {}, body }, EXCHANGE, NOW);
const tokens = (fields: object) => {
  const response = read({ ...GRANTED, ...fields });
  return response.state === 'granted' ? response.tokens : null;
};

describe('readTokenResponse: tokens', () => {
  it('reads what was granted', () => {
    expect(
      read({
        ...GRANTED,
        refresh_token: '1//r',
        scope: 'openid  https://x/a openid',
        id_token: 'jwt',
        token_type: 'bearer',
      }),
    ).toEqual({
      state: 'granted',
      tokens: {
        accessToken: 'ya29.a',
        refreshToken: '1//r',
        expiresAt: new Date(NOW + 3_599_000),
        scopes: ['openid', 'https://x/a'],
      },
      idToken: 'jwt',
    });
  });

  it.each([
    [10, 10],
    ['1800', 1_800],
    [undefined, 3_600],
    [0, 3_600],
    [-5, 3_600],
    ['soon', 3_600],
    [null, 3_600],
    [Number.NaN, 3_600],
    [1e12, 86_400],
  ])('T3 takes expires_in %j for %d seconds', (given, seconds) => {
    expect(tokens({ expires_in: given })?.expiresAt).toEqual(new Date(NOW + seconds * 1_000));
  });

  it.each([undefined, null, ''])('T3 finds no refresh token in %j', (value) => {
    expect(tokens({ refresh_token: value })?.refreshToken).toBeNull();
  });

  it.each([undefined, null, '', 7, ['a'], 'x'.repeat(10_000)])('T3 finds no scopes in %j', (value) => {
    expect(tokens({ scope: value })?.scopes).toBeNull();
  });

  it.each([
    { access_token: undefined },
    { access_token: 7 },
    { access_token: 'a b' },
    { access_token: 'a\r\nb' },
    { access_token: 'a'.repeat(5_000) },
    { refresh_token: {} },
    { refresh_token: 'a'.repeat(5_000) },
    { token_type: 'mac' },
    { token_type: undefined },
  ])('T3 refuses %j as nonsense', (fields) => {
    expect(() => read({ ...GRANTED, ...fields })).toThrow(expect.objectContaining({ code: 'ProviderUnavailable' }));
  });

  it('refuses an answer that is no object', () => {
    expect(() => read(null)).toThrow(expect.objectContaining({ code: 'ProviderUnavailable' }));
  });
});

describe('T4 readTokenResponse: decisions', () => {
  it.each([
    [400, 'invalid_grant', 'grant-rejected', 'invalid_grant'],
    [400, 'admin_policy_enforced', 'grant-rejected', 'consent_revoked'],
    [401, 'invalid_client', 'client-rejected', undefined],
    [401, 'deleted_client', 'client-rejected', undefined],
    [400, 'unauthorized_client', 'client-rejected', undefined],
    [400, 'redirect_uri_mismatch', 'client-rejected', undefined],
    [400, 'invalid_request', 'client-rejected', undefined],
    [403, 'a_new_code', 'client-rejected', undefined],
  ])('%d %s: %s', (status, error, state, reason) => {
    const response = read({ error, error_description: 'with a canary' }, status);
    expect(response).toMatchObject({ state, ...(reason !== undefined && { reason }), error: { status, code: error } });
    expect(JSON.stringify(response)).not.toContain('canary');
  });

  it('takes the subtype of a re-authentication policy for what it is', () => {
    expect(read({ error: 'invalid_grant', error_subtype: 'invalid_rapt' }, 400)).toMatchObject({
      state: 'grant-rejected',
    });
  });

  it.each([...UNDECIDED, [403, { error: 'internal_failure' }] as const])(
    'T5 decides nothing on %d %j',
    (status, body) => {
      expect(() => read(body, status)).toThrow(expect.objectContaining({ code: 'ProviderUnavailable' }));
    },
  );

  it('T5 decides nothing on a rate limit', () => {
    expect(() => read({ error: 'rate_limit_exceeded' }, 403)).toThrow(
      expect.objectContaining({ code: 'ProviderRateLimited', retryAfterSeconds: 10 }),
    );
  });
});
