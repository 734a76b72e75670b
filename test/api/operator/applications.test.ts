import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type * as Api from '../../../apps/dashboard/src/api/operator-api.gen.js';
import { grantIsGone, isGrantAlive } from '../../accounts/sandbox-grants.js';
import { Visitor, type Visit } from '../../sandbox/visitor.js';
import { startGoogleService, TEST_CLIENT, type GoogleService } from '../../support/google-service.js';
import { operatorSession, type OperatorSession } from '../../support/operator-session.js';
import { asAdmin } from '../../support/postgres.js';
import { eventually } from '../../support/processes.js';
import { GRANULAR_SCOPES } from '../../support/sandbox.js';
import type { Answer } from '../../support/service.js';
import { runWorker, type WorkerUnderTest } from '../../support/worker.js';

const NOBODY = '0197a000-0000-7000-8000-000000000000';
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const HTTPS = 'https://app.example.com/connected';
const LOCAL = 'http://localhost:3000/connected';

let google: GoogleService;
let worker: WorkerUnderTest | undefined;
let admin: OperatorSession;
let viewer: OperatorSession;

beforeAll(async () => {
  google = await startGoogleService({
    MICROSOFT_CLIENT_ID: 'of-the-installation',
    MICROSOFT_CLIENT_SECRET: 'secret-of-the-installation',
  });
  admin = await operatorSession(google.service);
  viewer = await operatorSession(google.service, 'viewer');
});

afterAll(async () => {
  await worker?.stop();
  await google?.stop();
});

const rows = <T>(text: string, values: unknown[] = []): Promise<T[]> =>
  asAdmin(google.service.adminDatabaseUrl, async (client) => (await client.query(text, values)).rows as T[]);

async function read<T>(path: string): Promise<T> {
  const response = await viewer.call<T>('GET', path);
  expect([path, response.status]).toEqual([path, 200]);
  return response.body;
}

/** A change that succeeds. */
async function change<T = any>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await admin.call<T>(method, path, { body });
  expect([method, path, response.body, response.status < 300]).toEqual([method, path, response.body, true]);
  return response.body;
}

const rejected = async (asked: Promise<Answer>) => {
  const { status, body } = await asked;
  return [status, body.code, body.message];
};

async function newApplication(environment = 'development', name = 'acme'): Promise<string> {
  return (await change<Api.Application>('POST', '/applications', { name, environment })).id;
}

/** What operators did to an application, the newest last. */
async function audited(applicationId: string): Promise<[string, string][]> {
  const entries = await rows<{ action: string; subject: string; actor: string; traced: boolean }>(
    `select action, subject, actor, request_id is not null as traced from audit_entry
      where application_id = $1 order by id`,
    [applicationId],
  );
  for (const { actor, traced } of entries) expect([actor, traced]).toEqual([`operator:${admin.email}`, true]);
  return entries.map(({ action, subject }) => [action, subject]);
}

