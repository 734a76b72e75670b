import { randomUUID } from 'node:crypto';
import {
  calendarObject,
  connectAccount,
  startFakeServer,
  type ConnectedAccount,
} from '../support/connected-account.js';
import type { FakeResponse, FakeCalDav } from '../support/fake-caldav.js';
import { asAdmin } from '../support/postgres.js';
import { eventually } from '../support/processes.js';
import { rawRequest } from '../support/raw-http.js';
import { startService, type Answer, type Service } from '../support/service.js';
import { BANNER, expectEnvelope } from './api-envelope.js';

let fake: FakeCalDav;
let service: Service;
let account: ConnectedAccount;
let calendar: string;
let events: string;

const REQUEST_TIMEOUT_MS = 2_000;

beforeAll(async () => {
  fake = await startFakeServer('mine');
  service = await startService({
    EGRESS_ALLOW: fake.egressAllow,
    RATE_LIMIT_RPS: '100000',
    REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS),
  });
  account = await connectAccount(service, fake);
  calendar = `/v1/calendars/${account.accountId}/${account.calendarId}`;
  events = `/v1/events/${account.accountId}/${account.calendarId}`;
});

afterAll(async () => {
  await service?.stop();
  await fake.close();
});

beforeEach(() => {
  fake.switches.intercept = null;
  fake.switches.throttle = null;
});

const port = () => Number(new URL(service.baseUrl).port);
const EVENT = { title: 'x', start: { dateTime: '2033-01-15T09:00:00Z' } };

async function rawResponse(lines: string[], ...pieces: (string | Buffer)[]): Promise<Answer> {
  const { status, headers, body } = await rawRequest(port(), lines, ...pieces);
  return { status, headers: new Headers(headers), body: JSON.parse(body) };
}

const authenticated = (start: string) => [start, 'host: test', `x-api-key: ${service.apiKey}`];
const broken = (response: FakeResponse) => () => (fake.switches.intercept = () => response);

