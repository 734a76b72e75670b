import type { OAuthClient, OAuthTokens, TokenDecision } from '#domain/oauth';
import { GuardedEgress } from '#egress';
import { CallPolicy } from '#providers/kit/calls';
import { ScriptedEgress } from '#providers/kit/testing/scripted-egress';
import { clientOver } from '#providers/microsoft/testing/microsoft-client';
import { MicrosoftAuthorizationServer } from '../../../../libs/providers/microsoft/authorization-server.js';
import { connectAccount } from '../../../../libs/providers/microsoft/connect-account.js';
import { REFUSALS } from '../../../../libs/providers/microsoft/errors.js';
import { graphRoot } from '../../../../libs/providers/microsoft/graph-links.js';
import { GraphTransport } from '../../../../libs/providers/microsoft/graph-transport.js';
import { pkce, Visitor } from '../../../sandbox/visitor.js';
import { startSandbox, type Sandbox } from '../../../support/sandbox.js';

const REDIRECT_URI = 'http://127.0.0.1/cb';
const CLIENT: OAuthClient = {
  clientId: '0c1fbd52-6e8a-4f6c-9b37-52a3d1e0a6f4',
  clientSecret: 'canary secret+/=&~',
  scopes: null,
  tenant: null,
};
const FABRIKAM = 'aaaaaaaa-0000-4000-8000-000000000001';
const CONTOSO = 'aaaaaaaa-0000-4000-8000-000000000002';
const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad';
const IDA = {
  oid: 'bbbbbbbb-0000-4000-8000-000000000001',
  tid: FABRIKAM,
  email: 'ida.berg@fabrikam.example',
  userPrincipalName: 'ida@fabrikam.example',
};
const PAT = { email: 'pat@outlook.com' };

const signal = new AbortController().signal;
const nowMs = () => Date.now();
let sandbox: Sandbox;
let egress: GuardedEgress;
let server: MicrosoftAuthorizationServer;

beforeAll(async () => {
  sandbox = await startSandbox();
  const { clientId, clientSecret } = CLIENT;
  await sandbox.microsoft.addClient({ clientId, clientSecret, redirectUris: [REDIRECT_URI] });
  const { url } = sandbox.microsoft;
  egress = new GuardedEgress({ trustedOrigins: [url] });
  server = new MicrosoftAuthorizationServer({ egress, nowMs, loginUrl: url, graphUrl: url });
});
afterAll(async () => {
  await egress?.close();
  await sandbox?.stop();
});
beforeEach(async () => {
  for (const user of [IDA, PAT]) await sandbox.microsoft.addUser(user);
});
afterEach(async () => {
  await sandbox.microsoft.clearFaults();
  for (const { userPrincipalName } of await sandbox.microsoft.users()) {
    await sandbox.microsoft.removeUser(userPrincipalName);
  }
  expect(await sandbox.microsoft.violations()).toEqual([]);
});

/** Sends a browser to the sign-in page, as the service does. */
function authorizationUrl(client: OAuthClient, challenge: string): string {
  const url = new URL(server.authorizationEndpoint(client));
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: REDIRECT_URI,
    scope: (client.scopes ?? server.defaultScopes).join(' '),
    state: 's',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...server.authorizationParams({ prompt: null, loginHint: null, nonce: 'n-1', again: false }),
  }).toString();
  return url.href;
}

/** All the way to a code; `redeem` may be called again. */
async function signIn(email: string, client: OAuthClient = CLIENT) {
  const { verifier, challenge } = pkce();
  const back = await new Visitor(sandbox.microsoft.url).signIn(authorizationUrl(client, challenge), email);
  const code = back.url.searchParams.get('code') ?? '';
  const redeem = () =>
    server.exchange({ client, redirectUri: REDIRECT_URI, code, codeVerifier: verifier, nonce: 'n-1', signal });
  return { back, redeem };
}

async function granted(email: string, client?: OAuthClient): Promise<OAuthTokens & { refreshToken: string }> {
  const { redeem } = await signIn(email, client);
  return tokensOf(await redeem());
}

function tokensOf(decision: TokenDecision): OAuthTokens & { refreshToken: string } {
  if (decision.state !== 'granted') throw new Error(JSON.stringify(decision));
  const { tokens } = decision;
  return { ...tokens, refreshToken: tokens.refreshToken ?? '' };
}

const refresh = (refreshToken: string, client = CLIENT) => server.refresh({ client, refreshToken, signal });

function connect({ accessToken, refreshToken, expiresAt, identity, scopes }: OAuthTokens & { refreshToken: string }) {
  const root = graphRoot(sandbox.microsoft.url);
  const deps = {
    ...clientOver(new ScriptedEgress()).deps,
    root,
    transport: new GraphTransport({ egress, root, nowMs }),
    policy: new CallPolicy({ rules: REFUSALS, timeoutMs: 10_000 }),
  };
  return connectAccount(deps, {
    applicationId: 'application',
    email: '',
    serverUrl: null,
    credentials: { kind: 'oauth', clientId: CLIENT.clientId, accessToken, refreshToken, expiresAt },
    grant: { identity, scopes: scopes ?? [] },
    signal,
  });
}

