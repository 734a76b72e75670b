import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CATALOGUE } from '#platform/telemetry';
import { parseExposition, valueOf, type Sample } from '../../support/exposition.js';
import { answer } from '../../support/faults.js';
import { eventually, freePort } from '../../support/processes.js';
import { callService } from '../../support/service.js';
import { startWebhookSystem, type Subscribed, type WebhookSystem } from '../../support/webhook-system.js';

let system: WebhookSystem;
let ports: { api: number; worker: number };
let subscribed: Subscribed;

const scrape = async (component: 'api' | 'worker', accept = 'text/plain') =>
  fetch(`http://127.0.0.1:${ports[component]}/metrics`, { headers: { accept } });
const samplesOf = async (component: 'api' | 'worker'): Promise<Sample[]> =>
  parseExposition(await (await scrape(component)).text());

/** Waits until a value is what it should be: what is measured is so a moment after the answer. */
const becomes = (component: 'api' | 'worker', name: string, labels: Record<string, string>, least: number) =>
  eventually(
    `${name} ${JSON.stringify(labels)} is ${least} or more`,
    async () => {
      const value = valueOf(await samplesOf(component), name, labels);
      return value !== null && value >= least ? value : undefined;
    },
    { everyMs: 200, timeoutMs: 30_000 },
  );

beforeAll(async () => {
  ports = { api: await freePort(), worker: await freePort() };
  system = await startWebhookSystem({
    METRICS_PORT: String(ports.api),
    RATE_LIMIT_RPS: '40',
    PROVIDER_TIMEOUT_MS: '2000',
  });
  await system.startWorker({ METRICS_PORT: String(ports.worker) });
  subscribed = await system.subscribe('GOOGLE');
});

afterAll(async () => {
  await system.stop();
});

