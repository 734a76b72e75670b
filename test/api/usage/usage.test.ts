import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorSession } from '../../support/operator-session.js';
import { startGoogleService, TEST_CLIENT, type GoogleService } from '../../support/google-service.js';
import { eventually } from '../../support/processes.js';
import { asAdmin } from '../../support/postgres.js';

const ADA = 'ada@example.test';

let google: GoogleService;
let accountId: string;

beforeAll(async () => {
  google = await startGoogleService({});
  accountId = (await google.connected(ADA)).accountId;
});
afterAll(() => google?.stop());

const call = (method: string, path: string, key?: string) =>
  google.service.call(method, path, { ...(key !== undefined && { key }) });

/** The requests for callers, once the ledger has written `at least` as many. */
const callsOf = (key?: string, atLeast = 1) =>
  eventually(
    'counts are written',
    async () => {
      const { status, body } = await call('GET', '/v1/usage', key);
      expect(status).toBe(200);
      const rows = body.data as { cause: string; requests: number }[];
      const found = rows.find(({ cause }) => cause === 'call');
      return found !== undefined && found.requests >= atLeast ? found : undefined;
    },
    { timeoutMs: 25_000 },
  );

describe('GET /v1/usage', () => {
  it("counts the requests to providers by day, provider and cause, a PATCH as three, and nobody else's", async () => {
    await google.sandbox.clearRequests();
    for (let n = 0; n < 5; n += 1) expect((await call('GET', `/v1/calendars/${accountId}`)).status).toBe(200);
    const { body: event } = await google.service.call('POST', `/v1/events/${accountId}/primary`, {
      body: { title: 'Tea', start: { dateTime: '2033-01-12T09:00:00Z' }, end: { dateTime: '2033-01-12T10:00:00Z' } },
    });
    const { status } = await google.service.call('PUT', `/v1/events/${accountId}/primary/${event.id}`, {
      body: { title: 'Coffee' },
    });
    expect(status).toBe(200);
    const requests = await google.sandbox.requests({ kind: 'api' });
    const patches = requests.filter(({ method }) => method === 'PATCH').length;
    expect(patches).toBe(1);
    const expected = requests.length + 2 * patches;
    const today = new Date().toISOString().slice(0, 10);
    expect(await callsOf(undefined, expected)).toEqual({
      ...{ date: today, providerType: 'GOOGLE', cause: 'call', requests: expected },
    });
    const { body } = await call('GET', '/v1/usage?days=1');
    expect(body.data).toContainEqual({
      ...{ date: today, providerType: 'GOOGLE', cause: 'connect', requests: expect.any(Number) },
    });

    const other = await google.service.createApplication('other');
    expect((await call('GET', '/v1/usage', other.apiKey)).body).toEqual({ data: [] });
  });

  it('clamps the days, and refuses what is none', async () => {
    expect((await call('GET', '/v1/usage?days=1000')).status).toBe(200);
    for (const query of ['days=0', 'days=-1', 'days=a', 'day=1']) {
      const { status, body } = await call('GET', `/v1/usage?${query}`);
      expect([query, status, body.code]).toEqual([query, 400, 'ValidationFailed']);
    }
  });
});

describe('the usage of the installation', () => {
  it('shows plans and requests by project to operators', async () => {
    await callsOf();
    await asAdmin(google.service.adminDatabaseUrl, (client) =>
      client.query(
        'insert into reading_plan (provider_type, quota_owner, planned_at, requests_per_day, requests_used, ' +
          'calendars, near, near_priority, near_changed_at, min_interval_ms, max_interval_ms, ' +
          'min_polled_ms, max_polled_ms) ' +
          "values ('CALDAV', 'https://dav.example', now(), null, 0, 900, 0, null, null, 81000, 99000, 81000, 99000), " +
          "('GOOGLE', '123456789012', now(), 900000, 450000, 10000, 2000, 2, now(), 1500000, 1800000, null, null)",
      ),
    );
    const viewer = await operatorSession(google.service, 'viewer');
    const { status, body } = await viewer.call('GET', '/usage');
    expect(status).toBe(200);
    const plannedAt = expect.any(String);
    expect(body.plans).toEqual([
      {
        ...{ providerType: 'GOOGLE', quotaOwner: '123456789012', plannedAt, requestsPerDay: 900_000 },
        ...{ requestsUsed: 450_000, calendars: 10_000, near: 2_000, othersEverySeconds: 1_800 },
        polledEverySeconds: null,
      },
      {
        ...{ providerType: 'CALDAV', quotaOwner: 'https://dav.example', plannedAt, requestsPerDay: null },
        ...{ requestsUsed: 0, calendars: 900, near: 0, othersEverySeconds: 99 },
        polledEverySeconds: 99,
      },
    ]);
    expect(body.requests).toContainEqual({
      ...{ date: expect.any(String), providerType: 'GOOGLE', project: TEST_CLIENT.clientId, cause: 'call' },
      requests: expect.any(Number),
    });
  });
});
