import { inspect } from 'node:util';
import type { OAuthClient, TokenDecision } from '#domain/oauth';
import { ROOT } from './testing/google-client.js';
import { ScriptedEgress, type Scripted } from '#providers/kit/testing/scripted-egress';
import { forgeries, keySet, signed as signedWith, uselessKeySets } from '#providers/kit/testing/signed-id-tokens';
import { INDETERMINATE_RESPONSES } from '#providers/kit/testing/undecided-tokens';
import { GoogleAuthorizationServer, googleEndpoints } from './authorization-server.js';

const CLIENT: OAuthClient = { clientId: 'cid-1', clientSecret: 'canary-secret', scopes: null, tenant: null };
const NOW = Date.UTC(2026, 10, 21, 12);
const TOKENS = {
  access_token: 'ya29.a',
  token_type: 'Bearer',
  expires_in: 3599,
  refresh_token: '1//r',
  scope: 'openid',
};
const TOKEN = 'POST /token';
const KEYS = 'GET /oauth2/v3/certs';

const CLAIMS = {
  iss: 'https://accounts.google.com',
  aud: 'cid-1',
  sub: '108000000000000000001',
  email: 'mara.field@example.com',
  email_verified: true,
  nonce: 'n-1',
  iat: NOW / 1_000,
  exp: NOW / 1_000 + 3_600,
};

const signed = (claims: object = {}, header = {}) => signedWith({ ...CLAIMS, ...claims }, header);

function serverOver(egress: ScriptedEgress): GoogleAuthorizationServer {
  const endpoints = googleEndpoints({ apiUrl: ROOT, oauthUrl: ROOT, tokenUrl: ROOT });
  return new GoogleAuthorizationServer({ egress, endpoints, nowMs: () => NOW });
}

const signal = new AbortController().signal;
const exchange = (server: GoogleAuthorizationServer, nonce = 'n-1') =>
  server.exchange({
    client: CLIENT,
    redirectUri: 'https://app.example/cb',
    code: '4/canary-code',
    codeVerifier: 'canary-verifier',
    nonce,
    signal,
  });
const refresh = (server: GoogleAuthorizationServer) =>
  server.refresh({ client: CLIENT, refreshToken: '1//canary-refresh', signal });
const identityOf = (decision: TokenDecision) =>
  decision.state === 'granted' ? decision.tokens.identity : decision.state;

function withIdToken(idToken: unknown, keys: Scripted = keySet()): ScriptedEgress {
  return new ScriptedEgress().on(TOKEN, { json: { ...TOKENS, id_token: idToken } }).on(KEYS, keys);
}

describe('the authorization request', () => {
  const server = serverOver(new ScriptedEgress());
  const params = (
    prompt: 'consent' | 'select_account' | 'none' | null,
    again = false,
    loginHint: string | null = null,
  ) => server.authorizationParams({ prompt, loginHint, nonce: 'n-1', again });

  it.each([
    [null, 'consent'],
    ['consent', 'consent'],
    ['select_account', 'select_account'],
    ['none', 'none'],
  ] as const)('with prompt %s sends %s', (prompt, sent) => {
    expect(params(prompt)).toEqual({
      access_type: 'offline',
      include_granted_scopes: 'true',
      prompt: sent,
      nonce: 'n-1',
    });
  });

  it('asks for consent when it begins again, and passes the hint on', () => {
    expect(params('select_account', true, 'mara@example.com')).toMatchObject({
      prompt: 'consent select_account',
      login_hint: 'mara@example.com',
    });
  });

  it('N36 knows its own issuer', () => {
    expect(['https://accounts.google.com', 'accounts.google.com'].every((iss) => server.isIssuer(iss))).toBe(true);
    expect(['https://accounts.google.com/', 'https://evil.example', ''].some((iss) => server.isIssuer(iss))).toBe(
      false,
    );
  });

  it('asks for full access unless told otherwise', () => {
    expect(server.defaultScopes).toEqual(['openid', 'email', 'https://www.googleapis.com/auth/calendar']);
    expect(server.authorizationEndpoint()).toBe(`${ROOT}/o/oauth2/v2/auth`);
  });
});