describe('metrics of a running service', () => {
  it('are served by both processes, in both formats, with everything that the catalogue names', async () => {
    for (const component of ['api', 'worker'] as const) {
      const { body } = { body: await (await scrape(component)).text() };
      for (const [name, { kind }] of Object.entries(CATALOGUE)) expect(body).toContain(`# TYPE ${name} ${kind}\n`);
      expect(valueOf(parseExposition(body), 'calendar_build_info', { component })).toBe(1);
      expect(valueOf(parseExposition(body), 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
      const open = await scrape(component, 'application/openmetrics-text;version=1.0.0');
      expect(open.headers.get('content-type')).toMatch(/^application\/openmetrics-text/);
      expect(await open.text()).toMatch(/# EOF\n$/);
    }
  });

  it('N58 are not on the public port, and nor are a debugger or the queues', async () => {
    const { service } = system.fixture;
    for (const path of [
      '/metrics',
      '/api/metrics',
      '/debug',
      '/json/list',
      '/queues',
      '/admin/queues',
      '/bull-board',
    ]) {
      expect([path, (await fetch(service.baseUrl + path)).status]).toEqual([path, 404]);
    }
    const health = system.workers[0]?.baseUrl ?? '';
    expect((await fetch(`${health}/metrics`)).status).toBe(404);
  });

  it('say which routes answered how, and name no one', async () => {
    const { service } = system.fixture;
    await service.call('GET', `/v1/endUserAccounts/${subscribed.accountId}`);
    await service.call('GET', '/v1/endUserAccounts/019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5');
    await service.call('GET', '/v1/nothing/ada@example.com');
    const count = 'http_server_request_duration_seconds_count';
    const route = '/api/v1/endUserAccounts/:endUserAccountId';
    const answered = (http_route: string, http_response_status_code: string) => ({
      ...{ http_request_method: 'GET', url_scheme: 'http' },
      ...{ http_route, http_response_status_code },
    });
    await becomes('api', count, answered(route, '200'), 1);
    await becomes('api', count, answered(route, '404'), 1);
    await becomes('api', count, answered('*', '404'), 1);
    const samples = await samplesOf('api');
    expect(valueOf(samples, 'http_server_active_requests')).toBe(0);
    const text = JSON.stringify(samples);
    for (const secret of [subscribed.accountId, subscribed.email, '019a9b2d', 'ada@', service.applicationId]) {
      expect(text).not.toContain(secret);
    }
  });

  it('count who was turned away', async () => {
    const { baseUrl, apiKey } = system.fixture.service;
    const asked = Array.from({ length: 120 }, () => callService(baseUrl, apiKey, 'GET', '/v1/endUserAccounts', {}));
    const rejected = (await Promise.all(asked)).filter(({ status }) => status === 429).length;
    expect(rejected).toBeGreaterThan(0);
    expect(await becomes('api', 'calendar_requests_shed_total', { reason: 'rate_limit' }, rejected)).toBe(rejected);
  });

  it('measure what providers are asked for, and what comes of it', async () => {
    const { service } = system.fixture;
    const { half } = system.fixture.GOOGLE;
    const calls = 'calendar_provider_call_duration_seconds_count';
    const read = () => service.call('GET', `/v1/calendars/${subscribed.accountId}`);
    // The key has just used up what it may ask for, in this second or in part of it.
    await eventually('a second begins', async () => {
      const { headers } = await read();
      return /r=3\d/.test(headers.get('ratelimit') ?? '') ? true : undefined;
    });
    await half.fault({ kind: 'api' }, { type: 'status', status: 503 }, { times: 1 });
    expect((await read()).status).toBe(200);
    await becomes('api', calls, { provider: 'GOOGLE', operation: 'calendars.list', outcome: 'ok' }, 2);
    await becomes('api', calls, { provider: 'GOOGLE', outcome: 'server_error' }, 1);
    await becomes('api', calls, { provider: 'GOOGLE', operation: 'account.connect', outcome: 'ok' }, 1);
    await becomes('api', calls, { provider: 'GOOGLE', operation: 'channel.open', outcome: 'ok' }, 1);
  });

  it('count tokens that were refreshed and refused, and accounts that have expired for it', async () => {
    const subject = system.fixture.GOOGLE;
    const { accountId, email } = await subject.withOldToken();
    const refreshes = 'calendar_token_refreshes_total';
    const before = valueOf(await samplesOf('api'), refreshes, { provider: 'GOOGLE', outcome: 'refreshed' }) ?? 0;
    expect((await subject.calendars(accountId)).status).toBe(200);
    await becomes('api', refreshes, { provider: 'GOOGLE', outcome: 'refreshed' }, before + 1);
    await subject.half.revoke(email);
    await subject.pass(accountId);
    expect((await subject.calendars(accountId)).body.code).toBe('EndUserAccountExpired');
    await becomes('api', refreshes, { provider: 'GOOGLE', outcome: 'rejected' }, 1);
    await becomes('api', 'calendar_account_expiries_total', { provider: 'GOOGLE', reason: 'invalid_grant' }, 1);
  });

  it('follow a change to its receiver', async () => {
    system.receiver.endpoint(subscribed.path, answer(500), answer(204));
    await system.change(subscribed, 'Lunch');
    await system.receiver.receives(1, subscribed.path);
    await becomes('api', 'calendar_notifications_total', { provider: 'GOOGLE', outcome: 'accepted' }, 1);
    await becomes('worker', 'calendar_syncs_total', { provider: 'GOOGLE', outcome: 'changed' }, 1);
    const attempts = 'calendar_delivery_attempt_duration_seconds_count';
    await becomes('worker', attempts, { outcome: 'server_error' }, 1);
    await becomes('worker', attempts, { outcome: 'delivered' }, 1);
    await becomes(
      'worker',
      'calendar_provider_call_duration_seconds_count',
      { operation: 'events.list', outcome: 'ok' },
      1,
    );
    await becomes('worker', 'calendar_job_duration_seconds_count', { task: 'sync_due', outcome: 'ok' }, 1);
    await becomes('worker', 'calendar_job_duration_seconds_count', { task: 'enqueue_deliveries', outcome: 'ok' }, 1);
    const forged = await fetch(`${system.fixture.service.baseUrl}/api/v1/providers/google/notifications`, {
      method: 'POST',
    });
    expect(forged.status).toBe(404);
    await becomes('api', 'calendar_notifications_total', { provider: 'GOOGLE', outcome: 'rejected' }, 1);
  });

  it('count what is in the database and the queues', async () => {
    await becomes('worker', 'calendar_accounts', { provider: 'GOOGLE', status: 'ACTIVE' }, 1);
    await becomes('worker', 'calendar_channels', { provider: 'GOOGLE', state: 'wanted' }, 1);
    await becomes('worker', 'calendar_channels', { provider: 'GOOGLE', state: 'actual' }, 1);
    const samples = await samplesOf('worker');
    expect(valueOf(samples, 'calendar_collector_failed')).toBe(0);
    expect(valueOf(samples, 'calendar_channels', { provider: 'CALDAV' })).toBeNull();
    expect(valueOf(samples, 'calendar_mass_expiry_breakers_tripped', { provider: 'GOOGLE' })).toBe(0);
    expect(valueOf(samples, 'calendar_endpoints_disabled')).toBe(0);
    expect(valueOf(samples, 'calendar_outbox_oldest_age_seconds')).toBeLessThan(60);
    expect(valueOf(samples, 'calendar_oldest_due_message_age_seconds')).toBeLessThan(60);
    expect(valueOf(samples, 'calendar_syncs_due')).toBeLessThan(10);
    expect(valueOf(samples, 'calendar_oldest_due_sync_age_seconds')).toBeLessThan(60);
    for (const queue of [
      'webhook_deliveries',
      'webhook_redeliveries',
      'calendar_syncs',
      'token_revocation',
      'account_events',
      'reconcile',
      'reading_plans',
      'housekeeping',
    ]) {
      expect(valueOf(samples, 'calendar_queue_jobs', { queue, state: 'failed' })).toBe(0);
      expect(valueOf(samples, 'calendar_queue_oldest_job_age_seconds', { queue })).toBeLessThan(60);
    }
    for (const component of ['api', 'worker'] as const) {
      const own = await samplesOf(component);
      expect(valueOf(own, 'calendar_database_statement_duration_seconds_count', { outcome: 'ok' })).toBeGreaterThan(0);
      expect(valueOf(own, 'calendar_database_connections', {})).toBeGreaterThan(0);
      expect(valueOf(own, 'calendar_database_connections_max')).toBe(20);
    }
    expect(valueOf(await samplesOf('api'), 'calendar_accounts')).toBeNull();
  });
});
