import 'reflect-metadata';
import { jest } from '@jest/globals';
import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from 'nestjs-pino';
import type { ChannelToken } from '#domain/channels';
import { SyncWakeup } from '#domain/sync';
import { KeyRing } from '#persistence';
import { openPersistence, type Persistence } from '../persistence/persistence.js';
import { newLiveChannel } from '../support/live-channel.js';
import { startObservedApi, type ObservedApi } from '../support/observed-api.js';
import { allowConnections } from '../support/postgres.js';
import { rawRequest } from '../support/raw-http.js';

const GOOGLE = '/api/v1/providers/google/notifications';
const MICROSOFT = '/api/v1/providers/microsoft/notifications';
const LIFECYCLE = '/api/v1/providers/microsoft/lifecycle';

let api: ObservedApi;
let persistence: Persistence;
let wake: jest.SpiedFunction<() => void>;

beforeAll(async () => {
  // Every caller names its own address, so that forging in one test is not held against another.
  api = await startObservedApi({ TRUST_PROXY: '1' });
  persistence = await openPersistence({ testDatabase: api.database, keyRing: KeyRing.parse(api.encryptionKeys) });
  api.app.useLogger(api.app.get(Logger)); // the other module took it away
  wake = jest.spyOn(api.app.get(SyncWakeup), 'wake').mockImplementation(() => undefined);
});

afterAll(async () => {
  await persistence?.close();
  await api?.stop();
});

let sources = 0;
let source: string;
beforeEach(() => {
  source = `198.51.100.${(sources += 1)}`;
});

/** What a push may change. */
async function stateOf({ syncedCalendarId }: ChannelToken) {
  const [row] = await persistence.admin<{ sync_requests: string; asks: string; channels: string; is_due: boolean }>(
    'select sync_requests, reconcile_requests as asks, (select count(*) from provider_channel where synced_calendar_id = w.id) as ' +
      "channels, next_sync_at < now() + interval '1 minute' as is_due from synced_calendar w where id = $1",
    [syncedCalendarId],
  );
  return row;
}

interface Sent {
  headers?: Record<string, string>;
  body?: string;
}

function post(path: string, { headers, body = '' }: Sent): Promise<Response> {
  const ours = { 'x-forwarded-for': source, 'content-length': String(Buffer.byteLength(body)) };
  return fetch(api.baseUrl + path, { method: 'POST', headers: { ...ours, ...headers }, body });
}

const googlePush = ({ channelId, token }: Pick<ChannelToken, 'channelId' | 'token'>, state = 'exists'): Sent => ({
  headers: { 'x-goog-channel-id': channelId, 'x-goog-channel-token': token, 'x-goog-resource-state': state },
});

const item = (
  { channelId, token }: Pick<ChannelToken, 'channelId' | 'token'>,
  over: object = { changeType: 'updated' },
) => ({
  subscriptionId: 'cccccccc-0000-4000-8000-000000000001',
  clientState: `${channelId}.${token}`,
  resource: 'Users/u/Events/e',
  ...over,
});

const microsoftPush = (...value: object[]): Sent => ({
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify({ value }),
});

const newToken = () => randomBytes(32).toString('base64url');
const nobody = () => ({ channelId: randomUUIDv7(), token: newToken() });

async function codeOf(response: Response): Promise<string> {
  return ((await response.json()) as { code: string }).code;
}

