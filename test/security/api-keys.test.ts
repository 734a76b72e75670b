// 20 s: the times of many requests are compared, and keys have to expire.
import { setTimeout as delay } from 'node:timers/promises';
import { connectAccount, startFakeServer, type ConnectedAccount } from '../support/connected-account.js';
import type { FakeCalDav } from '../support/fake-caldav.js';
import { asAdmin } from '../support/postgres.js';
import type { RunningProgram } from '../support/processes.js';
import { rawRequest } from '../support/raw-http.js';
import { callService, startAnotherApi, joinService, type Answer, type Service } from '../support/service.js';

const PATH = '/v1/endUserAccounts';

let fake: FakeCalDav;
let service: Service;
let account: ConnectedAccount;

beforeAll(async () => {
  fake = await startFakeServer('mine');
  service = await joinService();
  account = await connectAccount(service, fake);
});

afterAll(async () => {
  await service?.stop();
  await fake.close();
});

interface IssuedKey {
  apiKeyId: string;
  apiKey: string;
}

/** Options as of `ops api-key create`. */
function issueKey(options: Record<string, string> = {}): Promise<IssuedKey> {
  const given = { application: service.applicationId, name: 'issued', expires: 'never', ...options };
  return service.ops<IssuedKey>('api-key', 'create', ...Object.entries(given).flatMap(([k, v]) => [`--${k}`, v]));
}

/** What a caller without the right key can tell one refusal from another by. */
function recognisable({ status, headers, body }: Answer): unknown {
  const { requestId, ...rest } = body as Record<string, unknown>;
  expect(requestId).toBe(headers.get('x-request-id'));
  const own = new Set(['date', 'x-request-id', 'ratelimit']);
  return { status, rest, headers: [...headers].filter(([name]) => !own.has(name)) };
}

describe('N01 a request without exactly one key', () => {
  const port = () => Number(new URL(service.baseUrl).port);

  it('missing, empty, twice, in the query and in a cookie are one refusal', async () => {
    const refusals = [
      await service.call('GET', PATH, { key: null }),
      await service.call('GET', PATH, { key: '' }),
      await service.call('GET', PATH, { key: '   ' }),
      await service.call('GET', PATH, { key: null, headers: { cookie: `x-api-key=${service.apiKey}` } }),
      await service.call('GET', PATH, { key: null, headers: { authorization: `Bearer ${service.apiKey}` } }),
      await service.call('GET', PATH, { key: null, query: { 'x-api-key': service.apiKey } }),
      await service.call('GET', PATH, { key: null, query: { 'x-api-key': service.apiKey, apiKey: service.apiKey } }),
    ];
    expect(refusals[0]).toMatchObject({ status: 401, body: { code: 'MissingApiKey' } });
    for (const rejection of refusals) expect(recognisable(rejection)).toEqual(recognisable(refusals[0] as Answer));
  });

  it.each(['the same one', 'a wrong one', 'an empty one'])('a right key and %s are that refusal too', async (which) => {
    const second = which === 'the same one' ? service.apiKey : which === 'a wrong one' ? 'uck_wrong' : '';
    const send = (...keys: string[]) =>
      rawRequest(port(), [
        `GET /api${PATH} HTTP/1.1`,
        'host: test',
        'connection: close',
        ...keys.map((key) => `x-api-key: ${key}`),
      ]);
    expect((await send(service.apiKey)).status).toBe(200);
    for (const keys of [
      [service.apiKey, second],
      [second, service.apiKey],
    ]) {
      const { status, body } = await send(...keys);
      expect([status, JSON.parse(body).code]).toEqual([401, 'MissingApiKey']);
      expect(JSON.parse(body).message).toBe((await service.call('GET', PATH, { key: null })).body.message);
    }
  });

  it('two keys in one header line are no key either', async () => {
    const { status, body } = await service.call('GET', PATH, { key: `${service.apiKey}, ${service.apiKey}` });
    expect([status, body.code]).toEqual([401, 'InvalidApiKey']);
  });
});

describe('N02 a wrong key', () => {
  const SECRET = 'A'.repeat(43);

  function spellings(): { knownId: string; unknownId: string } {
    const keyId = service.apiKey.split('_')[1] as string;
    const unknown = keyId.slice(0, -12) + [...keyId.slice(-12)].reverse().join('');
    return { knownId: `uck_${keyId}_${SECRET}`, unknownId: `uck_${unknown}_${SECRET}` };
  }

  it('is refused the same way, whether its id is known, unknown or none', async () => {
    const { knownId, unknownId } = spellings();
    const others = ['x', 'uck_', 'uck__', `uck_${'0'.repeat(32)}_`, service.apiKey.slice(0, -1), `${service.apiKey}A`];
    others.push(service.apiKey.toUpperCase(), service.apiKey.replace('uck_', 'sk_'), `${service.apiKey}%00`);
    const first = recognisable(await service.call('GET', PATH, { key: knownId }));
    expect(first).toMatchObject({ status: 401, rest: { code: 'InvalidApiKey' } });
    for (const key of [unknownId, ...others]) {
      expect(recognisable(await service.call('GET', PATH, { key }))).toEqual(first);
    }
  });

  it('takes as long with a known id as with an unknown one', async () => {
    const { knownId, unknownId } = spellings();
    const durations = { knownId: [] as number[], unknownId: [] as number[] };
    const time = async (kind: keyof typeof durations, key: string) => {
      const startedAt = performance.now();
      const response = await fetch(`${service.baseUrl}/api${PATH}`, { headers: { 'x-api-key': key } });
      await response.arrayBuffer();
      durations[kind].push(performance.now() - startedAt);
      expect(response.status).toBe(401);
    };
    // Interleaved, in turns: whatever else the machine does falls on both alike.
    for (let sample = 0; sample < 1_500; sample += 1) {
      if (sample % 2 === 0) await time('knownId', knownId);
      await time('unknownId', unknownId);
      if (sample % 2 === 1) await time('knownId', knownId);
    }
    expect(Math.abs(median(durations.knownId) - median(durations.unknownId))).toBeLessThan(1);
  });

  function median(values: number[]): number {
    return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
  }
});