describe('applications', () => {
  it('are made, read and listed with how much they have', async () => {
    const made = await change<Api.Application>('POST', '/applications', {
      ...{ name: ' Scheduler ', environment: 'production', rateLimitRps: 7 },
    });
    expect(made).toEqual({
      ...{ id: expect.any(String), name: 'Scheduler', environment: 'production', rateLimitRps: 7 },
      ...{ enrichedWebhooks: false, polledWebhooks: false, signedLinks: false, accentColor: null, createdAt: ISO },
      counts: { accounts: 0, apiKeys: 0, subscriptions: 0 },
    });
    await change('POST', `/applications/${made.id}/apiKeys`, { name: 'a', expires: '7', scopes: ['read'] });
    const gone = await change('POST', `/applications/${made.id}/apiKeys`, {
      name: 'b',
      expires: '7',
      scopes: ['read'],
    });
    await change('DELETE', `/applications/${made.id}/apiKeys/${gone.id}`);
    const counted = { ...made, counts: { accounts: 0, apiKeys: 1, subscriptions: 0 } };
    expect(await read(`/applications/${made.id}`)).toEqual(counted);
    await google.connected('counted@example.test');
    const { data } = await read<Api.ApplicationList>('/applications');
    expect(data).toContainEqual(counted);
    expect(data.find(({ id }) => id === google.service.applicationId)?.counts).toEqual({
      ...{ accounts: 1, apiKeys: 1, subscriptions: 0 },
    });
    expect((await audited(made.id))[0]).toEqual(['application.created', `application:${made.id}`]);
  });

  it('are changed one thing at a time, and every change is told by whom', async () => {
    const id = await newApplication();
    const path = `/applications/${id}`;
    expect(await change('PATCH', path, { name: 'renamed' })).toMatchObject({ name: 'renamed', rateLimitRps: null });
    expect(await change('PATCH', path, { rateLimitRps: 3 })).toMatchObject({ name: 'renamed', rateLimitRps: 3 });
    expect(await change('PATCH', path, { rateLimitRps: null, enrichedWebhooks: true })).toMatchObject({
      ...{ rateLimitRps: null, enrichedWebhooks: true, polledWebhooks: false },
    });
    expect(await change('PATCH', path, { polledWebhooks: true })).toMatchObject({ polledWebhooks: true });
    expect(await change('PATCH', path, { signedLinks: true })).toMatchObject({ signedLinks: true });
    expect(await change('PATCH', path, { accentColor: '#0B57D0' })).toMatchObject({ accentColor: '#0b57d0' });
    expect((await audited(id)).slice(1)).toEqual(
      [
        'name=renamed',
        'rateLimitRps=3',
        'rateLimitRps=default',
        'enrichedWebhooks=on',
        'polledWebhooks=on',
        'signedLinks=on',
        'accentColor=#0B57D0',
      ].map((option) => ['application.changed', `application-option:${option}`]),
    );
  });

  it.each([
    ['POST', '', { name: '  ', environment: 'production' }],
    ['POST', '', { name: 'x'.repeat(101), environment: 'production' }],
    ['POST', '', { name: 'x', environment: 'staging' }],
    ['POST', '', { name: 'x' }],
    ['PATCH', `/${NOBODY}`, {}],
    ['PATCH', `/${NOBODY}`, { rateLimitRps: 0 }],
    ['PATCH', `/${NOBODY}`, { accentColor: '#00f' }],
    ['PATCH', `/${NOBODY}`, { rateLimitRps: 1.5 }],
    ['PATCH', `/${NOBODY}`, { name: null }],
    ['PATCH', `/${NOBODY}`, { id: NOBODY }],
  ])('refuse %s %s %j', async (method, path, body) => {
    expect(await rejected(admin.call(method, `/applications${path}`, { body }))).toEqual([
      ...[400, 'ValidationFailed', expect.any(String)],
    ]);
  });

  it('are changed by admins alone', async () => {
    const id = await newApplication();
    for (const [method, path, body] of [
      ['POST', '', { name: 'x', environment: 'production' }],
      ['PATCH', `/${id}`, { name: 'x' }],
      ['POST', `/${id}/delete`, { confirmation: 'acme' }],
      ['POST', `/${id}/apiKeys`, { name: 'x', expires: '7', scopes: ['read'] }],
      ['PUT', `/${id}/oauthClients/google`, { clientId: 'x', clientSecret: 'x' }],
      ['POST', `/${id}/oauthClients/google/test`],
      ['POST', `/${id}/redirectUrls`, { url: HTTPS }],
    ] as const) {
      expect(await rejected(viewer.call(method, `/applications${path}`, { body }))).toEqual([
        ...[403, 'Forbidden', expect.any(String)],
      ]);
    }
    expect(await audited(id)).toHaveLength(1);
  });

  it('that are not there are not found, whatever is asked of them', async () => {
    for (const id of [NOBODY, 'x']) {
      for (const [method, path, body] of [
        ['GET', ''],
        ['PATCH', '', { name: 'x' }],
        ['POST', '/delete', { confirmation: 'x' }],
        ['GET', '/apiKeys'],
        ['POST', '/apiKeys', { name: 'x', expires: '7', scopes: ['read'] }],
        ['DELETE', `/apiKeys/${NOBODY}`],
        ['GET', '/oauthClients'],
        ['PUT', '/oauthClients/google', { clientId: 'x', clientSecret: 'x' }],
        ['DELETE', '/oauthClients/google'],
        ['POST', '/oauthClients/microsoft/test'],
        ['POST', '/oauthClients/google/release'],
        ['GET', `/signInTests/${NOBODY}`],
        ['GET', '/redirectUrls'],
        ['POST', '/redirectUrls', { url: HTTPS }],
        ['POST', '/redirectUrls/remove', { url: HTTPS }],
      ] as const) {
        const { status, body: response } = await admin.call(method, `/applications/${id}${path}`, { body });
        expect([method, path, status, response.code]).toEqual([method, path, 404, 'NotFound']);
      }
    }
  });
});

