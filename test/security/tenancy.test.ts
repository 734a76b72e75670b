// 14 s alone, over 30 s beside other suites: it calls every route with the ids of another application.
import { randomUUID } from 'node:crypto';
import { connectAccount, startFakeServer, type ConnectedAccount } from '../support/connected-account.js';
import type { FakeCalDav } from '../support/fake-caldav.js';
import { asAdmin } from '../support/postgres.js';
import { startService, type Answer, type Service } from '../support/service.js';
import { describeOperatorRoutes } from './operator-routes.js';
import {
  BROWSER_OPERATIONS,
  CALENDAR_OPERATIONS,
  plantWebhooks,
  readOperations,
  REQUESTS,
  requestOf,
  type PathIds,
  type WebhookIds,
} from './tenancy-routes.js';

let service: Service;
let fakes: FakeCalDav[];
/** Of the service's first application, whose key `service.call` uses. */
let mine: ConnectedAccount;
/** Of another application, at another server. */
let theirs: ConnectedAccount;
/** What each account's application has of webhooks. */
let webhooks: Map<ConnectedAccount, WebhookIds>;
/** An event whose name no object of ours has. */
let theirOther: string;

beforeAll(async () => {
  fakes = [await startFakeServer('mine'), await startFakeServer('theirs')];
  const [ours, foreign] = fakes as [FakeCalDav, FakeCalDav];
  service = await startService({
    EGRESS_ALLOW: `${ours.egressAllow},${foreign.egressAllow}`,
    APPLE_CALDAV_URL: foreign.url,
    RATE_LIMIT_RPS: '100000',
  });
  mine = await connectAccount(service, ours);
  theirs = await connectAccount(service, foreign, await service.createApplication('second'));
  await asAdmin(service.adminDatabaseUrl, (admin) => admin.query('update application set polls_calendars = true'));
  webhooks = new Map();
  for (const account of [mine, theirs]) {
    const ids = { endUserAccountId: account.accountId, calendarId: account.calendarId };
    webhooks.set(account, await plantWebhooks(service.call, account.key, ids));
  }
  const event = { title: 'Only theirs', start: { dateTime: '2033-01-11T09:00:00Z' } };
  theirOther = (await theirs.call('POST', 'events', `/${theirs.calendarId}`, { body: event })).body.id;
});

afterAll(async () => {
  await service?.stop();
  await Promise.all(fakes.map((fake) => fake.close()));
});

const NAMES = Object.keys(REQUESTS);

function idsOf(account: ConnectedAccount): PathIds {
  const { applicationId, accountId, calendarId, eventId } = account;
  return { applicationId, endUserAccountId: accountId, calendarId, eventId, ...(webhooks.get(account) as WebhookIds) };
}

/** Ids of the right shape that nobody has. */
function unknownIds(): PathIds {
  const idOf = (text: string) => Buffer.from(text).toString('base64url');
  return {
    applicationId: randomUUID(),
    endUserAccountId: randomUUID(),
    calendarId: idOf('/calendars/alice/nowhere/'),
    eventId: idOf('nothing.ics'),
    endpointId: randomUUID(),
    messageId: 'msg_02rGcPNhvPq8RlzqIaJzXk',
    subscriptionId: randomUUID(),
  };
}

/** What tells one answer from another: everything but what differs between any two answers. */
function recognisable({ status, headers, body }: Answer): unknown {
  const { requestId, ...rest } = body as Record<string, unknown>;
  expect(requestId).toBe(headers.get('x-request-id'));
  const own = new Set(['date', 'x-request-id', 'ratelimit']);
  return { status, body: rest, headers: [...headers].filter(([name]) => !own.has(name)) };
}