describe('N03 a key that is no longer good', () => {
  let replica: { program: RunningProgram; call: Service['call'] };

  beforeAll(async () => {
    const { baseUrl, program } = await startAnotherApi(service.env);
    replica = {
      program,
      call: (method, path, options = {}) => callService(baseUrl, service.apiKey, method, path, options),
    };
  });

  afterAll(() => replica?.program.stop());

  const processes = () => [service.call, replica.call];

  it('is refused on both processes within a second of its revocation, and stays so', async () => {
    const { apiKeyId, apiKey } = await issueKey();
    for (const call of processes()) expect((await call('GET', PATH, { key: apiKey })).status).toBe(200);
    // Keeps both processes' memories of the key warm until it is revoked.
    let isRevoked = false;
    const warm = Promise.all(
      processes().map(async (call) => {
        while (!isRevoked) await call('GET', PATH, { key: apiKey });
      }),
    );
    await service.ops('api-key', 'revoke', '--id', apiKeyId);
    isRevoked = true;
    await warm;
    await delay(1_000);
    for (const call of processes()) {
      const rejected = await call('GET', PATH, { key: apiKey });
      expect([rejected.status, rejected.body.code]).toEqual([401, 'InvalidApiKey']);
      expect(rejected.body.message).toBe((await call('GET', PATH, { key: 'x' })).body.message);
    }
    expect((await service.call('GET', PATH)).status).toBe(200); // the application's other key
  });

  it('is refused on both processes from the moment it expires on', async () => {
    const { apiKeyId, apiKey } = await issueKey({ expires: '30' });
    for (const call of processes()) expect((await call('GET', PATH, { key: apiKey })).status).toBe(200);
    await asAdmin(service.adminDatabaseUrl, (admin) =>
      admin.query(`update api_key set expires_at = now() + interval '1 second' where id = $1`, [apiKeyId]),
    );
    await delay(2_100); // the second that it had left, and the one for which it may be remembered
    for (const call of processes()) {
      const rejected = await call('GET', PATH, { key: apiKey });
      expect([rejected.status, rejected.body.code]).toEqual([401, 'ApiKeyExpired']);
    }
  });

  it('says that it has expired to its owner only: a wrong secret is merely wrong', async () => {
    const { apiKeyId, apiKey } = await issueKey();
    await asAdmin(service.adminDatabaseUrl, (admin) =>
      admin.query(`update api_key set expires_at = now() - interval '1 day' where id = $1`, [apiKeyId]),
    );
    const guess = apiKey.replace(/_[^_]+$/, `_${'A'.repeat(43)}`);
    expect((await service.call('GET', PATH, { key: guess })).body.code).toBe('InvalidApiKey');
    expect((await service.call('GET', PATH, { key: apiKey })).body.code).toBe('ApiKeyExpired');
  });
});