describe('signing in at the identity platform', () => {
  it('connects a work account, known by its directory and object id', async () => {
    const tokens = await granted(IDA.email);
    expect(tokens.identity).toEqual({
      subject: `${FABRIKAM}.${IDA.oid}`,
      email: IDA.email,
      otherEmails: [IDA.userPrincipalName],
      aliases: [],
    });
    expect(server.missingScopes(server.defaultScopes, tokens.scopes ?? [])).toEqual([]);
    expect(await connect(tokens)).toMatchObject({ email: IDA.email, providerAccountId: `${FABRIKAM}.${IDA.oid}` });
  });

  it('connects a personal account', async () => {
    const tokens = await granted(PAT.email);
    expect(tokens.identity?.subject).toMatch(new RegExp(`^${PERSONAL}\\.`));
    expect(await connect(tokens)).toMatchObject({ email: PAT.email });
  });

  it('N40 tells people of two directories apart who have one address', async () => {
    const { subject } = (await granted(IDA.email)).identity!;
    await sandbox.microsoft.removeUser(IDA.email);
    await sandbox.microsoft.addUser({ ...IDA, tid: CONTOSO });
    expect((await granted(IDA.email)).identity).toMatchObject({ email: IDA.email });
    expect((await granted(IDA.email)).identity?.subject).not.toBe(subject);
  });

  it('stays at the tenant of the client', async () => {
    for (const tenant of ['organizations', FABRIKAM]) {
      const client = { ...CLIENT, tenant };
      const { refreshToken } = await granted(IDA.email, client);
      expect(await refresh(refreshToken, client)).toMatchObject({ state: 'granted' });
    }
  });

  it('N42 redeems a code once', async () => {
    const { redeem } = await signIn(IDA.email);
    expect(await redeem()).toMatchObject({ state: 'granted' });
    expect(await redeem()).toMatchObject({
      state: 'grant-rejected',
      error: { code: 'invalid_grant', message: expect.stringContaining('AADSTS54005') },
    });
  });

  it('is no use without offline_access', async () => {
    const { redeem } = await signIn(IDA.email, { ...CLIENT, scopes: ['openid', 'profile', 'Calendars.Read'] });
    expect(await redeem()).toMatchObject({ state: 'client-rejected', error: { code: 'no_refresh_token' } });
  });

  it('connects nobody without a mailbox', async () => {
    await sandbox.microsoft.addUser({ email: 'guest@fabrikam.example', tid: FABRIKAM, hasMailbox: false });
    const tokens = await granted('guest@fabrikam.example');
    await expect(connect(tokens)).rejects.toMatchObject({
      code: 'CredentialsRejected',
      message: expect.stringContaining('no mailbox'),
    });
  });

  it('hears that an administrator has to consent, and where', async () => {
    await sandbox.microsoft.consentPolicy(FABRIKAM, 'admin');
    try {
      const { challenge } = pkce();
      const visitor = new Visitor(sandbox.microsoft.url);
      const chooser = await visitor.open(authorizationUrl(CLIENT, challenge));
      const { url } = await visitor.giveUp(await visitor.chooseAccount(chooser, IDA.email));
      const error = url.searchParams.get('error') ?? '';
      const errorDescription = url.searchParams.get('error_description');
      expect(server.needsAdministrator({ error, errorDescription })).toBe(true);
      const { defaultScopes: scopes } = server;
      const consent = await visitor.open(
        server.administratorConsentUrl({ client: CLIENT, redirectUri: REDIRECT_URI, scopes }),
      );
      expect([consent.status, consent.body]).toEqual([200, expect.stringContaining(`accept-${FABRIKAM}`)]);
    } finally {
      await sandbox.microsoft.consentPolicy(FABRIKAM, 'user');
    }
  });
});

describe('refreshing at the identity platform', () => {
  it('T3 gets another refresh token each time, and still knows whose they are', async () => {
    const first = await granted(IDA.email);
    const second = tokensOf(await refresh(first.refreshToken));
    expect(second.refreshToken).not.toBe('');
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect(second.identity?.subject).toBe(first.identity?.subject);
    expect(await refresh(second.refreshToken)).toMatchObject({ state: 'granted' });
  });

  it.each<[string, (address: string) => Promise<unknown>, object]>([
    [
      'was revoked',
      (address) => sandbox.microsoft.revoke(address),
      { state: 'grant-rejected', reason: 'invalid_grant' },
    ],
    [
      'belongs to nobody any more',
      (address) => sandbox.microsoft.removeUser(address),
      { state: 'grant-rejected', reason: 'user_deleted' },
    ],
    [
      'lost its consent',
      (address) => sandbox.microsoft.unlink(address, CLIENT.clientId, ['Calendars.ReadWrite']),
      { state: 'grant-rejected', reason: 'consent_revoked' },
    ],
    [
      'meets Conditional Access',
      () => sandbox.microsoft.failTokens({ error: 'interaction_required', codes: [53_003] }),
      { state: 'grant-rejected', reason: 'invalid_grant' },
    ],
    [
      'meets an expired secret',
      () => sandbox.microsoft.failTokens({ error: 'invalid_client', codes: [7_000_222], status: 401 }),
      { state: 'client-rejected', error: { status: 401 } },
    ],
  ])('T4 decides about a grant that %s', async (_, happen, decision) => {
    const { refreshToken } = await granted(IDA.email);
    await happen(IDA.email);
    expect(await refresh(refreshToken)).toMatchObject(decision);
  });

  it('T4 blames the client for a wrong secret', async () => {
    const { refreshToken } = await granted(IDA.email);
    expect(await refresh(refreshToken, { ...CLIENT, clientSecret: 'wrong' })).toMatchObject({
      state: 'client-rejected',
    });
  });

  it.each([
    [90_033, { code: 'ProviderUnavailable' }],
    [50_196, { code: 'ProviderRateLimited', retryAfterSeconds: 300 }],
  ])('T5 decides nothing on AADSTS%d', async (number, error) => {
    const { refreshToken } = await granted(IDA.email);
    await sandbox.microsoft.failTokens({ error: 'invalid_grant', codes: [number] });
    await expect(refresh(refreshToken)).rejects.toMatchObject(error);
  });
});
