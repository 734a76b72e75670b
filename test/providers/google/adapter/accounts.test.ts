import type { OAuthCredentials } from '#domain/accounts';
import type { ConnectRequest } from '#domain/providers';
import { FULL_SCOPES, GRANULAR_SCOPES } from '../../../support/sandbox.js';
import { CLIENT, MARA, startSandboxedAdapter, type SandboxedAdapter } from './sandboxed-adapter.js';

let google: SandboxedAdapter;
beforeAll(async () => {
  google = await startSandboxedAdapter();
});
afterAll(() => google?.stop());
afterEach(() => google.sandbox.expectNoViolations());

const signal = new AbortController().signal;

async function connectRequest(scopes?: string[]): Promise<ConnectRequest> {
  const { credentials } = await google.session(MARA, scopes === undefined ? {} : { scopes });
  return { applicationId: 'application', email: MARA, serverUrl: null, credentials, signal };
}

describe('grants of the sandbox', () => {
  it('refreshes, and learns scopes and person', async () => {
    const { credentials } = await google.session(MARA);
    const { refreshToken } = credentials as OAuthCredentials;
    const decision = await google.authorization().refresh({ client: CLIENT, refreshToken, signal });
    expect(decision).toMatchObject({ state: 'granted', tokens: { refreshToken: null } });
    const tokens = decision.state === 'granted' ? decision.tokens : undefined;
    expect(google.authorization().missingScopes(FULL_SCOPES, tokens?.scopes ?? [])).toEqual([]);
    expect(tokens?.expiresAt.getTime()).toBeGreaterThan(Date.now());
    const accessToken = tokens?.accessToken ?? '';
    const asked = await google.authorization().identify({ accessToken, signal });
    expect(asked).toMatchObject({ email: MARA, subject: expect.stringMatching(/^\d+$/) });
    expect(tokens?.identity ?? asked).toEqual(asked);
  });

  it('T4 tells a grant that was taken away from a client that is wrong', async () => {
    const { credentials } = await google.session(MARA);
    const { refreshToken } = credentials as OAuthCredentials;
    const wrong = { ...CLIENT, clientSecret: 'wrong' };
    expect(await google.authorization().refresh({ client: wrong, refreshToken, signal })).toMatchObject({
      state: 'client-rejected',
    });
    await google.sandbox.revoke(MARA);
    expect(await google.authorization().refresh({ client: CLIENT, refreshToken, signal })).toMatchObject({
      state: 'grant-rejected',
      reason: 'invalid_grant',
    });
  });

  it('refuses a code that nobody has given out', async () => {
    const redirectUri = 'http://127.0.0.1/cb';
    const request = { client: CLIENT, redirectUri, code: '4/none', codeVerifier: 'v'.repeat(43), nonce: 'n', signal };
    expect(await google.authorization().exchange(request)).toMatchObject({ state: 'grant-rejected' });
  });

  it('revokes, and may do it again', async () => {
    const { credentials } = await google.session(MARA);
    const { refreshToken } = credentials as OAuthCredentials;
    await google.authorization().revoke({ client: CLIENT, token: refreshToken, signal });
    await google.authorization().revoke({ client: CLIENT, token: refreshToken, signal });
    expect(await google.authorization().refresh({ client: CLIENT, refreshToken, signal })).toMatchObject({
      state: 'grant-rejected',
    });
    expect(await google.authorization().identify({ accessToken: refreshToken, signal })).toBeNull();
  });
});

describe('accounts of the sandbox', () => {
  it('connects with a real call', async () => {
    expect(await google.provider().connect(await connectRequest())).toMatchObject({ email: MARA, serverUrl: null });
    expect(await google.provider().connect(await connectRequest(GRANULAR_SCOPES))).toMatchObject({ email: MARA });
  });

  it('T13 refuses a grant without calendars', async () => {
    const request = await connectRequest(['openid', 'email']);
    await expect(google.provider().connect(request)).rejects.toMatchObject({ code: 'CredentialsRejected' });
  });

  it('verifies, until the access is gone', async () => {
    const session = await google.session(MARA);
    await google.provider().verify(session);
    await google.sandbox.expireAccessTokens(MARA);
    await expect(google.provider().verify(session)).rejects.toMatchObject({ code: 'CredentialsRejected' });
  });

  it('names the permission that a narrow grant lacks', async () => {
    const session = await google.session(MARA, { scopes: GRANULAR_SCOPES });
    await expect(google.provider().createCalendar(session, { name: 'No' }, {})).rejects.toMatchObject({
      code: 'Forbidden',
      message: expect.stringContaining('create, change and delete calendars'),
      provider: { status: 403, code: 'insufficientPermissions' },
    });
  });
});