describe('API keys', () => {
  it('are shown once, listed by how they begin, and work until they are revoked', async () => {
    const id = await newApplication();
    const path = `/applications/${id}/apiKeys`;
    const { apiKey, ...key } = await change('POST', path, { name: 'ci', expires: '30', scopes: ['write', 'read'] });
    expect(key).toEqual({
      ...{ id: expect.any(String), name: 'ci', prefix: apiKey.slice(0, 16), scopes: ['read', 'write'] },
      ...{ createdAt: ISO, expiresAt: ISO, lastUsedAt: null, revokedAt: null },
    });
    const days = (Date.parse(key.expiresAt) - Date.parse(key.createdAt)) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    expect(await read(path)).toEqual({ data: [key] });
    expect((await google.service.call('GET', '/v1/endUserAccounts', { key: apiKey })).status).toBe(200);
    const used = (await read<Api.ApiKeyList>(path)).data[0]!;
    expect(used).toEqual({ ...key, lastUsedAt: ISO });
    const other = await newApplication();
    expect(await rejected(admin.call('DELETE', `/applications/${other}/apiKeys/${key.id}`))).toEqual([
      ...[404, 'NotFound', expect.any(String)],
    ]);
    await change('DELETE', `${path}/${key.id}`);
    expect((await google.service.call('GET', '/v1/endUserAccounts', { key: apiKey })).body.code).toBe('InvalidApiKey');
    expect(await read(path)).toEqual({ data: [{ ...used, revokedAt: ISO }] });
    expect((await audited(id)).slice(1)).toEqual([
      ['api-key.created', `api-key:${key.id}`],
      ['api-key.revoked', `api-key:${key.id}`],
    ]);
  });

  it.each([
    { name: 'x', expires: '8', scopes: ['read'] },
    { name: 'x', expires: '2020-01-01', scopes: ['read'] },
    { name: 'x', expires: '7', scopes: [] },
    { name: 'x', expires: '7', scopes: ['admin'] },
    { name: '', expires: '7', scopes: ['read'] },
  ])('are not made of %j', async (body) => {
    const id = await newApplication();
    expect((await admin.call('POST', `/applications/${id}/apiKeys`, { body })).status).toBe(400);
  });
});

