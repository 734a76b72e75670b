import type { AccountSession, CalendarProvider } from '#domain/providers';
import { CountedPermits, MemoryPrivateProperties, MemorySnapshots, UnlimitedRate } from '#domain/testing/memory-stores';
import { Egress, EgressError, type EgressFailure, type OutboundRequest, type OutboundStream } from '#egress';
import { CALDAV_FLAVOR } from './flavor.js';
import { createCalDavProvider } from './index.js';
import { Servers } from './servers.js';

/** Answers everything with a status, or not at all. */
class OneResponse extends Egress {
  readonly urls: string[] = [];
  answer: number | EgressFailure = 207;
  headers: Record<string, string> = {};

  override async stream({ url }: OutboundRequest): Promise<OutboundStream> {
    this.urls.push(url);
    if (typeof this.answer === 'string') throw new EgressError(this.answer);
    const chunks = (async function* () {
      yield Buffer.from('<d:multistatus xmlns:d="DAV:"/>');
    })();
    return { status: this.answer, headers: this.headers, chunks };
  }

  override request(): never {
    throw new Error('CalDAV streams');
  }

  override check = () => Promise.resolve();
  override close = () => Promise.resolve();
}

interface Bench {
  egress: OneResponse;
  clock: { nowMs: number };
  provider: CalendarProvider;
  /** What the smallest question ends with: `ok`, or the error. */
  ask(changes?: Partial<AccountSession>, origin?: string): Promise<unknown>;
  /** So many questions, with time in between. @returns how many requests they made */
  askOften(times: number, everyMs: number): Promise<number>;
}

function bench(): Bench {
  const egress = new OneResponse();
  const clock = { nowMs: 50_000 };
  const nowMs = () => Date.UTC(2026, 10, 23) + clock.nowMs;
  const options = {
    egress,
    nowMs,
    budget: new UnlimitedRate(),
    slots: new CountedPermits(),
    requestsPerMinute: 240,
    privateProperties: new MemoryPrivateProperties(),
    snapshots: new MemorySnapshots(),
    unreadable: { report: () => undefined },
  };
  const servers = new Servers({ monotonicMs: () => clock.nowMs, pause: async () => undefined });
  const provider = createCalDavProvider(options, CALDAV_FLAVOR, servers);
  const ask: Bench['ask'] = (changes = {}, origin = 'https://dav.example.com') => {
    const providerState = {
      version: 1,
      origin,
      principalHref: '/principal/',
      homeHrefs: ['/home/'],
      collectionHref: null,
      addresses: [],
      addressUris: [],
      dav: [],
      discoveredAt: new Date(nowMs()).toISOString(),
    };
    const session: AccountSession = {
      applicationId: 'app',
      accountId: 'account',
      email: 'mara',
      serverUrl: `${origin}/`,
      credentials: { kind: 'password', password: 'secret' },
      providerState,
      signal: new AbortController().signal,
      saveProviderState: async () => undefined,
      ...changes,
    };
    return provider.verify(session).then(
      () => 'ok',
      (error: unknown) => error,
    );
  };
  const askOften: Bench['askOften'] = async (times, everyMs) => {
    const before = egress.urls.length;
    for (let count = 0; count < times; count += 1) {
      await ask();
      clock.nowMs += everyMs;
    }
    return egress.urls.length - before;
  };
  return { egress, clock, provider, ask, askOften };
}

const down = expect.objectContaining({
  code: 'ProviderUnavailable',
  message: 'The calendar server cannot be reached at the moment.',
  retryAfterSeconds: expect.any(Number),
});

describe('F27 a CalDAV server that is down', () => {
  it.each<EgressFailure | number>(['connect', 'reset', 'timeout', 'dns', 502, 503, 504, 521])(
    'is left alone after nothing but %s, and asked by one at a time whether it is back',
    async (response) => {
      const { egress, clock, ask, askOften } = bench();
      egress.answer = response;
      // Longer than anybody waits inside of a call.
      egress.headers = { 'retry-after': '120' };
      await askOften(11, 1_000);
      const asked = egress.urls.length;
      expect(await ask()).toEqual(down);
      expect(egress.urls).toHaveLength(asked);

      clock.nowMs += 10_000;
      egress.answer = 207;
      expect(await Promise.all([ask(), ask()])).toEqual(['ok', down]);
      expect(await ask()).toBe('ok');
      expect(egress.urls).toHaveLength(asked + 2);
    },
  );

  it('keeps nobody from another server, nor the accounts of another application from the same one', async () => {
    const { egress, ask, askOften } = bench();
    egress.answer = 'connect';
    await askOften(11, 1_000);
    egress.answer = 207;
    expect(await ask()).toEqual(down);
    expect(await ask({ accountId: 'of the same application' })).toEqual(down);
    expect(await ask({}, 'https://other.example.com')).toBe('ok');
    expect(await ask({ applicationId: 'other' })).toBe('ok');
  });

  it.each([429, 401, 403, 404, 500, 507])('is not one that answers %d', async (response) => {
    const { egress, ask, askOften } = bench();
    egress.answer = response;
    egress.headers = { 'retry-after': '120', 'www-authenticate': 'Basic' };
    await askOften(30, 1_000);
    egress.answer = 207;
    expect(await ask()).toBe('ok');
  });

  it('F25 is sent a tenth of the requests again, and not all of them', async () => {
    const { egress, askOften } = bench();
    egress.answer = 'reset';
    // Within the time that no breaker opens in.
    const requests = await askOften(200, 1);
    expect(requests).toBeGreaterThanOrEqual(210);
    expect(requests).toBeLessThanOrEqual(231);
  });

  it.each<EgressFailure | number>(['reset', 502, 503, 504, 521])(
    'gets every read a second time while few of them end with %s',
    async (response) => {
      const { egress, askOften } = bench();
      egress.answer = response;
      expect(await askOften(5, 1)).toBe(10);
    },
  );
});
