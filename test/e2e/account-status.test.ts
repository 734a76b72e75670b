import { FakeCalDav } from '../support/fake-caldav.js';
import { startService, type Service } from '../support/service.js';

describe('the status of an account', () => {
  let fake: FakeCalDav;
  let service: Service;
  let accountId: string;
  let calendarId: string;

  beforeAll(async () => {
    fake = await FakeCalDav.start();
    fake.addCalendar('work', 'Work');
    service = await startService({ EGRESS_ALLOW: fake.egressAllow });
    const connected = await connect(fake.login.password);
    accountId = connected.body.id;
    calendarId = (await service.call('GET', `/v1/calendars/${accountId}`)).body.data[0].id;
  }, 60_000);

  afterAll(async () => {
    await service?.stop();
    await fake?.close();
  });

  const connect = (password: string) =>
    service.call('POST', '/v1/endUserAccounts', {
      body: { providerType: 'CALDAV', email: fake.login.username, serverUrl: fake.url, password },
    });
  const status = async () => (await service.call('GET', `/v1/endUserAccounts/${accountId}`)).body.status;
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
  }, 60_000);

  it('T16 a password that is refused, and refused again, makes the account EXPIRED', async () => {
    (fake.login as { password: string }).password = 'changed by its owner';
    const refused = await events();
    expect(refused.status).toBe(403);
    expect(refused.body.code).toBe('EndUserAccountExpired');
    expect(await status()).toBe('EXPIRED');
  }, 60_000);

  it('an EXPIRED account is refused without a request to its server, and still listed, read and filtered', async () => {
    const before = fake.requests.length;
    for (const [method, path] of [
      ['GET', `/v1/calendars/${accountId}`],
      ['GET', `/v1/events/${accountId}/${calendarId}`],
      ['GET', `/v1/endUserAccounts/${accountId}/credentials`],
    ] as const) {
      const answer = await service.call(method, path);
      expect({ path, status: answer.status, code: answer.body.code }).toEqual({
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
    const answer = await connect('still wrong');
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe('CredentialsRejected');
    expect(await status()).toBe('EXPIRED');
  });

  it('connecting it again with the new password keeps its id and makes it ACTIVE in the same answer', async () => {
    const answer = await connect('changed by its owner');
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id: accountId, status: 'ACTIVE' });
    expect((await events()).status).toBe(200);
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
  });

  it('deleting it removes it for good', async () => {
    const { status: deleted, body } = await service.call('DELETE', `/v1/endUserAccounts/${accountId}`);
    expect(deleted).toBe(200);
    expect(body).toMatchObject({ message: expect.any(String), ok: true });
    for (const method of ['GET', 'DELETE']) {
      expect((await service.call(method, `/v1/endUserAccounts/${accountId}`)).status).toBe(404);
    }
  });
});
