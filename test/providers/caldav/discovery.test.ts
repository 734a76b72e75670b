import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:https';
import { once } from 'node:events';
import { GuardedEgress } from '#egress';
import { appleFlavor } from '../../../libs/providers/apple/definition.js';
import { connectAccount } from '../../../libs/providers/caldav/discovery.js';
import { CALDAV_FLAVOR } from '../../../libs/providers/caldav/flavor.js';
import { blockedUrls } from '../../support/blocked-urls.js';
import { CalDavBench, failure } from '../../support/caldav-account.js';
import { selfSigned } from '../../support/certificate.js';
import { FakeCalDav, type FakeCalDavOptions } from '../../support/fake-caldav.js';

const UNREACHABLE = { code: 'ProviderUnavailable', message: CALDAV_FLAVOR.messages.unreachable };
const REJECTED = { code: 'CredentialsRejected', message: CALDAV_FLAVOR.messages.rejected };

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

async function start(options: FakeCalDavOptions = {}) {
  const fake = await FakeCalDav.start(options);
  fake.addCalendar('work', 'Work');
  const bench = new CalDavBench(fake);
  open.push(fake, bench);
  return { fake, bench };
}

describe('discovery', () => {
  it('goes from the bare address by well-known, root and principal to the home', async () => {
    const { fake, bench } = await start();
    const connected = await bench.connect(fake.url.slice(0, -1));
    expect(connected).toMatchObject({ serverUrl: fake.url, providerAccountId: null, authorizedScopes: [] });
    expect(connected.providerState).toMatchObject({
      version: 1,
      origin: fake.homeOrigin,
      principalHref: fake.principalPath,
      homeHrefs: [fake.homePath],
      collectionHref: null,
      addresses: ['alice@example.test'],
      dav: expect.arrayContaining(['calendar-access']),
    });
    expect(fake.requests[0]).toMatchObject({ method: 'PROPFIND', path: '/.well-known/caldav' });
    expect(fake.requestsOf('PROPFIND').every(({ headers }) => headers.depth !== undefined)).toBe(true);
  });

  it.each([301, 302, 303, 307, 308] as const)('follows a %i from well-known with a PROPFIND', async (status) => {
    const { fake, bench } = await start({
      entryPaths: ['/dav/calendars/'],
      redirects: { '/.well-known/caldav': { status, location: '/dav/calendars' } },
    });
    await bench.connect();
    expect(fake.requests[1]).toMatchObject({ method: 'PROPFIND', path: '/dav/calendars' });
    expect(fake.requests[1]?.body).toContain('current-user-principal');
  });

  it.each([
    ['default namespaces', { xmlStyle: 'default-namespace' }],
    ['CDATA', { xmlStyle: 'cdata' }],
    ['lower-case escapes', { hrefStyle: 'lower-case-escapes' }],
    ['absolute hrefs', { hrefStyle: 'absolute' }],
    ['405 everywhere else', { elsewhere: 'method-not-allowed' }],
    ['a web page everywhere else', { elsewhere: 'html' }],
    ['the entry at a usual place', { entryPaths: ['/remote.php/dav/'] }],
    ["the entry at DAViCal's place", { entryPaths: ['/caldav.php/'] }],
    ['Digest MD5', { authentication: 'digest-md5' }],
    ['Digest SHA-256', { authentication: 'digest-sha256' }],
  ] satisfies [string, FakeCalDavOptions][])('copes with %s', async (_name, options) => {
    const { fake, bench } = await start(options);
    const connected = await bench.connect();
    expect(connected.providerState).toMatchObject({ homeHrefs: [fake.homePath] });
    const [calendar] = await (await bench.open(bench.session(connected))).collections();
    expect(calendar).toMatchObject({ displayName: 'Work', href: `${fake.homePath}work/` });
  });

  it('is not put off by a well-known that refuses (Yahoo)', async () => {
    const { fake, bench } = await start();
    fake.switches.intercept = ({ path }) => (path === '/.well-known/caldav' ? { status: 401 } : undefined);
    expect((await bench.connect()).providerState).toMatchObject({ homeHrefs: [fake.homePath] });
  });

  it('is told of a wrong password by a Digest server', async () => {
    const { fake, bench } = await start({ authentication: 'digest-sha256' });
    expect(await failure(bench.connect(fake.url, 'wrong'))).toEqual(REJECTED);
  });

  it('passes on that the server asks to slow down', async () => {
    const { bench } = await start({ throttle: { status: 429, retryAfter: '30', times: 99 } });
    expect((await failure(bench.connect())).code).toBe('ProviderRateLimited');
  });

  it('takes the principal that answers under another name (iCloud)', async () => {
    const { fake, bench } = await start();
    fake.switches.intercept = ({ path }) =>
      path === fake.principalPath
        ? {
            status: 207,
            body: `<multistatus xmlns="DAV:"><response><href>/principal/</href><propstat><prop><calendar-home-set xmlns="urn:ietf:params:xml:ns:caldav"><href xmlns="DAV:">${fake.homePath}</href></calendar-home-set><calendar-user-address-set xmlns="urn:ietf:params:xml:ns:caldav"><href xmlns="DAV:">mailto:Second@example.test</href><href xmlns="DAV:" preferred="1">MAILTO:First%2Btag@Example.test</href><href xmlns="DAV:">urn:uuid:1</href></calendar-user-address-set></prop><status></status></propstat></response></multistatus>`,
          }
        : undefined;
    expect((await bench.connect()).providerState).toMatchObject({
      homeHrefs: [fake.homePath],
      addresses: ['first+tag@example.test', 'second@example.test'],
      addressUris: ['MAILTO:First%2Btag@Example.test', 'mailto:Second@example.test', 'urn:uuid:1'],
    });
  });

  it('starts at the path that was given', async () => {
    const { fake, bench } = await start({ entryPaths: ['/deep/place/'] });
    const connected = await bench.connect(`${fake.url}deep/place`);
    expect(connected.serverUrl).toBe(`${fake.url}deep/place/`);
    expect(fake.requests[0]?.path).toBe('/deep/place/');
  });

  it('leads on from the address of one calendar to all of them', async () => {
    const { fake, bench } = await start();
    const connected = await bench.connect(`${fake.url}calendars/alice/work/`);
    expect(connected.providerState).toMatchObject({ homeHrefs: [fake.homePath], collectionHref: null });
  });

  it('is never taken for the owner of a calendar that others share (DAViCal tells his home with it)', async () => {
    const { fake, bench } = await start({ entryPaths: ['/', '/calendars/olga/'] });
    const { properties } = fake.addCalendar('shared', 'Shared');
    properties.set('{urn:ietf:params:xml:ns:caldav}calendar-home-set', '<d:href>/calendars/olga/</d:href>');
    properties.set(
      '{urn:ietf:params:xml:ns:caldav}calendar-user-address-set',
      '<d:href>mailto:olga@example.test</d:href>',
    );
    expect((await bench.connect(`${fake.url}calendars/alice/shared/`)).providerState).toMatchObject({
      principalHref: fake.principalPath,
      homeHrefs: [fake.homePath],
      addresses: ['alice@example.test'],
    });
  });

  it('takes the home of an entry point whose principal does not tell one', async () => {
    const { fake, bench } = await start({ homeSet: [] });
    fake.switches.intercept = ({ method, path }) =>
      method === 'PROPFIND' && path === '/'
        ? {
            status: 207,
            body: `<multistatus xmlns="DAV:"><response><href>/</href><propstat><prop><current-user-principal><href>${fake.principalPath}</href></current-user-principal><calendar-home-set xmlns="urn:ietf:params:xml:ns:caldav"><href xmlns="DAV:">${fake.homePath}</href></calendar-home-set></prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>`,
          }
        : undefined;
    expect((await bench.connect()).providerState).toMatchObject({ homeHrefs: [fake.homePath] });
  });

  it('makes an account of one calendar when the server names no principal', async () => {
    const { fake, bench } = await start({ currentUserPrincipal: 'absent' });
    const connected = await bench.connect(`${fake.url}calendars/alice/work/`);
    expect(connected.providerState).toMatchObject({ collectionHref: `${fake.homePath}work/`, homeHrefs: [] });
    const connection = await bench.open(bench.session(connected));
    expect((await connection.collections()).map(({ displayName }) => displayName)).toEqual(['Work']);
  });

  it.each(['absent', 'unauthenticated'] as const)(
    'takes the given address for the home when the principal is %s',
    async (currentUserPrincipal) => {
      const { fake, bench } = await start({ currentUserPrincipal });
      const connected = await bench.connect(`${fake.url}calendars/alice/`);
      expect(connected.providerState).toMatchObject({ homeHrefs: [fake.homePath], principalHref: null });
    },
  );

  it('takes the principal for the home when it holds the calendars', async () => {
    const { fake, bench } = await start({ homeSet: [] });
    fake.switches.intercept = ({ method, path, headers }) =>
      method === 'PROPFIND' && path === fake.principalPath && headers.depth === '1'
        ? {
            status: 207,
            body: `<multistatus xmlns="DAV:"><response><href>${fake.principalPath}cal/</href><propstat><prop><resourcetype><collection/><calendar xmlns="urn:ietf:params:xml:ns:caldav"/></resourcetype></prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>`,
          }
        : undefined;
    expect((await bench.connect()).providerState).toMatchObject({ homeHrefs: [fake.principalPath] });
  });

  it('connects an account without calendars', async () => {
    const fake = await FakeCalDav.start();
    const bench = new CalDavBench(fake);
    open.push(fake, bench);
    const connected = await bench.connect();
    expect(await (await bench.open(bench.session(connected))).collections()).toEqual([]);
  });

  it('answers 502 for a principal without a home', async () => {
    const { bench } = await start({ homeSet: [] });
    expect(await failure(bench.connect())).toEqual(UNREACHABLE);
  });

  it('lists own and delegated homes, and leaves out what does not open', async () => {
    const { bench, fake } = await start({ homeSet: ['/calendars/alice/', '/calendars/bob/'] });
    expect((await bench.connect()).providerState).toMatchObject({ homeHrefs: [fake.homePath] });
  });

  it('moves to the partition host that the home names, with credentials (iCloud)', async () => {
    const { fake, bench } = await start({ partition: true });
    const connected = await bench.connect();
    expect(connected.providerState).toMatchObject({
      origin: fake.homeOrigin,
      homeHrefs: [fake.homePath],
      principalHref: `${fake.url.slice(0, -1)}${fake.principalPath}`,
    });
    const connection = await bench.open(bench.session(connected));
    fake.requests.length = 0;
    await connection.collections();
    expect(fake.requests.map(({ authority }) => authority)).toEqual([fake.authorities[1]]);
  });
});

