import { randomUUID } from 'node:crypto';
import type { AttemptOutcome } from '#domain/webhooks';
import { KeyRing } from '#persistence';
import { uuidOf } from '#webhooks';
import { openPersistence, type Persistence } from '../persistence/persistence.js';
import { answered, claim, delivered, exhausted, gone, record } from '../persistence/webhook-fixture.js';
import { dump, expectNowhere } from '../security/canaries.js';
import { connectAccount, startFakeServer } from '../support/connected-account.js';
import type { FakeCalDav } from '../support/fake-caldav.js';
import { asAdmin } from '../support/postgres.js';
import { joinService, type Answer, type CallOptions, type Service } from '../support/service.js';

/** A public address; nothing is sent there, because no worker is running. */
const URL = 'https://8.8.8.8/hooks';
const NOBODY = '0197a000-0000-7000-8000-000000000000';
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

let service: Service;
let fake: FakeCalDav;
/** What a worker does, done by the test. */
let persistence: Persistence;
/** Of the polled calendar of an account. */
let subscriptionId: string;

beforeAll(async () => {
  fake = await startFakeServer('work');
  service = await joinService();
  persistence = await openPersistence({
    testDatabase: {
      url: service.env['DATABASE_URL']!,
      adminUrl: service.adminDatabaseUrl,
      drop: async () => undefined,
    },
    keyRing: KeyRing.parse(service.env['ENCRYPTION_KEYS']!),
  });
  await admin('update application set polls_calendars = true');
  const { call: ofAccount, calendarId } = await connectAccount(service, fake);
  const subscribed = await ofAccount('POST', 'calendarSubscriptions', '', { body: { calendarId, webhookUrl: URL } });
  subscriptionId = subscribed.body.webhookSubscriptionId;
});

afterAll(async () => {
  await persistence?.close();
  await service?.stop();
  await fake?.close();
});

const admin = (text: string, values: unknown[] = []) =>
  asAdmin(service.adminDatabaseUrl, async (client) => (await client.query(text, values)).rows);
const call = (method: string, path = '', options?: CallOptions): Promise<Answer> =>
  service.call(method, `/v1/webhookEndpoints${path}`, options);
const create = (given: Record<string, unknown> = {}, options: CallOptions = {}) =>
  call('POST', '', { body: { url: URL, eventTypes: ['enduseraccount.updated'], ...given }, ...options });
const codeOf = ({ status, body }: Answer) => [status, body.code];
const newEndpoint = async () => (await create()).body.id as string;

async function sendTest(endpointId: string): Promise<string> {
  const { status, body } = await call('POST', `/${endpointId}/test`);
  expect(status).toBe(200);
  return body.messageId;
}

/** Takes the message as a worker would, and writes down what became of it. */
async function attempt(messageId: string, outcome: AttemptOutcome): Promise<void> {
  await record(persistence, await claim(persistence, uuidOf(messageId)!), outcome);
}

const messagesOf = async (endpointId: string, query: CallOptions['query'] = {}) =>
  (await call('GET', `/${endpointId}/messages`, { query })).body.data;