describe('redirect URLs', () => {
  it('are added and removed; the oldest is the default', async () => {
    const id = await newApplication();
    const path = `/applications/${id}/redirectUrls`;
    const first = { url: LOCAL, isDefault: true };
    expect(await change('POST', path, { url: LOCAL })).toEqual({ data: [first] });
    expect(await change('POST', path, { url: HTTPS })).toEqual({ data: [first, { url: HTTPS, isDefault: false }] });
    expect(await rejected(admin.call('POST', path, { body: { url: HTTPS } }))).toEqual([
      ...[409, 'Conflict', expect.any(String)],
    ]);
    expect(await change('POST', `${path}/remove`, { url: LOCAL })).toEqual({ data: [{ url: HTTPS, isDefault: true }] });
    expect((await audited(id)).slice(1)).toEqual([
      ['redirect-url.added', `redirect-url:${LOCAL}`],
      ['redirect-url.added', `redirect-url:${HTTPS}`],
      ['redirect-url.removed', `redirect-url:${LOCAL}`],
    ]);
  });

  it('keep an application out of production that production refuses, and are named', async () => {
    const id = await newApplication();
    const path = `/applications/${id}`;
    await change('POST', `${path}/redirectUrls`, { url: LOCAL });
    await change('POST', `${path}/redirectUrls`, { url: HTTPS });
    expect(await rejected(admin.call('PATCH', path, { body: { environment: 'production', name: 'new' } }))).toEqual([
      ...[409, 'Conflict', expect.stringMatching(new RegExp(`first: ${LOCAL}$`))],
    ]);
    expect(await read(path)).toMatchObject({ environment: 'development', name: 'acme' });
    await change('POST', `${path}/redirectUrls/remove`, { url: LOCAL });
    expect(await change('PATCH', path, { environment: 'production' })).toMatchObject({ environment: 'production' });
    expect(await rejected(admin.call('POST', `${path}/redirectUrls`, { body: { url: LOCAL } }))).toEqual([
      ...[400, 'ValidationFailed', expect.stringContaining('in production')],
    ]);
    expect(await read<Api.RedirectUrlList>(`${path}/redirectUrls`)).toEqual({
      data: [{ url: HTTPS, isDefault: true }],
    });
  });

  it('never get past the change to production, however close they come', async () => {
    const id = await newApplication();
    const attempts = Array.from({ length: 8 }, (_, port) =>
      admin.call('POST', `/applications/${id}/redirectUrls`, { body: { url: `http://localhost:${3_000 + port}/` } }),
    );
    const [toProduction] = await Promise.all([
      admin.call('PATCH', `/applications/${id}`, { body: { environment: 'production' } }),
      ...attempts,
    ]);
    const { data } = await read<Api.RedirectUrlList>(`/applications/${id}/redirectUrls`);
    expect([toProduction.status, data.length === 0]).toEqual(toProduction.status === 200 ? [200, true] : [409, false]);
  });
});

describe('the providers', () => {
  it('are listed for everybody with a session, with what their accounts and their OAuth clients need', async () => {
    const { status, body } = await viewer.call('GET', '/providers');
    expect(status).toBe(200);
    const known = body.data.map(({ type, slug, authentication, reportsChanges, oauthClient }: Api.Provider) => [
      ...[type, slug, authentication, reportsChanges, oauthClient === null ? null : oauthClient.tenant !== null],
    ]);
    expect(known.slice(0, 4)).toEqual([
      ['GOOGLE', 'google', 'oauth', true, false],
      ['MICROSOFT', 'microsoft', 'oauth', true, true],
      ['APPLE', 'apple', 'password', false, null],
      ['CALDAV', 'caldav', 'password', false, null],
    ]);
    expect(body.data[0]).toEqual({
      ...{ type: 'GOOGLE', slug: 'google', label: 'Google', authentication: 'oauth', reportsChanges: true },
      icon: expect.stringMatching(/^M[\d\sA-Za-z.-]+$/),
      oauthClient: {
        ...{ console: expect.stringContaining('“Web application”.'), redirectName: 'Authorized redirect URIs' },
        ...{ tenant: null, defaultScopes: expect.arrayContaining(['openid']) },
      },
    });
    expect((await fetch(`${google.service.baseUrl}/api/operator/v1/providers`)).status).toBe(401);
    expect((await viewer.call('GET', '/providers?type=GOOGLE')).status).toBe(400);
  });
});

