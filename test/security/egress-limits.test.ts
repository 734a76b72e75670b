import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { EgressError, GuardedEgress, type EgressLimits, type OutboundRequest } from '#egress';
import { FaultServer, type Fault } from '../support/fault-server.js';
import * as faults from '../support/faults.js';

const MIB = 1024 * 1024;

describe('limits of outbound requests', () => {
  let server: FaultServer;
  const open: GuardedEgress[] = [];

  const egress = (limits: Partial<EgressLimits> = {}) => {
    const made = new GuardedEgress({ allow: `127.0.0.1:${server.port}`, limits });
    open.push(made);
    return made;
  };

  const to = (path: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
    method: 'GET',
    url: `${server.origin}${path}`,
    timeoutMs: 5_000,
    maxBytes: 10 * MIB,
    ...more,
  });

  /** `failure: rule` and how long it took. */
  async function failing(work: Promise<unknown>): Promise<{ failure: string; ms: number; error: EgressError }> {
    const started = performance.now();
    const error: unknown = await work.then(
      () => 'answered',
      (reason: unknown) => reason,
    );
    if (!(error instanceof EgressError)) throw new Error(`no EgressError: ${String(error)}`);
    return { failure: [error.failure, error.rule].filter(Boolean).join(': '), ms: performance.now() - started, error };
  }

  /** Largest growth of resident memory while `work` runs, bytes. */
  async function growth(work: () => Promise<unknown>): Promise<number> {
    const before = process.memoryUsage.rss();
    let peak = before;
    const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
    await work();
    clearInterval(timer);
    return Math.max(peak, process.memoryUsage.rss()) - before;
  }

  async function eventually(claim: () => boolean): Promise<void> {
    const until = performance.now() + 2_000;
    while (!claim() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(claim()).toBe(true);
  }

  beforeEach(async () => {
    server = await FaultServer.start();
  });

  afterEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.close()));
    await server.close();
  });

  it('N29 cuts a gzip bomb of 10 MiB to 10 GiB by its ratio, in bounded memory', async () => {
    server.route('/bomb', faults.gzipBomb(10_240));
    const guarded = egress();
    await failing(guarded.request(to('/bomb'))); // code and zlib are loaded now
    let seen = { failure: '', ms: 0 };
    const grown = await growth(async () => {
      seen = await failing(guarded.request(to('/bomb', { maxBytes: 1024 * MIB })));
    });
    expect(seen.failure).toBe('too-large: ratio');
    expect(seen.ms).toBeLessThan(2_000);
    expect(grown).toBeLessThan(50 * MIB);
    await eventually(() => server.openConnections === 0);
  });

  it('N29 cuts it by its size alone at a host that the operator configured', async () => {
    server.route('/bomb', faults.gzipBomb(100));
    const request = to('/bomb', { maxBytes: 20 * MIB, trust: 'configured' });
    expect((await failing(egress().request(request))).failure).toBe('too-large: size');
  });

  it('N29 cuts a compressed body at its decompressed size', async () => {
    server.route('/', faults.answer(200, gzipSync(Buffer.alloc(60_000)), { 'content-encoding': 'gzip' }));
    const { failure } = await failing(egress().request(to('/', { maxBytes: 50_000 })));
    expect(failure).toBe('too-large: size');
  });

  it('N29 cuts an endless body at its size, in bounded memory', async () => {
    server.route('/endless', faults.endlessBody());
    const guarded = egress();
    await failing(guarded.request(to('/endless')));
    const grown = await growth(async () => {
      expect((await failing(guarded.request(to('/endless')))).failure).toBe('too-large: size');
    });
    expect(grown).toBeLessThan(50 * MIB);
    await eventually(() => server.openConnections === 0);
  });

  it('N29 refuses an announced length before reading', async () => {
    server.route('/', faults.wrongContentLength(11 * MIB, 'x'));
    expect((await failing(egress().request(to('/')))).failure).toBe('too-large: content-length');
  });

  it.each([
    ['body', faults.drip(20)],
    ['headers', faults.dripHeaders(20)],
  ])('N29 cuts %s that come a byte at a time at the wall clock', async (_part, fault) => {
    server.route('/drip', fault);
    const { failure, ms } = await failing(egress().request(to('/drip', { timeoutMs: 300 })));
    expect(failure).toBe('timeout');
    expect(ms).toBeGreaterThanOrEqual(200);
    expect(ms).toBeLessThan(2_000);
    await eventually(() => server.openConnections === 0);
  });

  it('limits the wait for the first byte, by default and by request', async () => {
    server.route('/silence', faults.silence());
    const byDefault = await failing(egress({ firstByteMs: 200 }).request(to('/silence')));
    expect([byDefault.failure, byDefault.ms < 1_500]).toEqual(['timeout', true]);
    const byRequest = await failing(egress().request(to('/silence', { firstByteMs: 200 })));
    expect([byRequest.failure, byRequest.ms < 1_500]).toEqual(['timeout', true]);
  });

  it('counts waiting for a free connection into the wall clock', async () => {
    server.route('/silence', faults.silence());
    const guarded = egress({ connectionsPerPool: 1 });
    const first = failing(guarded.request(to('/silence', { timeoutMs: 600 })));
    const second = await failing(guarded.request(to('/silence', { timeoutMs: 200 })));
    expect([second.failure, second.ms < 550]).toEqual(['timeout', true]);
    expect((await first).failure).toBe('timeout');
  });

  it("ends at the caller's signal: before, while waiting, inside of the body", async () => {
    server.route('/silence', faults.silence()).route('/endless', faults.endlessBody());
    const guarded = egress();
    expect((await failing(guarded.request(to('/silence', { signal: AbortSignal.abort() })))).failure).toBe('aborted');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(server.connectionCount).toBe(0);
    expect((await failing(guarded.request(to('/silence', { signal: AbortSignal.timeout(50) })))).failure).toBe(
      'aborted',
    );
    const aborting = new AbortController();
    const { chunks } = await guarded.stream(to('/endless', { signal: aborting.signal, maxBytes: 1024 * MIB }));
    const reading = (async () => {
      for await (const _chunk of chunks) aborting.abort();
    })();
    expect((await failing(reading)).failure).toBe('aborted');
    await eventually(() => server.openConnections === 0);
  });

  it('streams piece by piece and closes the connection when the reader stops', async () => {
    server.route('/endless', faults.endlessBody());
    const { status, chunks } = await egress().stream(to('/endless', { maxBytes: 1024 * MIB }));
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > MIB) break;
    }
    expect(status).toBe(200);
    await eventually(() => server.openConnections === 0);
  });

  it('closes the connection of a stream that nobody reads at its deadline', async () => {
    server.route('/endless', faults.endlessBody());
    const { chunks } = await egress().stream(to('/endless', { timeoutMs: 200 }));
    await eventually(() => server.openConnections === 0);
    const late = await failing(
      (async () => {
        for await (const _chunk of chunks);
      })(),
    );
    expect(late.failure).toBe('timeout');
  });

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['identity', Buffer.from],
  ] as [string, (text: Buffer) => Buffer][])('decodes %s', async (coding, encode) => {
    const text = 'Besprechung äöü '.repeat(5_000);
    server.route('/', faults.answer(200, encode(Buffer.from(text)), { 'content-encoding': coding }));
    const { body, headers } = await egress().request(to('/'));
    expect(body.toString()).toBe(text);
    if (coding !== 'identity') expect(headers).not.toHaveProperty('content-encoding');
    expect(server.requests[0]?.headers['accept-encoding']).toBe('gzip, deflate, br');
  });

  it('takes an empty body as empty, whatever its coding says', async () => {
    const gzip = { 'content-encoding': 'gzip' };
    server.route('/', faults.answer(201, '', gzip), faults.answer(204, '', gzip), faults.answer(304, '', gzip));
    const guarded = egress();
    for (const status of [201, 204, 304]) {
      const response = await guarded.request(to('/', { method: status === 201 ? 'PUT' : 'GET' }));
      expect([response.status, response.body.length]).toEqual([status, 0]);
    }
  });

  it('does not take the length of a HEAD answer for a body', async () => {
    server.route('/', faults.answer(200, '', { 'content-length': String(20 * MIB), 'content-encoding': 'gzip' }));
    const { status, body } = await egress().request(to('/', { method: 'HEAD' }));
    expect([status, body.length]).toEqual([200, 0]);
  });

  it.each<[string, Fault, string]>([
    [
      'a cut gzip body',
      faults.answer(200, gzipSync('x'.repeat(9_999)).subarray(0, 20), { 'content-encoding': 'gzip' }),
      'invalid-response',
    ],
    ['a body that is not gzip', faults.answer(200, 'plain', { 'content-encoding': 'gzip' }), 'invalid-response'],
    ['a body that is not brotli', faults.answer(200, 'plain text', { 'content-encoding': 'br' }), 'invalid-response'],
    [
      'stacked codings',
      faults.answer(200, gzipSync(gzipSync('x')), { 'content-encoding': 'gzip, gzip' }),
      'invalid-response: content-encoding',
    ],
    [
      'a coding nobody asked for',
      faults.answer(200, 'x', { 'content-encoding': 'constructor' }),
      'invalid-response: content-encoding',
    ],
    ['a body shorter than its length', faults.wrongContentLength(100, 'short'), 'reset'],
    ['something else than HTTP', faults.raw('SSH-2.0-OpenSSH_9.9\r\n'), 'invalid-response'],
    ['RST before the answer', faults.reset('before-response'), 'reset'],
    ['RST inside of the body', faults.reset('in-body'), 'reset'],
    ['33 KiB of headers', faults.hugeHeaders(33 * 1024), 'too-large'],
  ])('fails on %s', async (_name, fault, failure) => {
    server.route('/', fault);
    expect((await failing(egress().request(to('/')))).failure).toBe(failure);
  });

  it('accepts 31 KiB of headers, and joins repeated ones', async () => {
    server.route('/big', faults.hugeHeaders(31 * 1024));
    server.route(
      '/',
      faults.raw('HTTP/1.1 200 OK\r\nDAV: 1, 2\r\nDav: calendar-access\r\n__proto__: x\r\ncontent-length: 0\r\n\r\n'),
    );
    const guarded = egress();
    expect((await guarded.request(to('/big'))).headers['x-huge']).toHaveLength(31 * 1024);
    const { headers } = await guarded.request(to('/'));
    expect(headers['dav']).toBe('1, 2, calendar-access');
    expect(Object.hasOwn(headers, '__proto__')).toBe(true);
  });

  it('keeps what the server said out of errors', async () => {
    server.route('/', faults.raw('HTTP/1.1 200 OK\r\nbad header banner-secret\r\n\r\n'));
    const { error } = await failing(egress().request(to('/?token=query-secret')));
    expect(JSON.stringify({ ...error, message: error.message, stack: error.stack })).not.toMatch(/secret|127\.0\.0\.1/);
    expect(JSON.stringify({ ...(error.cause as object), text: String(error.cause) })).not.toMatch(/secret/);
  });

  it('tells a refused connection as connect', async () => {
    const request = to('/');
    const guarded = egress();
    await server.close();
    const { failure } = await failing(guarded.request(request));
    server = await FaultServer.start();
    expect(failure).toBe('connect');
  });
});
