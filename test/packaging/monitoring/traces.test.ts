// 35 s: collectors get spans in batches every few seconds, on PostgreSQL and on Redis.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OtlpCollector, type CollectedSpan } from '../../support/otlp-collector.js';
import { operatorSession } from '../../support/operator-session.js';
import { exemplarsOf } from '../../support/exposition.js';
import { startRedis, type RedisServer } from '../../support/redis.js';
import { startWebhookSystem, type Subscribed, type WebhookSystem } from '../../support/webhook-system.js';
import { startApi } from '../../support/service.js';
import { eventually, freePort } from '../../support/processes.js';

const TITLE = 'Canary title of an event';

const eventsPath = ({ accountId, calendarId }: Subscribed) =>
  `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`;

interface Traced {
  collector: OtlpCollector;
  system: WebhookSystem;
  google: Subscribed;
  /** What a process says of itself, in OpenMetrics. */
  metrics(component: 'api' | 'worker'): Promise<string>;
  stop(): Promise<void>;
}

/** @param settings environment of api and worker, e.g. `REDIS_URL` */
async function startTraced(settings: NodeJS.ProcessEnv = {}): Promise<Traced> {
  const collector = await OtlpCollector.start();
  const ports = { api: await freePort(), worker: await freePort() };
  const system = await startWebhookSystem({
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, METRICS_PORT: String(ports.api) },
    ...settings,
  });
  await system.startWorker({ METRICS_PORT: String(ports.worker) });
  return {
    collector,
    system,
    google: await system.subscribe('GOOGLE'),
    async metrics(component) {
      const headers = { accept: 'application/openmetrics-text;version=1.0.0' };
      return (await fetch(`http://127.0.0.1:${ports[component]}/metrics`, { headers })).text();
    },
    async stop() {
      await system.stop();
      await collector.stop();
    },
  };
}

/** What leads to a span, from the first of its trace to itself. */
function pathTo({ spans }: Pick<OtlpCollector, 'spans'>, span: CollectedSpan): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [
    ...(parent === undefined ? [] : pathTo({ spans }, parent)),
    `${span.service.replace('unified-calendar-', '')}: ${span.name}`,
  ];
}

const isIn = (traceId: string, name: string) => (span: CollectedSpan) => span.traceId === traceId && span.name === name;
const traceIdOf = (headers: Record<string, string>) => headers['traceparent']?.split('-')[1] ?? '';

/** Somebody changes something at the provider: what was done until the receiver knew of it is one trace. */
async function expectOneTrace(traced: Traced): Promise<void> {
  const { system, collector, google } = traced;
  await system.change(google, TITLE);
  const [receipt] = await system.receiver.receives(1, google.path);
  const traceId = traceIdOf(receipt!.headers);
  const delivery = await collector.collects('the delivery', isIn(traceId, 'webhook.deliver'));
  const look = await collector.collects('the look', isIn(traceId, 'calendar.sync'));
  const server = await collector.collects(
    'the notification',
    isIn(traceId, 'POST /api/v1/providers/google/notifications'),
  );
  const exchange = await collector.collects(
    'the exchange',
    (span) => span.parentSpanId === delivery.spanId && span.name === 'POST',
  );
  expect(receipt!.headers['traceparent']).toBe(`00-${traceId}-${exchange.spanId}-01`);
  expect(pathTo(collector, exchange)).toEqual([
    'api: POST /api/v1/providers/google/notifications',
    'worker: calendar.sync',
    'worker: webhook.deliver',
    'worker: POST',
  ]);
  expect([server.kind, look.kind, delivery.kind, exchange.kind]).toEqual(['server', 'consumer', 'producer', 'client']);
  expect(delivery.attributes).toMatchObject({
    'calendar.account.id': google.accountId,
    'calendar.endpoint.id': google.subscriptionId,
    'calendar.attempt.outcome': 'delivered',
  });
  const call = await collector.collects('the call of the provider', isIn(traceId, 'GOOGLE events.list'));
  expect(pathTo(collector, call).slice(0, 3)).toEqual([
    'api: POST /api/v1/providers/google/notifications',
    'worker: calendar.sync',
    'worker: account.use',
  ]);
  // The queue says that there is something to look at. One job does for all who say so at the same time.
  const added = await collector.collects('the job', isIn(traceId, 'add calendar-syncs'));
  expect(pathTo(collector, added)).toEqual([
    'api: POST /api/v1/providers/google/notifications',
    'api: add calendar-syncs',
  ]);
  const job = await collector.collects('a job', ({ name }) => name === 'process calendar-syncs');
  await collector.collects('who added it', ({ spanId }) => spanId === job.parentSpanId);
  expect(pathTo(collector, job).slice(-2)).toEqual(['api: add calendar-syncs', 'worker: process calendar-syncs']);
  for (const id of [traceId, job.traceId]) expectStatementsAndJobs(traced, id);
  const statements = collector.trace(traceId).filter(({ attributes }) => attributes['db.system.name'] === 'postgresql');
  expect(statements.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'synced-calendars-request-sync',
      'webhook-messages-insert',
      'webhook-messages-claim',
      'webhook-attempts-record',
    ]),
  );
}