describe('the table of routes', () => {
  it('N05 has an entry for every operation of the document, and none for anything else', async () => {
    const documented = (await readOperations(service)).map(({ name }) => name);
    expect(documented.sort()).toEqual([...NAMES, ...BROWSER_OPERATIONS].sort());
  });

  it('N09 asks every operation for a key but those of browsers, and documents that', async () => {
    for (const { name, security } of await readOperations(service)) {
      if (BROWSER_OPERATIONS.includes(name)) {
        expect([name, security]).toEqual([name, []]);
        continue;
      }
      expect([name, security]).toEqual([name, [{ apiKey: [] }]]);
      const [method, path, parts] = requestOf(name, idsOf(mine));
      const response = await service.call(method, path, { ...parts, key: null });
      expect([name, response.status, response.body.code]).toEqual([name, 401, 'MissingApiKey']);
    }
  });

  it('N09 answers browsers at the paths of Google and Microsoft, and of no other provider', async () => {
    for (const name of BROWSER_OPERATIONS) {
      const statuses: Record<string, number> = {};
      for (const provider of ['google', 'microsoft', 'apple', 'caldav', 'ics', 'other']) {
        const path = name.replace('GET ', '/api').replace('{applicationId}', mine.applicationId);
        statuses[provider] = await statusOf(path.replace('{provider}', provider));
      }
      // Nobody can sign in here: without a client, and without having begun.
      expect([name, statuses]).toEqual([
        name,
        { google: 400, microsoft: 400, apple: 400, caldav: 400, ics: 400, other: 404 },
      ]);
    }
  });

  it('N09 answers without a key to health, the document and its page', async () => {
    for (const path of ['/health/live', '/health/ready', '/api/openapi.json', '/api/docs', '/api/docs/start.js']) {
      expect([path, await statusOf(path)]).toEqual([path, 200]);
    }
  });

  it.each(['', '/api', '/health'])('N58 has no inner workings below %p', async (prefix) => {
    for (const name of ['metrics', 'queues', 'admin', 'admin/queues', 'debug', 'json', 'env', 'v1', '.env', 'ops']) {
      expect([name, await statusOf(`${prefix}/${name}`)]).toEqual([name, 404]);
    }
  });

  async function statusOf(path: string): Promise<number> {
    const response = await fetch(service.baseUrl + path);
    await response.arrayBuffer();
    return response.status;
  }
});