describe('OAuth clients', () => {
  it('are shown with whose they are and what to register, never with their secret', async () => {
    const id = await newApplication();
    const path = `/applications/${id}/oauthClients`;
    const callback = (provider: string) => `${google.service.baseUrl}/api/v1/oauth/callback/${provider}`;
    const { data } = await read<Api.OAuthClientList>(path);
    expect(data).toEqual([
      {
        ...{ provider: 'google', source: null, clientId: null, scopes: null, tenant: null, breakerTrippedSince: null },
        expiresAt: null,
        ...{ defaultScopes: expect.arrayContaining(['openid']), callbackUrl: callback('google') },
      },
      {
        ...{ provider: 'microsoft', source: 'installation', clientId: 'of-the-installation', scopes: null },
        ...{ tenant: 'common', expiresAt: null, breakerTrippedSince: null, callbackUrl: callback('microsoft') },
        defaultScopes: expect.arrayContaining(['offline_access']),
      },
    ]);
    const own = { clientId: 'own', clientSecret: 'canary-of-a-secret', tenant: 'contoso.example', scopes: ['a', 'b'] };
    const expiresAt = '2027-05-31';
    const { clientSecret, ...shown } = own;
    const set = await change('PUT', `${path}/microsoft`, { ...own, expiresAt });
    const until = { expiresAt: '2027-05-31T00:00:00.000Z' };
    expect(set).toEqual({ ...data[1], ...shown, ...until, source: 'application' });
    expect(JSON.stringify(await read(path))).not.toContain(clientSecret);
    // Without a secret it keeps the one that it has; what else is left out goes back to what it is by default.
    expect(await change('PUT', `${path}/microsoft`, { clientId: 'own' })).toMatchObject({
      ...{ scopes: null, tenant: null, ...until },
    });
    await rows(
      "insert into mass_expiry_breaker (provider_type, client_id, breaker_tripped_since) values ('MICROSOFT', 'own', now())",
    );
    expect((await read<Api.OAuthClientList>(path)).data[1]!.breakerTrippedSince).toEqual(ISO);
    expect(await change('POST', `${path}/microsoft/release`)).toMatchObject({ breakerTrippedSince: null });
    await change('DELETE', `${path}/microsoft`);
    expect((await read<Api.OAuthClientList>(path)).data).toEqual(data);
    expect((await audited(id)).slice(1).map(([action]) => action)).toEqual([
      ...['oauth-client.set', 'oauth-client.set', 'oauth-client.released', 'oauth-client.removed'],
    ]);
  });

  it.each([
    ['google', { clientId: 'other' }, 'clientSecret'],
    ['google', { clientId: 'a b', clientSecret: 'x' }, 'clientId'],
    ['google', { clientId: 'a', clientSecret: 'x', expiresAt: 'soon' }, 'expiresAt'],
    ['google', { clientId: 'a', clientSecret: 'x', tenant: 'contoso.example' }, 'tenant'],
    ['microsoft', { clientId: 'a', clientSecret: 'x', tenant: '../..' }, 'tenant'],
    ['microsoft', { clientId: 'a', clientSecret: 'x', scopes: ['a b'] }, 'scopes'],
    ['microsoft', { clientId: 'a', clientSecret: 'x', scopes: [] }, 'scopes'],
  ])('for %s are not made of %j', async (provider, body, field) => {
    const id = await newApplication();
    await change('PUT', `/applications/${id}/oauthClients/google`, TEST_CLIENT);
    const response = await admin.call('PUT', `/applications/${id}/oauthClients/${provider}`, { body });
    expect([response.status, response.body.details[0].path]).toEqual([400, field]);
  });

  it('are of providers that have some', async () => {
    const id = await newApplication();
    for (const provider of ['caldav', 'GOOGLE', 'x']) {
      expect((await admin.call('DELETE', `/applications/${id}/oauthClients/${provider}`)).status).toBe(404);
    }
  });
});