/** Statements that are sent while something is done. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const before = api.statements.length;
  await work();
  return api.statements.slice(before).map(({ text }) => text);
}

const READS = /^\s*select id as "channelId", synced_calendar_id as "syncedCalendarId", token from provider_channel /;

describe('a genuine push', () => {
  it('of Google makes a sync due before it is answered', async () => {
    const channel = await newLiveChannel(persistence);
    expect(await stateOf(channel)).toMatchObject({ sync_requests: '0', is_due: false });
    const response = await post(GOOGLE, googlePush(channel));
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(await stateOf(channel)).toMatchObject({ sync_requests: '1', is_due: true, asks: '0' });
  });

  it('of Google that greets changes nothing', async () => {
    const channel = await newLiveChannel(persistence);
    expect((await post(GOOGLE, googlePush(channel, 'sync'))).status).toBe(204);
    expect(await stateOf(channel)).toMatchObject({ sync_requests: '0', is_due: false });
  });

  it('F32 of Microsoft leads each item to its calendar, whatever URL it came to', async () => {
    const [one, two] = [await newLiveChannel(persistence), await newLiveChannel(persistence)];
    const first = await post(MICROSOFT, microsoftPush(item(one), item(two), item(one)));
    expect([first.status, await first.text()]).toEqual([202, '']);
    expect((await post(LIFECYCLE, microsoftPush(item(two, { lifecycleEvent: 'missed' })))).status).toBe(202);
    expect(await stateOf(one)).toMatchObject({ sync_requests: '1', is_due: true });
    expect(await stateOf(two)).toMatchObject({ sync_requests: '2', is_due: true });
  });

  it('F32 that a channel was removed is written down once, and the calendar is synced', async () => {
    const channel = await newLiveChannel(persistence);
    const removed = microsoftPush(item(channel, { lifecycleEvent: 'subscriptionRemoved' }));
    for (let n = 0; n < 2; n += 1) expect((await post(LIFECYCLE, removed)).status).toBe(202);
    expect(await stateOf(channel)).toMatchObject({ channels: '0', is_due: true, asks: '1' });
  });

  it('of Google that its calendar is gone is a channel that is lost', async () => {
    const channel = await newLiveChannel(persistence);
    expect((await post(GOOGLE, googlePush(channel, 'not_exists'))).status).toBe(204);
    expect(await stateOf(channel)).toMatchObject({ channels: '0', is_due: true, asks: '1' });
  });

  it('F32 that demands a renewal asks for a reconciliation once, and for no sync', async () => {
    const channel = await newLiveChannel(persistence);
    await persistence.admin("update provider_channel set renewed_at = now() - interval '1 hour' where id = $1", [
      channel.channelId,
    ]);
    const demand = microsoftPush(item(channel, { lifecycleEvent: 'reauthorizationRequired' }));
    expect((await post(LIFECYCLE, demand)).status).toBe(202);
    expect(await stateOf(channel)).toMatchObject({ channels: '1', sync_requests: '0', is_due: false, asks: '1' });
  });

  it('N47 W19 replayed a thousand times is one sync, and the one that comes during it another', async () => {
    await persistence.admin('delete from synced_calendar');
    const channel = await newLiveChannel(persistence);
    const replay = () => post(GOOGLE, googlePush(channel));
    const statements = await statementsOf(async () => {
      for (let round = 0; round < 10; round += 1) {
        const responses = await Promise.all(Array.from({ length: 100 }, replay));
        expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([204]));
      }
    });
    // Those that come during the first look-up are in the second.
    expect(statements.filter((text) => READS.test(text)).length).toBeLessThanOrEqual(2);
    expect(statements.length).toBeLessThan(500);

    const claim = async () =>
      (await persistence.syncedCalendars.claimSyncs({ limit: 100, leaseMs: 60_000, coalesceMs: 0 }))[0];
    const sync = await claim();
    expect(sync?.syncedCalendarId).toBe(channel.syncedCalendarId);
    expect(await claim()).toBeUndefined();
    expect((await replay()).status).toBe(204);
    expect(await claim()).toBeUndefined();
    await persistence.syncedCalendars.complete(sync!, { syncToken: 'next', nextSyncInMs: 3_600_000, compose: null });
    const last = await claim();
    expect(last?.syncedCalendarId).toBe(channel.syncedCalendarId);
    await persistence.syncedCalendars.complete(last!, { syncToken: 'last', nextSyncInMs: 3_600_000, compose: null });
    expect(await claim()).toBeUndefined();
  });
});

describe('N44 a push of Google that is not genuine', () => {
  it.each<[string, (mine: ChannelToken, theirs: ChannelToken) => Sent]>([
    ['no channel at all', () => ({})],
    ['an unknown channel', () => googlePush(nobody())],
    [
      'no token',
      ({ channelId }) => ({ headers: { 'x-goog-channel-id': channelId, 'x-goog-resource-state': 'exists' } }),
    ],
    ['another token', ({ channelId }) => googlePush({ channelId, token: newToken() })],
    ['the token of another account', ({ channelId }, { token }) => googlePush({ channelId, token })],
    ['the channel in capitals', ({ channelId, token }) => googlePush({ channelId: channelId.toUpperCase(), token })],
    ['a removal with another token', ({ channelId }) => googlePush({ channelId, token: newToken() }, 'not_exists')],
  ])('is answered with 404, and writes and wakes nothing: %s', async (_, forge) => {
    const [mine, theirs] = [await newLiveChannel(persistence), await newLiveChannel(persistence)];
    const before = [await stateOf(mine), await stateOf(theirs)];
    wake.mockClear();
    const statements = await statementsOf(async () => {
      const response = await post(GOOGLE, forge(mine, theirs));
      expect([response.status, await codeOf(response)]).toEqual([404, 'NotFound']);
    });
    expect(statements.filter((text) => !READS.test(text))).toEqual([]);
    expect(wake).not.toHaveBeenCalled();
    expect([await stateOf(mine), await stateOf(theirs)]).toEqual(before);
  });

  it('has no body that anybody reads', async () => {
    const port = Number(new URL(api.baseUrl).port);
    const channel = await newLiveChannel(persistence);
    const { headers } = googlePush(channel);
    const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`);
    const response = await rawRequest(port, [`POST ${GOOGLE} HTTP/1.1`, ...lines, 'content-length: 1000000000'], 'x');
    expect([response.status, response.headers['connection']]).toEqual([204, 'close']);
  });
});

describe('N45 a push of Microsoft that is not genuine', () => {
  it.each([MICROSOFT, LIFECYCLE])('is passed over at %s, and those that came with it are not', async (path) => {
    const [mine, theirs] = [await newLiveChannel(persistence), await newLiveChannel(persistence)];
    const { channelId } = theirs;
    const invalid = [item(nobody()), item({ channelId, token: newToken() }), item({ channelId, token: mine.token })];
    const dropped = { lifecycleEvent: 'subscriptionRemoved' };
    const response = await post(
      path,
      microsoftPush(...invalid, item({ channelId, token: newToken() }, dropped), item(mine)),
    );
    expect(response.status).toBe(202);
    expect(await stateOf(theirs)).toMatchObject({ sync_requests: '0', asks: '0', channels: '1', is_due: false });
    expect(await stateOf(mine)).toMatchObject({ sync_requests: '1' });
  });

  it('writes nothing and wakes nobody', async () => {
    wake.mockClear();
    const statements = await statementsOf(async () => {
      expect((await post(MICROSOFT, microsoftPush(item(nobody())))).status).toBe(202);
    });
    expect(statements.filter((text) => !READS.test(text))).toEqual([]);
    expect(wake).not.toHaveBeenCalled();
  });

  it.each<[string, number, Sent]>([
    ['a body that is no JSON', 400, { ...microsoftPush(), body: '{"value":[' }],
    ['a body that reaches into prototypes', 400, { ...microsoftPush(), body: '{"value":[{"__proto__":{"a":1}}]}' }],
    [
      'a body that is nested deeply',
      400,
      { ...microsoftPush(), body: `{"value":${'['.repeat(100)}${']'.repeat(100)}}` },
    ],
    ['a form', 415, { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'value=1' }],
    ['more than a megabyte', 413, { ...microsoftPush(), body: JSON.stringify({ value: ['x'.repeat(1_048_576)] }) }],
    ['nothing', 202, {}],
    ['items that are none', 202, { ...microsoftPush(), body: '{"value":[null,1,"x",[],{}]}' }],
  ])('is refused or passed over, and asks the database nothing: %s', async (_, status, sent) => {
    const statements = await statementsOf(async () => expect((await post(MICROSOFT, sent)).status).toBe(status));
    expect(statements).toEqual([]);
  });
});

describe('N45 a validation', () => {
  const validate = (path: string, query: string, sent: Sent = { headers: { 'content-type': 'text/plain' } }) =>
    post(`${path}?${query}`, sent);

  it.each([MICROSOFT, LIFECYCLE])(
    'at %s is answered with the token, as text that is neither kept nor guessed',
    async (path) => {
      const token = 'Validation: Testing client application reachability for subscription Request-Id: 7c0c8f4e';
      const response = await validate(path, new URLSearchParams({ validationToken: token }).toString());
      expect([response.status, await response.text()]).toEqual([200, token]);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
      });
    },
  );

  it.each([
    ['what is decoded once only', '%252B%2541+%2B', '%2B%41 +'],
    ['what would be a page', '%3Cscript%3Ealert(1)%3C%2Fscript%3E', '<script>alert(1)</script>'],
    ['other scripts than Latin', '%C3%BC%E2%80%A8%F0%9F%93%85', 'ü\u2028\u{1f4c5}'],
    ['line breaks, which stay in the body', 'a%0D%0Aset-cookie:%20a=b', 'a\r\nset-cookie: a=b'],
    ['as much as there may be', 'a'.repeat(1_024), 'a'.repeat(1_024)],
  ])('repeats %s', async (_, encoded, token) => {
    const response = await validate(MICROSOFT, `validationToken=${encoded}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(Buffer.from(await response.arrayBuffer()).toString()).toBe(token);
    expect(response.headers.get('set-cookie')).toBeNull();
  });

  it.each([
    ['empty', 'validationToken='],
    ['longer than a kilobyte', `validationToken=${'a'.repeat(1_025)}`],
    ['longer in bytes', `validationToken=${'%C3%BC'.repeat(513)}`],
    ['given twice', 'validationToken=secret1&validationToken=secret2'],
    ['broken UTF-8', 'validationToken=secret%ED%A0%80'],
  ])('is refused without a word of it: %s', async (_, query) => {
    const response = await validate(MICROSOFT, query);
    expect(response.status).toBe(400);
    expect(await response.text()).not.toMatch(/aaaa|secret|ü/);
  });

  it('needs no body, and no body stands in its way', async () => {
    for (const sent of [{}, { headers: { 'content-type': 'text/plain' }, body: 'not JSON' }, microsoftPush()]) {
      const response = await validate(LIFECYCLE, 'validationToken=t', sent);
      expect([response.status, await response.text()]).toEqual([200, 't']);
    }
  });

  it('is in no line of the log, nor is a push', async () => {
    const canary = `canary${randomBytes(8).toString('hex')}`;
    const channel = await newLiveChannel(persistence);
    api.logLines.length = 0;
    await validate(MICROSOFT, `validationToken=${canary}`);
    await validate(MICROSOFT, `validationToken=${canary}&validationToken=${canary}`);
    await post(GOOGLE, googlePush(channel));
    await post(GOOGLE, googlePush({ ...channel, token: newToken() }));
    await post(MICROSOFT, microsoftPush(item(channel)));
    await sleep(0);
    const log = api.logLines.join('');
    expect(log).toContain(`"route":"${MICROSOFT}"`);
    for (const secret of [canary, channel.token, channel.channelId]) expect(log).not.toContain(secret);
  });

  it('asks the database nothing', async () => {
    expect(await statementsOf(() => validate(MICROSOFT, 'validationToken=t'))).toEqual([]);
  });
});

describe('N46 a flood of forged pushes', () => {
  const forge = () => post(GOOGLE, googlePush(nobody()));

  it('is refused by where it comes from, and costs few statements', async () => {
    wake.mockClear();
    const channel = await newLiveChannel(persistence);
    expect((await post(GOOGLE, googlePush(channel))).status).toBe(204);
    for (let n = 0; n < 5; n += 1) await Promise.all(Array.from({ length: 20 }, forge));
    const statements = await statementsOf(async () => {
      const responses = await Promise.all(Array.from({ length: 100 }, forge));
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([429]));
      expect(Number(responses[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      const microsoft = await post(MICROSOFT, microsoftPush(item(nobody())));
      expect(microsoft.status).toBe(429);
    });
    expect(statements.filter((text) => !READS.test(text))).toEqual([]);
    expect(statements.length).toBeLessThan(20);
    expect((await post(GOOGLE, googlePush(channel))).status).toBe(204);
    expect(wake).toHaveBeenCalledTimes(2);
    source = '198.51.101.1';
    expect((await forge()).status).toBe(404);
  });

  it('does not stop those of channels that there are, of Google and of Microsoft, from the same address', async () => {
    const madeUp = () => Array.from({ length: 100 }, () => item(nobody()));
    for (let round = 0; round < 3; round += 1) {
      await post(MICROSOFT, microsoftPush(...madeUp()));
      expect((await post(MICROSOFT, microsoftPush(...madeUp()))).status).toBe(429);
      // That no push has come of so far, too.
      const [google, microsoft] = [await newLiveChannel(persistence), await newLiveChannel(persistence)];
      for (let n = 0; n < 2; n += 1) {
        expect((await post(GOOGLE, googlePush(google))).status).toBe(204);
        expect((await post(MICROSOFT, microsoftPush(item(microsoft)))).status).toBe(202);
        const missed = microsoftPush(item(microsoft, { lifecycleEvent: 'missed' }));
        expect((await post(LIFECYCLE, missed)).status).toBe(202);
      }
      expect(await stateOf(google)).toMatchObject({ sync_requests: '2', is_due: true });
      expect(await stateOf(microsoft)).toMatchObject({ sync_requests: '4', is_due: true });
      const mixed = await post(MICROSOFT, microsoftPush(...madeUp(), item(microsoft)));
      expect(mixed.status).toBe(202);
      expect(await stateOf(microsoft)).toMatchObject({ sync_requests: '5' });
      expect((await post(GOOGLE, {})).status).toBe(429);
      expect((await post(MICROSOFT, microsoftPush(item({ ...microsoft, token: newToken() })))).status).toBe(429);
      expect((await post(GOOGLE, googlePush({ ...google, token: newToken() }))).status).toBe(429);
      expect((await post(MICROSOFT, microsoftPush())).status).toBe(429);
      await sleep(500);
    }
  });

  it('from everywhere is looked up in few statements, and leaves genuine pushes their way', async () => {
    const channel = await newLiveChannel(persistence);
    const everywhere = Array.from({ length: 600 }, (_, n) => `203.0.${113 + (n >> 8)}.${n & 255}`);
    const statements = await statementsOf(async () => {
      const flood = everywhere.map((address) => {
        source = address;
        return forge();
      });
      expect((await post(GOOGLE, googlePush(channel))).status).toBe(204);
      expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([404]));
    });
    // One look-up each 50 ms, of all that came meanwhile.
    expect(statements.filter((text) => READS.test(text)).length).toBeLessThan(100);
    expect(statements.filter((text) => !READS.test(text))).toHaveLength(1);
    expect(await stateOf(channel)).toMatchObject({ sync_requests: '1' });
  });

  it('is refused before a long body is read', async () => {
    await post(MICROSOFT, microsoftPush(...Array.from({ length: 100 }, () => item(nobody()))));
    const port = Number(new URL(api.baseUrl).port);
    const lines = [`POST ${MICROSOFT} HTTP/1.1`, `x-forwarded-for: ${source}`, 'content-type: application/json'];
    const response = await rawRequest(port, [...lines, 'content-length: 1000000'], '{');
    expect(response.status).toBe(429);
  });
});

describe('the routes', () => {
  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('are there for POST, not for %s', async (method) => {
    for (const path of [GOOGLE, MICROSOFT, LIFECYCLE]) {
      const response = await fetch(`${api.baseUrl}${path}?validationToken=t`, { method });
      expect([response.status, await codeOf(response)]).toEqual([405, 'MethodNotAllowed']);
    }
  });
});

describe('F16 while the database is away', () => {
  it('genuine pushes are answered with 503, and taken when they are repeated', async () => {
    const channel = await newLiveChannel(persistence);
    expect((await post(GOOGLE, googlePush(channel))).status).toBe(204);
    await allowConnections(api.database, false);
    try {
      const responses = [
        await post(GOOGLE, googlePush(channel)),
        await post(MICROSOFT, microsoftPush(item(channel))),
        await post(GOOGLE, googlePush(nobody())),
      ];
      expect(responses.map(({ status }) => status)).toEqual([503, 503, 503]);
      for (const { headers } of responses) expect(headers.get('retry-after')).toBe('2');
    } finally {
      await allowConnections(api.database, true);
    }
    expect((await post(GOOGLE, googlePush(channel))).status).toBe(204);
    expect((await post(MICROSOFT, microsoftPush(item(channel)))).status).toBe(202);
    expect(await stateOf(channel)).toMatchObject({ sync_requests: '3' });
  });
});
