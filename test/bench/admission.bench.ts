/**
 * One account that is asked for more than twice what its rate allows, for five minutes: what its callers get, and what
 * those of other accounts notice. The provider takes 50 ms for each request.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { startFakeServer } from '../support/connected-account.js';
import type { FakeCalDav } from '../support/fake-caldav.js';
import { startService, type Service } from '../support/service.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { percentile } from './rounds.js';

const LATENCY_MS = 50;
const LISTS_PER_SECOND = 10;
const FLOOD_MS = 300_000;
const QUIET_MS = 150_000;
const OTHERS = 10;
/** Half of what their rate allows. */
const OTHER_EVERY_MS = 500;
const QUERY = { startDateTime: '2033-01-01T00:00:00Z', endDateTime: '2033-02-01T00:00:00Z' };

interface Account {
  list(): Promise<{ status: number; ms: number }>;
}

async function lateServer(): Promise<{ fake: FakeCalDav; proxy: TcpProxy }> {
  const fake = await startFakeServer('work');
  const proxy = await TcpProxy.to(Number(new URL(fake.url).port));
  await proxy.set({ type: 'latency', ms: LATENCY_MS });
  return { fake, proxy };
}

async function connect(service: Service, { fake, proxy }: { fake: FakeCalDav; proxy: TcpProxy }): Promise<Account> {
  const { username, password } = fake.login;
  const body = { providerType: 'CALDAV', serverUrl: proxy.through(fake.url), email: username, password };
  const { apiKey: key } = await service.createApplication('bench');
  const { body: account } = await service.call('POST', '/v1/endUserAccounts', { body, key });
  const calendars = await service.call('GET', `/v1/calendars/${account.id}`, { key });
  const path = `/v1/events/${account.id}/${calendars.body.data[0].id}`;
  return {
    async list() {
      const startedMs = performance.now();
      const { status } = await service.call('GET', path, { query: QUERY, key });
      return { status, ms: performance.now() - startedMs };
    },
  };
}

/** Lists at a steady rate, whatever the answers take. */
async function listsOf(account: Account, everyMs: number, forMs: number) {
  const lists: ReturnType<Account['list']>[] = [];
  const startedMs = performance.now();
  for (let at = 0; at * everyMs < forMs; at += 1) {
    await pause(Math.max(0, startedMs + at * everyMs - performance.now()));
    lists.push(account.list());
  }
  return Promise.all(lists);
}

async function p99Of(others: Account[], forMs: number): Promise<number> {
  const lists = await Promise.all(
    others.map(async (other, at) => {
      await pause((at * OTHER_EVERY_MS) / others.length);
      return listsOf(other, OTHER_EVERY_MS, forMs);
    }),
  );
  const all = lists.flat();
  const failed = all.filter(({ status }) => status !== 200).length;
  if (failed > 0) throw new Error(`${failed} lists of other accounts failed`);
  return percentile(
    all.map(({ ms }) => ms),
    0.99,
  );
}

const asked = await lateServer();
const elsewhere = await lateServer();
const service = await startService({
  EGRESS_ALLOW: '127.0.0.0/8',
  CALDAV_REQUESTS_PER_MINUTE: '240',
  RATE_LIMIT_RPS: '100000',
});
const account = await connect(service, asked);
const others: Account[] = [];
for (let at = 0; at < OTHERS; at += 1) others.push(await connect(service, elsewhere));
await Promise.all([account, ...others].map((one) => listsOf(one, 1_000, 10_000))); // warm-up

const before = await p99Of(others, QUIET_MS);
const [lists, during] = await Promise.all([
  listsOf(account, 1_000 / LISTS_PER_SECOND, FLOOD_MS),
  p99Of(others, FLOOD_MS),
]);
const after = await p99Of(others, QUIET_MS);
await service.stop();
const statuses = Object.entries(Object.groupBy(lists, ({ status }) => status));
const answered = lists.filter(({ status }) => status === 200).length;
const quiet = (before + after) / 2;
console.log(
  JSON.stringify([
    {
      name: `Answers a second to ${LISTS_PER_SECOND} lists a second of one CALDAV account for five minutes, at 240 requests a minute`,
      ratio: answered / (FLOOD_MS / 1_000),
      limit: 2.75,
      sense: 'at least',
      detail: statuses.map(([status, of]) => `${of?.length} × ${status}`).join(', '),
    },
    {
      name: 'p99 of lists of other accounts meanwhile, against before and after',
      ratio: during / quiet,
      limit: 1.1,
      detail: `${during.toFixed(1)} ms against ${before.toFixed(1)} and ${after.toFixed(1)} ms`,
    },
  ]),
);
process.exit();
