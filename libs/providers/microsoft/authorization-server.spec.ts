import { inspect } from 'node:util';
import type { OAuthClient, OAuthPrompt, TokenDecision } from '#domain/oauth';
import { ScriptedEgress, type Scripted } from '#providers/kit/testing/scripted-egress';
import { forgeries, keySet, signed as signedWith } from '#providers/kit/testing/signed-id-tokens';
import { INDETERMINATE_RESPONSES } from '#providers/kit/testing/undecided-tokens';
import { MicrosoftAuthorizationServer } from './authorization-server.js';

const CREDENTIALS = 'https://login.example';
const GRAPH = 'https://graph.example';
const CLIENT: OAuthClient = { clientId: 'cid-1', clientSecret: 'canary~+/=& secret', scopes: null, tenant: null };
const NOW = Date.UTC(2026, 10, 21, 12);
const TID = 'aaaaaaaa-0000-4000-8000-000000000001';
const OID = 'bbbbbbbb-0000-4000-8000-000000000001';
const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad';
const TOKENS = {
  access_token: 'EwB.canary-access',
  token_type: 'Bearer',
  expires_in: 3_599,
  refresh_token: 'M.C5',
  scope: 'Calendars.ReadWrite User.Read',
};
const TOKEN = 'POST /common/oauth2/v2.0/token';
const KEYS = 'GET /common/discovery/v2.0/keys';
const ME = 'GET /v1.0/me';

const CLAIMS = {
  iss: `${CREDENTIALS}/${TID}/v2.0`,
  aud: 'cid-1',
  sub: 'pairwise',
  tid: TID,
  oid: OID,
  email: 'ida.berg@fabrikam.example',
  preferred_username: 'ida@fabrikam.example',
  nonce: 'n-1',
  iat: NOW / 1_000,
  exp: NOW / 1_000 + 3_600,
};
const PROFILE = { id: OID, mail: 'Ida.Berg@fabrikam.example', userPrincipalName: 'ida@fabrikam.example' };

const signed = (claims: object = {}, header = {}) => signedWith({ ...CLAIMS, ...claims }, header);

function serverOver(
  egress: ScriptedEgress,
  urls = { loginUrl: CREDENTIALS, graphUrl: GRAPH },
): MicrosoftAuthorizationServer {
  return new MicrosoftAuthorizationServer({ egress, nowMs: () => NOW, ...urls });
}

const signal = new AbortController().signal;
const exchange = (egress: ScriptedEgress, client: Partial<OAuthClient> = {}) =>
  serverOver(egress).exchange({
    client: { ...CLIENT, ...client },
    redirectUri: 'https://app.example/cb',
    code: 'M.canary-code',
    codeVerifier: 'canary-verifier',
    nonce: 'n-1',
    signal,
  });
const refresh = (egress: ScriptedEgress, client: Partial<OAuthClient> = {}) =>
  serverOver(egress).refresh({ client: { ...CLIENT, ...client }, refreshToken: 'M.canary-refresh', signal });
const identityOf = (decision: TokenDecision) =>
  decision.state === 'granted' ? decision.tokens.identity : decision.state;
const formOf = (egress: ScriptedEgress) =>
  Object.fromEntries(new URLSearchParams(String(egress.requests.find(({ method }) => method === 'POST')?.body)));

function withIdToken(
  idToken: unknown,
  { keys = keySet(), me = { json: PROFILE } }: { keys?: Scripted; me?: Scripted } = {},
): ScriptedEgress {
  return new ScriptedEgress()
    .on(TOKEN, { json: { ...TOKENS, id_token: idToken } })
    .on(KEYS, keys)
    .on(ME, me);
}

/** A tenant of its own answers at addresses of its own. */
async function atTenant(tenant: string, claims: object = {}): Promise<ScriptedEgress> {
  return new ScriptedEgress()
    .on(`POST /${tenant}/oauth2/v2.0/token`, { json: { ...TOKENS, id_token: await signed(claims) } })
    .on(`GET /${tenant}/discovery/v2.0/keys`, keySet())
    .on(ME, { json: PROFILE });
}