describe('exchange', () => {
  it('sends the code with its verifier in a form, and verifies who signed in', async () => {
    const egress = withIdToken(await signed());
    expect(await exchange(serverOver(egress))).toEqual({
      state: 'granted',
      tokens: {
        accessToken: 'ya29.a',
        refreshToken: '1//r',
        expiresAt: new Date(NOW + 3_599_000),
        scopes: ['openid'],
        identity: { subject: '108000000000000000001', email: 'mara.field@example.com' },
      },
    });
    expect(Object.fromEntries(new URLSearchParams(String(egress.requests[0]?.body)))).toEqual({
      grant_type: 'authorization_code',
      code: '4/canary-code',
      code_verifier: 'canary-verifier',
      redirect_uri: 'https://app.example/cb',
      client_id: 'cid-1',
      client_secret: 'canary-secret',
    });
    expect(egress.lines).toEqual([TOKEN, KEYS]);
    expect(egress.requests.every(({ timeoutMs }) => timeoutMs < 8_000)).toBe(true);
  });

  it('knows nobody without an id_token', async () => {
    const egress = withIdToken(undefined);
    expect(identityOf(await exchange(serverOver(egress)))).toBeNull();
    expect(egress.lines).toEqual([TOKEN]);
  });

  it.each([
    ['an address that is not verified', { email_verified: false }],
    ['no address', { email: undefined }],
    ['an address that is none', { email: 'mara' }],
    ['an address that no database can store', { email: 'mara\0@example.com' }],
    ['an address that is no Unicode', { email: 'mara\ud800@example.com' }],
    ['a subject that is none', { sub: 'a b' }],
  ])('gives no identity for %s', async (_, claims) => {
    expect(identityOf(await exchange(serverOver(withIdToken(await signed(claims)))))).toBeNull();
  });

  it.each(forgeries(CLAIMS, NOW))('N43 refuses the grant for %s', async (_, idToken) => {
    const decision = await exchange(serverOver(withIdToken(await idToken())));
    expect(decision).toMatchObject({
      state: 'grant-rejected',
      reason: 'invalid_grant',
      error: { code: 'invalid_id_token' },
    });
    expect(inspect(decision, { depth: 9 })).not.toContain('canary');
  });

  it('N43 accepts both forms of the issuer, and clocks that differ a little', async () => {
    const claims = { iss: 'accounts.google.com', exp: NOW / 1_000 - 599 };
    expect(identityOf(await exchange(serverOver(withIdToken(await signed(claims)))))).toMatchObject({
      subject: CLAIMS.sub,
    });
  });

  it('decides nothing when the keys cannot be had', async () => {
    for (const failure of ['connect', { status: 503 }, { json: { keys: 'none' } }, { text: '<html>' }] as Scripted[]) {
      const egress = withIdToken(await signed(), failure);
      await expect(exchange(serverOver(egress))).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    }
  });

  it.each(uselessKeySets())('decides nothing with a key that cannot be used: %j', async (keys) => {
    const egress = withIdToken(await signed(), keys);
    await expect(exchange(serverOver(egress))).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    expect(identityOf(await refresh(serverOver(egress)))).toBeNull();
  });

  it('keeps the keys for as long as Google says, and looks for an unknown one once a minute', async () => {
    const egress = withIdToken(await signed());
    const server = serverOver(egress);
    await exchange(server);
    await exchange(server);
    const count = () => egress.lines.filter((line) => line === KEYS).length;
    expect(count()).toBe(1);
    egress.on(TOKEN, { json: { ...TOKENS, id_token: await signed({}, { kid: 'k2' }) } });
    await exchange(server);
    expect(count()).toBe(1);
    const brief = withIdToken(await signed(), keySet('k1', 0));
    const other = serverOver(brief);
    await exchange(other);
    await exchange(other);
    expect(brief.lines.filter((line) => line === KEYS)).toHaveLength(2);
  });
});

