import { auth } from '@googleapis/calendar';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { FULL_SCOPES, startSandbox, type Sandbox } from '../support/sandbox.js';
import { pkce, Visitor } from './visitor.js';

const CLIENT = { clientId: 'cid-1', clientSecret: 'secret-1', redirectUris: ['http://127.0.0.1:9/callback'] };
const ADA = 'ada@example.com';
const EVENTS = 'https://www.googleapis.com/auth/calendar.events';
const DAY_MS = 86_400_000;
type OAuth2Client = InstanceType<typeof auth.OAuth2>;

describe('the token endpoints of the sandbox', () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox();
  });

  beforeEach(async () => {
    await sandbox.reset();
    await sandbox.addClient(CLIENT);
    await sandbox.addUser({ email: ADA, name: 'Ada Byron', workspace: true });
  });

  afterAll(async () => {
    await sandbox?.stop();
  });

  const officialClient = (): OAuth2Client =>
    new auth.OAuth2({
      clientId: CLIENT.clientId,
      clientSecret: CLIENT.clientSecret,
      redirectUri: CLIENT.redirectUris[0] ?? '',
      endpoints: {
        oauth2AuthBaseUrl: `${sandbox.googleUrl}/o/oauth2/v2/auth`,
        oauth2TokenUrl: `${sandbox.googleUrl}/token`,
        oauth2RevokeUrl: `${sandbox.googleUrl}/revoke`,
        tokenInfoUrl: `${sandbox.googleUrl}/tokeninfo`,
      },
    });
  const post = async (
    path: string,
    form: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: any; headers: Headers }> => {
    const response = await fetch(`${sandbox.googleUrl}${path}`, {
      method: 'POST',
      headers,
      body: new URLSearchParams(form),
    });
    return { status: response.status, body: await response.json(), headers: response.headers };
  };
  const refresh = (refreshToken: string, form: Record<string, string> = {}) =>
    post('/token', {
      ...{ grant_type: 'refresh_token', refresh_token: refreshToken },
      ...{ client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, ...form },
    });
  const tokenInfo = (accessToken: string) => post('/tokeninfo', { access_token: accessToken });

  it('serves the official client from the sign-in to the revocation, without a violation', async () => {
    const client = officialClient();
    const { verifier, challenge } = pkce();
    const url = client.generateAuthUrl({
      ...{ access_type: 'offline', prompt: 'consent', include_granted_scopes: true, state: 's', scope: FULL_SCOPES },
      ...{ code_challenge: challenge, code_challenge_method: 'S256' as never },
    });
    const back = await new Visitor(sandbox.googleUrl).signIn(url, ADA);
    const code = back.url.searchParams.get('code') ?? '';
    const { tokens } = await client.getToken({ code, codeVerifier: verifier });
    expect(tokens).toMatchObject({ token_type: 'Bearer', refresh_token: expect.stringMatching(/^1\/\//) });
    client.setCredentials(tokens);

    const before = tokens.access_token;
    const { credentials } = await client.refreshAccessToken();
    expect(credentials.access_token).not.toBe(before);
    expect(credentials.refresh_token).toBe(tokens.refresh_token);

    const info = await client.getTokenInfo(credentials.access_token ?? '');
    expect(info).toMatchObject({ aud: CLIENT.clientId, email: ADA, access_type: 'offline' });
    expect(info.scopes.sort()).toEqual([
      'https://www.googleapis.com/auth/calendar',
      'https://www.googleapis.com/auth/userinfo.email',
      'openid',
    ]);

    await client.revokeToken(credentials.access_token ?? '');
    client.setCredentials(tokens);
    await expect(client.refreshAccessToken()).rejects.toMatchObject({
      response: {
        status: 400,
        data: { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' },
      },
    });
    await sandbox.expectNoViolations();
  });

  it('tells the user of a live token with openid', async () => {
    const userInfo = async (token: string) => {
      const response = await fetch(`${sandbox.googleUrl}/oauth2/v3/userinfo`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return { status: response.status, body: await response.json() };
    };
    const tokenWith = async (scopes: string[]) => {
      const { refreshToken } = await sandbox.grant(ADA, CLIENT.clientId, scopes);
      return (await refresh(refreshToken)).body.access_token as string;
    };
    const token = await tokenWith(['openid', 'email']);
    expect(await userInfo(token)).toEqual({
      status: 200,
      body: { sub: expect.any(String), email: ADA, email_verified: true },
    });
    await post('/revoke', { token });
    expect((await userInfo(token)).status).toBe(401);
    expect((await userInfo(await tokenWith(['https://www.googleapis.com/auth/calendar']))).status).toBe(401);
  });

  it('signs id_tokens that its published key verifies', async () => {
    const { refreshToken } = await sandbox.grant(ADA, CLIENT.clientId, ['openid', 'email', 'profile']);
    const { body } = await refresh(refreshToken);
    const certs = await fetch(`${sandbox.googleUrl}/oauth2/v3/certs`);
    expect(certs.headers.get('cache-control')).toMatch(/max-age=\d+/);
    const { payload, protectedHeader } = await jwtVerify(
      body.id_token,
      createLocalJWKSet((await certs.json()) as Parameters<typeof createLocalJWKSet>[0]),
      { issuer: 'https://accounts.google.com', audience: CLIENT.clientId, algorithms: ['RS256'], maxTokenAge: '5m' },
    );
    expect(protectedHeader.kid).toBeDefined();
    expect(payload).toMatchObject({ email: ADA, name: 'Ada Byron', given_name: 'Ada', hd: 'example.com' });
    expect(Number(payload.exp) - Number(payload.iat)).toBe(3600);
  });

  it('publishes where its endpoints are', async () => {
    const response = await fetch(`${sandbox.googleUrl}/.well-known/openid-configuration`);
    expect(await response.json()).toMatchObject({
      issuer: 'https://accounts.google.com',
      authorization_endpoint: `${sandbox.googleUrl}/o/oauth2/v2/auth`,
      token_endpoint: `${sandbox.googleUrl}/token`,
      jwks_uri: `${sandbox.googleUrl}/oauth2/v3/certs`,
      code_challenge_methods_supported: ['plain', 'S256'],
    });
  });

  describe('client authentication', () => {
    it('takes the secret from the body or from Basic, never from both', async () => {
      const { refreshToken } = await sandbox.grant(ADA, CLIENT.clientId);
      const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
      const basic = { authorization: `Basic ${Buffer.from('cid-1:secret-1').toString('base64')}` };
      expect((await post('/token', form, basic)).status).toBe(200);
      expect((await refresh(refreshToken)).status).toBe(200);
      await sandbox.expectNoViolations();
      expect((await post('/token', { ...form, client_secret: 'secret-1' }, basic)).body.error).toBe('invalid_request');
      expect(await sandbox.violations()).toHaveLength(1);
    });

    it('reads what Basic carries as form-encoded', async () => {
      await sandbox.addClient({ ...CLIENT, clientId: 'a b&c', clientSecret: 'x:+%' });
      const { refreshToken } = await sandbox.grant(ADA, 'a b&c');
      const credentials = Buffer.from('a+b%26c:x%3A%2B%25').toString('base64');
      const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
      expect((await post('/token', form, { authorization: `Basic ${credentials}` })).status).toBe(200);
    });

    it.each([
      ['an unknown client', { client_id: 'nobody' }, 401, 'invalid_client', 'The OAuth client was not found.'],
      ['a wrong secret', { client_secret: 'x' }, 401, 'invalid_client', 'The provided client secret is invalid.'],
      [
        'a secret cut short',
        { client_secret: 'secret-' },
        401,
        'invalid_client',
        'The provided client secret is invalid.',
      ],
    ])('refuses %s', async (_, form, status, error, description) => {
      const { refreshToken } = await sandbox.grant(ADA, CLIENT.clientId);
      const response = await refresh(refreshToken, form);
      expect(response).toMatchObject({ status, body: { error, error_description: description } });
      expect(response.headers.get('cache-control')).toBe('no-store');
      await sandbox.expectNoViolations();
    });
  });

  it.each([
    ['no grant type', { grant_type: '' }, 'invalid_request', 'Missing required parameter: grant_type'],
    ['another grant type', { grant_type: 'password' }, 'unsupported_grant_type', 'Invalid grant_type: password'],
    ['no refresh token', { refresh_token: '' }, 'invalid_request', 'Missing required parameter: refresh_token'],
    [
      'a parameter that Google has not',
      { scopes: 'x' },
      'invalid_request',
      'Parameter not allowed for this message type: scopes',
    ],
    [
      'a prototype for a grant type',
      { grant_type: '__proto__' },
      'unsupported_grant_type',
      'Invalid grant_type: __proto__',
    ],
  ])('refuses and notes %s', async (_, form, error, description) => {
    const { refreshToken } = await sandbox.grant(ADA, CLIENT.clientId);
    expect(await refresh(refreshToken, form)).toMatchObject({
      status: 400,
      body: { error, error_description: description },
    });
    expect(await sandbox.violations()).toMatchObject([{ methodId: null, request: 'POST /token' }]);
  });

  it('refuses and notes JSON, a secret in the query, and a parameter twice', async () => {
    const json = await fetch(`${sandbox.googleUrl}/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ grant_type: 'refresh_token' }),
    });
    expect(json.status).toBe(400);
    expect((await post('/token?client_secret=secret-1', { grant_type: 'refresh_token' })).status).toBe(400);
    const twice = await fetch(`${sandbox.googleUrl}/token`, {
      method: 'POST',
      body: new URLSearchParams([
        ['grant_type', 'refresh_token'],
        ['refresh_token', 'a'],
        ['refresh_token', 'b'],
      ]),
    });
    expect(twice.status).toBe(400);
    const violations = await sandbox.violations();
    expect(violations).toHaveLength(3);
    expect(JSON.stringify([violations, await sandbox.requests()])).not.toContain('secret-1');
  });

  describe('the life of a grant', () => {
    it('lets an access token live for 3599 seconds, and a refresh token on', async () => {
      const { accessToken, refreshToken, expiresIn } = await sandbox.grant(ADA, CLIENT.clientId);
      expect(expiresIn).toBe(3599);
      await sandbox.advanceClock(3598_000);
      expect((await tokenInfo(accessToken)).status).toBe(200);
      await sandbox.advanceClock(1_000);
      expect((await tokenInfo(accessToken)).status).toBe(400);
      const { body } = await refresh(refreshToken);
      expect(body).not.toHaveProperty('refresh_token');
      expect((await tokenInfo(body.access_token)).body).toMatchObject({ email: ADA, email_verified: 'true' });
    });

    it('ends access tokens on demand, of one user or of all', async () => {
      await sandbox.addUser({ email: 'grace@example.com' });
      const ada = await sandbox.grant(ADA, CLIENT.clientId);
      const grace = await sandbox.grant('grace@example.com', CLIENT.clientId);
      await sandbox.expireAccessTokens(ADA);
      expect((await tokenInfo(ada.accessToken)).status).toBe(400);
      expect((await tokenInfo(grace.accessToken)).status).toBe(200);
      await sandbox.expireAccessTokens();
      expect((await tokenInfo(grace.accessToken)).status).toBe(400);
    });

    it('dies as a whole by revocation: of either token, by the user, with the account', async () => {
      const deaths: ((tokens: { accessToken: string; refreshToken: string }) => Promise<unknown>)[] = [
        ({ accessToken }) => post('/revoke', { token: accessToken }),
        ({ refreshToken }) => post(`/revoke?token=${encodeURIComponent(refreshToken)}`, {}),
        () => sandbox.revoke(ADA, CLIENT.clientId),
        () => sandbox.revoke(ADA),
        () => sandbox.removeUser(ADA),
      ];
      for (const die of deaths) {
        const tokens = await sandbox.grant(ADA, CLIENT.clientId);
        await die(tokens);
        expect((await refresh(tokens.refreshToken)).body.error_description).toBe('Token has been expired or revoked.');
        expect((await tokenInfo(tokens.accessToken)).status).toBe(400);
      }
    });

    it('outlives a revocation for another client', async () => {
      await sandbox.addClient({ ...CLIENT, clientId: 'cid-2' });
      const { refreshToken } = await sandbox.grant(ADA, CLIENT.clientId);
      await sandbox.grant(ADA, 'cid-2');
      await sandbox.revoke(ADA, 'cid-2');
      expect((await refresh(refreshToken)).status).toBe(200);
    });

    it('cannot be revoked twice, nor without a token', async () => {
      const { accessToken } = await sandbox.grant(ADA, CLIENT.clientId);
      expect((await post('/revoke', { token: accessToken })).status).toBe(200);
      expect(await post('/revoke', { token: accessToken })).toMatchObject({
        status: 400,
        body: { error: 'invalid_token', error_description: 'Token expired or revoked' },
      });
      expect((await post('/revoke', {})).body.error).toBe('invalid_request');
    });

    it('is worth nothing to another client', async () => {
      await sandbox.addClient({ ...CLIENT, clientId: 'cid-2' });
      const { refreshToken } = await sandbox.grant(ADA, 'cid-2');
      const responses = [await refresh(refreshToken), await refresh('1//never-issued')];
      for (const { status, body } of responses) {
        expect({ status, body }).toEqual({
          status: 400,
          body: { error: 'invalid_grant', error_description: 'Bad Request' },
        });
      }
    });

    it('keeps 100 live refresh tokens of a user and client: the oldest dies without a word', async () => {
      const first = await sandbox.grant(ADA, CLIENT.clientId);
      const second = await sandbox.grant(ADA, CLIENT.clientId);
      for (let count = 0; count < 98; count += 1) await sandbox.grant(ADA, CLIENT.clientId);
      expect((await refresh(first.refreshToken)).status).toBe(200);
      await sandbox.grant(ADA, CLIENT.clientId);
      expect((await refresh(first.refreshToken)).body.error).toBe('invalid_grant');
      expect((await refresh(second.refreshToken)).status).toBe(200);
    });

    it('ends after seven days for a client in testing, unless it is about signing in alone', async () => {
      await sandbox.addClient({ ...CLIENT, publishing: 'testing' });
      const calendar = await sandbox.grant(ADA, CLIENT.clientId);
      const signIn = await sandbox.grant(ADA, CLIENT.clientId, ['openid', 'email', 'profile']);
      await sandbox.advanceClock(7 * DAY_MS - 60_000);
      expect((await refresh(calendar.refreshToken)).status).toBe(200);
      await sandbox.advanceClock(60_000);
      expect((await refresh(calendar.refreshToken)).body.error).toBe('invalid_grant');
      expect((await refresh(signIn.refreshToken)).status).toBe(200);
    });

    it('ends when its refresh token is not used for half a year', async () => {
      const { refreshToken } = await sandbox.grant(ADA, CLIENT.clientId);
      await sandbox.advanceClock(181 * DAY_MS);
      expect((await refresh(refreshToken)).status).toBe(200);
      await sandbox.advanceClock(181 * DAY_MS);
      expect((await refresh(refreshToken)).status).toBe(200);
      await sandbox.advanceClock(182 * DAY_MS);
      expect((await refresh(refreshToken)).body.error).toBe('invalid_grant');
    });

    it('loses scopes that the user takes back, in the tokens that are out too', async () => {
      const { accessToken, refreshToken } = await sandbox.grant(ADA, CLIENT.clientId, ['openid', 'email', EVENTS]);
      await sandbox.unlink(ADA, CLIENT.clientId, [EVENTS, 'email']);
      expect((await refresh(refreshToken)).body.scope).toBe('openid');
      expect((await tokenInfo(accessToken)).body).not.toHaveProperty('email');
    });

    it('F29 gives a new refresh token at each refresh, and ends the old one, to a client with strict rotation', async () => {
      await sandbox.addClient({ ...CLIENT, rotateRefreshTokens: true });
      const { refreshToken } = await sandbox.grant(ADA, CLIENT.clientId);
      const { body } = await refresh(refreshToken);
      expect(body.refresh_token).not.toBe(refreshToken);
      expect((await refresh(refreshToken)).body.error).toBe('invalid_grant');
      expect((await refresh(body.refresh_token)).status).toBe(200);
    });
  });

  it('tells what a token allows to everybody who has it', async () => {
    const { accessToken } = await sandbox.grant(ADA, CLIENT.clientId, [EVENTS]);
    const response = await fetch(`${sandbox.googleUrl}/tokeninfo?access_token=${accessToken}`);
    const info: any = await response.json();
    expect(info).toMatchObject({ azp: CLIENT.clientId, aud: CLIENT.clientId, scope: EVENTS });
    expect(info).not.toHaveProperty('email');
    expect(Number(info.expires_in)).toBeLessThanOrEqual(3599);
  });

  it('knows nothing about a refresh token at tokeninfo', async () => {
    const { refreshToken } = await sandbox.grant(ADA, CLIENT.clientId);
    expect((await post('/tokeninfo', { access_token: refreshToken })).body.error).toBe('invalid_token');
  });

  it('counts the token calls, with the user they are for', async () => {
    const { refreshToken } = await sandbox.grant(ADA, CLIENT.clientId);
    await refresh(refreshToken);
    await refresh('1//never-issued');
    expect(await sandbox.requests({ kind: 'token' })).toMatchObject([
      { method: 'POST', path: '/token', user: ADA, status: 200 },
      { method: 'POST', path: '/token', user: null, status: 400 },
    ]);
  });
});