describe('APPLE discovery', () => {
  it('asks the configured root only, and drops the blanks of the password', async () => {
    const fake = await FakeCalDav.start({
      partition: true,
      login: { username: 'alice@icloud.test', password: 'abcd-efgh-ijkl-mnop' },
    });
    const bench = new CalDavBench(fake, appleFlavor(fake.url));
    open.push(fake, bench);
    const connected = await bench.connect('https://ignored.test/', ' abcd-efgh-ijkl-mnop ');
    expect(connected.serverUrl).toBeNull();
    expect(fake.requests[0]?.path).toBe('/');
    expect(connected.providerState).toMatchObject({ origin: fake.homeOrigin });
  });

  it('tells of the app-specific password when the login is refused', async () => {
    const fake = await FakeCalDav.start();
    const bench = new CalDavBench(fake, appleFlavor(fake.url));
    open.push(fake, bench);
    const rejected = await failure(bench.connect(undefined, 'main password'));
    expect(rejected.code).toBe('CredentialsRejected');
    expect(rejected.message).toContain('app-specific');
    expect(fake.requests).toHaveLength(1);
  });
});

describe('discovery refuses', () => {
  it('a wrong password, after two tries at most (servers lock accounts)', async () => {
    const { fake, bench } = await start();
    expect(await failure(bench.connect(fake.url, 'wrong'))).toEqual(REJECTED);
    expect(fake.requests.length).toBeLessThanOrEqual(2);
  });

  it('a wrong password of a server that lets anybody see its root', async () => {
    const { fake, bench } = await start({ authentication: 'none' });
    fake.switches.intercept = ({ path }) => (path === fake.homePath ? { status: 401 } : undefined);
    expect(await failure(bench.connect())).toEqual(REJECTED);
  });

  it('a principal that is forbidden', async () => {
    const { fake, bench } = await start();
    fake.switches.intercept = ({ path }) => (path === fake.principalPath ? { status: 403 } : undefined);
    expect(await failure(bench.connect())).toEqual(REJECTED);
  });

  it.each(['bearer', 'negotiate'] as const)('a server that offers only %s', async (authentication) => {
    const { bench } = await start({ authentication });
    expect(await failure(bench.connect())).toMatchObject({
      code: 'CredentialsRejected',
      message: expect.stringContaining('unsupported authentication'),
    });
  });

  it('a login with a colon, without asking', async () => {
    const fake = await FakeCalDav.start({ login: { username: 'a:b', password: 'x' } });
    const bench = new CalDavBench(fake);
    open.push(fake, bench);
    expect((await failure(bench.connect())).code).toBe('ValidationFailed');
    expect(fake.requests).toHaveLength(0);
  });

  it.each([
    ['https://calendar.google.com/', 'GOOGLE'],
    ['apidata.googleusercontent.com/caldav/v2/', 'GOOGLE'],
    ['outlook.com', 'MICROSOFT'],
    ['https://www.icloud.com/calendar/', 'APPLE'],
    ['app.fastmail.com', 'https://caldav.fastmail.com/'],
  ])('the web page %s, and says what to do', async (serverUrl, advice) => {
    const { bench } = await start();
    const rejected = await failure(bench.connect(serverUrl));
    expect(rejected.code).toBe('ValidationFailed');
    expect(rejected.message).toContain(advice);
  });

  it.each([
    'http://dav.example.com/',
    'ftp://dav.example.com/',
    'file:///etc/passwd',
    'https://user:pass@dav.example.com/',
    'https://dav.example.com/#x',
    'https://dav.example.com:22/',
    'https://localhost./',
    'https://dav.internal/',
    'https://intranet/',
  ])('N26 %s', async (serverUrl) => {
    const bench = new CalDavBench({ url: serverUrl, egressAllow: '', login: { username: 'alice', password: 'x' } });
    open.push(bench);
    expect((await failure(bench.connect())).code).toBe('ServerNotAllowed');
  });

  it('N22 every spelling of a blocked address, and connects to none', async () => {
    let connections = 0;
    const trap = createTcpServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    trap.listen(0, '0.0.0.0');
    await once(trap, 'listening');
    open.push(closing(trap));
    const egress = new GuardedEgress();
    open.push(egress);
    for (const serverUrl of blockedUrls((trap.address() as AddressInfo).port)) {
      const { code } = await failure(
        connectAccount(
          CALDAV_FLAVOR,
          { egress, nowMs: () => Date.now() },
          {
            applicationId: 'app',
            email: 'alice',
            serverUrl,
            credentials: { kind: 'password', password: 'x' },
            signal: AbortSignal.timeout(10_000),
          },
        ),
      );
      expect([serverUrl, ['ServerNotAllowed', 'ValidationFailed']]).toEqual([
        serverUrl,
        expect.arrayContaining([code]),
      ]);
    }
    expect(connections).toBe(0);
  });
});