describe('the test of a sign-in', () => {
  const client = { ...TEST_CLIENT, scopes: null as string[] | null };
  let id: string;
  let visitor: Visitor;

  beforeEach(async () => {
    id = await newApplication();
    await google.sandbox.clearFaults();
    await google.sandbox.clearRequests();
    visitor = new Visitor(google.sandbox.googleUrl);
    client.scopes = null;
  });

  /** @returns the provider's first page, and how to come back from there */
  async function begin(given: object = client) {
    await change('PUT', `/applications/${id}/oauthClients/google`, given);
    const started = await admin.call('POST', `/applications/${id}/oauthClients/google/test`);
    expect(started.status).toBe(200);
    const { testId, authorizationUrl } = started.body as { testId: string; authorizationUrl: string };
    const cookie = started.headers.getSetCookie()[0]!.split(';', 1)[0]!;
    const comeBack = async ({ url }: Pick<Visit, 'url'>, headers: Record<string, string> = { cookie }) => {
      const response = await fetch(url, { redirect: 'manual', headers: { accept: 'text/html', ...headers } });
      return response.headers.get('location');
    };
    const result = () => read<Api.SignInTest>(`/applications/${id}/signInTests/${testId}`);
    const page = `${google.service.baseUrl}/dashboard/applications/${id}/sign-in?test=${testId}`;
    return { testId, authorizationUrl, comeBack, result, page };
  }

  const newUser = (email: string) => google.sandbox.addUser({ email });
  const revocations = () => google.sandbox.requests({ kind: 'revoke' });
  const failed = (code: string, message: unknown, more: object = {}) => ({
    ...{ provider: 'google', state: 'failed', email: null, grantedScopes: [], missingScopes: [] },
    ...{ hasRefreshToken: null, error: { code, message }, ...more },
  });

  it('passes: it tells who signed in and what was granted, makes no account, and gives the grant back', async () => {
    const { email } = await newUser('ada@tests.example');
    const test = await begin();
    expect(await test.result()).toEqual({ ...failed('', ''), state: 'running', error: null });
    expect(await test.comeBack(await visitor.signIn(test.authorizationUrl, email))).toBe(test.page);
    const { grantedScopes, ...result } = await test.result();
    expect(result).toEqual({
      ...{ provider: 'google', state: 'passed', email, missingScopes: [], hasRefreshToken: true, error: null },
    });
    expect(grantedScopes).toContain('openid');
    expect(await rows('select 1 from end_user_account where application_id = $1', [id])).toEqual([]);
    expect(await rows('select 1 from outbox where application_id = $1', [id])).toEqual([]);
    await eventually('the grant is given back', async () => (await revocations()).length > 0 || undefined);
    expect(await audited(id)).toContainEqual(['sign-in.tested', 'oauth-client:GOOGLE']);
  });

  it('leaves a grant alone that an account lives on', async () => {
    const email = 'bob@tests.example';
    const { grant } = await google.connected(email);
    const test = await begin();
    await test.comeBack(await visitor.signIn(test.authorizationUrl, email));
    expect(await test.result()).toMatchObject({ state: 'passed', email });
    await eventually('it was thought about', async () =>
      (await rows('select 1 from grant_revocation where application_id = $1', [id])).length === 0 ? true : undefined,
    );
    expect(await revocations()).toEqual([]);
    expect(await isGrantAlive(google.sandbox, grant.refreshToken)).toBe(true);
  });

  it('fails when access is not allowed', async () => {
    const { email } = await newUser('cancels@tests.example');
    const test = await begin();
    const consent = await visitor.chooseAccount(await visitor.open(test.authorizationUrl), email);
    expect(await test.comeBack(await visitor.cancel(consent))).toBe(test.page);
    expect(await test.result()).toEqual(failed('access_denied', expect.stringContaining('test users')));
  });

  it('fails with a wrong secret', async () => {
    const { email } = await newUser('secret@tests.example');
    const test = await begin({ ...client, clientSecret: 'wrong' });
    expect(await test.comeBack(await visitor.signIn(test.authorizationUrl, email))).toBe(test.page);
    expect(await test.result()).toEqual(failed('client_refused', expect.stringContaining('its secret again')));
  });

  it('fails when a permission is missing, names it, and gives the rest back', async () => {
    const { email } = await newUser('unticks@tests.example');
    const test = await begin({ ...client, scopes: GRANULAR_SCOPES });
    const consent = await visitor.chooseAccount(await visitor.open(test.authorizationUrl), email);
    expect(await test.comeBack(await visitor.allow(consent, ['calendar.events']))).toBe(test.page);
    const missing = GRANULAR_SCOPES.filter((scope) => scope.endsWith('/calendar.events'));
    expect(await test.result()).toEqual(
      failed('missing_scopes', expect.stringContaining(missing[0]!), {
        ...{ email, missingScopes: missing, grantedScopes: expect.any(Array), hasRefreshToken: true },
      }),
    );
    await eventually('the grant is given back', async () => (await revocations()).length > 0 || undefined);
  });

  it('fails when the provider does not answer, and when it does not let calendars be read', async () => {
    const { email } = await newUser('faults@tests.example');
    const silent = await begin();
    await google.sandbox.fault({ kind: 'token' }, { type: 'status', status: 503 });
    await silent.comeBack(await visitor.signIn(silent.authorizationUrl, email));
    expect(await silent.result()).toEqual(failed('provider_unavailable', expect.stringContaining('later')));
    await google.sandbox.clearFaults();
    const disabled = await begin();
    await google.sandbox.fault(
      { methodId: 'calendar.calendarList.get' },
      { type: 'status', status: 403, reason: 'accessNotConfigured' },
    );
    await disabled.comeBack(await visitor.signIn(disabled.authorizationUrl, email));
    expect(await disabled.result()).toMatchObject({
      ...{ state: 'failed', email, hasRefreshToken: true, error: { code: 'calendar_refused' } },
    });
  });

  it('fails when the answer names another provider', async () => {
    const { email } = await newUser('mixed@tests.example');
    const test = await begin();
    const { url } = await visitor.signIn(test.authorizationUrl, email);
    url.searchParams.set('iss', 'https://evil.example');
    expect(await test.comeBack({ url })).toBe(test.page);
    expect(await test.result()).toEqual(failed('foreign_answer', expect.any(String)));
    expect(await google.sandbox.requests({ kind: 'token' })).toEqual([]);
  });

  it('is ended by its own browser alone, and once', async () => {
    const { email } = await newUser('browser@tests.example');
    const test = await begin();
    const back = await visitor.signIn(test.authorizationUrl, email);
    expect(await test.comeBack(back, {})).toBeNull();
    expect(await test.comeBack(back, { cookie: `uc_oauth=${'x'.repeat(43)}` })).toBeNull();
    expect((await test.result()).state).toBe('running');
    expect(await test.comeBack(back)).toBe(test.page);
    expect(await test.comeBack(back)).toBeNull();
    expect((await test.result()).state).toBe('passed');
    const other = await newApplication();
    expect((await viewer.call('GET', `/applications/${other}/signInTests/${test.testId}`)).status).toBe(404);
  });

  it('says what to register when nobody comes back: an unknown callback URL stays on the page of the provider', async () => {
    await google.sandbox.addClient({ clientId: 'elsewhere', clientSecret: 's', redirectUris: ['https://a.example/'] });
    const test = await begin({ clientId: 'elsewhere', clientSecret: 's' });
    const page = await visitor.open(test.authorizationUrl);
    expect([page.status, page.url.origin]).toEqual([400, google.sandbox.googleUrl]);
    expect((await test.result()).state).toBe('running');
    await rows("update sign_in_test set created_at = created_at - interval '10 minutes' where id = $1", [test.testId]);
    const callback = `${google.service.baseUrl}/api/v1/oauth/callback/google`;
    expect(await test.result()).toEqual(failed('abandoned', expect.stringContaining(` ${callback} `)));
  });

  it('needs a client', async () => {
    expect(await rejected(admin.call('POST', `/applications/${id}/oauthClients/google/test`))).toEqual([
      ...[409, 'Conflict', expect.stringContaining('Set one first')],
    ]);
  });
});

