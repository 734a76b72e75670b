// 30 s: several processes start with Redis, and windows of a second are waited for.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRedis, type RedisServer } from '../support/redis.js';
import { eventually, type RunningProgram } from '../support/processes.js';
import { callService, startAnotherApi, startService, type Answer, type Service } from '../support/service.js';
import { ResourceSnapshot } from './held-resources.js';

const LIMIT = 40;
/** Longer than a window. */
const PAUSE_MS = 1_100;

let redis: RedisServer;
let service: Service;
let second: { baseUrl: string; program: RunningProgram };
let key: string;
let resources: ResourceSnapshot;

beforeAll(async () => {
  redis = await startRedis();
  service = await startService({ REDIS_URL: redis.url, METRICS_PORT: '0' });
  second = await startAnotherApi(service.env);
  const { applicationId } = await service.ops('application', 'create', '--name', 'limited', '--rate-limit', `${LIMIT}`);
  const options = ['--application', applicationId, '--name', 'limited', '--expires', 'never'];
  key = (await service.ops('api-key', 'create', ...options)).apiKey;
  await askBoth();
  resources = new ResourceSnapshot(service.env);
  await resources.measure(processes());
});

/** I5 */
afterAll(() => resources?.expectBack(processes()), 120_000);
afterAll(async () => {
  await second?.program.stop();
  await service?.stop();
  await redis?.stop();
});

const processes = () => [service, second].map(({ program: { pid } }) => ({ kind: 'api' as const, pid }));
const ask = (baseUrl: string, withKey = key) => callService(baseUrl, withKey, 'GET', '/v1/endUserAccounts', {});

/** Twice what the key may, in turns at both processes. */
async function askBoth(): Promise<Answer[]> {
  const asked = Array.from({ length: 2 * LIMIT }, (_, index) =>
    ask(index % 2 === 0 ? service.baseUrl : second.baseUrl),
  );
  return Promise.all(asked);
}

const statuses = (responses: Answer[]) => [...new Set(responses.map(({ status }) => status))].sort();
const served = (responses: Answer[]) => responses.filter(({ status }) => status === 200).length;

/**
 * Requests that took longer than a window had two quotas: what is judged has to fit into one. And a Redis that a busy
 * machine keeps from answering is none.
 */
async function askWithinOneWindow(isExpected: (responses: Answer[]) => boolean): Promise<Answer[]> {
  return eventually('what is expected, within a second', async () => {
    await sleep(PAUSE_MS);
    const startMs = performance.now();
    const responses = await askBoth();
    return performance.now() - startMs < 900 && isExpected(responses) ? responses : undefined;
  });
}

describe('N52 the limit of a key', () => {
  it('holds for two processes together, and for no other key', async () => {
    const responses = await askWithinOneWindow((all) => served(all) < all.length);
    expect(statuses(responses)).toEqual([200, 429]);
    expect(served(responses)).toBe(LIMIT);
    for (const { status, headers, body } of responses) {
      expect(headers.get('ratelimit-policy')).toBe(`"default";q=${LIMIT};w=1`);
      expect(headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=1$/);
      if (status === 200) continue;
      expect(body.code).toBe('RateLimited');
      expect(headers.get('retry-after')).toBe('1');
      expect(headers.get('ratelimit')).toBe('"default";r=0;t=1');
    }
    expect((await ask(second.baseUrl, service.apiKey)).status).toBe(200);
  });

  it('holds for each process by itself while Redis is away, which is said, and together when it is back', async () => {
    await redis.kill();
    await askWithinOneWindow((responses) => served(responses) === 2 * LIMIT);
    await sleep(PAUSE_MS);
    const own = await Promise.all(Array.from({ length: 4 * LIMIT }, () => ask(service.baseUrl)));
    expect(statuses(own)).toEqual([200, 429]);
    const said = service.program.stdout().split('rate limits per process: Redis unavailable');
    expect(said.length).toBeGreaterThanOrEqual(2);
    await redis.start('lost');
    await askWithinOneWindow((responses) => served(responses) === LIMIT);
  });

  it('does not wait for a Redis that hangs', async () => {
    await sleep(PAUSE_MS);
    redis.pause();
    try {
      expect(served(await askBoth())).toBeGreaterThan(LIMIT);
    } finally {
      redis.continue();
    }
  });
});