describe('N04 what is kept of a key', () => {
  it('is a hash of its secret and the last four characters; nothing stored or listed holds more', async () => {
    const { apiKeyId, apiKey } = await issueKey({ name: 'kept' });
    const secret = apiKey.split('_')[2] as string;
    expect(secret).toMatch(/^[\w-]{43}$/);
    const rows = await asAdmin(service.adminDatabaseUrl, async (admin) => {
      const found = await admin.query<{ row: Record<string, unknown> }>(
        'select to_jsonb(k) as row from api_key k where id = $1',
        [apiKeyId],
      );
      return found.rows;
    });
    const [stored] = rows.map(({ row }) => row);
    expect(stored).toMatchObject({ secret_tail: secret.slice(-4) });
    const text = JSON.stringify(stored);
    for (let at = 0; at + 5 <= secret.length; at += 1) expect(text).not.toContain(secret.slice(at, at + 5));
    const listed = await service.ops('api-key', 'list', '--application', service.applicationId);
    expect(JSON.stringify(listed)).toContain(apiKeyId);
    expect(JSON.stringify(listed)).not.toContain(secret.slice(-5));
    expect(JSON.stringify(listed)).not.toMatch(/hash/i);
  });

  it('is all that any table holds: the text of no key is in the database', async () => {
    const { apiKey } = await issueKey();
    await service.call('GET', `${PATH}/${account.accountId}/credentials`, { key: apiKey }); // audited
    const dump = await asAdmin(service.adminDatabaseUrl, async (admin) => {
      const tables = await admin.query<{ name: string }>(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'public'`,
      );
      let text = '';
      for (const { name } of tables.rows) {
        const found = await admin.query<{ row: string }>(`select t::text as row from ${name} t`);
        text += found.rows.map(({ row }) => row).join('\n');
      }
      return text;
    });
    expect(dump).toContain(account.accountId);
    for (const key of [apiKey, service.apiKey]) expect(dump).not.toContain(key.split('_')[2]);
  });

  it('is never said again: no answer or line of the log holds a key', async () => {
    const { apiKey } = await issueKey();
    const secret = apiKey.split('_')[2] as string;
    for (const path of [PATH, '/v1/nope', `${PATH}/${account.accountId}/credentials`]) {
      const { body, headers } = await service.call('GET', path, { key: apiKey });
      expect(JSON.stringify([body, [...headers]])).not.toContain(secret);
    }
    expect(service.program.stdout() + service.program.stderr()).not.toContain(secret);
  });
});

describe('scopes of a key', () => {
  const keys: Record<'read' | 'write' | 'credentials', string> = { read: '', write: '', credentials: '' };

  beforeAll(async () => {
    keys.read = (await issueKey({ scopes: 'read' })).apiKey;
    keys.write = (await issueKey({ scopes: 'write' })).apiKey;
    keys.credentials = (await issueKey({ scopes: 'credentials:read' })).apiKey;
  });

  it('read: reads everything, changes nothing, and gets no credentials', async () => {
    const { accountId, calendarId, eventId } = account;
    for (const path of [
      PATH,
      `${PATH}/${accountId}`,
      `/v1/calendars/${accountId}`,
      `/v1/events/${accountId}/${calendarId}/${eventId}`,
    ]) {
      expect((await service.call('GET', path, { key: keys.read })).status).toBe(200);
    }
    const before = fake.requests.length;
    for (const [method, path, body] of [
      ['POST', PATH, {}],
      ['DELETE', `${PATH}/${accountId}`],
      ['POST', `/v1/basicAuth/connect/${service.applicationId}/caldav`, {}],
      ['POST', `/v1/calendars/${accountId}`, { name: 'x' }],
      ['PUT', `/v1/calendars/${accountId}/${calendarId}`, { name: 'x' }],
      ['DELETE', `/v1/calendars/${accountId}/${calendarId}`],
      ['POST', `/v1/events/${accountId}/${calendarId}`, { title: 'x' }],
      ['PUT', `/v1/events/${accountId}/${calendarId}/${eventId}`, { title: 'x' }],
      ['DELETE', `/v1/events/${accountId}/${calendarId}/${eventId}`],
      ['POST', `/v1/events/${accountId}/${calendarId}/${eventId}/rsvp`, { responseStatus: 'accepted' }],
      ['GET', `${PATH}/${accountId}/credentials`],
    ] as [string, string, object?][]) {
      const response = await service.call(method, path, { key: keys.read, body });
      expect([method, path, response.status, response.body.code]).toEqual([method, path, 403, 'Forbidden']);
    }
    expect(fake.requests).toHaveLength(before);
    // Free/busy is a POST that changes nothing.
    const body = { startDateTime: '2033-01-01', endDateTime: '2033-02-01', timeZone: 'UTC', calendarIds: [calendarId] };
    expect((await service.call('POST', `/v1/freeBusy/${accountId}`, { key: keys.read, body })).status).toBe(200);
  });

  it('write: writes, and reads nothing', async () => {
    const { accountId, calendarId } = account;
    const event = { title: 'By a writer', start: { dateTime: '2033-03-01T09:00:00Z' } };
    const made = await service.call('POST', `/v1/events/${accountId}/${calendarId}`, { key: keys.write, body: event });
    expect(made.status).toBe(200);
    for (const path of [PATH, `/v1/events/${accountId}/${calendarId}`, `${PATH}/${accountId}/credentials`]) {
      expect((await service.call('GET', path, { key: keys.write })).status).toBe(403);
    }
  });

  it('credentials:read: opens the credentials and nothing else', async () => {
    const { accountId } = account;
    const opened = await service.call('GET', `${PATH}/${accountId}/credentials`, { key: keys.credentials });
    expect([opened.status, opened.body.endUserAccountId]).toEqual([200, accountId]);
    expect((await service.call('GET', `${PATH}/${accountId}`, { key: keys.credentials })).status).toBe(403);
    expect((await service.call('DELETE', `${PATH}/${accountId}`, { key: keys.credentials })).status).toBe(403);
  });

  it('are told before it is told what exists: a lacking scope is 403 for unknown ids too', async () => {
    const unknown = `${PATH}/019a9b2e-5f0c-7cc1-9d1e-3a8f0b6f2a11`;
    expect((await service.call('DELETE', unknown, { key: keys.read })).status).toBe(403);
    expect((await service.call('DELETE', unknown)).status).toBe(404);
  });
});
