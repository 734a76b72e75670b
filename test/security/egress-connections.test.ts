import { createServer } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { EgressError, GuardedEgress, type EgressLimits, type Resolver } from '#egress';
import { AddressPolicy } from '../../libs/egress/src/address-policy.js';
import { guardedConnector } from '../../libs/egress/src/guarded-connector.js';
import { selfSigned } from '../support/certificate.js';
import { FaultServer } from '../support/fault-server.js';
import { answer, silence } from '../support/faults.js';
import { TickCounter, work } from '#platform/testing/tick-counter';

const GET = { method: 'GET', timeoutMs: 3_000, maxBytes: 1_000 };
const loopback: Resolver = { lookup: async () => ['127.0.0.1'] };

async function failure(asked: Promise<unknown>): Promise<string> {
  const error: unknown = await asked.then(
    () => 'answered',
    (reason: unknown) => reason,
  );
  if (!(error instanceof EgressError)) throw new Error(`no EgressError: ${String(error)}`);
  return error.failure;
}

describe('connections of outbound requests', () => {
  const open: { close(): Promise<void> }[] = [];

  async function serve(...options: Parameters<typeof FaultServer.start>): Promise<FaultServer> {
    const server = await FaultServer.start(...options);
    open.push(server);
    return server.route('/', answer(200, 'ok'));
  }

  function egressTo(servers: FaultServer[], limits: Partial<EgressLimits> = {}): GuardedEgress {
    const allow = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const egress = new GuardedEgress({ allow, limits, resolver: loopback });
    open.unshift(egress);
    return egress;
  }

  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });

  it('keeps a connection for the next request of the same account, and never lends it to another', async () => {
    const server = await serve();
    const egress = egressTo([server], { connectionsPerPool: 1 });
    for (const poolKey of ['a', 'a', 'b', 'a', 'b'])
      await egress.request({ ...GET, url: `${server.origin}/`, poolKey });
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1, 2, 1, 2]);
  });

  it.each(['REPORT', 'PROPFIND', 'MKCALENDAR', 'PUT', 'POST', 'DELETE'])(
    'keeps a connection after a %s with a body',
    async (method) => {
      const server = await serve();
      const egress = egressTo([server], { connectionsPerPool: 1 });
      for (let turn = 0; turn < 3; turn += 1)
        await egress.request({ ...GET, method, url: `${server.origin}/`, body: '<query/>' });
      expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1, 1]);
    },
  );

  it('opens a bounded number of connections to one origin for one account', async () => {
    const server = await serve();
    const egress = egressTo([server], { connectionsPerPool: 3 });
    const urls = Array.from({ length: 30 }, (_, index) => `${server.origin}/?${index}`);
    await Promise.all(urls.map((url) => egress.request({ ...GET, url })));
    expect([server.requests.length, server.connectionCount]).toEqual([30, 3]);
  });

  it('hands on large answers that come together one by one, each in a turn of the event loop of its own', async () => {
    const server = await serve();
    const waiting: (() => void)[] = [];
    server.route('/large', (_request, response) => {
      waiting.push(() => response.end(Buffer.alloc(100_000)));
      if (waiting.length === 4) for (const respond of waiting) respond();
    });
    const egress = egressTo([server]);
    const turns = new TickCounter();
    const handedOnIn = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const { body } = await egress.request({ ...GET, maxBytes: 100_000, url: `${server.origin}/large` });
        return { turn: turns.count, bytes: body.length };
      }),
    );
    turns.stop();
    expect(handedOnIn.map(({ bytes }) => bytes)).toEqual(Array(4).fill(100_000));
    expect(new Set(handedOnIn.map((one) => one.turn)).size).toBe(4);
  });

  it('F39 hands on answers that come together each in a turn of the event loop of its own, when there is much to do', async () => {
    const server = await serve();
    const waiting: (() => void)[] = [];
    server.route('/', (_request, response) => {
      waiting.push(() => response.end('all'));
      if (waiting.length === 4) for (const respond of waiting) respond();
    });
    const egress = egressTo([server]);
    const turns = new TickCounter();
    const handedOnIn = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const { body } = await egress.request({ ...GET, url: `${server.origin}/` });
        const { count } = turns;
        work(3);
        return { count, body: body.toString() };
      }),
    );
    turns.stop();
    expect(handedOnIn.map(({ body }) => body)).toEqual(Array(4).fill('all'));
    expect(new Set(handedOnIn.map(({ count }) => count)).size).toBe(4);
  });

  it('keeps a bounded number of pools: the least recently used one is closed, its running request ends well', async () => {
    const server = await serve();
    server.route('/slow', (_request, response) => setTimeout(() => response.end('late'), 200));
    const egress = egressTo([server], { pools: 2 });
    const ask = (poolKey: string, path = '/') => egress.request({ ...GET, url: server.origin + path, poolKey });
    const slow = ask('a', '/slow');
    for (const poolKey of ['b', 'c', 'd', 'c', 'd', 'c']) await ask(poolKey);
    expect(egress.poolCount).toBe(2);
    expect((await slow).body.toString()).toBe('late');
  });

  it('refuses the certificate of a stranger as tls, before a request is sent', async () => {
    const server = await serve({ tls: selfSigned(['dav.example.com', '127.0.0.1']) });
    const egress = egressTo([server]);
    expect(await failure(egress.request({ ...GET, url: `https://dav.example.com:${server.port}/` }))).toBe('tls');
    expect(await failure(egress.request({ ...GET, url: `https://127.0.0.1:${server.port}/` }))).toBe('tls');
    expect([server.connectionCount, server.requests.length]).toEqual([2, 0]);
  });

  describe('with an authority of the process', () => {
    const authorities = getCACertificates('default');
    const tls = selfSigned(['dav.example.com', '127.0.0.1']);

    // What NODE_EXTRA_CA_CERTS does at start.
    beforeAll(() => setDefaultCACertificates([...authorities, tls.cert]));
    afterAll(() => setDefaultCACertificates(authorities));

    it('verifies the name of the URL, not the address dialled', async () => {
      const server = await serve({ tls });
      const egress = egressTo([server]);
      const { status } = await egress.request({ ...GET, url: `https://dav.example.com:${server.port}/` });
      expect(status).toBe(200);
      expect(server.requests[0]?.headers.host).toBe(`dav.example.com:${server.port}`);
      expect(await failure(egress.request({ ...GET, url: `https://other.example.com:${server.port}/` }))).toBe('tls');
    });

    it('verifies an address against the addresses of the certificate', async () => {
      const server = await serve({ tls });
      const { status } = await egressTo([server]).request({ ...GET, url: `https://127.0.0.1:${server.port}/` });
      expect(status).toBe(200);
    });

    it('N32 speaks to the canonical name: no trailing dot in SNI, Host or verification', async () => {
      const server = await serve({ tls });
      await egressTo([server]).request({ ...GET, url: `https://DAV.example.com.:${server.port}/` });
      expect(server.requests[0]?.headers.host).toBe(`dav.example.com:${server.port}`);
    });

    it('refuses TLS 1.1', async () => {
      const old = { ...tls, maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'ALL@SECLEVEL=0' } as const;
      const server = await serve({ tls: old });
      expect(
        await failure(egressTo([server]).request({ ...GET, url: `https://dav.example.com:${server.port}/` })),
      ).toBe('tls');
    });
  });

  it('tells a server that does not speak TLS as tls', async () => {
    const server = await serve();
    expect(await failure(egressTo([server]).request({ ...GET, url: `https://dav.example.com:${server.port}/` }))).toBe(
      'tls',
    );
  });

  it('limits the handshake with a server that is silent', async () => {
    const mute = createServer((socket) => socket.on('error', () => undefined).resume());
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const { port } = mute.address() as { port: number };
    const egress = new GuardedEgress({ allow: `127.0.0.1:${port}`, resolver: loopback, limits: { tlsMs: 100 } });
    const started = performance.now();
    expect(await failure(egress.request({ ...GET, url: `https://dav.example.com:${port}/` }))).toBe('timeout');
    expect(performance.now() - started).toBeLessThan(1_500);
    await egress.close();
    await new Promise<void>((resolve) => mute.close(() => resolve()));
  });

  it('N24 sends nothing when another address was reached than was judged', async () => {
    // A host that node:net takes for an address and we do not: `lookup` is never asked, the judged address not dialled.
    const server = await serve();
    const policy = new AddressPolicy({ allow: `127.0.0.2:${server.port}`, trustedOrigins: [] });
    const target = { ...policy.checkUrl(`http://dav.example.com:${server.port}/`), hostname: '127.0.0.1' };
    const connector = guardedConnector(target, {
      policy,
      resolver: { lookup: async () => ['127.0.0.2'] },
      limits: { connectMs: 1_000, tlsMs: 1_000 },
      signal: new AbortController().signal,
    });
    const options = { hostname: '', protocol: 'http:', port: '' };
    const error = await new Promise((resolve) => connector(options, (...[reason]) => resolve(reason)));
    expect(error).toMatchObject({ failure: 'address-blocked', rule: 'remote-address' });
    expect(server.requests).toEqual([]);
  });

  it('close() ends what is under way at once and lets nothing start', async () => {
    const server = await serve();
    server.route('/silence', silence());
    const egress = egressTo([server]);
    const running = failure(egress.request({ ...GET, url: `${server.origin}/silence` }));
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await egress.close();
    expect(await running).toBe('aborted');
    expect(await failure(egress.request({ ...GET, url: `${server.origin}/` }))).toBe('aborted');
    expect(server.requests).toHaveLength(1);
  });

  it('sends method, path, query, headers and body as given', async () => {
    const server = await serve();
    let body = '';
    server.route('/a%20b/', (request, response) => {
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => response.end());
    });
    await egressTo([server]).request({
      ...GET,
      method: 'PROPFIND',
      url: `${server.origin}/a%20b/?x=%2F`,
      headers: { Depth: '1', Authorization: 'Basic eA==', 'User-Agent': 'mine/1' },
      body: '<é/>',
    });
    const [seen] = server.requests;
    expect([seen?.method, seen?.url, body]).toEqual(['PROPFIND', '/a%20b/?x=%2F', '<é/>']);
    expect(seen?.headers).toMatchObject({
      depth: '1',
      authorization: 'Basic eA==',
      'user-agent': 'mine/1',
      'content-length': '5',
    });
  });
});
