import { jest } from '@jest/globals';
import { connect } from 'node:net';
import { DomainError, ERROR_CODES } from '#domain/system';
import { DatabaseUnavailable } from '#persistence';
import { ERROR_STATUS } from '../../../apps/api/src/errors/error-status.js';
import { eventually } from '../../support/processes.js';
import { startHttpApp, type Answer, type HttpApp } from '../../support/http-app.js';

let http: HttpApp;
beforeAll(async () => {
  http = await startHttpApp({ requestTimeoutMs: 300 });
});
afterAll(() => http.close());
beforeEach(() => {
  http.fakes.accounts.get = jest.fn(async () => ({ id: 'a' }));
});

const ACCOUNT = '/api/v1/endUserAccounts/a';

function expectEnvelope({ status, headers, body }: Answer, expectedStatus: number, code: string): void {
  expect({ status, code: body.code }).toEqual({ status: expectedStatus, code });
  expect(body.error).toBe(body.code);
  expect(typeof body.message).toBe('string');
  expect(body.requestId).toBe(headers.get('x-request-id'));
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(Object.keys(body).sort()).toEqual(
    [...new Set(['code', 'error', 'message', 'requestId', ...Object.keys(body).filter(isOptional)])].sort(),
  );
}

const isOptional = (field: string): boolean => field === 'details' || field === 'provider';

