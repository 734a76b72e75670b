import type { Egress, OutboundRequest } from '#egress';
import { serverPolicy } from '../servers.js';
import { DavTransport, Semaphore, type DavRequest, type DavTransportOptions } from './dav-transport.js';
import { Authenticator } from './http-authentication.js';

interface Reply {
  status: number;
  headers?: Record<string, string>;
}

const HOME = 'https://dav.example.com/home/';

describe('DavTransport', () => {
  const { signal } = new AbortController();

  /** Responds by `reply`; what was sent is kept in order. */
  function transport(
    reply: (request: OutboundRequest, count: number) => Reply,
    options?: Partial<DavTransportOptions>,
  ) {
    const sent: OutboundRequest[] = [];
    const egress = {
      stream: (request: OutboundRequest) => {
        sent.push(request);
        const { status, headers = {} } = reply(request, sent.length);
        return Promise.resolve({ status, headers, chunks: chunksOf('') });
      },
    } as unknown as Egress;
    const policy = serverPolicy({ maxTries: 2, pause: () => Promise.resolve() });
    const client = new DavTransport({
      egress,
      authenticator: new Authenticator('user', 'secret'),
      trust: () => undefined,
      mayFollow: () => Promise.resolve(false),
      admit: (attempt) => attempt(),
      policyOf: () => policy,
      semaphore: new Semaphore(2),
      poolKey: 'account',
      signal,
      nowMs: () => 0,
      timeoutMs: () => 5_000,
      ...options,
    });
    const exchange = (request: Partial<DavRequest> = {}) =>
      client.exchange({ method: 'PROPFIND', url: new URL(HOME), maxBytes: 1_000, ...request }, (arrival) =>
        Promise.resolve({ status: arrival.status, url: arrival.url.href }),
      );
    return { exchange, sent };
  }

  it('passes the response with the address that gave it', async () => {
    const { exchange, sent } = transport(() => ({ status: 207 }));
    await expect(exchange()).resolves.toEqual({ status: 207, url: HOME });
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ method: 'PROPFIND', url: HOME, poolKey: 'account', timeoutMs: 5_000 });
  });

  it.each([
    [207, 1],
    [401, 0],
    [404, 0],
  ])('says of a %i that the server accepted the credentials: %i', async (status, times) => {
    let accepted = 0;
    await transport(() => ({ status }), { onAccepted: () => (accepted += 1) }).exchange();
    expect(accepted).toBe(times);
  });

  it.each([301, 302, 303, 307, 308])('follows a %i of the same origin with the same method', async (status) => {
    const { exchange, sent } = transport((_request, count) =>
      count === 1 ? { status, headers: { location: '/dav/home/#part' } } : { status: 207 },
    );
    await expect(exchange()).resolves.toEqual({ status: 207, url: 'https://dav.example.com/dav/home/' });
    expect(sent.map(({ method }) => method)).toEqual(['PROPFIND', 'PROPFIND']);
  });

  it('follows five redirects and no sixth', async () => {
    const after = (redirects: number) =>
      transport((_request, count) =>
        count <= redirects ? { status: 307, headers: { location: `/${count}/` } } : { status: 207 },
      );
    await expect(after(5).exchange()).resolves.toMatchObject({ status: 207 });
    const endless = after(6);
    await expect(endless.exchange()).rejects.toMatchObject({ message: 'The calendar server redirects without end.' });
    expect(endless.sent).toHaveLength(6);
  });

  it('ends a redirect to an address that was there already', async () => {
    const { exchange, sent } = transport(() => ({ status: 301, headers: { location: HOME } }));
    await expect(exchange()).rejects.toMatchObject({ message: 'The calendar server redirects without end.' });
    expect(sent).toHaveLength(1);
  });

  it('sends credentials to another origin only when that is allowed', async () => {
    const elsewhere = (_request: OutboundRequest, count: number) =>
      count === 1 ? { status: 307, headers: { location: 'https://other.example.com/' } } : { status: 207 };
    const rejected = transport(elsewhere);
    await expect(rejected.exchange()).resolves.toEqual({ status: 307, url: HOME });
    expect(rejected.sent).toHaveLength(1);
    const allowed = transport(elsewhere, { mayFollow: () => Promise.resolve(true) });
    await expect(allowed.exchange()).resolves.toEqual({ status: 207, url: 'https://other.example.com/' });
  });

  it('does not repeat a write at another place after 301, 302 and 303', async () => {
    for (const [status, location] of [
      [303, '/elsewhere/'],
      [301, 'https://other.example.com/'],
      [302, 'https://other.example.com/'],
    ] as const) {
      const { exchange, sent } = transport(() => ({ status, headers: { location } }), {
        mayFollow: () => Promise.resolve(true),
      });
      await expect(exchange({ method: 'PUT', body: 'x' })).resolves.toMatchObject({ status });
      expect(sent).toHaveLength(1);
    }
  });

  it('answers a Digest challenge once, and reports the second 401', async () => {
    const headers = { 'www-authenticate': 'Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256' };
    const { exchange, sent } = transport(() => ({ status: 401, headers }));
    await expect(exchange()).resolves.toMatchObject({ status: 401 });
    expect(sent.map(({ headers: { authorization = '' } = {} }) => authorization.split(' ')[0])).toEqual([
      'Basic',
      'Digest',
    ]);
  });

  it('rejects the credentials when the server offers no known authentication', async () => {
    const { exchange } = transport(() => ({ status: 401, headers: { 'www-authenticate': 'Negotiate' } }));
    await expect(exchange()).rejects.toMatchObject({ code: 'CredentialsRejected' });
  });

  it('repeats a read after 503 and reports what remains; a write fails at once', async () => {
    const busy = () => ({ status: 503, headers: { 'retry-after': '0' } });
    const reads = transport(busy);
    await expect(reads.exchange()).rejects.toMatchObject({ code: expect.any(String) as unknown });
    expect(reads.sent).toHaveLength(2);
    const writes = transport(busy);
    await expect(writes.exchange({ method: 'PUT', body: 'x' })).rejects.toThrow();
    expect(writes.sent).toHaveLength(1);
  });
});

async function* chunksOf(text: string): AsyncGenerator<Buffer> {
  await Promise.resolve();
  yield Buffer.from(text);
}
