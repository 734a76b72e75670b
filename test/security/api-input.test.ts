import { randomUUID } from 'node:crypto';
import { connectAccount, startFakeServer, type ConnectedAccount } from '../support/connected-account.js';
import type { FakeCalDav } from '../support/fake-caldav.js';
import { rawRequest } from '../support/raw-http.js';
import { residentMiB } from '../support/resident-memory.js';
import { startService, type Answer, type Service } from '../support/service.js';

let fake: FakeCalDav;
let service: Service;
let account: ConnectedAccount;
let events: string;

beforeAll(async () => {
  fake = await startFakeServer('mine');
  service = await startService({ EGRESS_ALLOW: fake.egressAllow, RATE_LIMIT_RPS: '100000' });
  account = await connectAccount(service, fake);
  events = `/v1/events/${account.accountId}/${account.calendarId}`;
});

afterAll(async () => {
  await service?.stop();
  await fake.close();
});

const port = () => Number(new URL(service.baseUrl).port);
const rejected = ({ status, body }: Answer): unknown[] => [status, body.code];
const START = { dateTime: '2033-01-15T09:00:00Z' };

/** A body that JSON.stringify would not write. */
async function send(method: string, path: string, body: string | Uint8Array): Promise<Answer> {
  const response = await fetch(`${service.baseUrl}/api${path}`, {
    method,
    headers: { 'x-api-key': service.apiKey, 'content-type': 'application/json' },
    body,
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

describe('N11 read-only fields', () => {
  it('of an account are not stored', async () => {
    const { username: email, password } = fake.login;
    const forged = { id: randomUUID(), applicationId: randomUUID(), status: 'EXPIRED', createdAt: '2001-01-01' };
    const body = { email, password, providerType: 'CALDAV', serverUrl: fake.url, ...forged, providerId: 'p' };
    const made = await service.call('POST', '/v1/endUserAccounts', { body });
    expect(made.status).toBe(200);
    const stored = (await service.call('GET', `/v1/endUserAccounts/${account.accountId}`)).body;
    expect(made.body).toEqual(stored);
    expect(stored).toMatchObject({ applicationId: service.applicationId, status: 'ACTIVE' });
    for (const value of [forged.id, forged.applicationId, '2001-01-01']) {
      expect(JSON.stringify(stored)).not.toContain(value);
    }
    expect(made.headers.get('x-ignored-fields')?.split(', ')).toEqual(expect.arrayContaining(Object.keys(forged)));
  });

  it('of a calendar and an event are not written, on create and on update', async () => {
    const calendar = { id: 'forged', isPrimary: true, readOnly: true, isShared: true, inviteEmail: 'forged@x.test' };
    const made = await account.call('POST', 'calendars', '', { body: { name: 'Made', ...calendar } });
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({ name: 'Made', isPrimary: false, readOnly: false });
    const event = { id: 'forged', etag: '"forged"', iCalUid: 'forged', createdAt: '2001-01-01T00:00:00Z' };
    const created = await service.call('POST', events, { body: { title: 'x', start: START, ...event } });
    const path = `${events}/${created.body.id}`;
    const changed = await service.call('PUT', path, { body: { title: 'y', ...event } });
    for (const response of [made, created, changed, await service.call('GET', path)]) {
      expect(response.status).toBe(200);
      expect(JSON.stringify(response.body)).not.toMatch(/forged|2001-01-01/);
    }
    for (const request of fake.requests) expect(request.body + request.path).not.toContain('forged');
  });
});

describe('N12 prototypes', () => {
  it.each([
    '{"title":"x","start":{"dateTime":"2033-01-15T09:00:00Z"},"__proto__":{"polluted":"yes"}}',
    '{"title":"x","start":{"dateTime":"2033-01-15T09:00:00Z","__proto__":{"polluted":"yes"}}}',
    '{"title":"x","start":{"dateTime":"2033-01-15T09:00:00Z"},"constructor":{"prototype":{"polluted":"yes"}}}',
    '{"title":"x","start":{"dateTime":"2033-01-15T09:00:00Z"},"publicExtendedProperties":{"__proto__":"yes"}}',
    '{"title":"x","start":{"dateTime":"2033-01-15T09:00:00Z"},"publicExtendedProperties":{"constructor":{"prototype":{"polluted":"yes"}}}}',
    '{"title":"x","start":{"dateTime":"2033-01-15T09:00:00Z"},"attendees":[{"email":"a@x.test","__proto__":{"polluted":"yes"}}]}',
  ])('are out of reach of %s', async (body) => {
    expect(rejected(await send('POST', events, body))).toEqual([400, 'ValidationFailed']);
    await expectUnpolluted();
  });

  it('lend their names to no extended property', async () => {
    for (const name of ['constructor', 'prototype']) {
      const body = { title: 'x', start: START, publicExtendedProperties: { [name]: 'text' } };
      const response = await service.call('POST', events, { body });
      expect(rejected(response)).toEqual([400, 'ValidationFailed']);
      expect(response.body.details[0].path).toBe(`publicExtendedProperties.${name}`);
    }
  });

  it('lend the names of what they hold to extended properties that are nothing but text', async () => {
    const publicExtendedProperties = { toString: 'a', valueOf: 'b', hasOwnProperty: 'c' };
    const body = { title: 'Named', start: START, publicExtendedProperties };
    const made = await service.call('POST', events, { body });
    expect(made.status).toBe(200);
    const read = await service.call('GET', `${events}/${made.body.id}`);
    expect(read.body.publicExtendedProperties).toEqual(publicExtendedProperties);
    const metadataFilters = JSON.stringify({ toString: 'a', hasOwnProperty: 'c' });
    const found = await service.call('GET', events, { query: { metadataFilters } });
    expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([made.body.id]);
  });

  it.each([
    '{"__proto__":"x"}',
    '{"__proto__":{"polluted":"yes"}}',
    '{"public":{"__proto__":"x"}}',
    '{"toString":"x"}',
  ])('match no event through the filter %s', async (metadataFilters) => {
    const response = await service.call('GET', events, { query: { metadataFilters } });
    expect([200, 400]).toContain(response.status);
    if (response.status === 200) expect(response.body.data).toEqual([]);
    await expectUnpolluted();
  });

  async function expectUnpolluted(): Promise<void> {
    const made = await service.call('POST', events, { body: { title: 'Clean', start: START } });
    expect(made.status).toBe(200);
    expect(JSON.stringify(made.body)).not.toContain('polluted');
  }
});

describe('N13 queries and texts that are none', () => {
  it.each([
    'search=a&search=b',
    'search[]=a',
    'search[$ne]=a',
    'search%5B%24ne%5D=a',
    'search.constructor=a',
    '__proto__=a',
    '__proto__[x]=a',
    'constructor=a',
    'search=%00',
    'search=a%00b',
    'search=%ED%A0%80',
    'search=%FF',
    'search=%',
    'search=%u0061',
    'statusFilter=ACTIVE',
    'statusFilter=active&statusFilter=expired',
    'pageToken=%00',
    'limit=1&limit=2',
    '%00=a',
    '=a',
  ])('?%s is refused', async (query) => {
    const { status, body } = await rawRequest(port(), [
      `GET /api/v1/endUserAccounts?${query} HTTP/1.1`,
      'host: test',
      'connection: close',
      `x-api-key: ${service.apiKey}`,
    ]);
    expect([status, JSON.parse(body).error]).toEqual([
      400,
      query.startsWith('pageToken') ? expect.stringMatching(/PageTokenInvalid|ValidationFailed/) : 'ValidationFailed',
    ]);
  });

  it.each([
    ['NUL', '"a\\u0000b"'],
    ['half of a surrogate pair', '"\\ud800"'],
    ['the other half', '"x\\udc00"'],
  ])('%s in a text is refused', async (_, title) => {
    const start = JSON.stringify(START);
    const responses = [
      await send('POST', events, `{"title":${title},"start":${start}}`),
      await send('POST', events, `{"title":"x","start":${start},"publicExtendedProperties":{${title}:"x"}}`),
      await send('PUT', `${events}/${account.eventId}`, `{"description":${title}}`),
      await send('POST', `/v1/freeBusy/${account.accountId}`, `{"calendarIds":[${title}]}`),
    ];
    for (const response of responses) expect(rejected(response)).toEqual([400, 'ValidationFailed']);
  });

  it('bytes that are not UTF-8 are refused', async () => {
    const body = Buffer.concat([Buffer.from('{"title":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
    expect(rejected(await send('POST', events, body))).toEqual([400, 'ValidationFailed']);
  });

  it.each([
    ['title', 7],
    ['title', ['x']],
    ['title', { $ne: 'x' }],
    ['start', 'tomorrow'],
    ['attendees', { 0: {} }],
    ['recurrence', 'RRULE:FREQ=DAILY'],
  ])('the wrong type for %s is refused (%j)', async (field, value) => {
    const body = { title: 'x', start: START, [field]: value };
    const response = await service.call('POST', events, { body });
    expect(rejected(response)).toEqual([400, 'ValidationFailed']);
    expect(response.body.details[0].path).toMatch(new RegExp(`^${field}`));
  });
});

describe('N14 what is too much', () => {
  it('is refused with little memory: large, deep and endless bodies, large headers', async () => {
    const head = [`POST /api${events} HTTP/1.1`, 'host: test', `x-api-key: ${service.apiKey}`];
    const json = [...head, 'content-type: application/json'];
    const mebibyte = Buffer.alloc(1024 * 1024, 'x');
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), mebibyte, Buffer.from('\r\n')]);
    const requests: [number, () => Promise<{ status: number; body: string }>][] = [
      [
        413,
        () => rawRequest(port(), [...json, `content-length: ${50 * mebibyte.length}`], ...Array(50).fill(mebibyte)),
      ],
      [413, () => rawRequest(port(), [...json, 'transfer-encoding: chunked'], ...Array(50).fill(chunk))],
      [400, () => rawRequest(port(), [...json, 'content-length: 60000'], '[{"a":'.repeat(10_000))],
      [400, () => rawRequest(port(), [...json, 'content-length: 20000'], '['.repeat(10_000) + ']'.repeat(10_000))],
      [431, () => rawRequest(port(), [...json, `x-large: ${mebibyte.toString()}`])],
      [
        431,
        () =>
          rawRequest(port(), [`GET /api/v1/endUserAccounts?search=${mebibyte.toString()} HTTP/1.1`, ...head.slice(1)]),
      ],
      [400, () => rawRequest(port(), [...json, 'content-length: 5', 'transfer-encoding: chunked'], '0\r\n\r\n')],
      [400, () => rawRequest(port(), [...json, 'content-length: 2', 'content-length: 3'], '{}x')],
    ];
    const round = async (): Promise<void> => {
      for (const [status, request] of requests) {
        const startedAt = performance.now();
        const response = await request();
        expect(performance.now() - startedAt).toBeLessThan(5_000);
        expect([response.status, JSON.parse(response.body).error]).toEqual([
          status,
          status === 400 ? 'ValidationFailed' : 'PayloadTooLarge',
        ]);
      }
    };
    for (let warmUp = 0; warmUp < 8; warmUp += 1) await round(); // the heap takes its working size
    const growthsMiB: number[] = [];
    // A heap may take a larger size once more. What keeps requests grows every time.
    while (growthsMiB.length < 5 && !(Math.min(...growthsMiB) < 20)) {
      const before = residentMiB(service.program.pid);
      for (let repeat = 0; repeat < 8; repeat += 1) await round();
      growthsMiB.push(residentMiB(service.program.pid) - before);
    }
    expect(Math.min(...growthsMiB)).toBeLessThan(20);
  });

  it('is not even read from somebody without a key', async () => {
    const { status } = await rawRequest(
      port(),
      [`POST /api${events} HTTP/1.1`, 'host: test', 'connection: close', 'content-length: 500000000'],
      '{"title":',
    );
    expect(status).toBe(401);
  });
});

describe('N15 page sizes', () => {
  const lists = () => [
    ['/v1/endUserAccounts', 'limit'],
    ['/v1/endUserAccounts', 'pageSize'],
    [`/v1/calendars/${account.accountId}`, 'pageSize'],
    [events, 'pageSize'],
  ];

  it.each(['0', '-1', '1e9', 'NaN', 'Infinity', '1.5', '0x10', '', ' 1', '１'])('%p is refused', async (size) => {
    for (const [path, name] of lists()) {
      const response = await service.call('GET', path as string, { query: { [name as string]: size } });
      expect([path, name, ...rejected(response)]).toEqual([path, name, 400, 'ValidationFailed']);
    }
  });

  it.each(['1', '1000', '99999999999999999999', '9'.repeat(400)])('%p is served, clamped if need be', async (size) => {
    for (const [path, name] of lists()) {
      const response = await service.call('GET', path as string, { query: { [name as string]: size } });
      expect([path, name, response.status]).toEqual([path, name, 200]);
    }
  });
});
