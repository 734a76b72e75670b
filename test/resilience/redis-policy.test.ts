// 30 s: what processes hold is compared at the end, once their pools have closed what nobody uses.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/processes.js';
import { startRedis, type RedisServer } from '../support/redis.js';
import { startService, type Service } from '../support/service.js';
import { runWorker, type WorkerUnderTest } from '../support/worker.js';
import { ResourceSnapshot } from './held-resources.js';

const MESSAGE = 'maxmemory-policy is allkeys-lru, not noeviction';

describe('F12 a Redis that evicts', () => {
  let redis: RedisServer;
  let service: Service;
  let worker: WorkerUnderTest;
  let resources: ResourceSnapshot;

  beforeAll(async () => {
    redis = await startRedis({ evictionPolicy: 'allkeys-lru' });
    service = await startService({ REDIS_URL: redis.url, METRICS_PORT: '0' });
    worker = await runWorker(service.env['DATABASE_URL']!, service.env);
    await eventually('ready', async () => ((await worker.probe('ready')) === 200 ? true : undefined));
    resources = new ResourceSnapshot(service.env);
    await resources.measure(processes());
  });

  /** I5 */
  afterAll(() => resources?.expectBack(processes()), 120_000);

  afterAll(async () => {
    await worker?.stop();
    await service?.stop();
    await redis?.stop();
  });

  async function readiness(of: { baseUrl: string }): Promise<{ httpStatus: number; redis: unknown }> {
    const response = await fetch(`${of.baseUrl}/health/ready`);
    const { details } = (await response.json()) as { details: { redis: unknown } };
    return { httpStatus: response.status, redis: details.redis };
  }

  const both = () => [service, worker] as const;
  const processes = () => [
    { kind: 'api' as const, pid: service.program.pid },
    { kind: 'worker' as const, pid: worker.pid },
  ];

  it('stops nobody from working, and is told of by readiness', async () => {
    for (const one of both()) {
      await eventually('degraded', async () => {
        const { httpStatus, redis: found } = await readiness(one);
        if (httpStatus !== 200) return undefined;
        expect(found).toEqual({ status: 'degraded', message: MESSAGE });
        return true;
      });
    }
  });

  it('is complained of in the log, once however often it is seen', async () => {
    for (const one of both()) await readiness(one);
    for (const { stdout } of [service.program, worker]) {
      const lines = stdout().split('\n');
      expect(lines.filter((line) => line.includes('Redis may evict jobs'))).toEqual([
        expect.stringMatching(/"level":"error".*"maxmemoryPolicy":"allkeys-lru"/),
      ]);
    }
  });

  it('is forgiven once it does not evict any more, and when it starts anew', async () => {
    await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    for (const one of both()) {
      expect((await readiness(one)).redis).toMatchObject({ status: 'up' });
    }
    await redis.kill();
    expect(await readiness(service)).toMatchObject({
      httpStatus: 200,
      redis: { status: 'degraded', message: 'does not answer' },
    });
    expect(await worker.probe('live')).toBe(200);
    // With the policy of its command line.
    await redis.start('kept');
    for (const one of both()) {
      await eventually('seen again', async () => {
        const { redis: found } = await readiness(one);
        return (found as { message?: string }).message === MESSAGE ? true : undefined;
      });
    }
  });
});
