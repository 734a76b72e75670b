// 25 s: servers keep silent until the service gives up.
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { selfSigned } from '../support/certificate.js';
import { connectAccount, startFakeServer, type ConnectedAccount } from '../support/connected-account.js';
import { FakeCalDav } from '../support/fake-caldav.js';
import { FaultServer, type Fault } from '../support/fault-server.js';
import {
  answer,
  drip,
  dripHeaders,
  endlessBody,
  gzipBomb,
  raw,
  redirect,
  redirectChain,
  reset,
  silence,
  wrongContentLength,
} from '../support/faults.js';
import { freePort } from '../support/processes.js';
import { residentMiB } from '../support/resident-memory.js';
import { startService, type Answer, type Service } from '../support/service.js';

const BANNER = 'secret-banner';

/** Nobody may connect to these: they are not allowed. */
let traps: FaultServer[];
/** Allowed, and misbehaving as each test says. */
let faulty: FaultServer;
let faultyTls: FaultServer;
let mute: Server;
let closedPort: number;
/** The user's own server. */
let fake: FakeCalDav;
/** Another one of another host, allowed too: what keeps credentials from it is not the address policy. */
let stranger: FakeCalDav;
let service: Service;
let account: ConnectedAccount;

beforeAll(async () => {
  traps = [await FaultServer.start(), await FaultServer.start({ host: '::1' })];
  faulty = await FaultServer.start();
  faultyTls = await FaultServer.start({ tls: selfSigned(['localhost']) });
  mute = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(mute, 'listening');
  closedPort = await freePort();
  fake = await startFakeServer('mine');
  stranger = await FakeCalDav.start({ host: '127.0.0.3', authentication: 'none' });
  const allowed = [faulty.port, faultyTls.port, mutePort(), closedPort].map((port) => `127.0.0.1:${port}`);
  service = await startService({
    EGRESS_ALLOW: [...allowed, fake.egressAllow, stranger.egressAllow].join(','),
    RATE_LIMIT_RPS: '100000',
  });
  account = await connectAccount(service, fake);
});

afterAll(async () => {
  await service?.stop();
  mute.close();
  await Promise.all([...traps, faulty, faultyTls, fake, stranger].map((server) => server.close()));
});

beforeEach(() => {
  Object.assign(fake.switches, {
    intercept: null,
    redirects: {},
    homeSet: null,
    foreignHrefs: [],
    hrefStyle: 'as-stored',
  });
});

const mutePort = () => (mute.address() as AddressInfo).port;

function connect(serverUrl: string): Promise<Answer> {
  const body = { serverUrl, email: 'alice@example.test', password: 'correct horse battery' };
  return service.call('POST', `/v1/basicAuth/connect/${service.applicationId}/caldav`, { body });
}

function expectTrapsUntouched(): void {
  expect(traps.map(({ connectionCount }) => connectionCount)).toEqual([0, 0]);
}