describe('N56 every error of the running service has one shape', () => {
  it.each([
    ['a missing field', 400, 'ValidationFailed', () => service.call('POST', events, { body: {} })],
    ['an unknown field', 400, 'ValidationFailed', () => service.call('POST', events, { body: { ...EVENT, x: 1 } })],
    ['no body', 400, 'ValidationFailed', () => service.call('POST', events)],
    ['a bad token', 400, 'PageTokenInvalid', () => service.call('GET', events, { query: { syncToken: 'x' } })],
    ['a path that cannot be decoded', 400, 'ValidationFailed', () => service.call('GET', '/v1/endUserAccounts/%ff')],
    ['bytes that are no HTTP', 400, 'ValidationFailed', () => rawResponse(['nonsense'])],
    ['no key', 401, 'MissingApiKey', () => service.call('GET', events, { key: null })],
    ['a wrong key', 401, 'InvalidApiKey', () => service.call('GET', events, { key: 'x' })],
    ['an unknown route', 404, 'NotFound', () => service.call('GET', '/v1/nope')],
    ['an unknown account', 404, 'NotFound', () => service.call('GET', `/v1/calendars/${randomUUID()}`)],
    ['an unknown calendar', 404, 'NotFound', () => service.call('GET', `/v1/calendars/${account.accountId}/x`)],
    ['an unknown event', 404, 'NotFound', () => service.call('GET', `${events}/x`)],
    [
      'a tunnel',
      405,
      'MethodNotAllowed',
      () => rawResponse(['CONNECT example.test:443 HTTP/1.1', 'host: example.test']),
    ],
    [
      'a stale version',
      412,
      'PreconditionFailed',
      () =>
        service.call('PUT', `${events}/${account.eventId}`, { body: { title: 'y' }, headers: { 'if-match': '"x"' } }),
    ],
    [
      'a body too large',
      413,
      'PayloadTooLarge',
      () => service.call('POST', events, { body: { ...EVENT, description: 'x'.repeat(1_100_000) } }),
    ],
    [
      'another content type',
      415,
      'ValidationFailed',
      () => service.call('POST', events, { body: EVENT, headers: { 'content-type': 'text/plain' } }),
    ],
    [
      'an unknown expectation',
      417,
      'ValidationFailed',
      () =>
        rawResponse([...authenticated(`POST /api${events} HTTP/1.1`), 'expect: miracles', 'content-length: 2'], '{}'),
    ],
    [
      'a large header',
      431,
      'PayloadTooLarge',
      () => rawResponse([...authenticated('GET /api/v1/endUserAccounts HTTP/1.1'), `x: ${'x'.repeat(40_000)}`]),
    ],
  ] as [string, number, string, () => Promise<Answer>][])('%s: %i %s', async (_, status, code, request) => {
    expectEnvelope(await request(), status, code);
  });

  it.each([
    ['answers 500 with its own page', 502, 'ProviderUnavailable', broken({ status: 500, body: BANNER })],
    ['answers something else', 502, 'ProviderUnavailable', broken({ status: 200, body: `<html>${BANNER}` })],
    [
      'answers XML cut off',
      502,
      'ProviderUnavailable',
      broken({ status: 207, body: `<multistatus xmlns="DAV:"><${BANNER}` }),
    ],
    ['forbids it', 403, 'Forbidden', broken({ status: 403, body: BANNER })],
    [
      'is overloaded',
      429,
      'ProviderRateLimited',
      broken({ status: 429, headers: { 'retry-after': '7' }, body: BANNER }),
    ],
    ['says nothing', 504, 'ProviderTimeout', () => (fake.switches.intercept = () => 'hang' as const)],
  ] as [string, number, string, () => void][])('the provider %s: %i %s', async (_, status, code, breakIt) => {
    breakIt();
    const startedAt = performance.now();
    const response = await service.call('GET', events);
    expectEnvelope(response, status, code);
    expect(performance.now() - startedAt).toBeLessThan(REQUEST_TIMEOUT_MS + 3_000);
    fake.switches.intercept = null;
    expect((await service.call('GET', events)).status).toBe(200); // none of it was held against the account
  });

  it('a key without the scope: 403 Forbidden', async () => {
    const options = ['--application', service.applicationId, '--name', 'reader', '--expires', 'never'];
    const { apiKey: key } = await service.ops('api-key', 'create', ...options, '--scopes', 'read');
    expectEnvelope(await service.call('DELETE', calendar, { key }), 403, 'Forbidden');
  });

  it('more requests than allowed: 429 RateLimited', async () => {
    const { applicationId } = await service.ops('application', 'create', '--name', 'slow', '--rate-limit', '1');
    const options = ['--application', applicationId, '--name', 'slow', '--expires', 'never'];
    const { apiKey: key } = await service.ops('api-key', 'create', ...options);
    const responses = await Promise.all([1, 2, 3, 4].map(() => service.call('GET', '/v1/endUserAccounts', { key })));
    const refusals = responses.filter(({ status }) => status !== 200);
    expect(refusals.length).toBeGreaterThanOrEqual(2);
    for (const rejection of refusals) expectEnvelope(rejection, 429, 'RateLimited');
  });

  it('an Idempotency-Key in flight: 409 Conflict; and used for something else: 422', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const reached = new Promise<void>((resolve) => {
      fake.switches.intercept = ({ method }) => {
        if (method !== 'PUT') return undefined;
        resolve();
        return 'hang';
      };
    });
    const first = service.call('POST', events, { body: EVENT, headers });
    await reached;
    expectEnvelope(await service.call('POST', events, { body: EVENT, headers }), 409, 'Conflict');
    expectEnvelope(await first, 504, 'ProviderTimeout');
    fake.switches.intercept = null;
    expect((await service.call('POST', events, { body: EVENT, headers })).status).toBe(200);
    const other = { ...EVENT, title: 'Another' };
    expectEnvelope(await service.call('POST', events, { body: other, headers }), 422, 'IdempotencyKeyReused');
  });

  it('a stale sync token: 410 SyncTokenExpired', async () => {
    const other = fake.addCalendar('other');
    other.put('first.ics', calendarObject('first', 'First'));
    const path = `/v1/events/${account.accountId}/${Buffer.from(other.path).toString('base64url')}`;
    const { body } = await service.call('GET', path);
    const syncToken = body.nextSyncToken as string;
    expect((await service.call('GET', path, { query: { syncToken } })).body.data).toEqual([]);
    other.remove('first.ics');
    other.oldestRevision = other.revision;
    expectEnvelope(await service.call('GET', path, { query: { syncToken } }), 410, 'SyncTokenExpired');
  });

  it('credentials that the provider refuses: 502 until that is confirmed, then 403 EndUserAccountExpired', async () => {
    const second = {
      body: { email: fake.login.username, password: fake.login.password, serverUrl: `${fake.url}principals/alice/` },
    };
    const connected = await service.call('POST', `/v1/basicAuth/connect/${service.applicationId}/caldav`, second);
    fake.switches.unauthorized = Infinity;
    const path = `/v1/calendars/${connected.body.id}`;
    const rejected = await service.call('GET', path);
    expectEnvelope(rejected, 502, 'ProviderUnavailable');
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
    await asAdmin(service.adminDatabaseUrl, (admin) =>
      admin.query("update credential_check set first_rejected_at = first_rejected_at - interval '30 seconds'"),
    );
    expectEnvelope(await service.call('GET', path), 403, 'EndUserAccountExpired');
    fake.switches.unauthorized = 0;
    expectEnvelope(await service.call('GET', path), 403, 'EndUserAccountExpired');
  });

  it('a fault of our own: 500 InternalServerError', async () => {
    const rename = (from: string, to: string) =>
      asAdmin(service.adminDatabaseUrl, (admin) => admin.query(`alter table ${from} rename to ${to}`));
    await rename('end_user_account', 'mislaid');
    try {
      expectEnvelope(await service.call('GET', '/v1/endUserAccounts'), 500, 'InternalServerError');
      expectEnvelope(await service.call('GET', events), 500, 'InternalServerError');
    } finally {
      await rename('mislaid', 'end_user_account');
    }
  });

  it('a database that is away: 503 with Retry-After on every route, and readiness says so', async () => {
    const { pathname } = new URL(service.adminDatabaseUrl);
    const maintenance = new URL(service.adminDatabaseUrl);
    maintenance.pathname = '/postgres';
    const name = pathname.slice(1);
    await asAdmin(maintenance.href, async (admin) => {
      await admin.query(`alter database ${name} allow_connections false`);
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    });
    try {
      const requests = [
        () => service.call('GET', '/v1/endUserAccounts'),
        () => service.call('GET', '/v1/endUserAccounts', { key: service.apiKey.replace(/.$/, 'x') }),
        () => service.call('POST', events, { body: EVENT, headers: { 'idempotency-key': randomUUID() } }),
      ];
      for (const request of requests) {
        const startedAt = performance.now();
        expectEnvelope(await request(), 503, 'ServiceUnavailable');
        expect(performance.now() - startedAt).toBeLessThan(10_000);
      }
      const readiness = await fetch(`${service.baseUrl}/health/ready`);
      const body = await readiness.json();
      expectEnvelope({ status: readiness.status, headers: readiness.headers, body }, 503, 'ServiceUnavailable');
      expect((await fetch(`${service.baseUrl}/health/live`)).status).toBe(200);
    } finally {
      await asAdmin(maintenance.href, (admin) => admin.query(`alter database ${name} allow_connections true`));
    }
    await eventually('the service has its database again', async () => {
      return (await service.call('GET', '/v1/endUserAccounts')).status === 200 || undefined;
    });
  });
});