/** Where an address of the environment is, as OpenTelemetry's semantic conventions name it. */
function serverAt(text: string) {
  const { hostname, port } = new URL(text);
  return { 'server.address': hostname, 'server.port': Number(port) };
}

/** Statements and jobs of a trace have what the conventions want of them, and nothing besides. */
function expectStatementsAndJobs({ system, collector }: Traced, traceId: string): void {
  const databaseUrl = system.fixture.service.env['DATABASE_URL']!;
  const spans = collector.trace(traceId);
  const statements = spans.filter(({ attributes }) => 'db.system.name' in attributes);
  expect(statements.length).toBeGreaterThan(0);
  for (const { name, kind, attributes } of statements) {
    expect({ name, kind, attributes }).toEqual({
      ...{ name, kind: 'client' },
      attributes: {
        'db.system.name': 'postgresql',
        'db.namespace': new URL(databaseUrl).pathname.slice(1),
        'db.operation.name': expect.stringMatching(/^(SELECT|INSERT|UPDATE|DELETE|COMMIT|ROLLBACK)$/),
        'db.query.summary': name,
        ...serverAt(databaseUrl),
      },
    });
  }
  for (const { name, kind, attributes } of spans.filter((span) => /^(add|process) /.test(span.name))) {
    const [operation, queue] = name.split(' ');
    const isAdded = operation === 'add';
    expect({ name, kind, attributes }).toEqual({
      ...{ name, kind: isAdded ? 'producer' : 'consumer' },
      attributes: {
        'messaging.system.name': 'bullmq',
        'messaging.operation.name': operation,
        'messaging.operation.type': isAdded ? 'send' : 'process',
        'messaging.destination.name': queue,
        'messaging.message.id': expect.any(String),
        'bullmq.job.name': expect.any(String),
        ...(!isAdded && { 'bullmq.job.attempts.made': 1 }),
      },
    });
  }
}

