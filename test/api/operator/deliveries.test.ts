import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Queue, Worker } from 'bullmq';
import type { AttemptOutcome, WebhookEndpoint } from '#domain/webhooks';
import { chooseQueueBackend, webhookDelivery } from '#jobs';
import { KeyRing } from '#persistence';
import { messageIdOf, SigningSecret, uuidOf } from '#webhooks';
import type * as Api from '../../../apps/dashboard/src/api/operator-api.gen.js';
import { openPersistence, type Persistence } from '../../persistence/persistence.js';
import {
  announce,
  answered,
  claim,
  delivered,
  exhausted,
  failed,
  gone,
  interrupted,
  newSyncedCalendar,
  record,
  subscribe,
  type SyncedCalendarFixture,
} from '../../persistence/webhook-fixture.js';
import { dump, expectNowhere } from '../../security/canaries.js';
import { operatorSession, type OperatorSession } from '../../support/operator-session.js';
import { eventually } from '../../support/processes.js';
import { startService, type Answer, type CallOptions, type Service } from '../../support/service.js';

const NOBODY = '0197a000-0000-7000-8000-000000000000';
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let service: Service;
/** What workers do, done by the test: none is running. */
let persistence: Persistence;
let admin: OperatorSession;
let viewer: OperatorSession;

beforeAll(async () => {
  service = await startService({ RATE_LIMIT_RPS: '100000' });
  persistence = await openPersistence({
    testDatabase: {
      url: service.env['DATABASE_URL']!,
      adminUrl: service.adminDatabaseUrl,
      drop: async () => undefined,
    },
    keyRing: KeyRing.parse(service.env['ENCRYPTION_KEYS']!),
  });
  admin = await operatorSession(service);
  viewer = await operatorSession(service, 'viewer');
});

afterAll(async () => {
  await persistence?.close();
  await service?.stop();
});

interface Place extends SyncedCalendarFixture {
  endpoint: WebhookEndpoint;
  secret: string;
}

/** A subscription of an application of its own. */
async function newSubscription(): Promise<Place> {
  const fixture = await newSyncedCalendar(persistence);
  const secret = SigningSecret.generate().reveal();
  const endpoint = await subscribe(persistence, fixture, { secrets: { active: secret, retiring: [] } });
  return { ...fixture, endpoint, secret };
}

async function newMessage(place: Place, outcome?: AttemptOutcome): Promise<string> {
  const [uuid] = (await announce(persistence, place)) as [string];
  if (outcome !== undefined) await record(persistence, await claim(persistence, uuid), outcome);
  return messageIdOf(uuid);
}

async function createdAgo(id: string, minutes: number): Promise<void> {
  await persistence.admin("update webhook_message set created_at = now() - $2 * interval '1 minute' where id = $1", [
    ...[uuidOf(id), minutes],
  ]);
}

const read = async <T>(path: string, query: CallOptions['query'] = {}): Promise<T> => {
  const response = await viewer.call<T>('GET', path, { query });
  expect([path, response.status]).toEqual([path, 200]);
  return response.body;
};
const endpoints = async (query: CallOptions['query']) => (await read<Api.EndpointPage>('/endpoints', query)).data;
const endpoint = (id: string) => read<Api.EndpointSummary>(`/endpoints/${id}`);
const messages = async (query: CallOptions['query']) => (await read<Api.MessagePage>('/messages', query)).data;
const message = (id: string) => read<Api.MessageDetail>(`/messages/${id}`);
const act = (path: string, body?: object) => admin.call('POST', path, { body });
const idsOf = (views: { id: string }[]) => views.map(({ id }) => id);
const codeOf = ({ status, body }: Answer) => [status, body.code];

async function audited(subject: string): Promise<{ action: string; actor: string; application_id: string | null }[]> {
  return persistence.admin(
    `select action, actor, application_id, request_id is not null as is_traced from audit_entry
      where subject = $1 order by id`,
    [subject],
  );
}

const byAdmin = (action: string, applicationId: string | null) => ({
  ...{ action, actor: `operator:${admin.email}`, application_id: applicationId, is_traced: true },
});

