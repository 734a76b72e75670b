// 35 s: one run through everything that goes wrong, with servers that keep silent until the service gives up.
import { randomUUID } from 'node:crypto';
import { FakeCalDav, type FakeResponse } from '../support/fake-caldav.js';
import { asAdmin } from '../support/postgres.js';
import { eventually } from '../support/processes.js';
import { startService, type Answer, type Service } from '../support/service.js';
import { canary, dump, expectNowhere as expectUnwritten } from './canaries.js';

const SECRETS = {
  password: canary('password'),
  newPassword: canary('newpassword'),
  wrongPassword: canary('wrongpassword'),
  applePassword: canary('applepassword'),
  refreshToken: canary('refreshtoken'),
  urlPassword: canary('urlpassword'),
  bearer: canary('bearer'),
  cookie: canary('cookie'),
  queryKey: canary('querykey'),
};
/** Of the user's life: not for logs, nor for our database. */
const CONTENT = {
  title: canary('title'),
  description: canary('description'),
  search: canary('search'),
  privateProperty: canary('privateproperty'),
};
/** What the provider says in every way it can. */
const PROVIDER = { body: canary('providerbody'), header: canary('providerheader'), realm: canary('realm') };

let fake: FakeCalDav;
let service: Service;
let accountId: string;
let events: string;
const responses: Answer[] = [];

beforeAll(async () => {
  fake = await FakeCalDav.start({ login: { username: 'alice@example.test', password: SECRETS.password } });
  fake.addCalendar('mine');
  service = await startService({
    EGRESS_ALLOW: fake.egressAllow,
    APPLE_CALDAV_URL: fake.url,
    LOG_LEVEL: 'trace',
    REQUEST_TIMEOUT_MS: '4000',
    RATE_LIMIT_RPS: '100000',
  });
});

afterAll(async () => {
  await service?.stop();
  await fake.close();
});

const expectNowhere = (text: string, secrets: Record<string, string>) =>
  expectUnwritten(text, secrets, fake.login.username);

const call: Service['call'] = async (method, path, options) => {
  const response = await service.call(method, path, options);
  responses.push(response);
  return response;
};

function connect(fields: Record<string, unknown>, provider = 'caldav'): Promise<Answer> {
  const body = { email: fake.login.username, ...(provider === 'caldav' && { serverUrl: fake.url }), ...fields };
  return call('POST', `/v1/basicAuth/connect/${service.applicationId}/${provider}`, { body });
}

const EVENT = {
  title: CONTENT.title,
  description: CONTENT.description,
  start: { dateTime: '2033-01-15T09:00:00Z' },
  privateExtendedProperties: { note: CONTENT.privateProperty },
};

/** Every route that asks the provider, with the user's text in it. */
async function useEverything(): Promise<void> {
  // Kept on our side: the answer to an Idempotency-Key, and private properties where the provider has no place for them.
  const headers = { 'idempotency-key': randomUUID() };
  await call('POST', events, { body: EVENT, headers });
  const made = await call('POST', events, { body: EVENT });
  const eventId = made.body.id ?? 'x';
  await call('GET', events, { query: { search: CONTENT.search } });
  await call('GET', `${events}/${eventId}`);
  await call('PUT', `${events}/${eventId}`, { body: { description: CONTENT.description } });
  await call('POST', `${events}/${eventId}/rsvp`, { body: { responseStatus: 'accepted' } });
  await call('DELETE', `${events}/${eventId}`);
  await call('GET', `/v1/calendars/${accountId}`);
  await call('POST', `/v1/calendars/${accountId}`, { body: { name: CONTENT.title } });
  await connect({ password: SECRETS.password });
}