describe('N25 redirects in discovery', () => {
  it('are not followed to a blocked address, and the address is not told', async () => {
    const trap = await FakeCalDav.start({ host: '127.0.0.9' });
    open.push(trap);
    const { bench } = await start({
      entryPaths: [],
      redirects: { '/.well-known/caldav': { status: 301, location: trap.url } },
    });
    const rejected = await failure(bench.connect());
    expect(rejected.code).toBe('ServerNotAllowed');
    expect(rejected.message).not.toContain('127.0.0.9');
    expect(trap.requests).toHaveLength(0);
  });

  it('end after five hops and in loops, and the other places are still tried', async () => {
    const { fake, bench } = await start({
      redirects: {
        '/.well-known/caldav': { status: 302, location: '/a' },
        '/a': { status: 302, location: '/.well-known/caldav' },
      },
    });
    await expect(bench.connect()).resolves.toMatchObject({ serverUrl: fake.url });
    const hops = Object.fromEntries(
      [...'abcdefgh'].map((name, index, all) => [
        `/${name}`,
        { status: 302 as const, location: `/${all[index + 1] ?? 'z'}` },
      ]),
    );
    fake.switches.redirects = { '/.well-known/caldav': { status: 302, location: '/a' }, ...hops };
    fake.requests.length = 0;
    await bench.connect();
    expect(fake.requests.filter(({ path }) => /^\/[a-z]$/.test(path))).toHaveLength(5);
  });
});