describe('endpoints of the application', () => {
  it('W3 are made with a secret of their own, which is shown once', async () => {
    const made = await create({ rateLimit: 12.5 });
    const { endpointSecret, ...endpoint } = made.body;
    expect([made.status, endpoint]).toEqual([
      200,
      {
        ...{ id: expect.any(String), url: URL, eventTypes: ['enduseraccount.updated'], rateLimit: 12.5 },
        ...{ failingSince: null, disabledAt: null, disabledReason: null },
        ...{ createdAt: expect.stringMatching(/Z$/), updatedAt: expect.stringMatching(/Z$/) },
      },
    ]);
    expect(endpointSecret).toMatch(SECRET);
    expect((await create()).body.endpointSecret).not.toBe(endpointSecret);
    expect((await call('GET', `/${endpoint.id}`)).body).toEqual(endpoint);
    const { data } = (await call('GET', '', { query: { limit: 200 } })).body;
    expect(data.find(({ id }: { id: string }) => id === endpoint.id)).toEqual(endpoint);
    expect(data.map(({ id }: { id: string }) => id)).not.toContain(subscriptionId);
  });

  it('W3 keep their secrets from logs and, in clear, from the database, rotated and replayed ones, too', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await create({}, { headers });
    expect((await create({}, { headers })).body).toEqual(first.body);
    const path = `/${first.body.id}/rotateSecret`;
    const rotation = { headers: { 'idempotency-key': randomUUID() }, body: {} };
    const rotated = await call('POST', path, rotation);
    const replayed = await call('POST', path, rotation);
    expect([replayed.body, replayed.headers.get('idempotency-replayed')]).toEqual([rotated.body, 'true']);
    const bare = (text: string) => text.slice('whsec_'.length);
    const secrets = { first: bare(first.body.endpointSecret), rotated: bare(rotated.body.endpointSecret) };
    expectNowhere(await dump(service.adminDatabaseUrl), secrets);
    expectNowhere(service.program.stdout() + service.program.stderr(), secrets);
  });

  it.each([
    [{ url: 'http://8.8.8.8/' }, 'ValidationFailed'],
    [{ url: '' }, 'ValidationFailed'],
    [{ url: 5 }, 'ValidationFailed'],
    [{ url: 'https://10.0.0.1/' }, 'ServerNotAllowed'],
    [{ eventTypes: [] }, 'ValidationFailed'],
    [{ eventTypes: ['calendar.event.changed'] }, 'ValidationFailed'],
    [{ eventTypes: ['enduseraccount.updated', 'enduseraccount.updated'] }, 'ValidationFailed'],
    [{ eventTypes: 'enduseraccount.updated' }, 'ValidationFailed'],
    [{ eventTypes: null }, 'ValidationFailed'],
    [{ eventTypes: { 0: 'enduseraccount.updated' } }, 'ValidationFailed'],
    [{ rateLimit: 0 }, 'ValidationFailed'],
    [{ rateLimit: 0.99 }, 'ValidationFailed'],
    [{ rateLimit: '5' }, 'ValidationFailed'],
    [{ syncedCalendarId: NOBODY }, 'ValidationFailed'],
  ])('are not made of %j', async (given, code) => {
    const count = async () => (await admin('select count(*)::int as n from webhook_endpoint'))[0].n;
    const before = await count();
    expect(codeOf(await create(given))).toEqual([400, code]);
    expect(await count()).toBe(before);
  });

  it('are told of any of the four account events', async () => {
    const eventTypes = [
      ...['enduseraccount.created', 'enduseraccount.updated', 'enduseraccount.deleted'],
      'enduseraccount.credential.updated',
    ];
    expect((await create({ eventTypes })).body.eventTypes).toEqual(eventTypes);
  });

  it('are deleted; a subscription is not, by this way', async () => {
    const id = await newEndpoint();
    const { status, body } = await call('DELETE', `/${id}`);
    expect([status, body]).toEqual([200, { success: true }]);
    for (const gone of [id, NOBODY, 'x', subscriptionId]) {
      expect(codeOf(await call('DELETE', `/${gone}`))).toEqual([404, 'NotFound']);
    }
    expect((await call('GET', `/${subscriptionId}`)).status).toBe(200);
  });

  it('are at most a hundred, in pages', async () => {
    const { applicationId, apiKey: key } = await service.createApplication('busy');
    const made = [(await create({}, { key })).body.id, (await create({}, { key })).body.id];
    await admin(
      `insert into webhook_endpoint (id, application_id, url, secrets, event_types, created_at, updated_at)
       select ('ffffffff-ffff-7fff-bfff-' || lpad(n::text, 12, '0'))::uuid, $1, url, secrets, event_types, created_at,
              updated_at from webhook_endpoint, generate_series(1, 98) n where id = $2`,
      [applicationId, made[0]],
    );
    expect(codeOf(await create({}, { key }))).toEqual([409, 'Conflict']);
    const seen: string[] = [];
    let pageToken: string | undefined;
    do {
      const { body } = await call('GET', '', { key, query: { limit: 60, pageToken } });
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      pageToken = body.nextPageToken ?? undefined;
    } while (pageToken !== undefined);
    expect([seen.slice(0, 2), seen.length, new Set(seen).size]).toEqual([made, 100, 100]);
    await call('DELETE', `/${made[0]}`, { key });
    expect((await create({}, { key })).status).toBe(200);
  });

  it('need a key with the scope to write; one to read sees them', async () => {
    const options = ['--application', service.applicationId, '--name', 'reader', '--expires', 'never'];
    const { apiKey: key } = await service.ops('api-key', 'create', ...options, '--scopes', 'read');
    const id = await newEndpoint();
    expect((await call('GET', `/${id}`, { key })).status).toBe(200);
    expect((await call('GET', `/${id}/messages`, { key })).status).toBe(200);
    for (const response of [
      await create({}, { key }),
      await call('PATCH', `/${id}`, { key, body: { rateLimit: 1 } }),
      await call('POST', `/${id}/rotateSecret`, { key }),
      await call('POST', `/${id}/test`, { key }),
      await call('DELETE', `/${id}`, { key }),
    ]) {
      expect(codeOf(response)).toEqual([403, 'Forbidden']);
    }
  });
});

