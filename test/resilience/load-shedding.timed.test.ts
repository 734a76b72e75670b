// 20 s: loads run for seconds.
import type { ChildProcess } from 'node:child_process';
import { pbkdf2Sync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { printed, startProgram } from '../bench/programs.js';
import { KEY, startHttpApp, type HttpApp } from '../support/http-app.js';
import type { LoadTask } from '../bench/load/load-program.js';
import { eventually, freePort } from '../support/processes.js';
import { AS_DELIVERED, callService, startApi, startService, type Service } from '../support/service.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { ResourceSnapshot } from './held-resources.js';

const PATH = '/api/v1/calendars/a/c';
/** Milliseconds of a processor for each request, most of its price: what a process can do is known from them alone. */
const ROUNDS = 50_000;

let http: HttpApp;
let program: ChildProcess;
let served = 0;
let workMs = 0;

beforeAll(async () => {
  http = await startHttpApp({ overloadTargetDelayMs: 10 });
  program = startProgram('load/load-program.ts');
  await printed(program);
});
afterAll(async () => {
  program.kill();
  await http.close();
});

interface Seen {
  statuses: number[];
  served: number;
  /** Of the requests that were served, processor time without the one of HTTP. */
  workMs: number;
  /** Of this process, which answers and does nothing else, milliseconds: what others do to the machine is no part of it. */
  processorMs: number;
}

async function during(load: Pick<LoadTask, 'perSecond' | 'forMs' | 'connections'>): Promise<Seen> {
  served = 0;
  workMs = 0;
  const call = { method: 'GET', path: PATH, headers: { 'x-api-key': KEY } };
  const before = process.cpuUsage();
  program.send({ origin: http.base, call, ...load });
  const statuses = await printed<number[]>(program);
  return { statuses, served, workMs, processorMs: milliseconds(process.cpuUsage(before)) };
}

const milliseconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000;

describe('F39 a hundred requests at once', () => {
  it('are a burst, and all answered', async () => {
    http.fakes.calendars.get = () => Promise.resolve({ id: 'c' });
    await http.call('GET', PATH);
    const responses = await Promise.all(Array.from({ length: 100 }, () => http.call('GET', PATH)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

/** `npm run load -- --overload` measures goodput and times, which need a machine that does nothing else. */
describe('F39 many times what the API can do', () => {
  it('is answered, with 503 for what is too much at a small part of the price, and nothing is left of it', async () => {
    http.fakes.calendars.get = async () => {
      served += 1;
      const before = process.threadCpuUsage();
      const id = pbkdf2Sync('a', 'b', ROUNDS, 32, 'sha256').toString('hex');
      workMs += milliseconds(process.threadCpuUsage(before));
      return { id };
    };
    const calm = await during({ perSecond: 20, forMs: 1_500, connections: 4 });
    expect(new Set(calm.statuses)).toEqual(new Set([200]));
    const requestMs = calm.workMs / calm.served;

    const flood = await during({ perSecond: (3 * 1_000) / requestMs, forMs: 4_000, connections: 200 });
    expect(new Set(flood.statuses)).toEqual(new Set([200, 503]));
    const rejected = flood.statuses.filter((status) => status === 503).length;
    expect(rejected).toBeGreaterThan(flood.statuses.length / 10);
    expect(flood.served).toBe(flood.statuses.length - rejected);
    const besideWorkMs = (flood.processorMs - flood.workMs) / flood.statuses.length;
    expect(besideWorkMs).toBeLessThan(requestMs / 5);

    const after = await during({ perSecond: 20, forMs: 500, connections: 4 });
    expect(new Set(after.statuses)).toEqual(new Set([200]));
  });
});

describe('F39 a database that is too slow for what is asked', () => {
  let service: Service;
  let proxy: TcpProxy;
  let api: Awaited<ReturnType<typeof startApi>>;
  let resources: ResourceSnapshot;
  const processes = () => [{ kind: 'api' as const, pid: api.program.pid }];
  const read = () => callService<{ message?: string }>(api.baseUrl, service.apiKey, 'GET', '/v1/endUserAccounts', {});

  beforeAll(async () => {
    service = await startService();
    const { DATABASE_URL: databaseUrl } = service.env;
    proxy = await TcpProxy.to(Number(new URL(databaseUrl!).port));
    const env = {
      ...service.env,
      DATABASE_URL: proxy.through(databaseUrl!),
      DATABASE_POOL_SIZE: '1',
      ...AS_DELIVERED,
      METRICS_PORT: '0',
      PORT: String(await freePort()),
    };
    api = await startApi(env);
    expect((await read()).status).toBe(200);
    resources = new ResourceSnapshot(env);
    await resources.measure(processes());
  });
  /** I5 */
  afterAll(() => resources?.expectBack(processes()), 120_000);
  afterAll(async () => {
    await api?.program.stop();
    await proxy?.close();
    await service?.stop();
  });

  it('keeps out those who would only wait in line, while timers are on time', async () => {
    await proxy.set({ type: 'latency', ms: 20 });
    const endMs = performance.now() + 3_000;
    const seen: Awaited<ReturnType<typeof read>>[] = [];
    const callers = Array.from({ length: 40 }, async () => {
      while (performance.now() < endMs) seen.push(await read());
    });
    await Promise.all(callers);
    const rejected = seen.filter(({ status }) => status === 503);
    expect(rejected.map(({ body }) => body.message)).toContain(
      'More requests came than this instance can answer. Try again.',
    );
    expect(seen.filter(({ status }) => status === 200).length).toBeGreaterThan(10);
    await proxy.set({ type: 'clear' });
    await eventually('all are answered again', async () => ((await read()).status === 200 ? true : undefined));
  });
});