/** Sends bytes as they are; resolves with all that comes back. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port, hostname } = new URL(http.base);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let response = '';
    socket.on('data', (chunk) => (response += chunk.toString()));
    socket.on('close', () => resolve(response));
    socket.on('error', reject);
  });
}

function parseRaw(response: string): { status: number; requestId: string | undefined; body: Record<string, unknown> } {
  const [head = '', body = ''] = response.split('\r\n\r\n');
  return {
    status: Number(head.split(' ')[1]),
    requestId: /^x-request-id: (.+)$/im.exec(head)?.[1],
    body: JSON.parse(body) as Record<string, unknown>,
  };
}

describe('N56 every error has one shape', () => {
  it.each(ERROR_CODES.map((code) => [code, ERROR_STATUS[code]] as const))(
    '%s is answered with %i',
    async (code, status) => {
      http.fakes.accounts.get = jest.fn(() => Promise.reject(new DomainError(code, 'A sentence.')));
      const response = await http.call('GET', ACCOUNT);
      expectEnvelope(response, status, code);
      expect(response.headers.get('retry-after') !== null).toBe(status === 429 || status === 503);
    },
  );

  it('passes details, the fault of the provider and Retry-After on', async () => {
    const provider = { status: 507, code: 'quota', message: 'full', retryable: false };
    const details = [{ path: 'title', message: 'is too long' }];
    http.fakes.accounts.get = jest.fn(() =>
      Promise.reject(new DomainError('ProviderRejected', 'No.', { provider, details, retryAfterSeconds: 2.2 })),
    );
    const response = await http.call('GET', ACCOUNT);
    expect(response.body).toMatchObject({ provider, details });
    expect(response.headers.get('retry-after')).toBe('3');
  });

  it.each([
    ['an error', () => Promise.reject(new Error('select * from secrets at /srv/app/x.ts'))],
    ['a string', () => Promise.reject('SELECT canary')], // eslint-disable-line @typescript-eslint/prefer-promise-reject-errors
    ['nothing', () => Promise.reject(undefined)], // eslint-disable-line @typescript-eslint/prefer-promise-reject-errors
    [
      'an http-errors look-alike',
      () => Promise.reject(Object.assign(new Error('canary'), { status: 400, statusCode: 400, expose: true })),
    ],
  ])('says nothing of %s that was thrown', async (_, throws) => {
    http.fakes.accounts.get = jest.fn(throws);
    const response = await http.call('GET', ACCOUNT);
    expect(JSON.stringify(response.body)).not.toMatch(/canary|secrets|srv|stack/i);
    expectEnvelope(response, response.body.code === 'ValidationFailed' ? 400 : 500, response.body.code as string);
  });

  it('answers 503 with Retry-After when the database is away', async () => {
    http.fakes.accounts.get = jest.fn(() =>
      Promise.reject(new DatabaseUnavailable('refused', new Error('10.0.0.7:5432'))),
    );
    const response = await http.call('GET', ACCOUNT);
    expectEnvelope(response, 503, 'ServiceUnavailable');
    expect(response.headers.get('retry-after')).toBe('2');
    expect(JSON.stringify(response.body)).not.toContain('10.0.0.7');
  });

  it.each(['/nope', '/', '/api', '/api/v1', '/api/v1/nope', '/health/nope', '/api/v1/endUserAccounts/a/nope'])(
    'answers 404 at the unknown path %s',
    async (path) => {
      expectEnvelope(await http.call('GET', path), 404, 'NotFound');
    },
  );

  it.each([
    ['/api/v1/endUserAccounts', 'GET, HEAD, POST'],
    ['/api/v1/endUserAccounts/a?pageSize=1', 'DELETE, GET, HEAD'],
    ['/api/v1/events/a/c/e/rsvp', 'POST'],
  ])('answers 405 to a method that there is not at %s, and says which there are', async (path, allowed) => {
    for (const method of ['PATCH', 'OPTIONS']) {
      const response = await http.call(method, path);
      expectEnvelope(response, 405, 'MethodNotAllowed');
      expect(response.headers.get('allow')).toBe(allowed);
    }
    expect((await http.call('PATCH', '/api/v1/nope')).headers.get('allow')).toBeNull();
  });

  it.each(['PATCH', 'OPTIONS', 'PURGE', 'TRACE', 'FOO'])('N21 has nothing for the method %s', async (method) => {
    const response = parseRaw(
      await raw(`${method} ${ACCOUNT} HTTP/1.1\r\nhost: x\r\nx-http-method-override: GET\r\nconnection: close\r\n\r\n`),
    );
    expect([405, 400]).toContain(response.status);
    expect(response.body.requestId).toBe(response.requestId);
    expect(http.fakes.accounts.get).not.toHaveBeenCalled();
  });

  it('N21 answers CONNECT in the envelope', async () => {
    const response = parseRaw(await raw('CONNECT internal:22 HTTP/1.1\r\nhost: internal:22\r\n\r\n'));
    expect(response).toMatchObject({ status: 405, body: { code: 'MethodNotAllowed', requestId: response.requestId } });
  });

  it('N14 answers a header of a megabyte with 431', async () => {
    const response = parseRaw(
      await raw(`GET ${ACCOUNT} HTTP/1.1\r\nhost: x\r\nx-big: ${'a'.repeat(1_000_000)}\r\n\r\n`),
    );
    expect(response).toMatchObject({ status: 431, body: { code: 'PayloadTooLarge', requestId: response.requestId } });
  });

  it.each([
    ['nonsense', 'nonsense\r\n\r\n'],
    [
      'both a length and chunks',
      `POST ${ACCOUNT} HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
  ])('N14 answers %s with 400', async (_, text) => {
    const response = parseRaw(await raw(text));
    expect(response).toMatchObject({ status: 400, body: { code: 'ValidationFailed', requestId: response.requestId } });
  });

  it('serves a request without a Host header', async () => {
    const response = parseRaw(await raw('GET /api/v1/nope HTTP/1.1\r\nconnection: close\r\n\r\n'));
    expect(response).toMatchObject({ status: 404, body: { code: 'NotFound' } });
  });

  it('answers an undecodable path with 400', async () => {
    expectEnvelope(await http.call('GET', '/api/v1/endUserAccounts/%FF'), 400, 'ValidationFailed');
  });
});

describe('x-request-id', () => {
  it('is made up on success', async () => {
    expect((await http.call('GET', ACCOUNT)).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is kept when it is sane', async () => {
    const { headers } = await http.call('GET', '/nope', { headers: { 'x-request-id': 'mine-1' } });
    expect(headers.get('x-request-id')).toBe('mine-1');
  });

  it('is replaced when it is not', async () => {
    const { headers } = await http.call('GET', ACCOUNT, { headers: { 'x-request-id': 'x'.repeat(129) } });
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('deadline', () => {
  it('aborts the work and answers 504', async () => {
    http.fakes.calendars.get = jest.fn(
      (_application, _account, _calendar, signal: AbortSignal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    );
    expectEnvelope(await http.call('GET', '/api/v1/calendars/a/c'), 504, 'ProviderTimeout');
  });

  it('answers for work that does not listen', async () => {
    http.fakes.calendars.get = jest.fn(() => new Promise((resolve) => setTimeout(resolve, 2_500, { id: 'late' })));
    expectEnvelope(await http.call('GET', '/api/v1/calendars/a/c'), 504, 'ProviderTimeout');
    await new Promise((resolve) => setTimeout(resolve, 900));
    expectEnvelope(await http.call('GET', '/nope'), 404, 'NotFound');
  });

  it.each([
    ['GET', true],
    ['DELETE', false],
  ])('of a %s that the caller gave up: aborted %p', async (method, isAborted) => {
    let seen: AbortSignal | undefined;
    const work = jest.fn((...args: unknown[]) => {
      seen = args.at(-1) as AbortSignal;
      return new Promise(() => undefined);
    });
    http.fakes.calendars.get = work;
    http.fakes.calendars.delete = work;
    const caller = new AbortController();
    const request = globalThis.fetch(`${http.base}/api/v1/calendars/a/c`, {
      method,
      headers: { 'x-api-key': 'uck_live' },
      signal: caller.signal,
    });
    while (seen === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    caller.abort();
    await expect(request).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(seen.aborted).toBe(isAborted);
  });
});

describe('N59 headers', () => {
  it('are on the answer to what is no request, too', async () => {
    const { headers } = await http.call('GET', '/api/v1/nothing');
    const always = [...headers].filter(
      ([name]) => !/^(connection|content-(?!sec)|date|keep-alive|x-request-id)/.test(name),
    );
    expect(always.map(([name]) => name)).toContain('content-security-policy');
    const [head = ''] = (await raw('nonsense\r\n\r\n')).split('\r\n\r\n');
    const lines = head.toLowerCase().split('\r\n');
    expect(lines).toEqual(expect.arrayContaining(always.map(([name, value]) => `${name}: ${value}`.toLowerCase())));
  });

  it('are those of an API that no page may use', async () => {
    const { headers } = await http.call('GET', ACCOUNT, { headers: { origin: 'https://elsewhere.example' } });
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect([...headers.keys()].filter((name) => /^access-control|^x-powered-by$|^etag$|^server$/.test(name))).toEqual(
      [],
    );
  });
});

describe('access log', () => {
  it('has one line for each request, with its ids and without what else was in its address', async () => {
    http.logLines.length = 0;
    const id = '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5';
    await http.call('GET', `/api/v1/endUserAccounts/${id}?x=1`, { headers: { 'x-request-id': 'log-1' } });
    await http.call('GET', '/health/live');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(http.logLines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        level: 'info',
        requestId: 'log-1',
        accountId: id,
        method: 'GET',
        route: '/api/v1/endUserAccounts/:endUserAccountId',
        status: 400,
        msg: 'request',
      }),
    ]);
  });

  it('holds no address that a caller wrote into the path', async () => {
    http.logLines.length = 0;
    const id = '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5';
    const address = 'canary%40example.org';
    await http.call('GET', `/api/v1/calendars/${id}/${address}`);
    await http.call('GET', `/api/v1/events/${address}/primary`);
    await http.call('GET', `/api/v1/nothing/${address}`);
    await http.call('GET', `/dashboard/${address}`);
    await http.call('GET', `/${address}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const lines = http.logLines.filter((line) => line.includes('"msg":"request"')).map((line) => JSON.parse(line));
    expect(lines.map(({ route }) => route)).toEqual([
      '/api/v1/calendars/:endUserAccountId/:calendarId',
      '/api/v1/events/:endUserAccountId/:calendarId',
      '*',
      '/dashboard',
      '*',
    ]);
    for (const form of ['canary', 'example.org']) expect(http.logLines.join('')).not.toContain(form);
  });
});

describe('health', () => {
  afterEach(() => void (http.fakes.checks.length = 0));

  it('N09 answers without a key', async () => {
    for (const path of ['/health/live', '/health/ready', '/health/startup']) {
      const response = await globalThis.fetch(http.base + path);
      expect([path, response.status]).toEqual([path, 200]);
    }
  });

  it('is not ready without its database, and says so in the envelope without naming it', async () => {
    http.fakes.checks.push({ name: 'database', ping: () => Promise.reject(new Error('connect 10.0.0.7:5432')) });
    const response = await http.call('GET', '/health/ready');
    expectEnvelope(response, 503, 'ServiceUnavailable');
    expect(response.body.details).toEqual([{ path: 'database', message: 'does not answer' }]);
    expect((await http.call('GET', '/health/live')).status).toBe(200);
  });

  it('F16 gives up on a database that hangs after two seconds', async () => {
    http.fakes.checks.push({ name: 'database', ping: () => new Promise(() => undefined) });
    const startedAt = performance.now();
    expect((await http.call('GET', '/health/ready')).status).toBe(503);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });
});

describe('F3 shutdown', () => {
  it('says not ready first, serves on, then refuses in the envelope', async () => {
    const own = await startHttpApp();
    own.fakes.accounts.get = jest.fn(async () => ({ id: 'a' }));
    own.state.drain();
    expect((await own.call('GET', '/health/ready')).status).toBe(503);
    expect((await own.call('GET', '/health/live')).status).toBe(200);
    const served = await own.call('GET', ACCOUNT);
    expect(served.status).toBe(200);
    expect(served.headers.get('connection')).toBe('close');
    own.state.stop();
    const rejected = await own.call('GET', ACCOUNT);
    expectEnvelope(rejected, 503, 'ServiceUnavailable');
    expect(rejected.headers.get('retry-after')).toBe('1');
    await own.close();
  });

  it.each(['drain', 'stop'] as const)('ends the connections of answers that were begun before: %s', async (leave) => {
    const own = await startHttpApp();
    let response: (account: unknown) => void = () => undefined;
    own.fakes.accounts.get = () => new Promise((resolve) => (response = resolve));
    const served = own.call('GET', ACCOUNT);
    await eventually('it is under way', () => (response.length > 0 ? true : undefined));
    own.state[leave]();
    response({ id: 'a' });
    expect([(await served).status, (await served).headers.get('connection')]).toEqual([200, 'close']);
    await own.close();
  });
});
