import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandLine } from '../../support/command-line.js';
import { operatorSession, type OperatorSession } from '../../support/operator-session.js';
import { asAdmin } from '../../support/postgres.js';
import { callService, startService, type Answer, type CallOptions, type Service } from '../../support/service.js';

const NOBODY = '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5';
const DAY_MS = 86_400_000;

let service: Service;
let admin: OperatorSession;

beforeAll(async () => {
  service = await startService({ RATE_LIMIT_RPS: '30' });
  admin = await operatorSession(service, 'admin');
});
afterAll(() => service?.stop());

interface NewToken {
  id: string;
  token: string;
}

async function createToken(scopes: string[], by: OperatorSession = admin): Promise<NewToken> {
  const created = await by.call<NewToken>('POST', '/tokens', { body: { name: 'Terraform', expires: '90', scopes } });
  expect(created.status).toBe(200);
  return created.body;
}

/** As a program calls: no cookie, no CSRF token, no Origin. */
function call(token: string, method: string, path: string, { headers, ...options }: CallOptions = {}) {
  const all = { authorization: `Bearer ${token}`, ...headers };
  return callService<any>(service.baseUrl, '', method, `/operator/v1${path}`, { key: null, ...options, headers: all });
}

async function rows<T = any>(text: string, values: unknown[] = []): Promise<T[]> {
  return asAdmin(service.adminDatabaseUrl, async (database) => (await database.query(text, values)).rows as T[]);
}

const outcome = ({ status, body }: Answer<any>): unknown => [status, body?.code ?? null];
const REFUSED = [401, 'Forbidden'];