describe('refresh', () => {
  it('sends the refresh token in a form', async () => {
    const egress = new ScriptedEgress().on(TOKEN, { json: { ...TOKENS, refresh_token: undefined } });
    expect(await refresh(serverOver(egress))).toMatchObject({ state: 'granted', tokens: { refreshToken: null } });
    expect(Object.fromEntries(new URLSearchParams(String(egress.requests[0]?.body)))).toEqual({
      grant_type: 'refresh_token',
      refresh_token: '1//canary-refresh',
      client_id: 'cid-1',
      client_secret: 'canary-secret',
    });
  });

  it('needs no nonce, and goes on without an identity when the id_token proves nothing', async () => {
    expect(identityOf(await refresh(serverOver(withIdToken(await signed({ nonce: undefined })))))).not.toBeNull();
    expect(identityOf(await refresh(serverOver(withIdToken(await signed({ aud: 'x' })))))).toBeNull();
    expect(identityOf(await refresh(serverOver(withIdToken(await signed(), 'connect'))))).toBeNull();
  });

  it('asks for no keys where it is known whose grant it is', async () => {
    const egress = withIdToken(await signed());
    const grant = { client: CLIENT, refreshToken: '1//canary-refresh', isKnown: true, signal };
    expect(identityOf(await serverOver(egress).refresh(grant))).toBeNull();
    expect(egress.lines).toEqual([TOKEN]);
  });

  it('T4 tells a dead grant from a client that is refused', async () => {
    const dead = new ScriptedEgress().on(TOKEN, { status: 400, json: { error: 'invalid_grant' } });
    expect(await refresh(serverOver(dead))).toMatchObject({ state: 'grant-rejected' });
    const ours = new ScriptedEgress().on(TOKEN, { status: 401, json: { error: 'invalid_client' } });
    expect(await refresh(serverOver(ours))).toMatchObject({ state: 'client-rejected' });
  });

  it.each(INDETERMINATE_RESPONSES)('T5 decides nothing on %s', async (_, response, error) => {
    const thrown = await refresh(serverOver(new ScriptedEgress().on(TOKEN, response))).catch(
      (reason: unknown) => reason,
    );
    expect(thrown).toMatchObject(error);
    expect(inspect(thrown, { depth: 9, showHidden: true })).not.toContain('canary');
  });
});

describe('identify', () => {
  const INFO = 'POST /tokeninfo';
  const identify = (response: Scripted) =>
    serverOver(new ScriptedEgress().on(INFO, response)).identify({ accessToken: 'ya29.canary', signal });

  it('asks with the token in the body, and reads booleans written as text', async () => {
    const egress = new ScriptedEgress().on(INFO, {
      json: { sub: '1', email: 'm@example.com', email_verified: 'true' },
    });
    expect(await serverOver(egress).identify({ accessToken: 'ya29.canary', signal })).toEqual({
      subject: '1',
      email: 'm@example.com',
    });
    expect(egress.lines).toEqual([INFO]);
    expect(egress.requests[0]?.body).toBe('access_token=ya29.canary');
  });

  it.each<Scripted>([
    { json: { scope: 'https://www.googleapis.com/auth/calendar' } },
    { json: { sub: '1', email: 'm@example.com', email_verified: 'false' } },
    { status: 400, json: { error: 'invalid_token' } },
  ])('knows nobody by %j', async (response) => {
    expect(await identify(response)).toBeNull();
  });

  it('decides nothing on nonsense', async () => {
    await expect(identify({ text: '<html>' })).rejects.toMatchObject({ code: 'ProviderUnavailable' });
  });
});

describe('revoke', () => {
  const REVOKE = 'POST /revoke';
  const revoke = (egress: ScriptedEgress) => serverOver(egress).revoke({ token: '1//canary', signal });

  it('sends the token in the body, not in the address', async () => {
    const egress = new ScriptedEgress().on(REVOKE, {});
    await revoke(egress);
    expect(egress.lines).toEqual([REVOKE]);
    expect(egress.requests[0]?.body).toBe('token=1%2F%2Fcanary');
  });

  it('takes a grant that is gone for revoked', async () => {
    await revoke(new ScriptedEgress().on(REVOKE, { status: 400, json: { error: 'invalid_token' } }));
  });

  it.each<Scripted>([
    { status: 400, text: 'no' },
    { status: 400, json: { error: 'invalid_request' } },
    { status: 503 },
    'reset',
  ])('fails for %j', async (response) => {
    await expect(revoke(new ScriptedEgress().on(REVOKE, response))).rejects.toMatchObject({
      code: 'ProviderUnavailable',
    });
  });
});
