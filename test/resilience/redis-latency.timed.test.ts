// Runs alone: it compares how long calls take while Redis is slow with how long they took before.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { expectAllServed, startRedisUnderLoad, type RedisUnderLoad } from './redis-under-load.js';
import { median } from './webhook-load.js';

let started: RedisUnderLoad;

beforeAll(async () => {
  started = await startRedisUnderLoad();
});

/** I5; I3 and I4 hold after each of them. */
afterAll(() => started?.load.invariants.expectResourcesBack(), 120_000);

afterAll(() => started?.stop());

afterEach(() => started.load.expectNothingLost(), 90_000);

describe('F13 Redis is slow', () => {
  it('and no call waits for it', async () => {
    const { redis, proxy, load } = started;
    const before = await load.during(() => sleep(1_500));
    expectAllServed(before);
    for (const spoil of [
      () => proxy.set({ type: 'latency', ms: 100 }),
      () => proxy.set({ type: 'hang' }),
      () => redis.command('CLIENT', 'PAUSE', '2000', 'ALL'),
    ]) {
      const meanwhile = await load.during(async () => {
        await spoil();
        await sleep(1_500);
      });
      await proxy.clear();
      expectAllServed(meanwhile);
      expect(median(meanwhile)).toBeLessThan(3 * median(before) + 100);
    }
  });
});