describe('N28 credentials stay with the address they were given for', () => {
  const elsewhere = async () => {
    const trap = await FakeCalDav.start({ host: '127.0.0.2', authentication: 'none' });
    trap.addCalendar('stolen');
    open.push(trap);
    return trap;
  };
  const connectBoth = async (options: FakeCalDavOptions, trap: FakeCalDav) => {
    const fake = await FakeCalDav.start(options);
    const bench = new CalDavBench(fake, CALDAV_FLAVOR, `${fake.egressAllow},${trap.egressAllow}`);
    open.push(fake, bench);
    return failure(bench.connect());
  };

  it('on a redirect to another host: refused, naming it', async () => {
    const trap = await elsewhere();
    const rejected = await connectBoth(
      { entryPaths: [], redirects: { '/.well-known/caldav': { status: 307, location: trap.url } } },
      trap,
    );
    expect(rejected.code).toBe('ServerNotAllowed');
    expect(rejected.message).toContain(new URL(trap.url).origin);
    expect(trap.requests).toHaveLength(0);
  });

  it('on a home of another host', async () => {
    const trap = await elsewhere();
    const rejected = await connectBoth({ homeSet: [`${trap.url}calendars/alice/`] }, trap);
    expect(rejected.code).toBe('ServerNotAllowed');
    expect(trap.requests).toHaveLength(0);
  });
});

