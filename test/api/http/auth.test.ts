import { connect } from 'node:net';
import { jest } from '@jest/globals';
import { APPLICATION_ID, startHttpApp, type HttpApp } from '../../support/http-app.js';

let http: HttpApp;
beforeAll(async () => {
  http = await startHttpApp({ rateLimitRps: 50 });
});
afterAll(() => http.close());
beforeEach(() => {
  http.fakes.accounts.get = jest.fn(async () => ({ id: 'a' }));
  http.fakes.accounts.delete = jest.fn(async () => ({ ok: true }));
  http.fakes.accounts.credentials = jest.fn(async () => ({ id: 'c' }));
  http.fakes.accounts.upsert = jest.fn(async () => ({ id: 'a' }));
  http.fakes.freeBusy.query = jest.fn(async () => []);
});

const ACCOUNT = '/api/v1/endUserAccounts/a';
const withKey = (key: string): { headers: Record<string, string> } => ({ headers: { 'x-api-key': key } });
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1_100));

describe('N01 application keys', () => {
  async function refusal(request: () => Promise<{ status: number; body: Record<string, unknown> }>): Promise<unknown> {
    const { status, body } = await request();
    return { status, ...body, requestId: null };
  }

  it('answers a missing, an empty and a repeated key alike', async () => {
    const missing = await refusal(async () => {
      const response = await globalThis.fetch(http.base + ACCOUNT);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    });
    expect(missing).toMatchObject({ status: 401, code: 'MissingApiKey' });
    expect(await refusal(() => http.call('GET', ACCOUNT, withKey('')))).toEqual(missing);
    const twice = await new Promise<string>((resolve, reject) => {
      const { port, hostname } = new URL(http.base);
      const socket = connect(Number(port), hostname);
      let response = '';
      socket.on('data', (chunk) => (response += chunk.toString()));
      socket.on('close', () => resolve(response));
      socket.on('error', reject);
      socket.end(`GET ${ACCOUNT} HTTP/1.1\r\nx-api-key: uck_live\r\nX-API-Key: uck_live\r\nconnection: close\r\n\r\n`);
    });
    expect(twice).toContain('HTTP/1.1 401');
    expect(twice).toContain('MissingApiKey');
    expect(http.fakes.accounts.get).not.toHaveBeenCalled();
  });

  it('ignores keys in the query and in cookies', async () => {
    const response = await globalThis.fetch(`${http.base}${ACCOUNT}?x-api-key=uck_live`, {
      headers: { cookie: 'x-api-key=uck_live', authorization: 'Bearer uck_live' },
    });
    expect(response.status).toBe(401);
  });

  it.each([
    ['uck_unknown', 'InvalidApiKey'],
    ['nonsense', 'InvalidApiKey'],
    ['uck_expired', 'ApiKeyExpired'],
  ])('answers 401 to %s', async (key, code) => {
    expect(await http.call('GET', ACCOUNT, withKey(key))).toMatchObject({ status: 401, body: { code } });
  });

  it('reads no body of somebody without a key', async () => {
    const response = await http.call('POST', '/api/v1/endUserAccounts', { ...withKey('uck_unknown'), raw: '{broken' });
    expect(response).toMatchObject({ status: 401, body: { code: 'InvalidApiKey' } });
  });

  it("N09 asks every route of the interface for a key but those of users' browsers", async () => {
    const { paths } = (await http.call('GET', '/api/openapi.json')).body as { paths: Record<string, object> };
    const routes = Object.entries(paths)
      .filter(([path]) => !path.startsWith('/api/v1/oauth/'))
      .flatMap(([path, item]) => Object.keys(item).map((method) => [method, path]));
    expect(routes.length).toBeGreaterThanOrEqual(20);
    for (const [method = '', path = ''] of routes) {
      const response = await http.call(method.toUpperCase(), path.replace(/\{\w+\}/g, 'x'), withKey(''));
      expect([method, path, response.status]).toEqual([method, path, response.status === 429 ? 429 : 401]);
    }
    await pause();
  });
});

