// 70 s: a worker looks at a polled calendar in its own time.
import { FaultServer } from '../support/fault-server.js';
import { answer, redirect } from '../support/faults.js';
import { OtlpCollector } from '../support/otlp-collector.js';
import { freePort, eventually } from '../support/processes.js';
import { asAdmin } from '../support/postgres.js';
import { startService, type Answer, type Service } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { runWorker, type WorkerUnderTest } from '../support/worker.js';
import { canary, dump, expectNowhere } from './canaries.js';

/** Other suites may have the machine at the same time. */

/** Who has one of these reads the calendar. */
const SECRETS = {
  path: canary('path'),
  query: canary('query'),
  rejectedPath: canary('refusedpath'),
  blockedPath: canary('blockedpath'),
  userinfo: canary('userinfo'),
  redirected: canary('redirected'),
};
const CONTENT = { title: canary('title'), description: canary('description'), webPage: canary('webpage') };

const feed = (title: string) =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'REFRESH-INTERVAL;VALUE=DURATION:PT0S',
    'X-WR-CALNAME:Team',
    'BEGIN:VEVENT',
    'UID:1',
    'DTSTAMP:20260101T000000Z',
    'DTSTART:20270322T090000Z',
    `SUMMARY:${title}`,
    `DESCRIPTION:${CONTENT.description}`,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');

let server: FaultServer;
let receiver: WebhookReceiver;
let collector: OtlpCollector;
let service: Service;
let worker: WorkerUnderTest;
let metricsPort: number;
const responses: Answer[] = [];

const PATH = `/${SECRETS.path}/team.ics`;
const urlOf = (path: string) => `${server.origin}${path}`;
const call: Service['call'] = async (method, path, options) => {
  const got = await service.call(method, path, options);
  responses.push(got);
  return got;
};
const connect = (url: string, more: object = {}) =>
  call('POST', `/v1/basicAuth/connect/${service.applicationId}/ics`, { body: { url, ...more } });

beforeAll(async () => {
  server = await FaultServer.start();
  receiver = await WebhookReceiver.start();
  collector = await OtlpCollector.start();
  metricsPort = await freePort();
  service = await startService({
    EGRESS_ALLOW: `127.0.0.1:${server.port},${receiver.egressAllow}`,
    ICS_MIN_REFRESH_SECONDS: '0',
    LOG_LEVEL: 'trace',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    METRICS_PORT: String(metricsPort),
  });
  const { DATABASE_URL, METRICS_PORT: _, PORT: _port, ...env } = service.env;
  worker = await runWorker(DATABASE_URL ?? '', { ...env, EXPIRY_PROBE_INTERVAL: '5', METRICS_PORT: 'off' });
  server.route(PATH, answer(200, feed(CONTENT.title)));
});

afterAll(async () => {
  await worker?.stop();
  await service?.stop();
  await Promise.all([server.close(), receiver.close(), collector.stop()]);
});