describe('traces, from the request to the receiver', () => {
  let traced: Traced;
  let collector: OtlpCollector;
  let system: WebhookSystem;
  let google: Subscribed;

  beforeAll(async () => {
    traced = await startTraced({ TRACE_URL: 'https://traces.example/find?id={traceId}' });
    ({ collector, system, google } = traced);
  });

  afterAll(() => traced.stop());

  it(
    'one trace leads from the notification of a provider to the receiver, which is told of it',
    () => expectOneTrace(traced),
    60_000,
  );

  it('a request in the log of the dashboard leads to its trace, where that is exported', async () => {
    const { service } = system.fixture;
    const admin = await operatorSession(service);
    const traceUrlOf = async (flags: '00' | '01') => {
      const traceId = randomUUID().replaceAll('-', '');
      const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-${flags}` };
      const response = await service.call('GET', '/v1/endUserAccounts', { headers });
      const query = { requestId: response.headers.get('x-request-id')! };
      const row = await eventually('the record', async () => {
        const { body } = await admin.call('GET', '/requests', { query });
        return body.data[0] as { traceUrl: string | null } | undefined;
      });
      return row.traceUrl?.replace(traceId, '<id>') ?? null;
    };
    expect(await traceUrlOf('01')).toBe('https://traces.example/find?id=<id>');
    expect(await traceUrlOf('00')).toBeNull();
  });

  it('a request is part of the trace of its caller, and so are its statements, its call of the provider and its log line', async () => {
    const traceId = 'c0ffee00c0ffee00c0ffee00c0ffee00';
    const { status } = await system.fixture.service.call('GET', eventsPath(google), {
      headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    });
    expect(status).toBe(200);
    const server = await collector.collects(
      'the request',
      isIn(traceId, 'GET /api/v1/events/:endUserAccountId/:calendarId'),
    );
    const exchange = await collector.collects(
      'the exchange',
      (span) => span.traceId === traceId && span.name === 'GET' && span.kind === 'client',
    );
    expect(pathTo(collector, exchange)).toEqual([
      'api: GET /api/v1/events/:endUserAccountId/:calendarId',
      'api: account.use',
      'api: GOOGLE events.list',
      'api: GET',
    ]);
    const application = { 'calendar.application.id': system.fixture.service.applicationId };
    const account = { 'calendar.account.id': google.accountId };
    const { env } = system.fixture.service;
    const answered = { 'http.request.method': 'GET', 'http.response.status_code': 200 };
    expect(server).toMatchObject({ parentSpanId: '00f067aa0ba902b7', kind: 'server', isFailed: false });
    expect(server.attributes).toEqual({
      ...answered,
      'http.route': '/api/v1/events/:endUserAccountId/:calendarId',
      'url.path': '/api/v1/events/REDACTED/REDACTED',
      'url.scheme': 'http',
      ...serverAt(env['PUBLIC_URL']!),
      'network.protocol.version': '1.1',
      ...application,
      ...account,
    });
    expect(exchange.attributes).toEqual({
      ...answered,
      'url.full': `${new URL(env['GOOGLE_API_URL']!).origin}/REDACTED`,
      ...serverAt(env['GOOGLE_API_URL']!),
    });
    const [use, call] = ['account.use', 'GOOGLE events.list'].map((name) => collector.spans.find(isIn(traceId, name)));
    expect(use).toMatchObject({ kind: 'internal', attributes: { ...application, ...account } });
    expect(call).toMatchObject({
      kind: 'internal',
      attributes: { 'calendar.provider': 'GOOGLE', 'calendar.operation': 'events.list' },
    });
    expectStatementsAndJobs(traced, traceId);
    const names = new Set(
      collector.trace(traceId).map(({ name, attributes }) => ('db.system.name' in attributes ? 'db' : name)),
    );
    expect(names).toEqual(new Set([server.name, 'account.use', 'GOOGLE events.list', 'GET', 'db']));
    const service = collector.resources.find((resource) => resource['service.name'] === server.service);
    expect(service).toMatchObject({
      'service.version': JSON.parse(readFileSync('package.json', 'utf8')).version,
      'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    // Lines are buffered for up to 50 ms, so this one may come after the spans.
    const lines = await eventually('a log line', () => {
      const found = system.fixture.service.program
        .stdout()
        .split('\n')
        .filter((line) => line.includes(`"traceId":"${traceId}"`));
      return found.length > 0 ? found : undefined;
    });
    expect(lines).toHaveLength(1);
  });

  it('a request that is repeated says how often it was', async () => {
    const traceId = 'feed00feed00feed00feed00feed0000';
    const { half } = system.fixture.GOOGLE;
    await half.fault({ kind: 'api', email: google.email }, { type: 'status', status: 503 }, { times: 1 });
    const { status } = await system.fixture.service.call('GET', `/v1/calendars/${google.accountId}`, {
      headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    });
    expect(status).toBe(200);
    await collector.collects('the request', isIn(traceId, 'GET /api/v1/calendars/:endUserAccountId'));
    const exchanges = collector.trace(traceId).filter(isIn(traceId, 'GET'));
    expect(
      exchanges.map(({ attributes, isFailed }) => [
        attributes['http.response.status_code'],
        attributes['error.type'],
        attributes['http.request.resend_count'],
        isFailed,
      ]),
    ).toEqual([
      [503, '503', undefined, true],
      [200, undefined, 1, false],
    ]);
  });

  it('what an application writes leads to its receiver, too', async () => {
    const traceId = 'decade00decade00decade00decade00';
    // Google tells of it, too, in a trace of its own; whichever comes first leads on.
    await system.fixture.sandbox.notifications({ mode: 'drop' });
    const { status } = await system.fixture.service.call('POST', eventsPath(google), {
      headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
      body: {
        title: TITLE,
        start: { dateTime: '2026-12-02T10:00:00', timeZone: 'UTC' },
        end: { dateTime: '2026-12-02T11:00:00', timeZone: 'UTC' },
      },
    });
    expect(status).toBeLessThan(300);
    const receipts = await system.receiver.receives(2, google.path);
    await system.fixture.sandbox.notifications({ mode: 'deliver' });
    expect(traceIdOf(receipts.at(-1)!.headers)).toBe(traceId);
  });

  it.each([
    ['requests', 'api', 'http_server_request_duration_seconds', /^(GET|POST) \/api\/v1\//],
    ['calls of providers', 'worker', 'calendar_provider_call_duration_seconds', /^GOOGLE events\.list$/],
    ['changes', 'worker', 'calendar_change_lag_seconds', /^calendar\.sync$/],
    ['deliveries', 'worker', 'calendar_delivery_attempt_duration_seconds', /^webhook\.deliver$/],
  ] as const)('what is measured of %s names traces that are exported', async (_, component, histogram, name) => {
    const exemplars = await eventually('there is an exemplar', async () => {
      const found = exemplarsOf(await traced.metrics(component), histogram);
      return found.length > 0 ? found : undefined;
    });
    for (const { traceId } of exemplars) {
      await collector.collects(`trace ${traceId}`, (span) => span.traceId === traceId);
    }
    const named = new Set(exemplars.map(({ traceId }) => traceId));
    await collector.collects('what was measured', (span) => named.has(span.traceId) && name.test(span.name));
  });

  it('nobody is told of traces but receivers', async () => {
    const asked = [
      ...(await system.fixture.sandbox.requests({})),
      ...(await system.fixture.sandbox.microsoft.requests({})),
    ];
    expect(asked.length).toBeGreaterThan(0);
    expect(JSON.stringify(asked)).not.toMatch(/traceparent/i);
  });

  it('T11 N55 no exported byte is a secret, and none tells of what is in a calendar', async () => {
    const { service } = system.fixture;
    const { body } = await service.call('GET', `/v1/endUserAccounts/${google.accountId}/credentials`);
    const rejected = await service.call('POST', eventsPath(google), { body: { title: TITLE, start: 'canary' } });
    expect(rejected.status).toBe(400);
    await service.call('GET', `/v1/calendars/canary@example.test?q=canary`);
    const before = collector.spans.length;
    await eventually('the last requests are exported', () => (collector.spans.length > before ? true : undefined));
    const exported = Buffer.concat(collector.bodies).toString('latin1');
    const secrets: string[] = [
      service.apiKey,
      body.accessToken,
      body.refreshToken,
      google.secret,
      google.email,
      TITLE,
      'canary',
      service.env['ENCRYPTION_KEYS']!,
      'select ',
    ];
    expect(secrets.filter((secret) => secret.length < 6 || exported.includes(secret))).toEqual([]);
    expect(collector.spans.flatMap(({ events }) => events)).toEqual([]);
  });

  it('probes, and the files of the dashboard, are not traced', async () => {
    const { baseUrl } = system.fixture.service;
    const { length } = collector.spans;
    for (const path of ['/health/live', '/health/ready', '/dashboard'])
      await (await fetch(baseUrl + path)).arrayBuffer();
    const { headers } = await system.fixture.service.call('GET', '/v1/endUserAccounts');
    expect(headers.get('traceparent')).toBeNull();
    await collector.collects('a request', ({ name }) => name === 'GET /api/v1/endUserAccounts');
    const names = collector.spans
      .slice(length)
      .filter(({ kind }) => kind === 'server')
      .map(({ name }) => name);
    expect(names.filter((name) => !name.includes(' /api/v1/'))).toEqual([]);
  });

  it.each([
    ['a sampler that takes nothing', { OTEL_TRACES_SAMPLER_ARG: '0' }],
    ['a collector that is away', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }],
  ])(
    'with %s nothing is exported, and the service works and stops all the same',
    async (_, settings) => {
      const { service } = system.fixture;
      const port = await freePort();
      const { baseUrl, program } = await startApi({
        ...service.env,
        PORT: String(port),
        OTEL_SERVICE_NAME: 'other',
        ...settings,
      });
      for (let count = 0; count < 20; count += 1) {
        const response = await fetch(`${baseUrl}/api/v1/endUserAccounts`, { headers: { 'x-api-key': service.apiKey } });
        expect(response.status).toBe(200);
        await response.arrayBuffer();
      }
      const startMs = performance.now();
      expect(await program.stop()).toBe(0);
      expect(performance.now() - startMs).toBeLessThan(6_000);
      expect(collector.spans.filter(({ service: name }) => name === 'other')).toEqual([]);
    },
    60_000,
  );
});

describe('traces, with queues on Redis', () => {
  let redis: RedisServer;
  let traced: Traced;

  beforeAll(async () => {
    redis = await startRedis();
    traced = await startTraced({ REDIS_URL: redis.url });
  });

  afterAll(async () => {
    await traced.stop();
    await redis.stop();
  });

  it('one trace leads from the notification of a provider to the receiver', () => expectOneTrace(traced), 60_000);
});