describe('scopes', () => {
  const busy = {
    startDateTime: '2026-01-01T00:00:00Z',
    endDateTime: '2026-01-02T00:00:00Z',
    timeZone: 'UTC',
    calendarIds: ['c'],
  };

  it.each([
    ['uck_reader', 'GET', ACCOUNT, undefined, 200],
    ['uck_reader', 'DELETE', ACCOUNT, undefined, 403],
    ['uck_reader', 'POST', '/api/v1/freeBusy/a', busy, 200],
    ['uck_reader', 'GET', `${ACCOUNT}/credentials`, undefined, 403],
    ['uck_writer', 'GET', ACCOUNT, undefined, 403],
    ['uck_writer', 'DELETE', ACCOUNT, undefined, 200],
    ['uck_writer', 'POST', '/api/v1/freeBusy/a', busy, 403],
    ['uck_live', 'GET', `${ACCOUNT}/credentials`, undefined, 200],
  ])('%s may %s %s: %#', async (key, method, path, body, status) => {
    const response = await http.call(method, path, { ...withKey(key), body });
    expect(response.status).toBe(status);
    if (status === 403) expect(response.body.code).toBe('Forbidden');
  });

  it('T15 names who reads credentials, and lets nobody keep the answer', async () => {
    const { headers } = await http.call('GET', `${ACCOUNT}/credentials`, {
      headers: { 'x-api-key': 'uck_live', 'x-request-id': 'audit-1' },
    });
    expect(http.fakes.accounts.credentials).toHaveBeenCalledWith(
      { applicationId: APPLICATION_ID },
      'a',
      { actor: 'api-key:key-1', requestId: 'audit-1' },
      expect.any(AbortSignal),
    );
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

describe('N06 the application in connect paths', () => {
  const body = { email: 'ada@icloud.com', password: 'abcd-efgh' };

  it('has to be the application of the key', async () => {
    const other = await http.call('POST', '/api/v1/basicAuth/connect/019a9b2d-ffff-7b70-8f3a-64a1c2d3e4f5/apple', {
      body,
    });
    expect(other).toMatchObject({ status: 404, body: { code: 'NotFound' } });
    expect(http.fakes.accounts.upsert).not.toHaveBeenCalled();
  });

  it('connects for its own', async () => {
    const own = await http.call('POST', `/api/v1/basicAuth/connect/${APPLICATION_ID}/apple`, { body });
    expect(own.status).toBe(200);
    expect(http.fakes.accounts.upsert).toHaveBeenCalledWith(
      { applicationId: APPLICATION_ID },
      { ...body, providerType: 'APPLE' },
      expect.any(AbortSignal),
      'api-key:key-1',
    );
  });
});

describe('N52 rate limits', () => {
  it('are told on success and on failure', async () => {
    for (const path of [ACCOUNT, '/api/v1/endUserAccounts?limit=0', '/api/v1/nope']) {
      const { headers } = await http.call('GET', path);
      expect([path, headers.get('ratelimit-policy')]).toEqual([path, '"default";q=50;w=1']);
    }
    expect((await http.call('GET', ACCOUNT)).headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=1$/);
  });

  it("stop a key at its application's own limit, and no other key", async () => {
    await pause();
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => http.call('GET', ACCOUNT, withKey('uck_slow'))),
    );
    const rejected = responses.filter(({ status }) => status === 429);
    expect(rejected.length).toBeGreaterThanOrEqual(2);
    for (const { headers, body } of rejected) {
      expect(body.code).toBe('RateLimited');
      expect(headers.get('retry-after')).toBe('1');
      expect(headers.get('ratelimit-policy')).toBe('"default";q=2;w=1');
      expect(headers.get('ratelimit')).toMatch(/^"default";r=0;t=1$/);
    }
    expect((await http.call('GET', ACCOUNT)).status).toBe(200);
  });

  it('N07 stop guesses by where they come from, and no right key from there', async () => {
    await pause();
    // More than several windows of the limit take, however they fall.
    const guesses = await Promise.all(
      Array.from({ length: 400 }, (_, i) => http.call('GET', ACCOUNT, withKey(`uck_${i}`))),
    );
    expect(guesses.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
    expect((await http.call('GET', ACCOUNT)).status).toBe(200);
  });
});