describe('the authorization request (microsoft)', () => {
  const server = serverOver(new ScriptedEgress());
  const params = (prompt: OAuthPrompt | null, { again = false, loginHint = null as string | null } = {}) =>
    server.authorizationParams({ prompt, loginHint, nonce: 'n-1', again });

  it.each(['consent', 'select_account', 'none'] as const)('passes prompt %s on', (prompt) => {
    expect(params(prompt)).toEqual({ response_mode: 'query', nonce: 'n-1', prompt });
  });

  it('leaves to Microsoft whether to ask, when nobody says', () => {
    expect(params(null)).toEqual({ response_mode: 'query', nonce: 'n-1' });
  });

  it('asks for consent when it begins again, and passes the hint on', () => {
    expect(params('select_account', { again: true, loginHint: 'ida@fabrikam.example' })).toMatchObject({
      prompt: 'consent',
      login_hint: 'ida@fabrikam.example',
    });
  });

  it('is for work and personal accounts, unless the client is of one directory', () => {
    const at = (tenant: string | null) => server.authorizationEndpoint({ ...CLIENT, tenant });
    expect(at(null)).toBe(`${CREDENTIALS}/common/oauth2/v2.0/authorize`);
    expect(at('Contoso.onmicrosoft.com')).toBe(`${CREDENTIALS}/contoso.onmicrosoft.com/oauth2/v2.0/authorize`);
    expect(at('../evil')).toBe(`${CREDENTIALS}/..%2Fevil/oauth2/v2.0/authorize`);
  });

  it.each([
    ['access_denied', 'AADSTS90094: Admin consent is required', true],
    ['consent_required', 'AADSTS90095', true],
    ['access_denied', 'AADSTS65004: User declined to consent AADSTS90094', false],
    ['access_denied', 'AADSTS900941: other', false],
    ['access_denied', null, false],
    ['consent_required', '', false],
  ])('hears that an administrator has to consent: %s, %j: %s', (error, errorDescription, expected) => {
    expect(server.needsAdministrator({ error, errorDescription })).toBe(expected);
  });

  it.each([
    [null, 'organizations'],
    ['common', 'organizations'],
    ['consumers', 'organizations'],
    ['organizations', 'organizations'],
    ['Contoso.example', 'contoso.example'],
  ])('knows where an administrator consents: tenant %s at %s', (tenant, segment) => {
    const request = { client: { ...CLIENT, tenant }, redirectUri: 'https://x.example/back', scopes: ['openid', 'A.B'] };
    const url = new URL(server.administratorConsentUrl(request));
    expect(url.origin + url.pathname).toBe(`${CREDENTIALS}/${segment}/v2.0/adminconsent`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: CLIENT.clientId,
      scope: 'openid A.B',
      redirect_uri: 'https://x.example/back',
    });
  });

  it('takes roots that end with slashes', () => {
    const slashed = serverOver(new ScriptedEgress(), { loginUrl: `${CREDENTIALS}//`, graphUrl: `${GRAPH}/` });
    expect(slashed.authorizationEndpoint(CLIENT)).toBe(`${CREDENTIALS}/common/oauth2/v2.0/authorize`);
    expect(slashed.isIssuer(CLAIMS.iss)).toBe(true);
  });

  it('N36 knows its own issuers', () => {
    expect(server.isIssuer(CLAIMS.iss)).toBe(true);
    expect(server.isIssuer('https://accounts.google.com')).toBe(false);
  });

  it('asks for what every call needs and no administrator has to allow', () => {
    expect(server.defaultScopes.join(' ')).toBe(
      'openid profile email offline_access User.Read Calendars.ReadWrite MailboxSettings.Read',
    );
    expect(server.missingScopes(['openid', 'Calendars.Read'], ['calendars.readwrite'])).toEqual([]);
  });
});