describe('N25 redirects', () => {
  it.each([301, 302, 303, 307, 308] as const)('of %i to what is not public lead nowhere', async (status) => {
    const [trap, trap6] = traps as [FaultServer, FaultServer];
    const targets = [
      trap.origin,
      trap6.origin,
      `http://localhost:${trap.port}`,
      'http://169.254.169.254',
      'file:///etc',
    ];
    for (const target of targets) {
      faulty
        .route('/', redirect(`${target}/`, status))
        .route('/.well-known/caldav', redirect(`${target}/dav/`, status));
      const rejected = await connect(`${faulty.origin}/`);
      expect([target, rejected.status]).toEqual([target, expect.any(Number)]);
      expect([400, 502]).toContain(rejected.status);
      expect(JSON.stringify(rejected.body)).not.toContain(String(trap.port));
      // The account that is connected already meets the same.
      fake.switches.redirects = { '/calendars/alice/mine/': { status, location: `${target}/` } };
      const listed = await account.call('GET', 'events', `/${account.calendarId}`);
      expect([400, 403, 404, 502]).toContain(listed.status);
      fake.switches.redirects = {};
    }
    expectTrapsUntouched();
  });

  it('are followed for a few hops only', async () => {
    faulty.route('/', redirect('/chain/50')).route('/.well-known/caldav', redirect('/chain/50'));
    for (let hop = 0; hop <= 50; hop += 1) faulty.route(`/chain/${hop}`, redirectChain('/'));
    const before = faulty.requests.length;
    expect((await connect(`${faulty.origin}/`)).status).toBe(502);
    const deepest = Math.min(
      ...faulty.requests.slice(before).map(({ url }) => Number(/chain\/(\d+)/.exec(url)?.[1] ?? 50)),
    );
    expect(50 - deepest).toBeLessThanOrEqual(5);
    faulty.route('/', redirect('/')).route('/.well-known/caldav', redirect('/.well-known/caldav'));
    expect((await connect(`${faulty.origin}/`)).status).toBe(502);
  });
});

describe('N27 connecting as a port scanner', () => {
  it('learns one 502 from whatever is there, within bounded time', async () => {
    const at = (name: string, fault: Fault): [string, string] => {
      faulty.route(`/${name}/`, fault).route(`/${name}`, fault);
      return [name, `${faulty.origin}/${name}/`];
    };
    faulty.route('/.well-known/caldav', answer(404));
    const targets: [string, string][] = [
      ['closed', `http://127.0.0.1:${closedPort}/`],
      ['closed, TLS', `https://127.0.0.1:${closedPort}/`],
      ['open, silent', `http://127.0.0.1:${mutePort()}/`],
      ['open, silent, TLS', `https://127.0.0.1:${mutePort()}/`],
      ['TLS with an unknown issuer', `https://127.0.0.1:${faultyTls.port}/`],
      ['TLS spoken to plain HTTP', `https://127.0.0.1:${faulty.port}/`],
      ['plain HTTP spoken to TLS', `http://127.0.0.1:${faultyTls.port}/`],
      ['a name that does not resolve', 'https://does-not-exist.invalid/'],
      at('missing', answer(404, BANNER)),
      at('page', answer(200, `<html>${BANNER}</html>`, { 'content-type': 'text/html', server: BANNER })),
      at('failing', answer(500, BANNER)),
      at('ssh', raw(`SSH-2.0-OpenSSH_9.6 ${BANNER}\r\n`)),
      at('redis', raw(`-ERR unknown command ${BANNER}\r\n`)),
      at('smtp', raw(`220 ${BANNER} ESMTP\r\n`)),
      at('reset', reset('before-response')),
      at('cut', wrongContentLength(1_000, BANNER)),
      at('hanging', silence()),
      at('json', answer(207, `{"banner":"${BANNER}"}`, { 'content-type': 'application/json' })),
      at('xml', answer(207, `<a>${BANNER}</a>`, { 'content-type': 'application/xml' })),
    ];
    const outcomes = await Promise.all(
      targets.map(async ([name, url]) => {
        const startedAt = performance.now();
        const { status, body, headers } = await connect(url);
        const { requestId: _, ...rest } = body;
        return { name, status, rest, durationMs: performance.now() - startedAt, type: headers.get('content-type') };
      }),
    );
    const [first] = outcomes;
    expect(first?.rest).toMatchObject({ code: 'ProviderUnavailable', error: 'ProviderUnavailable' });
    expect(JSON.stringify(first?.rest)).not.toMatch(/127\.0\.0\.1|refused|timeout|ECONN/i);
    for (const { name, status, rest, durationMs } of outcomes) {
      expect([name, status, rest]).toEqual([name, 502, first?.rest]);
      expect([name, durationMs < 12_000]).toEqual([name, true]);
    }
  });
});