describe('N27 the connect endpoint is no port scanner', () => {
  const silent = async (): Promise<Server> => {
    const server = createTcpServer((socket) => socket.on('error', () => undefined));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    open.push(closing(server));
    return server;
  };

  it('gives one answer, within 10 s, for closed, silent, TLS, 404, HTML, 5xx, garbage and DOCTYPE', async () => {
    const closed = createTcpServer();
    closed.listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const closedPort = (closed.address() as AddressInfo).port;
    closed.close();
    const tls = createTlsServer(selfSigned(['127.0.0.1']), (_request, response) => response.end('secret banner'));
    tls.listen(0, '127.0.0.1');
    await once(tls, 'listening');
    open.push(closing(tls));
    const garbage = createTcpServer((socket) => {
      socket.on('error', () => undefined).end('SSH-2.0-secret banner\r\n');
    });
    garbage.listen(0, '127.0.0.1');
    await once(garbage, 'listening');
    open.push(closing(garbage));
    const fakes = await Promise.all([
      FakeCalDav.start({ authentication: 'none', entryPaths: [] }),
      FakeCalDav.start({ authentication: 'none', entryPaths: [], elsewhere: 'html' }),
      FakeCalDav.start({ intercept: () => ({ status: 500, body: 'secret banner' }) }),
      FakeCalDav.start({ intercept: () => ({ status: 503, body: 'secret banner' }) }),
      FakeCalDav.start({ intercept: () => 'hang' }),
      FakeCalDav.start({ intercept: () => 'endless' }),
      FakeCalDav.start({ authentication: 'none', prolog: '<!DOCTYPE x [<!ENTITY a "b">]>' }),
    ]);
    open.push(...fakes);
    const port = ({ address }: { address: () => unknown }): number => (address() as AddressInfo).port;
    const silentServer = await silent();
    const urls = [
      `http://127.0.0.1:${closedPort}/`,
      `http://127.0.0.1:${port({ address: () => silentServer.address() })}/`,
      `https://127.0.0.1:${port({ address: () => tls.address() })}/`,
      `http://127.0.0.1:${port({ address: () => garbage.address() })}/`,
      ...fakes.map(({ url }) => url),
    ];
    const egress = new GuardedEgress({ allow: '127.0.0.1' });
    open.push(egress);
    const outcomes = await Promise.all(
      urls.map(async (serverUrl) => {
        const startedAt = performance.now();
        const error = await failure(
          connectAccount(
            CALDAV_FLAVOR,
            { egress, nowMs: () => Date.now() },
            {
              applicationId: 'app',
              email: 'alice',
              serverUrl,
              credentials: { kind: 'password', password: 'x' },
              signal: AbortSignal.timeout(60_000),
            },
          ),
        );
        return { serverUrl, error, isQuick: performance.now() - startedAt < 10_000 };
      }),
    );
    expect(outcomes).toEqual(urls.map((serverUrl) => ({ serverUrl, error: UNREACHABLE, isQuick: true })));
  });
});

function closing(server: { close(): unknown; closeAllConnections?(): void }): { close(): Promise<void> } {
  return {
    close: async () => {
      server.closeAllConnections?.();
      server.close();
    },
  };
}
