import { createServer, request, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFakeServer } from '../support/connected-account.js';
import type { FakeCalDav } from '../support/fake-caldav.js';
import { callService, startAnotherApi, startService, type Service } from '../support/service.js';

/** Long enough that requests meet although the processes share two slow processors. */
const RESPONSE_MS = 200;
/** Of a CALDAV account, over all processes. */
const LIMIT = 4;

/** Passes requests on after a while, and counts those under way. */
class CountingProxy {
  now = 0;
  most = 0;
  private constructor(private readonly server: Server) {}

  static async to(target: URL): Promise<CountingProxy> {
    const server = createServer((incoming, response) => {
      proxy.most = Math.max(proxy.most, (proxy.now += 1));
      response.once('close', () => (proxy.now -= 1));
      const { method, headers, url } = incoming;
      const pass = request({ host: target.hostname, port: target.port, method, headers, path: url }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      void sleep(RESPONSE_MS).then(() => incoming.pipe(pass));
    }).listen(0, '127.0.0.1');
    const proxy = new CountingProxy(server);
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

let fake: FakeCalDav;
let proxy: CountingProxy;
let service: Service;
let other: Awaited<ReturnType<typeof startAnotherApi>>;

beforeAll(async () => {
  fake = await startFakeServer('work');
  proxy = await CountingProxy.to(new URL(fake.url));
  service = await startService({ EGRESS_ALLOW: `127.0.0.1:${proxy.port}`, RATE_LIMIT_RPS: '100000' });
  other = await startAnotherApi(service.env);
});

afterAll(async () => {
  await other?.program.stop();
  await service?.stop();
  proxy?.close();
  await fake?.close();
});

it('replicas together send no more requests of one account at once than its server is to take', async () => {
  const { username, password } = fake.login;
  const { body: account } = await service.call('POST', `/v1/basicAuth/connect/${service.applicationId}/caldav`, {
    body: { serverUrl: `http://127.0.0.1:${proxy.port}`, email: username, password },
  });
  const calendarId = (await service.call('GET', `/v1/calendars/${account.id}`)).body.data[0].id as string;
  const list = async ({ baseUrl }: { baseUrl: string }, day: number) => {
    const query = { startDateTime: '2033-01-01T00:00:00Z', endDateTime: `2033-02-${10 + day}T00:00:00Z` };
    const path = `/v1/events/${account.id}/${calendarId}`;
    return (await callService(baseUrl, service.apiKey, 'GET', path, { query })).status;
  };
  for (const replica of [service, other]) expect(await list(replica, 10)).toBe(200);
  proxy.most = 0;
  const lists = Array.from({ length: 10 }, (_, day) => [list(service, day), list(other, day)]);
  expect(new Set(await Promise.all(lists.flat()))).toEqual(new Set([200]));
  expect(proxy.most).toBe(LIMIT);
});
