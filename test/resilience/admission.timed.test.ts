// 25 s: a hundred callers wait for their turns, and those that are refused come back when they were told to.
import { setTimeout as sleep } from 'node:timers/promises';
import { startFakeServer } from '../support/connected-account.js';
import type { FakeCalDav } from '../support/fake-caldav.js';
import { startService, type Answer, type Service } from '../support/service.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const CALLERS = 100;
const WINDOW = { startDateTime: '2033-01-01T00:00:00Z', endDateTime: '2033-02-01T00:00:00Z' };

let fake: FakeCalDav;
let proxy: TcpProxy;
let service: Service;
let list: () => Promise<Answer>;

beforeAll(async () => {
  fake = await startFakeServer('work');
  proxy = await TcpProxy.to(Number(new URL(fake.url).port));
  await proxy.set({ type: 'latency', ms: 50 });
  service = await startService({
    EGRESS_ALLOW: `127.0.0.1:${proxy.port}`,
    CALDAV_REQUESTS_PER_MINUTE: '240',
    RATE_LIMIT_RPS: '100000',
  });
  const { username, password } = fake.login;
  const connected = await service.call('POST', `/v1/basicAuth/connect/${service.applicationId}/caldav`, {
    body: { serverUrl: proxy.through(fake.url), email: username, password },
  });
  const { id } = connected.body;
  const calendarId = (await service.call('GET', `/v1/calendars/${id}`)).body.data[0].id;
  list = () => service.call('GET', `/v1/events/${id}/${calendarId}`, { query: WINDOW });
  // The first lists learn that the calendar is small.
  for (let lists = 0; lists < 3; lists += 1) expect((await list()).status).toBe(200);
  await sleep(6_000);
});

afterAll(async () => {
  await service?.stop();
  await proxy?.close();
  await fake?.close();
});

it('a hundred callers of one account: each is answered within seconds or told at once when to come back', async () => {
  fake.requests.length = 0;
  const start = performance.now();
  const first = await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      const answer = await list();
      return { answer, ms: performance.now() - start };
    }),
  );
  const answered = first.filter(({ answer }) => answer.status === 200);
  const rejected = first.filter(({ answer }) => answer.status !== 200);
  expect(answered.length).toBeGreaterThanOrEqual(65);
  // Five seconds on a machine at rest.
  expect(Math.max(...answered.map(({ ms }) => ms))).toBeLessThan(15_000);
  for (const { answer } of rejected) expect([answer.status, answer.body.code]).toEqual([429, 'RateLimited']);

  const again = await Promise.all(
    rejected.map(async ({ answer, ms }) => {
      await sleep(Math.max(0, Number(answer.headers.get('retry-after')) * 1_000 - (performance.now() - start - ms)));
      return (await list()).status;
    }),
  );
  expect(again).toEqual(rejected.map(() => 200));
  expect(performance.now() - start).toBeLessThan(30_000);
  expect(fake.requests.length).toBeLessThanOrEqual(110);
});