describe('N55 secrets', () => {
  beforeAll(async () => {
    const { status, body } = await connect({ password: SECRETS.password });
    expect([status, body]).toMatchObject([200, { id: expect.any(String) }]);
    accountId = body.id;
    events = `/v1/events/${accountId}/${Buffer.from('/calendars/alice/mine/').toString('base64url')}`;
    await useEverything();

    // Every credential field, accepted and refused.
    await connect({ password: SECRETS.wrongPassword });
    await connect({ password: SECRETS.applePassword }, 'apple');
    await connect({ password: SECRETS.password, serverUrl: `https://u:${SECRETS.urlPassword}@dav.example/` });
    await connect({ password: { nested: SECRETS.password } });
    await connect({ password: SECRETS.password, unknown: SECRETS.newPassword });
    await connect({ password: `${SECRETS.password}\u0000` });
    const upsert = { email: 'a@example.test', refreshToken: SECRETS.refreshToken, password: SECRETS.password };
    for (const providerType of ['GOOGLE', 'MICROSOFT', 'APPLE', 'CALDAV', 'OTHER']) {
      await call('POST', '/v1/endUserAccounts', { body: { ...upsert, providerType } });
    }
    const headers = { authorization: `Bearer ${SECRETS.bearer}`, cookie: `session=${SECRETS.cookie}` };
    await call('GET', '/v1/endUserAccounts', { headers, query: { 'x-api-key': SECRETS.queryKey } });
    await call('GET', '/v1/endUserAccounts', { headers, key: `uck_${'0'.repeat(32)}_${SECRETS.bearer}` });
    await call('GET', `/v1/endUserAccounts/${accountId}/credentials`, { headers });

    // Every way in which the provider can fail, saying what it was asked.
    const noise = {
      'x-noise': PROVIDER.header,
      'www-authenticate': `Basic realm="${PROVIDER.realm}"`,
      server: PROVIDER.header,
    };
    const failure = (status: number, body: string): FakeResponse => ({ status, headers: noise, body });
    const echo = `<html>${PROVIDER.body} ${SECRETS.password}</html>`;
    for (const status of [200, 207, 301, 400, 403, 404, 409, 412, 423, 429, 500]) {
      fake.switches.intercept = () => failure(status, echo);
      await useEverything();
    }
    const error = `<error xmlns="DAV:"><${PROVIDER.body}/><valid-calendar-data xmlns="urn:ietf:params:xml:ns:caldav">${echo}</valid-calendar-data></error>`;
    fake.switches.intercept = ({ headers: asked }) => failure(403, `${error}${asked['authorization'] ?? ''}`);
    await useEverything();
    fake.switches.intercept = ({ headers: asked }) => failure(302, asked['authorization'] ?? '');
    await useEverything();
    fake.switches.intercept = () => ({
      status: 307,
      headers: { location: `https://x:${SECRETS.urlPassword}@${PROVIDER.body}.invalid/` },
    });
    await useEverything();
    fake.switches.intercept = () => 'hang';
    await call('GET', events, { query: { search: CONTENT.search } });
    // Last: after these a server that is down is left alone for a while.
    fake.switches.intercept = () => failure(503, echo);
    await useEverything();
    fake.switches.intercept = null;

    // A fault of our own while the secrets are in hand.
    const rename = (from: string, to: string) =>
      asAdmin(service.adminDatabaseUrl, (admin) => admin.query(`alter table ${from} rename to ${to}`));
    await rename('credential', 'mislaid');
    await connect({ password: SECRETS.newPassword });
    fake.login.password = SECRETS.newPassword;
    await connect({ password: SECRETS.newPassword });
    await call('GET', events);
    await rename('mislaid', 'credential');

    // Reconnected with a new password, then refused for good.
    expect((await connect({ password: SECRETS.newPassword, externalId: 'kept' })).status).toBe(200);
    await connect({ password: SECRETS.newPassword.toUpperCase() });
  });

  it('were in play: the provider was asked with them, and every kind of answer came', () => {
    const statuses = new Set(responses.map(({ status }) => status));
    for (const status of [200, 400, 401, 403, 404, 429, 500, 502, 504]) expect([...statuses]).toContain(status);
    const basic = (password: string) => Buffer.from(`${fake.login.username}:${password}`).toString('base64');
    const asked = fake.requests.map(({ headers }) => headers['authorization'] ?? '').join('\n');
    for (const password of [SECRETS.password, SECRETS.newPassword, SECRETS.wrongPassword, SECRETS.applePassword]) {
      expect(asked).toContain(basic(password));
    }
  });

  it('are in no line of the log, at its most talkative, and neither is the content of a calendar', async () => {
    const written = () => service.program.stdout() + service.program.stderr();
    // The service keeps its last lines for a moment.
    const log = await eventually('each response is in the log', async () => {
      const lines = written();
      return lines.split('"status":').length > responses.length ? lines : undefined;
    });
    expect(log.split('\n').length).toBeGreaterThan(responses.length);
    expect(log).toContain('"status":500');
    expectNowhere(log, { ...SECRETS, ...CONTENT, ...PROVIDER });
    const keys = { apiKey: service.apiKey.split('_')[2] as string };
    const { ENCRYPTION_KEYS = '', DATABASE_URL = '' } = service.env;
    expectNowhere(log, { ...keys, encryptionKey: ENCRYPTION_KEYS.split(':')[1] as string });
    expect(log).not.toContain(new URL(DATABASE_URL).password);
  });

  it('are in no answer, and neither is anything that the provider said', () => {
    const heard = responses.map(({ headers, body }) => JSON.stringify([[...headers], body])).join('\n');
    expectNowhere(heard, { ...SECRETS, ...PROVIDER });
  });

  it('are in no row of the database in clear, and neither is the content of a calendar', async () => {
    const rows = await dump(service.adminDatabaseUrl);
    expect(rows).toContain('kept'); // what is no secret is there to be read
    for (const table of ['credential', 'private_property', 'idempotency_record', 'request_record']) {
      expect(rows).toContain(`public.${table} `);
    }
    expectNowhere(rows, { ...SECRETS, ...CONTENT, ...PROVIDER });
    expectNowhere(rows, { apiKey: service.apiKey.split('_')[2] as string });
  });
});
