import { EgressError, GuardedEgress, type GuardedEgressOptions, type Resolver } from '#egress';
import { blockedUrls } from '../support/blocked-urls.js';
import { FaultServer } from '../support/fault-server.js';
import { answer, redirect, redirectChain } from '../support/faults.js';

const GET = { method: 'GET', timeoutMs: 3_000, maxBytes: 1_000 };

/** Answers from a table, one entry per call, the last one for good; a name that is not in it fails the test. */
function scripted(table: Record<string, string[][]>): Resolver & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    lookup: async (hostname) => {
      asked.push(hostname);
      const responses = table[hostname];
      if (responses === undefined) throw new Error(`unexpected question: ${hostname}`);
      return (responses.length > 1 ? responses.shift() : responses[0]) ?? [];
    },
  };
}

describe('addresses of outbound requests', () => {
  let trap: FaultServer;
  const open: GuardedEgress[] = [];

  const egress = (options: GuardedEgressOptions = {}) => {
    const made = new GuardedEgress({ resolver: scripted({}), ...options });
    open.push(made);
    return made;
  };

  /** `failure: rule` of a refusal. */
  async function refusal(work: Promise<unknown>): Promise<string> {
    const error: unknown = await work.then(
      () => 'answered',
      (reason: unknown) => reason,
    );
    if (!(error instanceof EgressError)) throw new Error(`no EgressError: ${String(error)}`);
    return `${error.failure}: ${error.rule ?? ''}`;
  }

  beforeEach(async () => {
    trap = await FaultServer.start();
    trap.route('/dav/', answer(200, 'secret'));
  });

  afterEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.close()));
    await trap.close();
  });

  it('N22 refuses more than 100 spellings of blocked hosts, over https and http, without a connection or a DNS query', async () => {
    const resolver = scripted({});
    const guarded = egress({ resolver });
    const urls = blockedUrls(trap.port).flatMap((url) => [url, url.replace('https:', 'http:')]);
    expect(urls.length).toBeGreaterThan(200);
    for (const url of urls) {
      expect(`${url} ${await refusal(guarded.request({ ...GET, url }))}`).toMatch(/ (bad-url|address-blocked): /);
      expect(`${url} ${await refusal(guarded.check(url))}`).toMatch(/ (bad-url|address-blocked): /);
    }
    expect(resolver.asked).toEqual([]);
    expect(trap.connectionCount).toBe(0);
  });

  it('the trap works: the same address answers when it is allowed', async () => {
    const { status, body } = await egress({ allow: `127.0.0.1:${trap.port}` }).request({
      ...GET,
      url: `${trap.origin}/dav/`,
    });
    expect([status, body.toString(), trap.connectionCount]).toEqual([200, 'secret', 1]);
  });

  it.each([
    ['loopback', ['127.0.0.1']],
    ['public and loopback', ['8.8.8.8', '127.0.0.1']],
    ['loopback and public', ['::1', '2a00:1450::1']],
    ['NAT64', ['64:ff9b::7f00:1']],
    ['6to4', ['2002:7f00:1::']],
    ['Teredo', ['2001:0:4136:e378:8000:63bf:80ff:fffe']],
    ['mapped', ['::ffff:127.0.0.1']],
    ['a zone', ['fe80::1%lo']],
  ])('N23 refuses a name that resolves to %s', async (_name, addresses) => {
    const guarded = egress({ resolver: scripted({ 'dav.example.com': [addresses] }) });
    const url = `https://dav.example.com:${trap.port}/dav/`;
    expect(await refusal(guarded.check(url))).toMatch(/^address-blocked: /);
    expect(await refusal(guarded.request({ ...GET, url }))).toMatch(/^address-blocked: /);
    expect(trap.connectionCount).toBe(0);
  });

  it('N24 judges the answer that is dialled, not the one that was checked', async () => {
    const resolver = scripted({ 'rebind.example.com': [['8.8.8.8'], ['127.0.0.1']] });
    const guarded = egress({ resolver });
    const url = `https://rebind.example.com:${trap.port}/dav/`;
    await guarded.check(url);
    expect(await refusal(guarded.request({ ...GET, url }))).toBe('address-blocked: address');
    expect(await refusal(guarded.request({ ...GET, url }))).toBe('address-blocked: address');
    expect(resolver.asked).toHaveLength(3);
    expect(trap.connectionCount).toBe(0);
  });

  it('N24 dials only what was judged: one question per connection', async () => {
    // A second question inside of one connection attempt would get the blocked answer.
    const resolver = scripted({ 'rebind.example.com': [['127.0.0.1'], ['127.0.0.2']] });
    const guarded = egress({ resolver, allow: `127.0.0.1:${trap.port}` });
    const { status } = await guarded.request({ ...GET, url: `http://rebind.example.com:${trap.port}/dav/` });
    expect([status, resolver.asked]).toEqual([200, ['rebind.example.com']]);
  });

  it('N24 judges each new connection, and a kept one after a minute', async () => {
    let nowMs = 0;
    const resolver = scripted({ 'rebind.example.com': [['127.0.0.1'], ['127.0.0.1'], ['127.0.0.2']] });
    const guarded = egress({
      resolver,
      allow: `127.0.0.1:${trap.port}`,
      nowMs: () => nowMs,
      limits: { connectionsPerPool: 1 },
    });
    const request = { ...GET, url: `http://rebind.example.com:${trap.port}/dav/` };
    await guarded.request(request);
    nowMs = 59_999;
    await guarded.request(request);
    expect([resolver.asked.length, trap.connectionCount]).toEqual([1, 1]);
    nowMs = 60_000;
    await guarded.request(request);
    expect([resolver.asked.length, trap.connectionCount]).toEqual([2, 2]);
    nowMs = 120_000;
    expect(await refusal(guarded.request(request))).toBe('bad-url: scheme');
    expect([resolver.asked.length, trap.connectionCount]).toEqual([3, 2]);
  });

  it.each([301, 302, 303, 307, 308] as const)(
    'N25 does not follow a %i; the next hop is judged like the first',
    async (status) => {
      const entry = await FaultServer.start();
      try {
        entry.route('/', redirect(`${trap.origin}/dav/`, status));
        const guarded = egress({ allow: `127.0.0.1:${entry.port}` });
        const hop = await guarded.request({ ...GET, url: `${entry.origin}/` });
        expect([hop.status, hop.headers['location']]).toEqual([status, `${trap.origin}/dav/`]);
        expect(await refusal(guarded.request({ ...GET, url: hop.headers['location'] ?? '' }))).toBe('bad-url: scheme');
        expect(trap.connectionCount).toBe(0);
      } finally {
        await entry.close();
      }
    },
  );

  it('N25 costs one connection attempt per hop: a chain into the trap ends where it leaves the allowed server', async () => {
    const entry = await FaultServer.start();
    try {
      for (let hop = 0; hop <= 3; hop += 1) entry.route(`/chain/${hop}`, redirectChain(`${trap.origin}/dav/`));
      const guarded = egress({ allow: `127.0.0.1:${entry.port}` });
      let url = `${entry.origin}/chain/3`;
      for (let hop = 0; hop <= 3; hop += 1) {
        const { headers } = await guarded.request({ ...GET, url });
        url = new URL(headers['location'] ?? '', url).href;
      }
      expect(await refusal(guarded.request({ ...GET, url }))).toBe('bad-url: scheme');
      expect([entry.requests.length, trap.connectionCount]).toEqual([4, 0]);
    } finally {
      await entry.close();
    }
  });

  it('N25 does not follow Refresh, Alt-Svc or Location on a 200', async () => {
    trap.route(
      '/',
      answer(200, '', { location: '/dav/', refresh: '0; url=/dav/', 'alt-svc': `h2="127.0.0.1:${trap.port}"` }),
    );
    const { status } = await egress({ allow: `127.0.0.1:${trap.port}` }).request({ ...GET, url: `${trap.origin}/` });
    expect([status, trap.requests.length]).toEqual([200, 1]);
  });

  it('N31 opens no unix socket and lets no header choose another host', async () => {
    const guarded = egress({ allow: `127.0.0.1:${trap.port}` });
    for (const url of ['unix:/var/run/docker.sock', 'http+unix://%2ftmp%2fs/']) {
      expect(await refusal(guarded.request({ ...GET, url }))).toMatch(/^bad-url: /);
    }
    for (const name of [
      'Host',
      'connection',
      'Transfer-Encoding',
      'content-length',
      'Upgrade',
      'expect',
      'Proxy-Connection',
    ]) {
      const headers = { [name]: 'internal' };
      expect(await refusal(guarded.request({ ...GET, url: `${trap.origin}/dav/`, headers }))).toBe(
        `bad-url: header ${name.toLowerCase()}`,
      );
    }
    expect(trap.connectionCount).toBe(0);
  });

  it('tells a name without addresses and a failing resolver as dns, and gives up waiting for a hanging one', async () => {
    const never: Resolver = { lookup: () => new Promise(() => undefined) };
    const url = 'https://dav.example.com/';
    expect(await refusal(egress({ resolver: scripted({ 'dav.example.com': [[]] }) }).request({ ...GET, url }))).toBe(
      'dns: no-address',
    );
    expect(await refusal(egress().request({ ...GET, url }))).toBe('dns: ');
    const limits = { connectMs: 50 };
    expect(await refusal(egress({ resolver: never, limits }).request({ ...GET, url }))).toBe('timeout: ');
    expect(await refusal(egress({ resolver: never, limits }).check(url))).toBe('timeout: ');
  });

  it('keeps credentials, query and body out of errors', async () => {
    const error: unknown = await egress({ resolver: scripted({ 'dav.example.com': [['127.0.0.1']] }) })
      .request({
        ...GET,
        method: 'PUT',
        url: 'https://dav.example.com/path-secret?token=query-secret',
        headers: { authorization: 'Basic header-secret' },
        body: 'body-secret',
      })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(EgressError);
    const { message, stack, cause } = error as EgressError;
    const text = JSON.stringify({ ...(error as object), message, stack, cause: String(cause) });
    expect(text).not.toMatch(/secret|dav\.example\.com/);
  });
});