describe('N05 ids of another application', () => {
  const withAccount = NAMES.filter((name) => name.includes('{endUserAccountId}'));
  const withEvent = NAMES.filter((name) => name.includes('{eventId}'));
  const withEndpoint = NAMES.filter((name) => name.includes('{endpointId}'));
  const withMessage = NAMES.filter((name) => name.includes('{messageId}'));

  /** The same request with foreign and with unknown ids; both come back as 404, and as the same one. */
  async function expectSame(name: string, foreign: PathIds, unknown: PathIds): Promise<void> {
    const responses: unknown[] = [];
    for (const ids of [foreign, unknown]) {
      const [method, path, parts] = requestOf(name, ids);
      const response = await service.call(method, path, parts);
      expect([response.status, response.body.code]).toEqual([404, 'NotFound']);
      // freeBusy names the calendar that it was asked for; nothing else repeats an id.
      responses.push(JSON.parse(JSON.stringify(recognisable(response)).replaceAll(ids.calendarId, 'the calendar')));
    }
    expect(lengthless(responses[0])).toEqual(lengthless(responses[1]));
  }

  /** The ids that freeBusy repeats differ in length. */
  function lengthless(response: unknown): unknown {
    const { headers, ...rest } = response as { headers: [string, string][] };
    return { ...rest, headers: headers.filter(([name]) => name !== 'content-length') };
  }

  async function theirState(): Promise<unknown> {
    const account = await service.call('GET', `/v1/endUserAccounts/${theirs.accountId}`, { key: theirs.key });
    const calendars = await theirs.call('GET', 'calendars');
    const events = await theirs.call('GET', 'events', `/${theirs.calendarId}`);
    return [account.body, calendars.body.data, events.body.data, await theirWebhooks()];
  }

  async function theirWebhooks(): Promise<unknown> {
    const { endpointId } = idsOf(theirs);
    const endpoint = await service.call('GET', `/v1/webhookEndpoints/${endpointId}`, { key: theirs.key });
    const messages = await service.call('GET', `/v1/webhookEndpoints/${endpointId}/messages`, { key: theirs.key });
    const subscriptions = await theirs.call('GET', 'calendarSubscriptions');
    const { rows } = await asAdmin(service.adminDatabaseUrl, (admin) =>
      admin.query(
        'select secrets, resends, enqueue_at from webhook_endpoint e left join webhook_message m on m.endpoint_id = e.id where e.id = $1',
        [endpointId],
      ),
    );
    return [endpoint.body, messages.body.data, subscriptions.body.data, rows];
  }

  it.each(withAccount)('%s knows no foreign account', async (name) => {
    const before = await theirState();
    const requestsBefore = theirs.fake.requests.length;
    await expectSame(name, idsOf(theirs), { ...idsOf(theirs), endUserAccountId: randomUUID() });
    for (const endUserAccountId of ['not-an-id', theirs.accountId.toUpperCase(), `${theirs.accountId}%00`]) {
      const [method, path, parts] = requestOf(name, { ...idsOf(theirs), endUserAccountId });
      const response = await service.call(method, path, parts);
      expect([response.status, response.body.code]).toEqual([404, 'NotFound']);
    }
    expect(theirs.fake.requests).toHaveLength(requestsBefore);
    expect(await theirState()).toEqual(before);
  });

  it.each(CALENDAR_OPERATIONS)('%s knows no foreign calendar in an account of its own', async (name) => {
    const own = idsOf(mine);
    await expectSame(name, { ...own, calendarId: theirs.calendarId }, { ...own, calendarId: unknownIds().calendarId });
  });

  it.each(withEvent)('%s knows no foreign event in a calendar of its own', async (name) => {
    const own = idsOf(mine);
    expect(theirOther).not.toBe(mine.eventId);
    await expectSame(name, { ...own, eventId: theirOther }, { ...own, eventId: unknownIds().eventId });
  });

  it.each(withEndpoint)('%s knows no foreign endpoint, and no foreign subscription', async (name) => {
    const before = await theirState();
    const { endpointId, subscriptionId, messageId } = idsOf(theirs);
    for (const foreign of [endpointId, subscriptionId]) {
      const ids = { ...idsOf(mine), messageId };
      await expectSame(name, { ...ids, endpointId: foreign }, { ...ids, endpointId: unknownIds().endpointId });
    }
    expect(await theirState()).toEqual(before);
  });

  it.each(withMessage)('%s knows no foreign message at an endpoint of its own', async (name) => {
    const before = await theirState();
    const own = idsOf(mine);
    const { messageId } = idsOf(theirs);
    await expectSame(name, { ...own, messageId }, { ...own, messageId: unknownIds().messageId });
    expect(await theirState()).toEqual(before);
  });

  it('DELETE /v1/calendarSubscriptions knows no foreign subscription in an account of its own', async () => {
    const before = await theirState();
    const own = idsOf(mine);
    const { subscriptionId } = idsOf(theirs);
    const name = 'DELETE /v1/calendarSubscriptions/{endUserAccountId}';
    await expectSame(name, { ...own, subscriptionId }, { ...own, subscriptionId: unknownIds().subscriptionId });
    // Endpoints of the application are no subscriptions of the account, and the reverse.
    const byPath = 'DELETE /v1/webhookEndpoints/{endpointId}';
    await expectSame(name, { ...own, subscriptionId: own.endpointId }, { ...own, subscriptionId });
    await expectSame(byPath, { ...own, endpointId: own.subscriptionId }, { ...own, endpointId: subscriptionId });
    expect(await theirState()).toEqual(before);
  });

  it.each(NAMES.filter((name) => name.includes('{applicationId}')))(
    'N06 %s refuses the path of another application, and leaves no row',
    async (name) => {
      const before = [theirs.fake.requests.length, await accountIds(mine.key), await accountIds(theirs.key)];
      await expectSame(
        name,
        { ...idsOf(mine), applicationId: theirs.applicationId },
        { ...idsOf(mine), applicationId: randomUUID() },
      );
      // Credentials that are right change nothing about it.
      const { username: email, password } = theirs.fake.login;
      const [method, path] = requestOf(name, idsOf(theirs));
      const body = { email, password, ...(name.endsWith('caldav') && { serverUrl: theirs.fake.url }) };
      expect((await service.call(method, path, { body })).status).toBe(404);
      expect([theirs.fake.requests.length, await accountIds(mine.key), await accountIds(theirs.key)]).toEqual(before);
    },
  );

  async function accountIds(key: string): Promise<string[]> {
    const { body } = await service.call('GET', '/v1/endUserAccounts', { key });
    return body.data.map(({ id }: { id: string }) => id);
  }

  it('GET /v1/webhookEndpoints lists none of them, and page tokens of them do not open', async () => {
    const url = 'https://8.8.8.8/second';
    await service.call('POST', '/v1/webhookEndpoints', { body: { url, eventTypes: ['enduseraccount.created'] } });
    const { body } = await service.call('GET', '/v1/webhookEndpoints', { query: { limit: 1 } });
    const { endpointId } = idsOf(theirs);
    const all = await service.call('GET', '/v1/webhookEndpoints', { query: { limit: 200 } });
    expect(all.body.data.map(({ id }: { id: string }) => id)).not.toContain(endpointId);
    const query = { limit: 1, pageToken: body.nextPageToken as string };
    const ofThem = await service.call('GET', '/v1/webhookEndpoints', { key: theirs.key, query });
    expect([ofThem.status, ofThem.body.code]).toEqual([400, 'PageTokenInvalid']);
  });

  it('GET /v1/endUserAccounts lists none of them, whatever is searched for', async () => {
    for (const search of [undefined, theirs.fake.login.username, '@', '%', theirs.accountId]) {
      const { body } = await service.call('GET', '/v1/endUserAccounts', { query: { search, limit: 200 } });
      expect(body.data.map(({ id }: { id: string }) => id)).not.toContain(theirs.accountId);
    }
  });

  it('POST /v1/endUserAccounts makes an account beside theirs, of the same user at the same server', async () => {
    const before = await theirState();
    const { username: email, password } = theirs.fake.login;
    const body = { providerType: 'CALDAV', email, password, serverUrl: theirs.fake.url, externalId: 'planted' };
    const made = await service.call('POST', '/v1/endUserAccounts', { body });
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({ applicationId: mine.applicationId, externalId: 'planted' });
    expect(made.body.id).not.toBe(theirs.accountId);
    expect(await theirState()).toEqual(before);
    expect((await service.call('DELETE', `/v1/endUserAccounts/${made.body.id}`)).status).toBe(200);
    expect(await theirState()).toEqual(before);
  });

  it('N16 do not open with page tokens either', async () => {
    const { username: email, password } = mine.fake.login;
    const body = { providerType: 'CALDAV', email, password, serverUrl: `${mine.fake.url}principals/alice/` };
    const second = await service.call('POST', '/v1/endUserAccounts', { body });
    expect(second.status).toBe(200);
    const page = await service.call('GET', '/v1/endUserAccounts', { query: { limit: 1 } });
    const pageToken = page.body.nextPageToken as string;
    expect(typeof pageToken).toBe('string');
    const ofThem = await service.call('GET', '/v1/endUserAccounts', {
      key: theirs.key,
      query: { limit: 1, pageToken },
    });
    expect([ofThem.status, ofThem.body.code]).toEqual([400, 'PageTokenInvalid']);
    await service.call('DELETE', `/v1/endUserAccounts/${second.body.id}`);
  });

  it('do not share an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const event = (title: string) => ({ headers, body: { title, start: { dateTime: '2033-01-20T09:00:00Z' } } });
    const ours = await mine.call('POST', 'events', `/${mine.calendarId}`, event('Ours'));
    const foreign = await theirs.call('POST', 'events', `/${theirs.calendarId}`, event('Theirs'));
    expect([ours.status, ours.body.title]).toEqual([200, 'Ours']);
    expect([foreign.status, foreign.body.title]).toEqual([200, 'Theirs']);
    expect(foreign.headers.get('idempotency-replayed')).toBeNull();
  });
});

