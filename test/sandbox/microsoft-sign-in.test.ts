import { createRemoteJWKSet, jwtVerify } from 'jose';
import { startSandbox, type Sandbox } from '../support/sandbox.js';
import { MICROSOFT_SCOPES } from '../support/sandbox-microsoft.js';
import { pkce, Visitor, type Visit } from './visitor.js';

const CALLBACK = 'http://127.0.0.1:9/callback?kept=1';
const CLIENT = {
  clientId: '0b6f3c1e-5d2a-4f7b-9c8d-1e2f3a4b5c6d',
  clientSecret: 'secret +1&2',
  redirectUris: [CALLBACK],
};
const IDA = 'ida@fabrikam.example';
const PIA = 'pia@outlook.example';
const PERSONAL_TID = '9188040d-6c67-4c5b-b112-36a304b66dad';
const DAY_MS = 86_400_000;

describe('the identity platform', () => {
  let sandbox: Sandbox;
  let visitor: Visitor;
  let tid: string;

  const authorizeUrl = (parameters: Record<string, string> = {}, tenant = 'common'): string => {
    const url = new URL(`${sandbox.microsoftUrl}/${tenant}/oauth2/v2.0/authorize`);
    const usual = {
      ...{ client_id: CLIENT.clientId, redirect_uri: CALLBACK, response_type: 'code', response_mode: 'query' },
      ...{ scope: MICROSOFT_SCOPES.join(' '), state: 's t&1', nonce: 'n-1' },
    };
    for (const [name, value] of Object.entries({ ...usual, ...parameters })) {
      if (value !== '') url.searchParams.set(name, value);
    }
    return url.href;
  };
  const returned = ({ url }: Visit): Record<string, string> => Object.fromEntries(url.searchParams);
  const refusalOf = (visit: Visit): string => {
    const { error, error_description: description = '' } = returned(visit);
    return `${error} ${/AADSTS\d+/.exec(description)?.[0]}`;
  };
  const fault = ({ body }: Visit): string | undefined => /data-testid="fault">(AADSTS\d+)/.exec(body)?.[1];
  const tokenRequest = async (parameters: Record<string, string>, tenant = 'common', headers = {}) => {
    const response = await fetch(`${sandbox.microsoftUrl}/${tenant}/oauth2/v2.0/token`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({
        ...{ client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret },
        ...parameters,
      }),
    });
    return { status: response.status, body: (await response.json()) as any };
  };
  const redeem = (code: string, parameters: Record<string, string> = {}, tenant = 'common') =>
    tokenRequest({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...parameters }, tenant);
  const refresh = (token: string, parameters: Record<string, string> = {}, tenant = 'common') =>
    tokenRequest({ grant_type: 'refresh_token', refresh_token: token, ...parameters }, tenant);
  const aadstsOf = async (response: Promise<{ status: number; body: any }>): Promise<string> => {
    const { status, body } = await response;
    return `${status} ${body.error} ${body.error_codes} ${body.suberror ?? ''}`.trim();
  };
  const codeFor = async (email = IDA, parameters: Record<string, string> = {}, tenant = 'common'): Promise<string> =>
    returned(await new Visitor(sandbox.microsoftUrl).signIn(authorizeUrl(parameters, tenant), email))['code'] ?? '';
  const violations = async (): Promise<number> => {
    const { length } = await sandbox.microsoft.violations();
    await sandbox.microsoft.clearViolations();
    return length;
  };

  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(async () => sandbox.stop());
  beforeEach(async () => {
    await sandbox.reset();
    await sandbox.microsoft.addClient(CLIENT);
    ({ tid } = await sandbox.microsoft.addUser({ email: IDA, displayName: 'Ida Berg' }));
    await sandbox.microsoft.addUser({ email: PIA });
    visitor = new Visitor(sandbox.microsoftUrl);
  });
  afterEach(async () => sandbox.expectNoViolations());

  it('leads through account and consent back to the client, and to tokens', async () => {
    const { verifier, challenge } = pkce();
    const chooser = await visitor.open(authorizeUrl({ code_challenge: challenge, code_challenge_method: 'S256' }));
    expect(chooser.body).toContain(`data-testid="account-${IDA}"`);
    const consent = await visitor.chooseAccount(chooser, IDA);
    expect(consent.body).toContain('Have full access to your calendars');
    const back = await visitor.allow(consent);
    expect(back.url.origin + back.url.pathname).toBe('http://127.0.0.1:9/callback');
    expect(returned(back)).toMatchObject({ kept: '1', state: 's t&1', code: expect.any(String) });
    const { status, body } = await redeem(returned(back)['code']!, { code_verifier: verifier });
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3599, ext_expires_in: 3599 });
    expect(body.scope.split(' ').sort()).toEqual(
      ['calendars.readwrite', 'email', 'mailboxsettings.read', 'openid', 'profile', 'user.read'].sort(),
    );
    const me = await fetch(`${sandbox.microsoftUrl}/v1.0/me`, {
      headers: { authorization: `Bearer ${body.access_token}` },
    });
    expect(await me.json()).toMatchObject({ mail: IDA });
  });

  it.each([
    [IDA, () => tid],
    [PIA, () => PERSONAL_TID],
  ])('says in the id_token who %s is', async (email, directory) => {
    const { body } = await redeem(await codeFor(email));
    const keys = createRemoteJWKSet(new URL(`${sandbox.microsoftUrl}/common/discovery/v2.0/keys`));
    const issuer = `${sandbox.microsoftUrl}/${directory()}/v2.0`;
    const { payload } = await jwtVerify(body.id_token, keys, { audience: CLIENT.clientId, issuer });
    const [user] = (await sandbox.microsoft.users()).filter((one) => one.email === email);
    expect(payload).toMatchObject({
      ...{ tid: directory(), oid: user?.oid, email, preferred_username: email },
      ...{ nonce: 'n-1', ver: '2.0' },
    });
    expect(payload.sub).not.toBe(user?.oid);
  });

  it('leaves out of tokens what was not asked for', async () => {
    const { body } = await redeem(await codeFor(IDA, { scope: 'User.Read' }));
    expect(Object.keys(body).sort()).toEqual(['access_token', 'expires_in', 'ext_expires_in', 'scope', 'token_type']);
  });

  it('describes itself, directory by directory', async () => {
    const issuerOf = async (tenant: string): Promise<string> => {
      const response = await fetch(`${sandbox.microsoftUrl}/${tenant}/v2.0/.well-known/openid-configuration`);
      return ((await response.json()) as any).issuer.slice(sandbox.microsoftUrl.length);
    };
    expect(await issuerOf('common')).toBe('/{tenantid}/v2.0');
    expect(await issuerOf('consumers')).toBe(`/${PERSONAL_TID}/v2.0`);
    expect(await issuerOf(tid)).toBe(`/${tid}/v2.0`);
    const stranger = await fetch(
      `${sandbox.microsoftUrl}/00000000-0000-4000-8000-000000000000/v2.0/.well-known/openid-configuration`,
    );
    expect(((await stranger.json()) as any).error_codes).toEqual([90002]);
  });

  describe('prompt and login_hint', () => {
    it('asks nobody who is signed in and has consented', async () => {
      await visitor.signIn(authorizeUrl(), IDA);
      expect(returned(await visitor.open(authorizeUrl()))).toHaveProperty('code');
      expect(returned(await visitor.open(authorizeUrl({ prompt: 'none' })))).toHaveProperty('code');
      expect((await visitor.open(authorizeUrl({ prompt: 'select_account' }))).body).toContain('Choose an account');
      expect((await visitor.open(authorizeUrl({ prompt: 'login' }))).body).toContain('Choose an account');
      expect((await visitor.open(authorizeUrl({ prompt: 'consent' }))).body).toContain('Permissions requested');
    });

    it('none: login_required without a session, consent_required without consent', async () => {
      expect(refusalOf(await visitor.open(authorizeUrl({ prompt: 'none' })))).toBe('login_required AADSTS50058');
      await visitor.signIn(authorizeUrl({ scope: 'openid User.Read' }), IDA);
      expect(refusalOf(await visitor.open(authorizeUrl({ prompt: 'none' })))).toBe('consent_required AADSTS65001');
    });

    it('a hint prefills, and finds the account that is signed in; another one may be chosen', async () => {
      const chooser = await visitor.open(authorizeUrl({ login_hint: IDA }));
      expect(chooser.body).toContain(`value="${IDA}"`);
      const other = await visitor.allow(await visitor.chooseAccount(chooser, PIA));
      expect(returned(other)).toHaveProperty('code');
      expect((await visitor.open(authorizeUrl({ login_hint: IDA }))).body).toContain('Choose an account');
      await visitor.signIn(authorizeUrl({ prompt: 'select_account' }), IDA);
      expect(returned(await visitor.open(authorizeUrl({ login_hint: IDA })))).toHaveProperty('code');
    });
  });

  describe('refusals', () => {
    it('a user who cancels', async () => {
      const consent = await visitor.chooseAccount(await visitor.open(authorizeUrl()), IDA);
      const back = await visitor.cancel(consent);
      expect(refusalOf(back)).toBe('access_denied AADSTS65004');
      expect(returned(back)['state']).toBe('s t&1');
    });

    it('a directory whose administrator has to consent, until that has happened', async () => {
      await sandbox.microsoft.consentPolicy(tid, 'admin');
      const approval = await visitor.chooseAccount(await visitor.open(authorizeUrl()), IDA);
      expect(approval.body).toContain('need-admin-approval');
      // The way around: what the consent page would post.
      expect((await visitor.allow(approval)).body).toContain('need-admin-approval');
      expect(refusalOf(await visitor.returnWithout(approval))).toBe('access_denied AADSTS90094');
      expect(refusalOf(await visitor.open(authorizeUrl({ prompt: 'none' })))).toBe('consent_required AADSTS65001');
      await sandbox.microsoft.adminConsent(tid, CLIENT.clientId);
      expect(returned(await visitor.open(authorizeUrl()))).toHaveProperty('code');
      expect(await visitor.signIn(authorizeUrl({ prompt: 'select_account' }), PIA)).toMatchObject({
        url: expect.objectContaining({ pathname: '/callback' }),
      });
    });

    it('an administrator consents on a page', async () => {
      await sandbox.microsoft.consentPolicy(tid, 'admin');
      const parameters = new URLSearchParams({
        ...{ client_id: CLIENT.clientId, redirect_uri: CALLBACK, state: 'x' },
        scope: MICROSOFT_SCOPES.join(' '),
      });
      const url = `${sandbox.microsoftUrl}/organizations/v2.0/adminconsent?${parameters.toString()}`;
      const page = await visitor.open(url);
      expect(page.body).toContain(`accept-${tid}`);
      const post = async (tenant: string): Promise<URLSearchParams> => {
        const response = await fetch(url, {
          method: 'POST',
          body: new URLSearchParams({ tenant }),
          redirect: 'manual',
        });
        return new URL(response.headers.get('location') ?? '').searchParams;
      };
      expect((await post('')).get('error')).toBe('access_denied');
      expect((await post(PERSONAL_TID)).get('error')).toBe('access_denied');
      const back = await post(tid);
      expect([back.get('admin_consent'), back.get('tenant'), back.get('state')]).toEqual(['True', tid, 'x']);
      expect(returned(await visitor.signIn(authorizeUrl(), IDA))).toHaveProperty('code');
    });

    it.each<[string, Record<string, string>, string, string]>([
      ['a client that is none', { client_id: '00000000-0000-4000-8000-000000000000' }, 'common', 'AADSTS700016'],
      ['another redirect URI', { redirect_uri: 'http://127.0.0.1:9/other' }, 'common', 'AADSTS50011'],
    ])('%s: a page, nobody is sent anywhere', async (_, parameters, tenant, code) => {
      const page = await visitor.open(authorizeUrl(parameters, tenant));
      expect([page.status, fault(page), page.url.origin]).toEqual([400, code, sandbox.microsoftUrl]);
    });

    it.each<[string, string, string]>([
      ['one directory', 'common', 'AADSTS50194'],
      ['consumers', 'common', 'AADSTS9002331'],
    ])('a client for %s below /%s', async (kind, tenant, code) => {
      await sandbox.microsoft.addClient({ ...CLIENT, audience: kind === 'consumers' ? kind : tid });
      expect(fault(await visitor.open(authorizeUrl({}, tenant)))).toBe(code);
    });

    it('a user whom the segment does not mean', async () => {
      const chooser = await visitor.open(authorizeUrl({}, 'consumers'));
      expect(chooser.body).not.toContain(`account-${IDA}`);
      expect(fault(await visitor.chooseAccount(chooser, IDA))).toBe('AADSTS50020');
      expect(await codeFor(PIA, {}, 'consumers')).not.toBe('');
      expect(await codeFor(IDA, {}, tid)).not.toBe('');
    });

    it('a scope that is none, and one that personal accounts have not', async () => {
      const strange = await visitor.open(authorizeUrl({ scope: 'openid Calendars.Everything' }));
      expect(refusalOf(strange)).toBe('invalid_scope AADSTS70011');
      const shared = { scope: 'openid https://graph.microsoft.com/calendars.readwrite.shared' };
      const personal = await visitor.chooseAccount(await visitor.open(authorizeUrl(shared)), PIA);
      expect(refusalOf(personal)).toBe('invalid_scope AADSTS70011');
      expect(await codeFor(IDA, shared)).not.toBe('');
    });

    it.each<[string, Record<string, string>, string]>([
      ['without scope', { scope: '' }, 'invalid_request AADSTS900144'],
      ['for a token', { response_type: 'token' }, 'unsupported_response_type AADSTS700054'],
      ['as a fragment', { response_mode: 'fragment' }, 'invalid_request AADSTS90023'],
      ['with a prompt that is none', { prompt: 'always' }, 'invalid_request AADSTS90023'],
      ['with a bad challenge', { code_challenge: 'x', code_challenge_method: 'S256' }, 'invalid_request AADSTS501491'],
      ['with what nobody knows', { access_type: 'offline' }, 'invalid_request AADSTS9002313'],
    ])('a request %s is a violation', async (_, parameters, rejection) => {
      expect(refusalOf(await visitor.open(authorizeUrl(parameters)))).toBe(rejection);
      expect(await violations()).toBe(1);
    });
  });

  describe('codes', () => {
    it('are good once', async () => {
      const code = await codeFor();
      expect((await redeem(code)).status).toBe(200);
      expect(await aadstsOf(redeem(code))).toBe('400 invalid_grant 54005');
    });

    it('are good for ten minutes', async () => {
      const code = await codeFor();
      await sandbox.advanceClock(10 * 60_000);
      expect(await aadstsOf(redeem(code))).toBe('400 invalid_grant 70008');
    });

    it('are redeemed below the segment that gave them', async () => {
      expect(await aadstsOf(redeem(await codeFor(), {}, 'organizations'))).toBe('400 invalid_grant 700005');
      expect(await violations()).toBe(1);
    });

    it('belong to their verifier, redirect URI and client', async () => {
      const { challenge } = pkce();
      const code = await codeFor(IDA, { code_challenge: challenge, code_challenge_method: 'S256' });
      expect(await aadstsOf(redeem(code))).toBe('400 invalid_grant 501481');
      expect(await aadstsOf(redeem(code, { code_verifier: pkce().verifier }))).toBe('400 invalid_grant 501481');
      expect(await aadstsOf(redeem(await codeFor(), { redirect_uri: 'http://127.0.0.1:9/other' }))).toBe(
        '400 invalid_request 50011',
      );
      expect(await violations()).toBe(3);
      const other = { ...CLIENT, clientId: '1c7a4d2f-6e3b-4a8c-8d9e-2f3a4b5c6d7e' };
      await sandbox.microsoft.addClient(other);
      expect(await aadstsOf(redeem(await codeFor(), { client_id: other.clientId }))).toBe('400 invalid_grant 9002313');
    });
  });

  describe('clients', () => {
    it('authenticate in the body or with Basic, form-encoded', async () => {
      const encoded = [CLIENT.clientId, CLIENT.clientSecret].map((part) => encodeURIComponent(part)).join(':');
      const { refreshToken } = await sandbox.microsoft.grant(IDA, CLIENT.clientId);
      const response = await fetch(`${sandbox.microsoftUrl}/common/oauth2/v2.0/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(encoded).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken }),
      });
      expect(response.status).toBe(200);
      await response.body?.cancel();
    });

    it.each<[string, Record<string, string>, string, number]>([
      ['another secret', { client_secret: 'no' }, '401 invalid_client 7000215', 0],
      ['an unknown id', { client_id: '00000000-0000-4000-8000-000000000000' }, '400 unauthorized_client 700016', 0],
      ['another grant type', { grant_type: 'password' }, '400 unsupported_grant_type 70003', 1],
      ['a parameter that is none', { audience: 'x' }, '400 invalid_request 9002313', 1],
    ])('%s: %j', async (_, parameters, rejection, count) => {
      const { refreshToken } = await sandbox.microsoft.grant(IDA, CLIENT.clientId);
      expect(await aadstsOf(refresh(refreshToken, parameters))).toBe(rejection);
      expect(await violations()).toBe(count);
    });

    it('with an Origin or without a secret: refused', async () => {
      const { refreshToken } = await sandbox.microsoft.grant(IDA, CLIENT.clientId);
      const parameters = { grant_type: 'refresh_token', refresh_token: refreshToken };
      expect(await aadstsOf(tokenRequest(parameters, 'common', { origin: 'http://127.0.0.1:9' }))).toBe(
        '400 invalid_request 9002327',
      );
      const response = await fetch(`${sandbox.microsoftUrl}/common/oauth2/v2.0/token`, {
        method: 'POST',
        body: new URLSearchParams({ ...parameters, client_id: CLIENT.clientId }),
      });
      expect(((await response.json()) as any).error_codes).toEqual([7000218]);
      expect(await violations()).toBe(2);
    });
  });

  describe('refresh tokens', () => {
    it('give new ones, and stay good themselves', async () => {
      const { refreshToken } = await sandbox.microsoft.grant(IDA, CLIENT.clientId);
      const first = (await refresh(refreshToken)).body;
      expect(first.refresh_token).not.toBe(refreshToken);
      expect((await refresh(refreshToken)).status).toBe(200);
      // As echoed: offline_access is not in it, and yet there is a new refresh token.
      expect((await refresh(first.refresh_token, { scope: first.scope })).body).toHaveProperty('refresh_token');
    });

    it('live by use: 90 days', async () => {
      const { refreshToken } = await sandbox.microsoft.grant(IDA, CLIENT.clientId);
      await sandbox.advanceClock(89 * DAY_MS);
      expect((await refresh(refreshToken)).status).toBe(200);
      await sandbox.advanceClock(89 * DAY_MS);
      expect((await refresh(refreshToken)).status).toBe(200);
      await sandbox.advanceClock(90 * DAY_MS);
      expect(await aadstsOf(refresh(refreshToken))).toBe('400 invalid_grant 700082');
    });

    it('end with their consent, their grant, their account', async () => {
      const { microsoft } = sandbox;
      const { refreshToken } = await microsoft.grant(IDA, CLIENT.clientId);
      expect(await aadstsOf(refresh(refreshToken, { scope: 'OnlineMeetings.ReadWrite' }))).toBe(
        '400 invalid_grant 65001 consent_required',
      );
      await microsoft.unlink(IDA, CLIENT.clientId, ['Calendars.ReadWrite']);
      expect(await aadstsOf(refresh(refreshToken))).toBe('400 invalid_grant 65001 consent_required');
      await microsoft.revoke(IDA, CLIENT.clientId);
      expect(await aadstsOf(refresh(refreshToken))).toBe('400 invalid_grant 50173');
      await microsoft.removeUser(IDA);
      expect(await aadstsOf(refresh(refreshToken))).toBe('400 invalid_grant 50034');
      expect(await aadstsOf(refresh('1.nobodys'))).toBe('400 invalid_grant 9002313');
    });

    it('are of no use below the segment of others', async () => {
      const { refreshToken } = await sandbox.microsoft.grant(PIA, CLIENT.clientId);
      expect(await aadstsOf(refresh(refreshToken, {}, 'organizations'))).toBe('400 invalid_grant 50020');
      expect(await violations()).toBe(1);
    });

    it('meet any error that is wanted, with all that Microsoft tells', async () => {
      const { microsoft } = sandbox;
      const { refreshToken } = await microsoft.grant(IDA, CLIENT.clientId);
      const pia = await microsoft.grant(PIA, CLIENT.clientId);
      const failure = { email: IDA, error: 'invalid_grant', codes: [50076, 53003], suberror: 'basic_action' };
      await microsoft.failTokens({ ...failure, status: 400, times: 1 });
      const { status, body } = await refresh(refreshToken);
      expect(status).toBe(400);
      expect(body).toEqual({
        error: 'invalid_grant',
        error_description: expect.stringMatching(/^AADSTS50076: .*Trace ID: .*Timestamp: \d{4}-\d\d-\d\d .*Z$/),
        error_codes: [50076, 53003],
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/),
        trace_id: expect.any(String),
        correlation_id: expect.any(String),
        error_uri: expect.stringContaining('50076'),
        suberror: 'basic_action',
      });
      expect((await refresh(refreshToken)).status).toBe(200);
      await microsoft.failTokens({ email: IDA, error: 'temporarily_unavailable', codes: [90033], status: 503 });
      expect(await aadstsOf(refresh(refreshToken))).toBe('503 temporarily_unavailable 90033');
      expect((await refresh(pia.refreshToken)).status).toBe(200);
    });
  });

  it('shows nothing of the secrets that it saw', async () => {
    const code = await codeFor();
    await redeem(code);
    const logged = JSON.stringify(await sandbox.microsoft.requests());
    for (const secret of [code, CLIENT.clientSecret]) expect(logged).not.toContain(secret);
    expect(await sandbox.microsoft.requests({ kind: 'token' })).toMatchObject([{ user: IDA, status: 200 }]);
  });
});