describe('endpoints of all applications', () => {
  it('are shown with whose they are, what they are told and how they do', async () => {
    const place = await newSubscription();
    const { id, applicationId } = place.endpoint;
    expect(await endpoint(id)).toEqual({
      ...{ id, kind: 'subscription', applicationId, applicationName: 'acme', url: 'https://hooks.example.com/a' },
      eventTypes: ['calendar.event.changed', 'calendar.event.unknown'],
      ...{ state: 'active', disabledReason: null, failingSince: null, rateLimit: null },
      ...{ accountId: place.account.id, calendarId: place.calendarId },
      ...{ createdAt: expect.stringMatching(ISO), pending: 0, failed: 0 },
    });
    await newMessage(place);
    await newMessage(place, failed(600_000));
    await newMessage(place, exhausted);
    await newMessage(place, delivered);
    expect(await endpoint(id)).toMatchObject({ pending: 2, failed: 1, state: 'active' });
    await newMessage(place, exhausted);
    expect(await endpoint(id)).toMatchObject({ failed: 2, state: 'failing', failingSince: expect.stringMatching(ISO) });
    await newMessage(place, gone);
    expect(await endpoint(id)).toMatchObject({ state: 'disabled', disabledReason: 'gone' });
  });

  it('are found by application, account, kind and state, newest first, page by page', async () => {
    const [active, failing, disabled] = [await newSubscription(), await newSubscription(), await newSubscription()];
    await newMessage(failing, failed(600_000));
    await newMessage(disabled, gone);
    const { applicationId } = active.application;
    const own = await persistence.endpoints.create(active.application, {
      ...{ syncedCalendarId: null, url: 'https://hooks.example.com/own', eventTypes: ['enduseraccount.updated'] },
      ...{ rateLimit: 5, secrets: { active: active.secret, retiring: [] } },
    });
    expect(idsOf(await endpoints({ applicationId }))).toEqual([own.id, active.endpoint.id]);
    expect(await endpoints({ applicationId, kind: 'application' })).toEqual([
      expect.objectContaining({ id: own.id, kind: 'application', accountId: null, calendarId: null, rateLimit: 5 }),
    ]);
    expect(idsOf(await endpoints({ applicationId, kind: 'subscription' }))).toEqual([active.endpoint.id]);
    expect(idsOf(await endpoints({ accountId: failing.account.id }))).toEqual([failing.endpoint.id]);
    expect(await endpoints({ accountId: NOBODY })).toEqual([]);
    const all = [disabled, failing, active].map((place) => place.endpoint.id);
    for (const [state, place] of Object.entries({ active, failing, disabled })) {
      const found = idsOf(await endpoints({ state }));
      expect(found.filter((id) => all.includes(id))).toEqual([place.endpoint.id]);
    }
    const first = await read<Api.EndpointPage>('/endpoints', { applicationId, limit: 1 });
    expect(idsOf(first.data)).toEqual([own.id]);
    const pageToken = first.nextPageToken!;
    const second = await read<Api.EndpointPage>('/endpoints', { applicationId, limit: 1, pageToken });
    expect([idsOf(second.data), second.nextPageToken]).toEqual([[active.endpoint.id], null]);
    const elsewhere = await viewer.call('GET', '/endpoints', { query: { limit: 1, pageToken } });
    expect(codeOf(elsewhere)).toEqual([400, 'PageTokenInvalid']);
  });

  it('are changed, enabled, tested and deleted, and it is known by whom', async () => {
    const place = await newSubscription();
    const { id, applicationId } = place.endpoint;
    const changed = await admin.call<Api.EndpointSummary>('PATCH', `/endpoints/${id}`, { body: { rateLimit: 2.5 } });
    expect([changed.status, changed.body.rateLimit]).toEqual([200, 2.5]);
    expect((await admin.call('PATCH', `/endpoints/${id}`, { body: { rateLimit: null } })).body.rateLimit).toBeNull();
    expect((await act(`/endpoints/${id}/test`)).status).toBe(202);
    const [test] = await messages({ endpointId: id });
    expect(test).toMatchObject({ eventType: 'webhook.test', state: 'pending', applicationId });
    await record(persistence, await claim(persistence, uuidOf(test!.id)!), gone);
    expect(codeOf(await act(`/endpoints/${id}/test`))).toEqual([409, 'Conflict']);
    expect((await act(`/endpoints/${id}/enable`)).status).toBe(204);
    expect(await endpoint(id)).toMatchObject({ state: 'active', disabledReason: null });
    expect((await admin.call('DELETE', `/endpoints/${id}`)).status).toBe(204);
    expect(codeOf(await viewer.call('GET', `/endpoints/${id}`))).toEqual([404, 'NotFound']);
    const actions = ['rate-changed', 'rate-changed', 'tested', 'enabled', 'deleted'];
    expect(await audited(`webhook-endpoint:${id}`)).toEqual(
      actions.map((action) => byAdmin(`webhook-endpoint.${action}`, applicationId)),
    );
  });

  it('of applications themselves are deleted, too', async () => {
    const application = await persistence.newApplication();
    const { id } = await persistence.endpoints.create(application, {
      ...{ syncedCalendarId: null, url: 'https://hooks.example.com/own', eventTypes: ['enduseraccount.updated'] },
      ...{ rateLimit: null, secrets: { active: SigningSecret.generate().reveal(), retiring: [] } },
    });
    expect((await admin.call('DELETE', `/endpoints/${id}`)).status).toBe(204);
    expect(await endpoints({ applicationId: application.applicationId })).toEqual([]);
  });

  it('W3 get another secret, which is shown once, while the replaced one signs for a day', async () => {
    const { endpoint: of, application, secret } = await newSubscription();
    const rotated = await act(`/endpoints/${of.id}/rotateSecret`);
    expect(rotated.status).toBe(200);
    const { endpointSecret, previousUntil } = rotated.body;
    expect(endpointSecret).toMatch(/^whsec_/);
    const hours = (Date.parse(previousUntil) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
    const stored = await persistence.endpoints.changeSecrets(application, of.id, (secrets) => secrets);
    expect([stored.active, stored.retiring[0]?.secret]).toEqual([endpointSecret, secret]);
    expect(stored.retiring[0]!.endsAt.getTime()).toBeGreaterThanOrEqual(Date.parse(previousUntil));
    expectNowhere(JSON.stringify(await endpoint(of.id)), { endpointSecret });
    expectNowhere(await dump(service.adminDatabaseUrl), { endpointSecret: endpointSecret.slice('whsec_'.length) });
    expect(await audited(`webhook-endpoint:${of.id}`)).toEqual([
      byAdmin('webhook-endpoint.secret-rotated', of.applicationId),
    ]);
  });

  it('get again what failed since then', async () => {
    const place = await newSubscription();
    const ids = [await newMessage(place, exhausted), await newMessage(place, exhausted)];
    const { id } = place.endpoint;
    const before = (await message(ids[0]!)).createdAt;
    expect((await act(`/endpoints/${id}/recover`, { since: before })).body).toEqual({ recovered: 2 });
    expect((await messages({ endpointId: id })).map(({ state }) => state)).toEqual(['pending', 'pending']);
    expect((await act(`/endpoints/${id}/recover`, { since: before })).body).toEqual({ recovered: 0 });
    expect(codeOf(await act(`/endpoints/${id}/recover`, { since: 'lately' }))).toEqual([400, 'ValidationFailed']);
    expect(await audited(`webhook-endpoint:${id}`)).toHaveLength(2);
  });

  it.each([
    ['PATCH', '', { rateLimit: 0 }],
    ['PATCH', '', { rateLimit: '5' }],
    ['PATCH', '', {}],
    ['PATCH', '', { rateLimit: 1, url: 'https://elsewhere.example' }],
    ['POST', '/recover', {}],
    ['POST', '/recover', { since: 5 }],
  ])('are not changed by %s %s %j', async (method, path, body) => {
    const { endpoint: of } = await newSubscription();
    const response = await admin.call(method, `/endpoints/${of.id}${path}`, { body });
    expect(codeOf(response)).toEqual([400, 'ValidationFailed']);
    expect(await audited(`webhook-endpoint:${of.id}`)).toEqual([]);
  });
});

describe('messages of all applications', () => {
  it('are shown with what is sent, and every attempt as it was made', async () => {
    const place = await newSubscription();
    const id = await newMessage(place, failed(600_000));
    const uuid = uuidOf(id)!;
    expect(await message(id)).toEqual({
      ...{ id, applicationId: place.application.applicationId, applicationName: 'acme' },
      ...{ endpointId: place.endpoint.id, url: 'https://hooks.example.com/a', eventType: 'calendar.event.changed' },
      ...{ state: 'pending', failureReason: null, attempts: 1, nextAttemptAt: expect.stringMatching(ISO) },
      createdAt: expect.stringMatching(ISO),
      body: `{"eventType":"calendar.event.changed","for":"${place.endpoint.id}","text":"ü\u{1f4c5}"}`,
      log: [
        {
          ...{ number: 1, startedAt: expect.stringMatching(ISO), durationMs: 12, status: 500, failure: null },
          ...{ responseText: 'no', nextAttemptAt: expect.stringMatching(ISO) },
          requestHeaders: {
            'content-type': 'application/json',
            'user-agent': 'unified-calendar-webhooks',
            'accept-encoding': 'identity',
            'webhook-id': id,
            'x-webhook-subscription-id': place.endpoint.id,
            'x-end-user-account-id': place.account.id,
            'x-calendar-id': place.calendarId.replace(' ', '%20'),
          },
        },
      ],
    });
    await act(`/messages/${id}/resend`);
    await record(persistence, await claim(persistence, uuid), delivered);
    const resent = await message(id);
    expect(resent.attempts).toBe(2);
    expect(resent.log.map(({ number, status }) => [number, status])).toEqual([
      [1, 500],
      [-1, 200],
    ]);
    expect(await audited(`webhook-message:${id}`)).toEqual([
      byAdmin('webhook-message.resent', place.application.applicationId),
    ]);
  });

  it('are found by application, endpoint and state, newest first, page by page', async () => {
    const place = await newSubscription();
    const { applicationId } = place.application;
    const pending = await newMessage(place);
    const done = await newMessage(place, delivered);
    const lost = await newMessage(place, exhausted);
    expect(idsOf(await messages({ applicationId }))).toEqual([lost, done, pending]);
    expect(idsOf(await messages({ endpointId: place.endpoint.id, state: 'pending' }))).toEqual([pending]);
    expect(idsOf(await messages({ applicationId, state: 'delivered' }))).toEqual([done]);
    expect(await messages({ applicationId, state: 'failed' })).toEqual([
      expect.objectContaining({ id: lost, failureReason: 'exhausted', attempts: 1, nextAttemptAt: null }),
    ]);
    expect(idsOf(await messages({ state: 'failed' }))).toContain(lost);
    const seen: string[] = [];
    let pageToken: string | undefined;
    do {
      const page: Api.MessagePage = await read('/messages', { applicationId, limit: 2, pageToken });
      seen.push(...idsOf(page.data));
      pageToken = page.nextPageToken ?? undefined;
    } while (pageToken !== undefined);
    expect(seen).toEqual([lost, done, pending]);
  });

  it('are found by account, type and time of creation', async () => {
    const [place, other] = [await newSubscription(), await newSubscription()];
    const first = await newMessage(place, delivered);
    const second = await newMessage(place, exhausted);
    const theirs = await newMessage(other, delivered);
    await createdAgo(first, 120);
    await createdAgo(second, 60);
    expect(idsOf(await messages({ accountId: place.account.id }))).toEqual([second, first]);
    expect(idsOf(await messages({ accountId: other.account.id }))).toEqual([theirs]);
    // As messages to endpoints of applications are.
    await persistence.admin('update webhook_message set account_id = $2 where id = $1', [
      ...[uuidOf(theirs), place.account.id],
    ]);
    expect(idsOf(await messages({ accountId: place.account.id }))).toEqual([theirs, second, first]);
    const { applicationId } = place.application;
    await persistence.admin("update webhook_message set event_type = 'enduseraccount.updated' where id = $1", [
      uuidOf(first),
    ]);
    expect(idsOf(await messages({ applicationId, eventType: 'enduseraccount.updated' }))).toEqual([first]);
    expect(await messages({ applicationId, eventType: "' or true --" })).toEqual([]);
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    expect(idsOf(await messages({ applicationId, from: ago(90) }))).toEqual([second]);
    expect(idsOf(await messages({ applicationId, to: ago(90) }))).toEqual([first]);
    expect(idsOf(await messages({ applicationId, from: ago(130), to: ago(50) }))).toEqual([second, first]);
    expect(idsOf(await messages({ applicationId, from: ago(90), state: 'delivered' }))).toEqual([]);
  });

  it('are sent again by filter: each once more, in order, but those to disabled endpoints', async () => {
    const [place, disabled] = [await newSubscription(), await newSubscription()];
    const lost = [await newMessage(place, exhausted), await newMessage(place, exhausted)];
    const [done, waiting] = [await newMessage(place, delivered), await newMessage(place, failed(600_000))];
    const unwanted = await newMessage(disabled, exhausted);
    await persistence.admin('update webhook_endpoint set disabled_at = now() where id = $1', [disabled.endpoint.id]);
    await persistence.admin('update webhook_message set account_id = $2 where id = $1', [
      ...[uuidOf(unwanted), place.account.id],
    ]);
    const old = await newMessage(place, exhausted);
    await createdAgo(old, 120);
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const accountId = place.account.id;
    const rejected = await viewer.call('POST', '/messages/resend', { body: { state: 'failed', from, accountId } });
    expect(codeOf(rejected)).toEqual([403, 'Forbidden']);
    const resent = await act('/messages/resend', { state: 'failed', from, accountId });
    expect([resent.status, resent.body]).toEqual([200, { resent: 2, after: null }]);
    const due = async () =>
      persistence.admin<{ id: string; resends: number }>(
        'select id, resends from webhook_message where id = any($1) and resends > 0 and enqueue_at <= now() order by id',
        [[...lost, done, waiting, unwanted, old].map(uuidOf)],
      );
    expect(await due()).toEqual(lost.map((id) => ({ id: uuidOf(id), resends: 1 })));
    for (const id of lost) {
      await record(persistence, await claim(persistence, uuidOf(id)!), delivered);
      expect(await message(id)).toMatchObject({ state: 'delivered', attempts: 2 });
    }
    expect(await message(waiting)).toMatchObject({ state: 'pending', attempts: 1 });
    const entries = await audited('webhook-messages:2');
    expect(entries).toEqual([byAdmin('webhook-message.resent', place.application.applicationId)]);
    const next = await act('/messages/resend', { state: 'delivered', from, accountId, after: lost[1]! });
    expect(next.body).toEqual({ resent: 1, after: null });
    expect((await due()).map(({ id }) => id)).toEqual([uuidOf(done)]);
  });

  it('are sent again a thousand at a time, in the order of their creation', async () => {
    const place = await newSubscription();
    const id = await newMessage(place, exhausted);
    const copies = `insert into webhook_message select (jsonb_populate_record(m, jsonb_build_object('id', uuidv7()))).*
                      from webhook_message m, generate_series(1, 1001) where m.id = $1`;
    await persistence.admin(copies, [uuidOf(id)]);
    const filter = { state: 'failed', from: '2026-01-01T00:00:00Z', endpointId: place.endpoint.id };
    const first = await act('/messages/resend', filter);
    expect(first.body).toEqual({ resent: 1_000, after: expect.stringMatching(/^msg_/) });
    const second = await act('/messages/resend', { ...filter, after: first.body.after });
    expect(second.body).toEqual({ resent: 2, after: null });
    const [counted] = await persistence.admin<{ count: number }>(
      'select count(*)::int as count from webhook_message where endpoint_id = $1 and resends = 1',
      [place.endpoint.id],
    );
    expect(counted?.count).toBe(1_002);
    await persistence.admin('delete from webhook_message where endpoint_id = $1', [place.endpoint.id]);
  });

  it.each([
    {},
    { state: 'failed' },
    { from: '2026-01-01T00:00:00Z' },
    { state: 'pending', from: '2026-01-01T00:00:00Z' },
    { state: 'failed', from: 'yesterday' },
    { state: 'failed', from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' },
    { state: 'failed', from: '2026-01-01T00:00:00Z', after: 'msg_x' },
    { state: 'failed', from: '2026-01-01T00:00:00Z', endpointId: 'x' },
    { state: 'failed', from: '2026-01-01T00:00:00Z', limit: 5 },
  ])('are not sent again by %j', async (body) => {
    expect(codeOf(await act('/messages/resend', body))).toEqual([400, 'ValidationFailed']);
  });

  it('are shown without a URL when their endpoint is gone, and cannot be sent again', async () => {
    const place = await newSubscription();
    const id = await newMessage(place, exhausted);
    await admin.call('DELETE', `/endpoints/${place.endpoint.id}`);
    const shown = await message(id);
    expect([shown.url, shown.log.length]).toEqual([null, 1]);
    expect(codeOf(await act(`/messages/${id}/resend`))).toEqual([404, 'NotFound']);
  });

  it.each(['msg_0000000000000000000000', 'msg_x', NOBODY, "'; drop table webhook_message; --"])(
    'are not there by the id %s',
    async (id) => {
      expect(codeOf(await viewer.call('GET', `/messages/${encodeURIComponent(id)}`))).toEqual([404, 'NotFound']);
      expect(codeOf(await act(`/messages/${encodeURIComponent(id)}/resend`))).toEqual([404, 'NotFound']);
      expect(codeOf(await viewer.call('GET', `/endpoints/${encodeURIComponent(id)}`))).toEqual([404, 'NotFound']);
      expect(codeOf(await act(`/endpoints/${encodeURIComponent(id)}/enable`))).toEqual([404, 'NotFound']);
    },
  );
});

it.each([
  ['/endpoints', { applicationId: 'x' }],
  ['/endpoints', { accountId: "' or true" }],
  ['/endpoints', { state: 'broken' }],
  ['/endpoints', { kind: '' }],
  ['/endpoints', { limit: 0 }],
  ['/endpoints', { search: 'x' }],
  ['/messages', { endpointId: 'x' }],
  ['/messages', { state: 'all' }],
  ['/messages', { accountId: 'x' }],
  ['/messages', { eventType: '\u0000' }],
  ['/messages', { from: 'x' }],
  ['/messages', { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }],
  ['/deliveries/stats', {}],
  ['/deliveries/stats', { range: '1y' }],
  ['/deliveries/stats', { range: '1h', endpointId: 'x' }],
  ['/overview', { range: '1h' }],
])('%s refuses %j', async (path, query) => {
  expect(codeOf(await viewer.call('GET', path, { query }))).toEqual([400, 'ValidationFailed']);
});

describe('figures of deliveries', () => {
  /** Attempts of the place that ended after that many milliseconds, started that long ago. */
  async function attempts(place: Place, agoMinutes: number, outcome: AttemptOutcome, durations: number[]) {
    for (const durationMs of durations) {
      const uuid = uuidOf(await newMessage(place, { ...outcome, durationMs }));
      await persistence.admin(
        "update delivery_attempt set started_at = now() - $2 * interval '1 minute' where message_id = $1",
        [uuid, agoMinutes],
      );
    }
  }

  const stats = (query: CallOptions['query']) => read<Api.DeliveryStats>('/deliveries/stats', query);
  const filled = ({ buckets }: Api.DeliveryStats) => buckets.filter(({ p50Ms }) => p50Ms !== null);
  const sum = (buckets: Api.DeliveryBucket[], count: 'delivered' | 'failed') =>
    buckets.reduce((total, bucket) => total + bucket[count], 0);

  it('are counted into buckets without gaps, with how long attempts took', async () => {
    const place = await newSubscription();
    const other = await newSubscription();
    await attempts(place, 20, delivered, [10, 20, 30]);
    await attempts(place, 20, failed(), [1_000]);
    await attempts(place, 100, delivered, [50]);
    await attempts(place, 3_000, exhausted, [60]);
    await attempts(other, 20, delivered, [70]);
    await attempts(place, 20, interrupted, [15_000]);
    await attempts(place, 20, { ...answered, failure: 'timeout', verdict: { kind: 'retry', inMs: 0 } }, [2_000]);
    await claim(persistence, uuidOf(await newMessage(place))!);
    const endpointId = place.endpoint.id;
    for (const [range, bucketSeconds, length, all, lost] of [
      ['1h', 60, 60, 3, 2],
      ['24h', 1_800, 48, 4, 2],
      ['7d', 10_800, 56, 4, 3],
    ] as const) {
      const seen = await stats({ endpointId, range });
      expect([seen.bucketSeconds, seen.buckets.length]).toEqual([bucketSeconds, length]);
      const starts = seen.buckets.map(({ at }) => Date.parse(at));
      expect(starts.slice(1).every((at, index) => at - starts[index]! === bucketSeconds * 1_000)).toBe(true);
      const end = starts.at(-1)! + bucketSeconds * 1_000;
      expect(end > Date.now() - 60_000 && end <= Date.now() + bucketSeconds * 1_000).toBe(true);
      expect([range, sum(seen.buckets, 'delivered'), sum(seen.buckets, 'failed')]).toEqual([range, all, lost]);
    }
    const hour = filled(await stats({ endpointId, range: '1h' }));
    // A minute may have ended between two of them.
    if (hour.length === 1) expect(hour[0]).toMatchObject({ delivered: 3, failed: 2, p50Ms: 30, p95Ms: 1_800 });
    const { applicationId } = place.application;
    expect(sum((await stats({ applicationId, range: '24h' })).buckets, 'delivered')).toBe(4);
    expect(sum((await stats({ range: '24h' })).buckets, 'delivered')).toBeGreaterThanOrEqual(5);
    expect(filled(await stats({ applicationId, endpointId: other.endpoint.id, range: '7d' }))).toEqual([]);
  });
});

describe('the overview', () => {
  /** What was read before is kept for two seconds. */
  const overview = (what: string, is: (seen: Api.Overview) => boolean): Promise<Api.Overview> =>
    eventually(what, async () => {
      const seen = await read<Api.Overview>('/overview');
      return is(seen) ? seen : undefined;
    });

  it('tells of accounts, requests, deliveries, providers and queues', async () => {
    const place = await newSubscription();
    await persistence.accounts.setStatus(place.application, place.account.id, 'EXPIRED', 'password_rejected');
    const request = (minutesAgo: number, status: number, providerType: string | null) =>
      persistence.admin(
        `insert into request_record (id, request_id, started_at, method, route, status, duration_ms, provider_type)
         values ($1, $5, now() - $2 * interval '1 minute', 'GET', '/v1/x', $3, 25, $4)`,
        [randomUUID(), minutesAgo, status, providerType, randomUUID()],
      );
    for (const status of [502, 503, 504, 200]) await request(2, status, 'MICROSOFT');
    for (const status of [201, 404, 500]) await request(3, status, 'GOOGLE');
    await request(70, 502, 'GOOGLE');
    await persistence.ledger.trip({ providerType: 'GOOGLE', clientId: 'c' });
    const seen = await overview('all of it', ({ providers }) => providers?.[1]?.requests === 4);
    expect(seen.at).toMatch(ISO);
    expect(seen.accounts).toContainEqual({ providerType: 'CALDAV', status: 'EXPIRED', count: 1 });
    expect(seen.requests?.buckets).toHaveLength(60);
    const sums = { successes: 0, clientErrors: 0, serverErrors: 0 };
    for (const { successes, clientErrors, serverErrors, p50Ms } of seen.requests?.buckets ?? []) {
      if (p50Ms === null) expect([successes, clientErrors, serverErrors]).toEqual([0, 0, 0]);
      sums.successes += successes;
      sums.clientErrors += clientErrors;
      sums.serverErrors += serverErrors;
    }
    expect(sums).toMatchObject({ serverErrors: 4 });
    expect(sums.successes).toBeGreaterThanOrEqual(2);
    expect(sums.clientErrors).toBeGreaterThanOrEqual(1);
    expect(seen.deliveries).toMatchObject({ bucketSeconds: 60, pending: expect.any(Number) });
    expect(seen.deliveries?.buckets).toHaveLength(60);
    const unknown = { state: 'unknown', requests: 0, failures: 0, lastFailureAt: null };
    expect(seen.providers).toEqual([
      { providerType: 'GOOGLE', state: 'troubled', requests: 3, failures: 0, lastFailureAt: null },
      { providerType: 'MICROSOFT', state: 'down', requests: 4, failures: 3, lastFailureAt: expect.stringMatching(ISO) },
      { providerType: 'APPLE', ...unknown },
      { providerType: 'CALDAV', ...unknown },
      { providerType: 'ICS', ...unknown },
    ]);
    expect(seen.queues?.map(({ name }) => name)).toEqual([
      'webhook-deliveries',
      'webhook-redeliveries',
      'calendar-syncs',
      'token-revocation',
      'account-events',
      'reconcile',
      'reading-plans',
      'housekeeping',
    ]);
  });

  it('W8 tells how long the oldest message waits that is nobody’s, and counts what failed for good today', async () => {
    // No worker is running: what other tests left would wait as well.
    await persistence.admin('delete from webhook_message');
    const place = await newSubscription();
    const overdue = async (seconds: number, id: string) =>
      persistence.admin("update webhook_message set next_attempt_at = now() - $2 * interval '1 second' where id = $1", [
        uuidOf(id),
        seconds,
      ]);
    const queued = await newMessage(place);
    await overdue(100, queued);
    await persistence.messages.claimForQueue(10);
    const underWay = await newMessage(place);
    await overdue(1_000, underWay);
    await persistence.admin("update webhook_message set leased_until = now() + interval '1 minute' where id = $1", [
      uuidOf(underWay),
    ]);
    const paced = await newMessage(place);
    await overdue(2_000, paced);
    await persistence.admin(
      "update webhook_message set rate_limited_until = now() + interval '1 minute' where id = $1",
      [uuidOf(paced)],
    );
    await newMessage(place, failed(600_000));
    await newMessage(place, exhausted);
    const [old, older] = [await newMessage(place, exhausted), await newMessage(place, exhausted)];
    await persistence.admin("update webhook_message set created_at = now() - interval '2 days' where id = any($1)", [
      [uuidOf(old), uuidOf(older)],
    ]);
    await persistence.admin(
      "update delivery_attempt set started_at = now() - interval '2 days' where message_id = $1",
      [uuidOf(older)],
    );
    const { deliveries } = await overview('the backlog', (seen) => seen.deliveries?.pending === 4);
    expect(deliveries).toMatchObject({ pending: 4, failedLastDay: 2 });
    expect(deliveries!.lagSeconds).toBeGreaterThanOrEqual(100);
    expect(deliveries!.lagSeconds).toBeLessThan(1_000);
    await persistence.admin('delete from webhook_message where id = $1', [uuidOf(queued)]);
    await overview('nothing waits', (seen) => seen.deliveries?.pending === 3 && seen.deliveries.lagSeconds === null);
  });
});

describe('jobs that failed for good', () => {
  it('F8 are listed with the reason, and run again for an admin', async () => {
    const connection = chooseQueueBackend({
      ...{ databaseUrl: service.env['DATABASE_URL']!, redisUrl: null, connectionName: 'test' },
    });
    const queue = new Queue(webhookDelivery.queue, { connection });
    const worker = new Worker(queue.name, () => Promise.reject(new Error('<script>alert(1)</script>')), { connection });
    worker.on('error', () => undefined);
    try {
      const data = { messages: [{ id: NOBODY, endpointId: NOBODY }] };
      const job = await queue.add(webhookDelivery.name, data, { ...webhookDelivery.options, attempts: 1 });
      await eventually('it failed', async () => ((await job.isFailed()) ? true : undefined));
      await worker.close();
      expect((await read<{ data: Api.FailedJob[] }>('/failedJobs')).data).toEqual([
        {
          ...{ queue: queue.name, id: job.id, name: 'deliver', attempts: 1 },
          ...{ failedAt: expect.stringMatching(ISO), reason: '<script>alert(1)</script>' },
        },
      ]);
      const body = { queue: queue.name, jobId: job.id };
      expect(codeOf(await viewer.call('POST', '/failedJobs/redrive', { body }))).toEqual([403, 'Forbidden']);
      expect(await job.isFailed()).toBe(true);
      expect((await act('/failedJobs/redrive', body)).body).toEqual({ redriven: 1 });
      expect(await job.isWaiting()).toBe(true);
      expect(codeOf(await act('/failedJobs/redrive', body))).toEqual([404, 'NotFound']);
      expect((await act('/failedJobs/redrive', { queue: queue.name })).body).toEqual({ redriven: 0 });
      expect(codeOf(await act('/failedJobs/redrive', { queue: 'bull:x' }))).toEqual([404, 'NotFound']);
      expect(codeOf(await act('/failedJobs/redrive', { queue: '' }))).toEqual([400, 'ValidationFailed']);
      expect(await audited(`job:${queue.name}/${job.id}`)).toEqual([byAdmin('failed-jobs.redriven', null)]);
    } finally {
      await worker.close();
      await queue.close();
    }
  });
});

describe('who may', () => {
  it('a viewer looks and changes nothing; nobody without a session does either', async () => {
    const place = await newSubscription();
    const id = await newMessage(place, exhausted);
    const of = `/endpoints/${place.endpoint.id}`;
    const changes: [string, string, object?][] = [
      ['PATCH', of, { rateLimit: 1 }],
      ['DELETE', of],
      ['POST', `${of}/enable`],
      ['POST', `${of}/test`],
      ['POST', `${of}/recover`, { since: '2026-01-01T00:00:00Z' }],
      ['POST', `${of}/rotateSecret`],
      ['POST', `/messages/${id}/resend`],
      ['POST', '/failedJobs/redrive', { queue: 'housekeeping' }],
    ];
    for (const [method, path, body] of changes) {
      expect([path, ...codeOf(await viewer.call(method, path, { body }))]).toEqual([path, 403, 'Forbidden']);
    }
    for (const path of ['/endpoints', of, '/messages', `/messages/${id}`, '/overview', '/failedJobs']) {
      const response = await service.call('GET', `/operator/v1${path}`);
      expect([path, response.status]).toEqual([path, 401]);
    }
    expect(await endpoint(place.endpoint.id)).toMatchObject({ rateLimit: null, failed: 1 });
  });
});