describe('N27 a server that speaks HTTP and refuses the login', () => {
  it.each([401, 403])('with %i is told apart, without a word of its own', async (status) => {
    const challenge = { 'www-authenticate': `Basic realm="${BANNER}"` };
    faulty
      .route('/', answer(status, BANNER, challenge))
      .route('/.well-known/caldav', answer(status, BANNER, challenge));
    const rejected = await connect(`${faulty.origin}/`);
    expect([rejected.status, rejected.body.code]).toEqual([400, 'CredentialsRejected']);
    expect(JSON.stringify(rejected.body)).not.toContain(BANNER);
  });
});

describe('N28 another origin named by the provider', () => {
  const withCredentials = () => stranger.requests.filter(({ headers }) => headers['authorization'] !== undefined);

  it('gets no credentials: not as home, as principal, by a redirect or as the address of an object', async () => {
    const there = stranger.url;
    stranger.addCalendar('mine').put('first.ics', 'BEGIN:VCALENDAR');
    fake.switches.homeSet = [`${there}calendars/alice/`];
    await connect(fake.url);
    await account.call('GET', 'calendars');
    fake.switches.homeSet = null;
    fake.switches.foreignHrefs = [`${there}calendars/alice/mine/first.ics`, `${there}calendars/alice/mine/`];
    const calendars = await account.call('GET', 'calendars');
    const events = await account.call('GET', 'events', `/${account.calendarId}`);
    expect([calendars.status, events.status]).toEqual([200, 200]);
    expect(events.body.data).toHaveLength(1);
    fake.switches.foreignHrefs = [];
    for (const path of [
      '/',
      '/.well-known/caldav',
      '/principals/alice/',
      '/calendars/alice/',
      '/calendars/alice/mine/',
    ]) {
      for (const status of [301, 307] as const) {
        fake.switches.redirects = { [path]: { status, location: `${there}${path.slice(1)}` } };
        await connect(fake.url);
        await account.call('GET', 'calendars');
        await account.call('GET', 'events', `/${account.calendarId}`);
        await account.call('PUT', 'events', `/${account.calendarId}/${account.eventId}`, { body: { title: 'x' } });
      }
    }
    expect(withCredentials()).toEqual([]);
    for (const { body, path } of stranger.requests) expect(body + path).not.toContain('correct horse');
  });
});

describe('N29 answers without measure', () => {
  it('are cut by size and by time, and cost no memory', async () => {
    const faults: [string, Fault][] = [
      ['bomb', gzipBomb(10_240)],
      ['endless', endlessBody({ 'content-type': 'application/xml' })],
      ['drip', drip(1_000)],
      ['drip-headers', dripHeaders(1_000)],
    ];
    for (const [name, fault] of faults) faulty.route(`/${name}/`, fault).route(`/${name}`, fault);
    faulty.route('/', answer(404)).route('/.well-known/caldav', answer(404));
    await connect(`${faulty.origin}/endless/`); // the heap takes its working size
    const before = residentMiB(service.program.pid);
    let highest = before;
    const watch = setInterval(() => (highest = Math.max(highest, residentMiB(service.program.pid))), 50);
    const startedAt = performance.now();
    try {
      const outcomes = await Promise.all(faults.map(([name]) => connect(`${faulty.origin}/${name}/`)));
      for (const { status, body } of outcomes) expect([status, body.code]).toEqual([502, 'ProviderUnavailable']);
    } finally {
      clearInterval(watch);
    }
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    expect(highest - before).toBeLessThan(100); // four at a time; 25 MiB each at most
  });

  it('of a connected account end in an error too, and the next request is served', async () => {
    fake.switches.intercept = () => 'endless';
    const startedAt = performance.now();
    const cut = await account.call('GET', 'events', `/${account.calendarId}`);
    expect([cut.status, cut.body.code]).toEqual([502, 'ProviderUnavailable']);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    fake.switches.intercept = null;
    expect((await account.call('GET', 'events', `/${account.calendarId}`)).status).toBe(200);
  });
});