describe('an application that is deleted', () => {
  it('is gone at once for everybody; what it has elsewhere ends there, and then its rows', async () => {
    const { service, sandbox } = google;
    const applicationId = service.applicationId;
    const { grant } = await google.connected('last@example.test');
    const { name } = await read<Api.Application>(`/applications/${applicationId}`);
    const path = `/applications/${applicationId}/delete`;
    for (const confirmation of ['', ` ${name}`, name.toUpperCase()]) {
      expect(await rejected(admin.call('POST', path, { body: { confirmation } }))).toEqual([
        ...[400, 'ValidationFailed', expect.any(String)],
      ]);
    }
    await change('POST', path, { confirmation: name });
    expect((await viewer.call('GET', `/applications/${applicationId}`)).status).toBe(404);
    expect((await read<Api.ApplicationList>('/applications')).data.map(({ id }) => id)).not.toContain(applicationId);
    await eventually('its keys are refused', async () =>
      (await service.call('GET', '/v1/endUserAccounts')).status === 401 ? true : undefined,
    );
    const { DATABASE_URL, ...env } = service.env;
    worker = await runWorker(DATABASE_URL!, env);
    await grantIsGone(sandbox, grant.refreshToken);
    await eventually('its rows are gone', async () =>
      (await rows('select 1 from application where id = $1', [applicationId])).length === 0 ? true : undefined,
    );
    const [last] = await rows(
      'select action, actor, subject from audit_entry where application_id = $1 order by id desc',
      [applicationId],
    );
    expect(last).toEqual({
      ...{ action: 'application.deleted', actor: `operator:${admin.email}`, subject: `application:${applicationId}` },
    });
  });
});