describe('an operator token', () => {
  it('sets up an application and a key that works, and the audit log names it', async () => {
    const { id, token } = await createToken(['applications:write', 'keys:write']);
    const { body: application } = await call(token, 'POST', '/applications', {
      body: { name: 'From a repository', environment: 'production' },
    });
    const path = `/applications/${application.id}`;
    const url = 'https://app.example.com/connected';
    expect((await call(token, 'POST', `${path}/redirectUrls`, { body: { url } })).body.data).toEqual([
      { url, isDefault: true },
    ]);
    const key = { name: 'backend', expires: '30', scopes: ['read'] };
    const { apiKey } = (await call(token, 'POST', `${path}/apiKeys`, { body: key })).body;
    expect((await callService(service.baseUrl, apiKey, 'GET', '/v1/endUserAccounts', {})).status).toBe(200);
    expect((await call(token, 'GET', '/applications')).body.data).toHaveLength(2);
    const entries = await rows('select action from audit_entry where actor = $1 order by id', [`operator-token:${id}`]);
    expect(entries.map(({ action }) => action)).toEqual([
      'application.created',
      'redirect-url.added',
      'api-key.created',
    ]);
    const [created] = await rows("select * from audit_entry where action = 'operator-token.created' order by id desc");
    expect(created).toMatchObject({ actor: `operator:${admin.email}`, subject: `operator-token:${id}` });
    expect(created.request_id).not.toBeNull();
  });

  it('is listed without its text, which no row of the database contains', async () => {
    const { id, token } = await createToken(['deliveries:read', 'accounts:write']);
    expect(token).toMatch(/^uco_[0-9a-f]{32}_[\w-]{43}$/);
    expect((await call(token, 'GET', '/messages')).status).toBe(200);
    const viewer = await operatorSession(service, 'viewer');
    for (const operator of [admin, viewer]) {
      const { data } = (await operator.call('GET', '/tokens')).body;
      const listed = data.find((each: { id: string }) => each.id === id);
      expect(listed).toEqual({
        ...{ id, name: 'Terraform', prefix: token.slice(0, 16), createdBy: admin.email },
        scopes: ['accounts:write', 'deliveries:read'],
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
        lastUsedAt: expect.any(String),
      });
      expect(Date.parse(listed.expiresAt) - Date.parse(listed.createdAt)).toBe(90 * DAY_MS);
    }
    const stored = JSON.stringify(await rows('select to_jsonb(t) from operator_token t'));
    expect(stored).not.toContain(token.slice(-43));
  });

  it('needs the scope of the area, of which write includes read', async () => {
    const { token: reader } = await createToken(['applications:read']);
    expect((await call(reader, 'GET', `/applications/${service.applicationId}`)).status).toBe(200);
    const change = { body: { name: 'Renamed' } };
    const rejected = await call(reader, 'PATCH', `/applications/${service.applicationId}`, change);
    expect([...(outcome(rejected) as []), rejected.body.message]).toEqual([
      ...[403, 'Forbidden', 'This needs an operator token with applications:write.'],
    ]);
    expect(outcome(await call(reader, 'GET', '/accounts'))).toEqual([403, 'Forbidden']);
    const { token: writer } = await createToken(['deliveries:write']);
    expect((await call(writer, 'GET', '/endpoints')).status).toBe(200);
    expect(outcome(await call(writer, 'POST', `/endpoints/${NOBODY}/enable`))).toEqual([404, 'NotFound']);
    expect(outcome(await call(writer, 'POST', `/endpoints/${NOBODY}/rotateSecret`))).toEqual([403, 'Forbidden']);
  });

  it('makes no operators and no tokens', async () => {
    const { token } = await createToken(['applications:write', 'keys:write', 'installation:write']);
    const body = { name: 'Another', expires: '7', scopes: ['keys:write'] };
    expect(outcome(await call(token, 'POST', '/tokens', { body }))).toEqual([403, 'Forbidden']);
    const invitation = { email: 'eve@example.com', role: 'admin' };
    expect(outcome(await call(token, 'POST', '/invitations', { body: invitation }))).toEqual([403, 'Forbidden']);
    expect(outcome(await call(token, 'GET', '/operators'))).toEqual([403, 'Forbidden']);
  });

  it('ends when it is revoked, when it expires, and with the operator who created it', async () => {
    const works = async ({ token }: NewToken) => outcome(await call(token, 'GET', '/providers'));
    const scopes = ['applications:read'];
    const revoked = await createToken(scopes);
    expect((await admin.call('DELETE', `/tokens/${revoked.id}`)).status).toBe(204);
    expect(await works(revoked)).toEqual(REFUSED);
    expect(outcome(await admin.call('DELETE', `/tokens/${revoked.id}`))).toEqual([404, 'NotFound']);
    expect(outcome(await admin.call('DELETE', '/tokens/x'))).toEqual([404, 'NotFound']);

    const expired = await createToken(scopes);
    expect(await works(expired)).toEqual([200, null]);
    await rows('update operator_token set expires_at = now() where id = $1', [expired.id]);
    expect(await works(expired)).toEqual(REFUSED);

    const colleague = await operatorSession(service, 'admin');
    const theirs = await createToken(scopes, colleague);
    const byOps = JSON.parse(
      (
        await CommandLine.start().run(
          { ...service.env, PUBLIC_URL: service.baseUrl },
          ...['operator-token', 'create', '--name', 'pipeline', '--scopes', 'applications:read', '--json'],
        )
      ).stdout,
    ) as NewToken;
    const { data } = (await admin.call('GET', '/operators')).body;
    const { id } = data.find(({ email }: { email: string }) => email === colleague.email);
    expect((await admin.call('PATCH', `/operators/${id}`, { body: { role: 'viewer' } })).status).toBe(200);
    expect(await works(theirs)).toEqual(REFUSED);
    expect((await admin.call('PATCH', `/operators/${id}`, { body: { role: 'admin' } })).status).toBe(200);
    expect(await works(theirs)).toEqual([200, null]);
    expect((await admin.call('DELETE', `/operators/${id}`)).status).toBe(204);
    expect(await works(theirs)).toEqual(REFUSED);
    expect(await works(byOps)).toEqual([200, null]);
  });

  it('is created by an admin who signed in within five minutes', async () => {
    const body = { name: 'Terraform', expires: '90', scopes: ['keys:read'] };
    const viewer = await operatorSession(service, 'viewer');
    expect(outcome(await viewer.call('POST', '/tokens', { body }))).toEqual([403, 'Forbidden']);
    const idle = await operatorSession(service, 'admin');
    await rows(
      `update operator_session s set created_at = now() - interval '6 minutes'
       from operator o where o.id = s.operator_id and o.email = $1`,
      [idle.email],
    );
    expect(outcome(await idle.call('POST', '/tokens', { body }))).toEqual([403, 'ReauthenticationRequired']);
  });

  it.each([
    ['no name', { name: ' ' }],
    ['no scopes', { scopes: [] }],
    ['an unknown scope', { scopes: ['applications:read', 'everything'] }],
    ['a scope twice', { scopes: ['keys:read', 'keys:read'] }],
    ['no end', { expires: 'never' }],
    ['an end after more than 366 days', { expires: new Date(Date.now() + 368 * DAY_MS).toISOString() }],
    ['an end in the past', { expires: '2026-01-01' }],
    ['another field', { role: 'admin' }],
  ])('is not created with %s', async (_, over) => {
    const body = { name: 'Terraform', expires: '90', scopes: ['keys:read'], ...over };
    expect(outcome(await admin.call('POST', '/tokens', { body }))).toEqual([400, 'ValidationFailed']);
  });
});