it('the address of a feed and what is in it are written down by nobody', async () => {
  const url = urlOf(`${PATH}?key=${SECRETS.query}`);
  const { status, body: account } = await connect(url, { externalId: 'user-1' });
  expect(status).toBe(200);
  expect(account).toMatchObject({
    providerType: 'ICS',
    email: `127.0.0.1:${server.port}`,
    serverUrl: null,
    status: 'ACTIVE',
    authorizedScopes: [],
    providerAccountId: expect.stringMatching(/^[\w~-]{32}$/),
  });
  expect((await connect(`${url}#again`)).body.id).toBe(account.id);

  // Refusals, none of which repeats what was given.
  server.route(`/${SECRETS.rejectedPath}`, answer(403, CONTENT.webPage));
  server.route(`/${SECRETS.redirected}`, redirect(`http://127.0.0.1:1/${SECRETS.blockedPath}`));
  server.route(`/page/${SECRETS.rejectedPath}`, answer(200, `<html>${CONTENT.webPage}`));
  for (const [given, code] of [
    [urlOf(`/${SECRETS.rejectedPath}`), 'CredentialsRejected'],
    [urlOf(`/page/${SECRETS.rejectedPath}`), 'ValidationFailed'],
    [urlOf(`/${SECRETS.redirected}`), 'ServerNotAllowed'],
    [`http://169.254.169.254/${SECRETS.blockedPath}`, 'ServerNotAllowed'],
    [`webcal://10.0.0.1/${SECRETS.blockedPath}`, 'ServerNotAllowed'],
    [`https://[::1]/${SECRETS.blockedPath}`, 'ServerNotAllowed'],
    [`http://93.184.215.14/${SECRETS.blockedPath}`, 'ServerNotAllowed'],
    [`https://me:${SECRETS.userinfo}@example.com/`, 'ServerNotAllowed'],
    [`ftp://example.com/${SECRETS.blockedPath}`, 'ServerNotAllowed'],
    [`https://${SECRETS.blockedPath} .example/`, 'ValidationFailed'],
  ] as const) {
    const rejected = await connect(given);
    expect([given, rejected.status, rejected.body.code]).toEqual([given, 400, code]);
  }
  await connect(url, { unknown: SECRETS.path.slice(0, 3) });

  // Reads, by its own application alone.
  const at = (resource: string, rest = '') => `/v1/${resource}/${account.id}${rest}`;
  const [calendar] = (await call('GET', at('calendars'))).body.data;
  const listed = await service.call('GET', at('events', `/${calendar.id}`));
  expect(listed.body.data).toEqual([expect.objectContaining({ title: CONTENT.title })]);
  const other = await service.createApplication('other');
  for (const path of [at('calendars'), at('events', `/${calendar.id}`), `/v1/endUserAccounts/${account.id}`]) {
    expect((await call('GET', path, { key: other.apiKey })).status).toBe(404);
  }
  const theirs = await call('POST', `/v1/basicAuth/connect/${other.applicationId}/ics`, {
    key: other.apiKey,
    body: { url },
  });
  expect(theirs.body.id).not.toBe(account.id);
  expect(theirs.body.providerAccountId).not.toBe(account.providerAccountId);
  const { key } = { key: service.apiKey };
  expect((await call('GET', at('calendars'), { key })).body.data).toHaveLength(1);

  // A subscription by polling, where the application may.
  const subscribe = () =>
    call('POST', at('calendarSubscriptions'), {
      body: { calendarId: calendar.id, webhookUrl: receiver.endpoint('/hook') },
    });
  expect((await subscribe()).body.code).toBe('NotSupportedByProvider');
  await asAdmin(service.adminDatabaseUrl, (admin) => admin.query('update application set polls_calendars = true'));
  expect((await subscribe()).body).toMatchObject({ delivery: 'polled' });
  server.route(PATH, answer(200, feed(`${CONTENT.title} moved`)));
  const [message] = await receiver.receives(1, '/hook', 100_000);
  expect(JSON.parse(message!.body.toString())).toMatchObject({ eventType: 'calendar.event.changed' });

  // It ends half-way: what was read last stays, and the account says since when.
  server.route(PATH, answer(200, feed(CONTENT.title).slice(0, -30)));
  const last = await service.call('GET', at('events', `/${calendar.id}`));
  expect([last.status, last.body.data.length]).toEqual([200, 1]);
  await eventually('the account says since when', async () => {
    const { body } = await call('GET', `/v1/endUserAccounts/${account.id}`);
    return typeof body.staleSince === 'string' ? true : undefined;
  });
  server.route(PATH, answer(200, feed(CONTENT.title)));
  await service.call('GET', at('events', `/${calendar.id}`));
  expect((await call('GET', `/v1/endUserAccounts/${account.id}`)).body).not.toHaveProperty('staleSince');
  await call('GET', '/v1/endUserAccounts');

  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  expect(metrics).toContain('provider="ICS"');
  expect(collector.spans.map(({ name }) => name)).toEqual(expect.arrayContaining(['ICS events.list']));
  const everything = { ...SECRETS, ...CONTENT };
  expectNowhere(JSON.stringify(responses.map(({ body }) => body as unknown)), everything);
  for (const { stdout, stderr } of [service.program, worker]) expectNowhere(stdout() + stderr(), everything);
  expectNowhere(Buffer.concat(collector.bodies).toString('latin1'), everything);
  expectNowhere(metrics, everything);
  expectNowhere(await dump(service.adminDatabaseUrl), everything);
  expectNowhere(
    receiver.receipts.map(({ body, headers }) => body.toString() + JSON.stringify(headers)).join(),
    everything,
  );
});
