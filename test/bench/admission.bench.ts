/** Ten lists a second of one account, far beyond its rate, for five minutes: what it gets, and what others notice. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startFakeServer } from '../support/connected-account.js';
import { startService } from '../support/service.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const WINDOW = { startDateTime: '2033-01-01T00:00:00Z', endDateTime: '2033-02-01T00:00:00Z' };
const ALONE_MS = 120_000;
const FLOODED_MS = 300_000;

const fake = await startFakeServer('work');
const proxy = await TcpProxy.to(Number(new URL(fake.url).port));
await proxy.set({ type: 'latency', ms: 50 });
const service = await startService({
  EGRESS_ALLOW: `127.0.0.1:${proxy.port}`,
  CALDAV_REQUESTS_PER_MINUTE: '240',
  RATE_LIMIT_RPS: '100000',
});

/** Lists of an account of an application of its own. */
async function listOf(name: string): Promise<() => Promise<number>> {
  const { applicationId, apiKey: key } = await service.createApplication(name);
  const { username: email, password } = fake.login;
  const { body } = await service.call('POST', `/v1/basicAuth/connect/${applicationId}/caldav`, {
    key,
    body: { serverUrl: proxy.through(fake.url), email, password },
  });
  const calendars = await service.call('GET', `/v1/calendars/${body.id}`, { key });
  const path = `/v1/events/${body.id}/${calendars.body.data[0].id}`;
  return async () => (await service.call('GET', path, { key, query: WINDOW })).status;
}

/** Starts a call every `everyMs`, whatever the ones before do. @returns statuses and milliseconds */
async function paced(call: () => Promise<number>, everyMs: number, forMs: number) {
  const calls: Promise<{ status: number; ms: number }>[] = [];
  const startedMs = performance.now();
  for (let n = 0; n * everyMs < forMs; n += 1) {
    await sleep(Math.max(0, startedMs + n * everyMs - performance.now()));
    const sentMs = performance.now();
    calls.push(call().then((status) => ({ status, ms: performance.now() - sentMs })));
  }
  return Promise.all(calls);
}

const p99 = (calls: { ms: number }[]) =>
  calls.map(({ ms }) => ms).toSorted((a, b) => a - b)[Math.floor(calls.length * 0.99)] ?? Number.NaN;

const [flooded, other] = [await listOf('flooded'), await listOf('other')];
for (let n = 0; n < 3; n += 1) await Promise.all([flooded(), other()]);
await sleep(6_000);
const alone = await paced(other, 500, ALONE_MS);
const [flood, beside] = await Promise.all([paced(flooded, 100, FLOODED_MS), paced(other, 500, FLOODED_MS)]);
const answered = flood.filter(({ status }) => status === 200).length;
const unexpected = flood.filter(({ status }) => status !== 200 && status !== 429).length;
console.log(
  JSON.stringify([
    {
      name: 'Answers a second to ten lists a second of one account at 240 requests a minute, five minutes',
      ratio: answered / (FLOODED_MS / 1_000),
      limit: 2.75,
      sense: 'at least',
      detail: `${answered} of ${flood.length} answered, ${unexpected} neither answered nor 429`,
    },
    {
      name: 'Meanwhile the p99 of another account, against the same without that load',
      ratio: p99(beside) / p99(alone),
      limit: 1.1,
      detail: `${p99(beside).toFixed(0)} ms against ${p99(alone).toFixed(0)} ms`,
    },
  ]),
);
process.exit();