describe('a token in the Authorization header', () => {
  it('is what counts, whatever the cookie', async () => {
    const { token } = await createToken(['applications:read']);
    const { cookie } = admin;
    expect((await call(token, 'GET', '/applications', { headers: { cookie } })).status).toBe(200);
    expect(outcome(await call(token, 'GET', '/operators', { headers: { cookie } }))).toEqual([403, 'Forbidden']);
    expect(outcome(await call('uco_x', 'GET', '/operators', { headers: { cookie } }))).toEqual(REFUSED);
    expect(outcome(await callService(service.baseUrl, token, 'GET', '/v1/endUserAccounts', {}))).toEqual([
      ...[401, 'InvalidApiKey'],
    ]);
  });

  it('opens nothing that is not a whole token, and guesses are limited', async () => {
    const { id, token } = await createToken(['applications:read']);
    const hex = id.replaceAll('-', '');
    for (const authorization of [
      ...['Bearer uco_', `Bearer ${token} ${token}`, `Bearer ${token}\u00e9`, `Bearer uco_${hex}_${'A'.repeat(43)}`],
      ...[`Bearer uco_${NOBODY.replaceAll('-', '')}_${token.slice(-43)}`, `Bearer ${token.slice(0, -1)}`],
    ]) {
      const response = await call(token, 'GET', '/applications', { headers: { authorization } });
      expect([authorization, ...(outcome(response) as [])]).toEqual([authorization, ...REFUSED]);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    }
    const { cookie } = admin;
    for (const authorization of [
      '',
      'Bearer',
      `Basic ${token}`,
      token,
      `Bearer ${service.apiKey}`,
      'Bearer eyJ.e30.x',
    ]) {
      expect(outcome(await call(token, 'GET', '/applications', { headers: { authorization } }))).toEqual(REFUSED);
      // As a proxy in front of the dashboard adds it.
      const proxied = await call(token, 'GET', '/operators', { headers: { authorization, cookie } });
      expect([authorization, proxied.status]).toEqual([authorization, 200]);
    }
    // More than several windows of the limit take, however they fall.
    const guesses = Array.from({ length: 300 }, () => call('uco_x', 'GET', '/applications'));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
    expect((await call(token, 'GET', '/applications')).status).toBe(200);
  });

  it('takes a body in JSON alone', async () => {
    const { token } = await createToken(['applications:write']);
    const headers = { 'content-type': 'text/plain' };
    const response = await call(token, 'POST', '/applications', {
      headers,
      body: { name: 'Text', environment: 'production' },
    });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(await rows("select from application where name = 'Text'")).toEqual([]);
  });
});