describe('exchange (microsoft)', () => {
  it('sends the code with its verifier in a form, verifies who signed in, and asks for the addresses', async () => {
    const egress = withIdToken(await signed());
    expect(await exchange(egress)).toEqual({
      state: 'granted',
      tokens: {
        accessToken: TOKENS.access_token,
        refreshToken: 'M.C5',
        expiresAt: new Date(NOW + 3_599_000),
        scopes: ['Calendars.ReadWrite', 'User.Read'],
        identity: {
          subject: `${TID}.${OID}`,
          email: 'ida.berg@fabrikam.example',
          otherEmails: ['ida@fabrikam.example'],
          aliases: [],
        },
      },
    });
    expect(formOf(egress)).toEqual({
      grant_type: 'authorization_code',
      code: 'M.canary-code',
      code_verifier: 'canary-verifier',
      redirect_uri: 'https://app.example/cb',
      client_id: 'cid-1',
      client_secret: CLIENT.clientSecret,
    });
    expect(egress.lines).toEqual([TOKEN, KEYS, ME]);
    expect(egress.requests.map(({ url }) => new URL(url).origin)).toEqual([CREDENTIALS, CREDENTIALS, GRAPH]);
    expect(egress.requests.map(({ headers }) => headers?.['authorization'])).toEqual([
      undefined,
      undefined,
      `Bearer ${TOKENS.access_token}`,
    ]);
    expect(egress.requests.every(({ timeoutMs }) => timeoutMs < 8_000)).toBe(true);
  });

  it.each<Scripted>([{ status: 403, json: { error: { code: 'Authorization_RequestDenied' } } }, { text: '<html>' }])(
    'goes by the id_token alone when the profile is not told: %j',
    async (me) => {
      expect(identityOf(await exchange(withIdToken(await signed(), { me })))).toEqual({
        subject: `${TID}.${OID}`,
        email: 'ida.berg@fabrikam.example',
        otherEmails: ['ida@fabrikam.example'],
        aliases: [],
      });
    },
  );

  it('asks for no profile that the grant does not let it read', async () => {
    const egress = withIdToken(await signed());
    egress.on(TOKEN, { json: { ...TOKENS, scope: 'Calendars.ReadWrite', id_token: await signed() } });
    expect(identityOf(await exchange(egress))).toMatchObject({ email: CLAIMS.email });
    expect(egress.lines).toEqual([TOKEN, KEYS]);
  });

  it.each([
    ['an id_token', undefined],
    ['an object id', { oid: undefined }],
  ])('knows nobody without %s', async (_, claims) => {
    const idToken = claims === undefined ? undefined : await signed(claims);
    expect(identityOf(await exchange(withIdToken(idToken)))).toBeNull();
  });

  it.each([
    ...forgeries(CLAIMS, NOW),
    [
      'the issuer of another directory',
      () => signed({ iss: `${CREDENTIALS}/aaaaaaaa-0000-4000-8000-000000000002/v2.0` }),
    ],
    ['the issuer of no directory', () => signed({ iss: `${CREDENTIALS}/common/v2.0`, tid: 'common' })],
    ['no directory', () => signed({ tid: undefined })],
    ['a beginning in the future', () => signed({ nbf: NOW / 1_000 + 601 })],
    ['the issuer of older tokens', () => signed({ iss: `https://sts.windows.net/${TID}/` })],
  ] as [string, () => Promise<string> | string][])('N43 refuses the grant for %s', async (_, idToken) => {
    const egress = withIdToken(await idToken());
    const decision = await exchange(egress);
    expect(decision).toMatchObject({
      state: 'grant-rejected',
      reason: 'invalid_grant',
      error: { code: 'invalid_id_token' },
    });
    expect(inspect(decision, { depth: 9 })).not.toContain('canary');
    expect(egress.lines).not.toContain(ME);
  });

  it.each([
    ['ahead', { nbf: NOW / 1_000 + 600, iat: NOW / 1_000 + 600 }],
    ['behind', { exp: NOW / 1_000 - 599 }],
  ])('F34 knows people by a clock that is ten minutes %s', async (_, claims) => {
    expect(identityOf(await exchange(withIdToken(await signed(claims))))).toMatchObject({ email: CLAIMS.email });
  });

  it.each([
    ['organizations', {}, true],
    ['organizations', { tid: PERSONAL, iss: `${CREDENTIALS}/${PERSONAL}/v2.0` }, false],
    ['consumers', { tid: PERSONAL, iss: `${CREDENTIALS}/${PERSONAL}/v2.0` }, true],
    ['consumers', {}, false],
    [TID, {}, true],
    ['aaaaaaaa-0000-4000-8000-000000000002', {}, false],
    ['fabrikam.example', {}, true],
  ])('N40 a client of %s takes %j: %s', async (tenant, claims, isTaken) => {
    const egress = await atTenant(tenant, claims);
    expect(await exchange(egress, { tenant })).toMatchObject({ state: isTaken ? 'granted' : 'grant-rejected' });
    expect(egress.lines.slice(0, 2)).toEqual([
      `POST /${tenant}/oauth2/v2.0/token`,
      `GET /${tenant}/discovery/v2.0/keys`,
    ]);
  });

  it('is no use without a refresh token, which the client has to ask for', async () => {
    const response = { ...TOKENS, refresh_token: undefined, id_token: await signed() };
    expect(await exchange(withIdToken('').on(TOKEN, { json: response }))).toMatchObject({
      state: 'client-rejected',
      error: { code: 'no_refresh_token', message: expect.stringContaining('offline_access') },
    });
  });

  it.each<[string, { keys?: Scripted; me?: Scripted }]>([
    ['the keys cannot be had', { keys: { status: 503 } }],
    ['Graph is away', { me: 'connect' }],
  ])('decides nothing when %s', async (_, responses) => {
    await expect(exchange(withIdToken(await signed(), responses))).rejects.toMatchObject({
      code: 'ProviderUnavailable',
    });
  });

  it('keeps the keys of each tenant', async () => {
    const egress = (await atTenant('fabrikam.example')).on(TOKEN, { json: { ...TOKENS, id_token: await signed() } });
    egress.on(KEYS, keySet());
    const server = serverOver(egress);
    for (const tenant of [null, 'fabrikam.example', null, 'Fabrikam.example']) {
      await server.refresh({ client: { ...CLIENT, tenant }, refreshToken: 'r', signal });
    }
    expect(egress.lines.filter((line) => line.startsWith('GET'))).toEqual([
      KEYS,
      'GET /fabrikam.example/discovery/v2.0/keys',
    ]);
  });
});

