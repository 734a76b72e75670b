import { connectAccount, startFakeServer, type ConnectedAccount } from '../support/connected-account.js';
import type { FakeCalDav } from '../support/fake-caldav.js';
import { eventually } from '../support/processes.js';
import { rawRequest } from '../support/raw-http.js';
import { joinService, type Answer, type Service } from '../support/service.js';
import { expectEnvelope } from './api-envelope.js';

let fake: FakeCalDav;
let service: Service;
let account: ConnectedAccount;
let calendar: string;
let events: string;

beforeAll(async () => {
  fake = await startFakeServer('mine');
  service = await joinService();
  account = await connectAccount(service, fake);
  calendar = `/v1/calendars/${account.accountId}/${account.calendarId}`;
  events = `/v1/events/${account.accountId}/${account.calendarId}`;
});

afterAll(async () => {
  await service?.stop();
  await fake.close();
});

const port = () => Number(new URL(service.baseUrl).port);
const EVENT = { title: 'x', start: { dateTime: '2033-01-15T09:00:00Z' } };

async function rawResponse(lines: string[], ...pieces: (string | Buffer)[]): Promise<Answer> {
  const { status, headers, body } = await rawRequest(port(), lines, ...pieces);
  return { status, headers: new Headers(headers), body: JSON.parse(body) };
}

const authenticated = (start: string) => [start, 'host: test', `x-api-key: ${service.apiKey}`];
describe('N21 methods and content types', () => {
  it.each(['TRACE', 'TRACK', 'OPTIONS', 'PATCH', 'PROPFIND', 'MKCALENDAR', 'PURGE', 'get', 'FOO', 'HEAD'])(
    '%s does nothing',
    async (method) => {
      const before = fake.requests.length;
      const { status, headers, body } = await rawRequest(port(), [
        ...authenticated(`${method} /api${calendar} HTTP/1.1`),
        'connection: close',
        'x-echo: canary',
      ]);
      expect(method === 'HEAD' ? [200] : [400, 405]).toContain(status);
      expect(body).not.toContain('canary');
      if (status === 405) expect(headers).toMatchObject({ allow: 'DELETE, GET, HEAD, PUT' });
      else expect(headers).not.toHaveProperty('allow');
      if (method === 'HEAD') expect(body).toBe('');
      else {
        expect(JSON.parse(body)).toMatchObject({
          code: expect.stringMatching(/^(MethodNotAllowed|ValidationFailed)$/),
        });
        expect(fake.requests).toHaveLength(before);
      }
    },
  );

  it('a method cannot be smuggled in by a header, the query or the body', async () => {
    const headers = { 'x-http-method-override': 'DELETE', 'x-http-method': 'DELETE', 'x-method-override': 'DELETE' };
    expect((await service.call('GET', calendar, { headers })).status).toBe(200);
    expectEnvelope(await service.call('POST', calendar, { headers, body: {} }), 405, 'MethodNotAllowed');
    expectEnvelope(await service.call('GET', calendar, { query: { _method: 'DELETE' } }), 400, 'ValidationFailed');
    expectEnvelope(await service.call('PUT', calendar, { body: { _method: 'DELETE' } }), 400, 'ValidationFailed');
    expect((await service.call('GET', calendar)).status).toBe(200);
    expect(fake.requestsOf('DELETE')).toEqual([]);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonp',
    'text/json',
    'application/json; charset=utf-16',
    'application/json, text/plain',
    '',
  ])('a body as %j is refused with 415', async (contentType) => {
    const lines = [...authenticated(`POST /api${events} HTTP/1.1`), 'content-length: 2'];
    expectEnvelope(await rawResponse([...lines, `content-type: ${contentType}`], '{}'), 415, 'ValidationFailed');
    expectEnvelope(await rawResponse(lines, '{}'), 415, 'ValidationFailed');
  });

  it('an unknown Content-Encoding is refused with 415', async () => {
    const headers = { 'content-encoding': 'compress' };
    expectEnvelope(await service.call('POST', events, { body: EVENT, headers }), 415, 'ValidationFailed');
  });
});

