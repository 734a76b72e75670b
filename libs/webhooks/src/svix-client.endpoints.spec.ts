import type { Svix } from 'svix';
import { SigningSecret } from './endpoint-secrets.js';
import { SvixErrorBody, DisabledAtSvix, SvixEndpoints } from './svix-client.js';
import type { TransportEndpoint } from './transport.js';

const IDENTITY = { webhookSubscriptionId: null, endUserAccountId: null, calendarId: null };
const ENDPOINT: TransportEndpoint = {
  id: 'endpoint-1',
  applicationId: 'app',
  url: 'https://receiver.example/hooks',
  rateLimit: 10,
  secrets: { active: SigningSecret.generate(), retiring: [] },
};

/** Remembers each call, and holds endpoints as Svix does. */
function svixServer() {
  const calls: string[] = [];
  const held = new Map<string, { url: string; throttleRate: number | null; channels: string[]; disabled: boolean }>();
  const endpoint = {
    async get(_: string, id: string) {
      calls.push('get');
      if (!held.has(id)) throw new SvixErrorBody(404, '', null);
      return held.get(id);
    },
    async create(_: string, { uid, url, throttleRate, channels }: never) {
      calls.push('create');
      held.set(uid, { url, throttleRate, channels, disabled: false });
    },
    async patch(_: string, id: string, change: object) {
      calls.push('patch');
      held.set(id, { ...held.get(id)!, ...change });
    },
    setHeaders: async () => void calls.push('setHeaders'),
    getSecret: async () => ({ key: ENDPOINT.secrets.active.reveal() }),
    rotateSecret: async () => void calls.push('rotateSecret'),
  };
  const application = { getOrCreate: async () => void calls.push('getOrCreate') };
  const svix = { endpoint, application } as unknown as Svix;
  const endpoints = new SvixEndpoints(() => Date.UTC(2026, 10, 24));
  /** What one message asks of Svix before it is sent. */
  const ensure = async (given = ENDPOINT) => {
    calls.length = 0;
    await endpoints.ensure(svix, given, IDENTITY);
    return [...calls];
  };
  return { ensure, held, endpoints };
}

describe('SvixEndpoints', () => {
  it('create an endpoint before its first message, and ask nothing before the next ones', async () => {
    const { ensure } = svixServer();
    expect(await ensure()).toEqual(['getOrCreate', 'get', 'create', 'setHeaders']);
    expect(await ensure()).toEqual([]);
  });

  it.each([
    ['URL', { url: 'https://elsewhere.example/hooks' }],
    ['rate limit', { rateLimit: 20 }],
  ])('write a new %s before the next message', async (_, change) => {
    const { ensure, held } = svixServer();
    await ensure();
    expect(await ensure({ ...ENDPOINT, ...change })).toEqual(['get', 'patch', 'setHeaders']);
    const { url, rateLimit } = { ...ENDPOINT, ...change };
    expect(held.get('endpoint-1')).toMatchObject({ url, throttleRate: rateLimit });
  });

  it('write a new secret before the next message', async () => {
    const { ensure } = svixServer();
    await ensure();
    const secrets = { active: SigningSecret.generate(), retiring: [] };
    expect(await ensure({ ...ENDPOINT, secrets })).toEqual(['get', 'setHeaders', 'rotateSecret']);
  });

  it('read an endpoint again after it was forgotten, and change nothing when it is the same', async () => {
    const { ensure, endpoints } = svixServer();
    await ensure();
    endpoints.clear(ENDPOINT);
    expect(await ensure()).toEqual(['getOrCreate', 'get', 'setHeaders']);
  });

  it('refuse an endpoint that Svix disabled', async () => {
    const { ensure, held, endpoints } = svixServer();
    await ensure();
    held.get('endpoint-1')!.disabled = true;
    endpoints.clear(ENDPOINT);
    await expect(ensure()).rejects.toThrow(DisabledAtSvix);
  });
});