describeOperatorRoutes(() => ({ service, ids: idsOf(mine) }), { applicationPaths: NAMES });

describe('N07 ids', () => {
  it('are not sequential: accounts made one after the other have nothing in common behind the time', async () => {
    mine.fake.switches.authentication = 'none';
    const ids: string[] = [];
    for (let user = 0; user < 8; user += 1) {
      const body = { email: `user-${user}@example.test`, password: 'x', serverUrl: mine.fake.url };
      const made = await service.call('POST', `/v1/basicAuth/connect/${mine.applicationId}/caldav`, { body });
      expect(made.status).toBe(200);
      ids.push(made.body.id);
    }
    mine.fake.switches.authentication = 'basic';
    // Version 7 (RFC 9562 §5.7): 48 bits of time, then 74 random ones around version and variant.
    const randomParts = ids.map((id) => BigInt(`0x${id.replaceAll('-', '').slice(17)}`) & ((1n << 58n) - 1n));
    const sorted = [...randomParts].sort((a, b) => (a < b ? -1 : 1));
    for (const [index, part] of sorted.entries()) {
      const before = sorted[index - 1];
      if (before !== undefined) expect(part - before).toBeGreaterThan(1n << 24n);
    }
  });

  it('are not to be guessed: neighbours of a known id give no hit, and the limiter ends it with 429', async () => {
    const { applicationId } = await service.ops('application', 'create', '--name', 'guesser', '--rate-limit', '50');
    const keyOptions = ['--application', applicationId, '--name', 'guesser', '--expires', 'never'];
    const { apiKey } = await service.ops('api-key', 'create', ...keyOptions);
    const known = BigInt(`0x${theirs.accountId.replaceAll('-', '')}`);
    const statuses = new Map<number, number>();
    let limited: Answer | undefined;
    for (let batch = -10n; batch < 10n; batch += 1n) {
      const guesses = Array.from({ length: 50 }, (_, index) => uuidOf(known + batch * 50n + BigInt(index)));
      const responses = await Promise.all(
        guesses.map((id) => service.call('GET', `/v1/endUserAccounts/${id}`, { key: apiKey })),
      );
      for (const response of responses) {
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        if (response.status === 429) limited = response;
      }
    }
    expect([...statuses.keys()].sort()).toEqual([404, 429]);
    expect(limited?.body.code).toBe('RateLimited');
    expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(limited?.headers.get('ratelimit-policy')).toBe('"default";q=50;w=1');
    // N52 nobody else pays for it.
    expect((await service.call('GET', `/v1/endUserAccounts/${mine.accountId}`)).status).toBe(200);
  });

  function uuidOf(value: bigint): string {
    return value
      .toString(16)
      .padStart(32, '0')
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }
});