describe.each(['an endpoint', 'a subscription'])('%s', (kind) => {
  let id: string;

  beforeAll(async () => {
    id = kind === 'an endpoint' ? await newEndpoint() : subscriptionId;
  });

  it('gets another rate, or none', async () => {
    for (const rateLimit of [3, 1.5, null]) {
      const { status, body } = await call('PATCH', `/${id}`, { body: { rateLimit } });
      expect([status, body.id, body.rateLimit]).toEqual([200, id, rateLimit]);
    }
    for (const body of [{}, { rateLimit: 0 }, { rateLimit: -2 }, { rateLimit: '3' }, { rateLimit: 3, url: URL }]) {
      expect(codeOf(await call('PATCH', `/${id}`, { body }))).toEqual([400, 'ValidationFailed']);
    }
    expect(codeOf(await call('PATCH', `/${NOBODY}`, { body: { rateLimit: 3 } }))).toEqual([404, 'NotFound']);
  });

  it('W4 gets another secret, beside which the replaced one signs for as long as is asked for', async () => {
    const application = { applicationId: service.applicationId };
    const stored = () => persistence.endpoints.changeSecrets(application, id, (secrets) => secrets);
    const before = await stored();
    for (const [body, seconds] of [
      [undefined, 86_400],
      [{ overlapSeconds: 60 }, 60],
    ] as const) {
      const { active: replaced } = await stored();
      const rotated = await call('POST', `/${id}/rotateSecret`, { body });
      expect([rotated.status, rotated.body]).toEqual([200, { endpointSecret: expect.stringMatching(SECRET) }]);
      const { active, retiring } = await stored();
      expect([active, retiring[0]?.secret]).toEqual([rotated.body.endpointSecret, replaced]);
      expect(Math.abs((retiring[0]?.endsAt.getTime() ?? 0) - Date.now() - seconds * 1_000)).toBeLessThan(30_000);
    }
    expect((await stored()).retiring.at(-1)?.secret).toBe(before.active);
    const leaked = (await stored()).active;
    await call('POST', `/${id}/rotateSecret`, { body: { overlapSeconds: 0 } });
    expect((await stored()).retiring.map(({ secret }) => secret)).not.toContain(leaked);
    for (const overlapSeconds of [-1, 604_801, 1.5, '60', null]) {
      const response = await call('POST', `/${id}/rotateSecret`, { body: { overlapSeconds } });
      expect(codeOf(response)).toEqual([400, 'ValidationFailed']);
    }
    const more = await Promise.all([1, 2, 3].map(() => call('POST', `/${id}/rotateSecret`)));
    expect(more.map(({ status }) => status).sort()).toEqual([200, 200, 409]);
  });

  it('gets a test message, which goes the way of all messages, and its log', async () => {
    const messageId = await sendTest(id);
    expect(messageId).toMatch(/^msg_[0-9A-Za-z]{22}$/);
    const [listed] = await messagesOf(id);
    expect(listed).toEqual({
      ...{ id: messageId, eventType: 'webhook.test', state: 'pending', failureReason: null },
      ...{ nextAttemptAt: expect.stringMatching(/Z$/), createdAt: expect.stringMatching(/Z$/) },
    });
    const [{ body }] = await admin('select body from webhook_message where id = $1', [uuidOf(messageId)]);
    expect(JSON.parse(body)).toEqual({ eventType: 'webhook.test', timestamp: expect.stringMatching(/Z$/) });
    expect((await persistence.messages.claimForQueue(1_000)).map((due) => due.id)).toContain(uuidOf(messageId));
    await attempt(messageId, { ...answered, status: 503, responseText: 'busy', verdict: { kind: 'retry', inMs: 0 } });
    await attempt(messageId, delivered);
    const { status, body: log } = await call('GET', `/${id}/messages/${messageId}/attempts`);
    const usual = { startedAt: expect.stringMatching(/Z$/), durationMs: 12, failure: null };
    expect([status, log]).toEqual([
      200,
      {
        data: [
          { ...usual, number: 1, status: 503, responseText: 'busy', nextAttemptAt: expect.stringMatching(/Z$/) },
          { ...usual, number: 2, status: 200, responseText: 'ok', nextAttemptAt: null },
        ],
      },
    ]);
    expect((await messagesOf(id))[0]).toMatchObject({ id: messageId, state: 'delivered', nextAttemptAt: null });
  });

  it('W15 gets a message once more under the same id', async () => {
    const messageId = await sendTest(id);
    await attempt(messageId, delivered);
    const resent = await call('POST', `/${id}/messages/${messageId}/resend`);
    expect([resent.status, resent.body]).toEqual([200, { success: true }]);
    await attempt(messageId, delivered);
    const { data } = (await call('GET', `/${id}/messages/${messageId}/attempts`)).body;
    expect(data.map(({ number }: { number: number }) => number)).toEqual([1, -1]);
  });

  it('lists messages newest first, by state and in pages of its own', async () => {
    const [first, second, third] = [await sendTest(id), await sendTest(id), await sendTest(id)] as const;
    await attempt(second, exhausted);
    const ids = (data: { id: string }[]) => data.map((message) => message.id);
    const page = (await call('GET', `/${id}/messages`, { query: { limit: 2 } })).body;
    expect(ids(page.data)).toEqual([third, second]);
    expect(page.data[1]).toMatchObject({ state: 'failed', failureReason: 'exhausted', nextAttemptAt: null });
    const query = { limit: 2, pageToken: page.nextPageToken };
    expect(ids(await messagesOf(id, query))[0]).toBe(first);
    expect(ids(await messagesOf(id, { state: 'failed' }))).toEqual([second]);
    expect(ids(await messagesOf(id, { state: 'pending' }))).toEqual([third, first]);
    const other = await newEndpoint();
    for (const [path, given] of [
      [`/${other}/messages`, query],
      [`/${id}/messages`, { ...query, state: 'failed' }],
    ] as const) {
      expect(codeOf(await call('GET', path, { query: given }))).toEqual([400, 'PageTokenInvalid']);
    }
    for (const given of [{ state: 'lost' }, { limit: 0 }, { state: '' }] as CallOptions['query'][]) {
      expect(codeOf(await call('GET', `/${id}/messages`, { query: given }))).toEqual([400, 'ValidationFailed']);
    }
    for (const message of [first, third]) await attempt(message, delivered);
  });

  it('W12 gets nothing while it is disabled, and what failed since an instant once more when it is enabled', async () => {
    const [before, lost] = [await sendTest(id), await sendTest(id)];
    await attempt(before, exhausted);
    await admin("update webhook_message set created_at = created_at - interval '1 day' where id <> $1", [uuidOf(lost)]);
    await attempt(lost, gone);
    const { body: dead } = await call('GET', `/${id}`);
    expect(dead).toMatchObject({ disabledReason: 'gone', disabledAt: expect.stringMatching(/Z$/) });
    expect(dead.failingSince).toEqual(expect.any(String));
    const since = (await messagesOf(id, { limit: 1 }))[0].createdAt;
    const recover = (given: unknown) => call('POST', `/${id}/recover`, { body: { since: given } });
    for (const response of [
      await call('POST', `/${id}/test`),
      await call('POST', `/${id}/messages/${lost}/resend`),
      await recover(since),
    ]) {
      expect(codeOf(response)).toEqual([409, 'Conflict']);
    }
    for (let again = 0; again < 2; again += 1) {
      const enabled = await call('POST', `/${id}/enable`);
      expect([enabled.status, enabled.body]).toEqual([
        200,
        expect.objectContaining({ disabledAt: null, disabledReason: null, failingSince: null }),
      ]);
    }
    const recovered = await recover(since);
    expect([recovered.status, recovered.body]).toEqual([200, { recovered: 1 }]);
    expect((await messagesOf(id, { state: 'pending' })).map((message: { id: string }) => message.id)).toEqual([lost]);
    await attempt(lost, delivered);
    expect((await recover('2020-01-01')).body.recovered).toBeGreaterThanOrEqual(1);
    await attempt(before, delivered);
    for (const given of ['yesterday', '', 5, null, undefined, '2026-02-30T00:00:00Z']) {
      expect(codeOf(await recover(given))).toEqual([400, 'ValidationFailed']);
    }
  });

  it('knows no message that is not its own', async () => {
    const own = await sendTest(id);
    const elsewhere = await sendTest(await newEndpoint());
    for (const messageId of [elsewhere, 'msg_02rGcPNhvPq8RlzqIaJzXk', 'msg_zzzzzzzzzzzzzzzzzzzzzz', NOBODY, 'x']) {
      for (const [method, operation] of [
        ['GET', 'attempts'],
        ['POST', 'resend'],
      ] as const) {
        const response = await call(method, `/${id}/messages/${messageId}/${operation}`);
        expect(codeOf(response)).toEqual([404, 'NotFound']);
      }
    }
    for (const path of ['', '/messages', `/messages/${own}/attempts`]) {
      expect(codeOf(await call('GET', `/${NOBODY}${path}`))).toEqual([404, 'NotFound']);
    }
  });
});