describe('refresh (microsoft)', () => {
  it('sends the refresh token to the tenant that gave it, for what was granted', async () => {
    const egress = await atTenant('fabrikam.example');
    expect(await refresh(egress, { tenant: 'fabrikam.example', scopes: ['Calendars.Read'] })).toMatchObject({
      state: 'granted',
      tokens: { refreshToken: 'M.C5' },
    });
    expect(formOf(egress)).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'M.canary-refresh',
      client_id: 'cid-1',
      client_secret: CLIENT.clientSecret,
    });
  });

  it('tells whose the grant is by the id_token, without asking Graph', async () => {
    const egress = withIdToken(await signed({ nonce: undefined }));
    expect(identityOf(await refresh(egress))).toMatchObject({ subject: `${TID}.${OID}` });
    expect(egress.lines).toEqual([TOKEN, KEYS]);
  });

  it('goes on without an identity when the id_token proves nothing', async () => {
    expect(identityOf(await refresh(withIdToken(await signed({ aud: 'x' }))))).toBeNull();
  });

  it('goes on without an identity while the keys cannot be had, and says so', async () => {
    expect(await refresh(withIdToken(await signed(), { keys: 'connect' }))).toMatchObject({
      state: 'granted',
      tokens: { identity: null, identityError: { code: 'ProviderUnavailable' } },
    });
  });

  it('keeps the refresh token that is there when no other one comes', async () => {
    const egress = new ScriptedEgress().on(TOKEN, { json: { ...TOKENS, refresh_token: undefined } });
    expect(await refresh(egress)).toMatchObject({ state: 'granted', tokens: { refreshToken: null } });
  });

  it('T4 tells a dead grant from a client that is refused, by the tenant where that matters', async () => {
    const refusing = (tenant: string, error: string, code: number) =>
      refresh(
        new ScriptedEgress().on(`POST /${tenant}/oauth2/v2.0/token`, {
          status: 400,
          json: { error, error_codes: [code] },
        }),
        { tenant },
      );
    expect(await refusing('common', 'invalid_grant', 50_173)).toMatchObject({ state: 'grant-rejected' });
    expect(await refusing('common', 'invalid_client', 7_000_215)).toMatchObject({ state: 'client-rejected' });
    expect(await refusing('common', 'unauthorized_client', 700_016)).toMatchObject({ state: 'grant-rejected' });
    expect(await refusing('fabrikam.example', 'unauthorized_client', 700_016)).toMatchObject({
      state: 'client-rejected',
    });
  });

  it.each(INDETERMINATE_RESPONSES)('T5 decides nothing on %s', async (_, response, error) => {
    const thrown = await refresh(new ScriptedEgress().on(TOKEN, response)).catch((reason: unknown) => reason);
    expect(thrown).toMatchObject(error);
    expect(inspect(thrown, { depth: 9, showHidden: true })).not.toContain('canary');
  });
});

it('identifies nobody by an access token, and revokes nothing, without a call (microsoft)', async () => {
  const server = serverOver(new ScriptedEgress());
  expect(await server.identify()).toBeNull();
  await server.revoke();
});