describe('N57 user text in the log', () => {
  it('stays on the one JSON line of its request, whatever it holds', async () => {
    const evil = 'x\r\n{"level":"fatal","msg":"forged"}\n\u001b[31mred\u001b[0m\u2028\u0085';
    const path = encodeURIComponent(evil);
    const before = service.program.stdout().length;
    const requests = [
      service.call('GET', `/v1/endUserAccounts/${path}`),
      service.call('GET', `/v1/nope/${path}`),
      service.call('GET', '/v1/endUserAccounts', { query: { search: evil, [evil]: 'x' } }),
      service.call('POST', events, { body: { ...EVENT, title: evil, description: evil } }),
      service.call('POST', events, { body: { ...EVENT, [evil]: evil } }),
      service.call('GET', events, { query: { timeZone: evil } }),
      service.call('GET', '/v1/nope', { headers: { 'user-agent': '{"level":"fatal"}', 'x-request-id': 'a b" {}' } }),
    ];
    const ids = (await Promise.all(requests)).map(({ body, headers }) => body.requestId ?? headers.get('x-request-id'));
    const written = await eventually('a line for every request', () => {
      const lines = service.program.stdout().slice(before).split('\n').filter(Boolean);
      const isThere = (id: string) =>
        lines.some((line) => line.includes(JSON.stringify(id)) && line.includes('"msg":"request"'));
      return ids.every(isThere) ? lines : undefined;
    });
    for (const line of written) {
      expect(() => JSON.parse(line)).not.toThrow();
      expect(line).not.toMatch(/[\u0000-\u001f]/); // eslint-disable-line no-control-regex
      expect(JSON.parse(line)).not.toMatchObject({ msg: 'forged' });
    }
    for (const id of ids) {
      const own = written
        .map((line) => JSON.parse(line))
        .filter((line) => line.requestId === id && line.msg === 'request');
      expect(own).toHaveLength(1);
    }
    // Bytes that no header may have never become a request.
    const rejected = await rawResponse([...authenticated('GET /api/v1/nope HTTP/1.1'), 'user-agent: \u001b[2J\u0000']);
    expectEnvelope(rejected, 400, 'ValidationFailed');
    const everything = service.program.stdout().split('\n').filter(Boolean);
    for (const line of everything) expect(JSON.parse(line)).toMatchObject({ level: expect.any(String) });
  });
});

describe('N59 headers', () => {
  it.each([
    ['a success', 200, () => service.call('GET', '/v1/endUserAccounts')],
    ['credentials', 200, () => service.call('GET', `/v1/endUserAccounts/${account.accountId}/credentials`)],
    ['a refusal', 401, () => service.call('GET', '/v1/endUserAccounts', { key: null })],
    ['nothing there', 404, () => service.call('GET', '/v1/nope')],
  ] as [string, number, () => Promise<Answer>][])(
    'of %s: not kept, not guessed at, not framed, by nobody',
    async (_, status, request) => {
      const response = await request();
      expect(response.status).toBe(status);
      const { headers } = response;
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('ratelimit-policy')).toMatch(/^"default";q=\d+;w=1$/);
      for (const name of ['x-powered-by', 'server', 'etag', 'via', 'set-cookie']) expect(headers.get(name)).toBeNull();
    },
  );

  it('say nothing to pages of other origins, asked before or after', async () => {
    const origin = { origin: 'https://evil.test', 'access-control-request-method': 'GET' };
    for (const [method, key] of [
      ['OPTIONS', null],
      ['OPTIONS', service.apiKey],
      ['GET', service.apiKey],
    ] as [string, string | null][]) {
      const { headers } = await service.call(method, '/v1/endUserAccounts', { key, headers: origin });
      const names = [...headers.keys()].filter((name) => name.startsWith('access-control'));
      expect([method, names]).toEqual([method, []]);
    }
  });
});
