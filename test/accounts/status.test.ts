// 35 s: a worker finds out in its own time that a password is refused, twice.
import { FakeCalDav } from '../support/fake-caldav.js';
import { asAdmin } from '../support/postgres.js';
import { eventually } from '../support/processes.js';
import { startService, type Service } from '../support/service.js';
import { runWorker } from '../support/worker.js';

describe('the status of an account', () => {
  let fake: FakeCalDav;
  let service: Service;
  let accountId: string;
  let original: string;
  let calendarId: string;

  beforeAll(async () => {
    fake = await FakeCalDav.start();
    fake.addCalendar('work', 'Work');
    service = await startService({ EGRESS_ALLOW: fake.egressAllow });
    original = fake.login.password;
    const connected = await connect(original);
    accountId = connected.body.id;
    calendarId = (await service.call('GET', `/v1/calendars/${accountId}`)).body.data[0].id;
  });

  afterAll(async () => {
    await service?.stop();
    await fake?.close();
  });

  const connect = (password: string) =>
    service.call('POST', '/v1/endUserAccounts', {
      body: { providerType: 'CALDAV', email: fake.login.username, serverUrl: fake.url, password },
    });
  const status = async () => (await service.call('GET', `/v1/endUserAccounts/${accountId}`)).body.status;
  const refusals = () =>
    asAdmin(service.adminDatabaseUrl, async (admin) => {
      const { rows } = await admin.query('select 1 from credential_check where rejected_version is not null');
      return rows;
    });
  /** What the application is to be told, oldest first. */
  const published = () =>
    asAdmin(service.adminDatabaseUrl, async (admin) => {
      const { rows } = await admin.query<{ payload: any }>('select payload from outbox order by created_at, id');
      return rows.map(({ payload }) => [payload.eventType, payload.status, payload.reason ?? null]);
    });
  const events = () => service.call('GET', `/v1/events/${accountId}/${calendarId}`);

  it.each([
    ['429', 429, 429],
    ['503', 503, 502],
    ['500', 500, 502],
    ['403', 403, 403],
    ['404', 404, 404],
  ] as const)(
    'T16 a provider that answers %s expires nothing',
    async (_name, sent, answered) => {
      fake.switches.intercept = () => ({ status: sent });
      expect((await events()).status).toBe(answered);
      fake.switches.intercept = null;
      expect(await status()).toBe('ACTIVE');
      expect((await events()).status).toBe(200);
    },
    60_000,
  );

  it('T16 one 401 that is not confirmed expires nothing', async () => {
    fake.switches.unauthorized = 1;
    expect((await events()).status).not.toBe(403);
    expect(await status()).toBe('ACTIVE');
    expect((await events()).status).toBe(200);
  });

  it('T16 a password that is refused expires nothing at first, and the answer says when to come again', async () => {
    (fake.login as { password: string }).password = 'changed by its owner';
    const rejected = await events();
    expect(rejected.status).toBe(502);
    expect(rejected.body.code).toBe('ProviderUnavailable');
    const retryAfter = Number(rejected.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(30);
    expect(await status()).toBe('ACTIVE');
  });

  it('T16 a refused password that is accepted later counts no more', async () => {
    const changed = fake.login.password;
    (fake.login as { password: string }).password = original;
    expect((await events()).status).toBe(200);
    expect(await refusals()).toEqual([]);
    (fake.login as { password: string }).password = changed;
  });

  it('T16 a worker finds out, without any request of the application, that it is refused for good', async () => {
    expect((await events()).body.code).toBe('ProviderUnavailable');
    const { DATABASE_URL, ENCRYPTION_KEYS } = service.env;
    const worker = await runWorker(DATABASE_URL!, { ENCRYPTION_KEYS, EGRESS_ALLOW: fake.egressAllow });
    try {
      await eventually('EXPIRED', async () => ((await status()) === 'EXPIRED' ? true : undefined), {
        timeoutMs: 150_000,
        everyMs: 500,
      });
    } finally {
      await worker.stop();
    }
    expect(await published()).toEqual([
      ['enduseraccount.created', 'ACTIVE', null],
      ['enduseraccount.updated', 'EXPIRED', 'password_rejected'],
    ]);
    const rejected = await events();
    expect(rejected.status).toBe(403);
    expect(rejected.body.code).toBe('EndUserAccountExpired');
  });

  it('an EXPIRED account is refused without a request to its server, and still listed, read and filtered', async () => {
    const before = fake.requests.length;
    for (const [method, path] of [
      ['GET', `/v1/calendars/${accountId}`],
      ['GET', `/v1/events/${accountId}/${calendarId}`],
      ['GET', `/v1/endUserAccounts/${accountId}/credentials`],
    ] as const) {
      const response = await service.call(method, path);
      expect({ path, status: response.status, code: response.body.code }).toEqual({
        path,
        status: 403,
        code: 'EndUserAccountExpired',
      });
    }
    expect(fake.requests.length).toBe(before);
    const { body } = await service.call('GET', '/v1/endUserAccounts', { query: { statusFilter: 'expired' } });
    expect(body.data.map(({ id }: any) => id)).toEqual([accountId]);
  });

  it('connecting it again with a wrong password changes nothing', async () => {
    const response = await connect('still wrong');
    expect(response.status).toBe(400);
    expect(response.body.code).toBe('CredentialsRejected');
    expect(await status()).toBe('EXPIRED');
  });

  it('connecting it again with the new password keeps its id and makes it ACTIVE in the same answer', async () => {
    const response = await connect('changed by its owner');
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ id: accountId, status: 'ACTIVE' });
    expect((await events()).status).toBe(200);
    expect((await published()).slice(2)).toEqual([
      ['enduseraccount.credential.updated', 'ACTIVE', null],
      ['enduseraccount.updated', 'ACTIVE', 'reconnected'],
    ]);
  });

  it('the address counts as the same however it is spelt', async () => {
    const { port } = new URL(fake.url);
    const same = await service.call('POST', `/v1/basicAuth/connect/${service.applicationId}/caldav`, {
      body: {
        email: fake.login.username,
        serverUrl: `HTTP://127.0.0.1:${port}`,
        password: fake.login.password,
        externalId: 'user-1',
      },
    });
    expect(same.body).toMatchObject({ id: accountId, externalId: 'user-1', serverUrl: fake.url });
    expect((await published()).slice(4)).toEqual([
      ['enduseraccount.credential.updated', 'ACTIVE', null],
      ['enduseraccount.updated', 'ACTIVE', null],
    ]);
  });

  it('deleting it removes it for good', async () => {
    const { status: deleted, body } = await service.call('DELETE', `/v1/endUserAccounts/${accountId}`);
    expect(deleted).toBe(200);
    expect(body).toMatchObject({ message: expect.any(String), ok: true });
    for (const method of ['GET', 'DELETE']) {
      expect((await service.call(method, `/v1/endUserAccounts/${accountId}`)).status).toBe(404);
    }
    expect((await published()).at(-1)).toEqual(['enduseraccount.deleted', 'ACTIVE', null]);
  });

  it('N53 nobody can try passwords through the service', async () => {
    // The fifth refusal of this login, with the one above.
    for (let attempt = 2; attempt <= 5; attempt += 1) {
      expect((await connect(`guess ${attempt}`)).body.code).toBe('CredentialsRejected');
    }
    const before = fake.requests.length;
    const response = await connect(fake.login.password);
    expect(response.status).toBe(429);
    expect(response.body.code).toBe('RateLimited');
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(fake.requests.length).toBe(before);
  });
});
