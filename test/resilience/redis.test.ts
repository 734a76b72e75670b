// 60 s: Redis is killed, emptied and filled, and workers wait until it is back.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { chooseQueueBackend } from '#jobs';
import { eventually, freePort } from '../support/processes.js';
import type { RedisServer } from '../support/redis.js';
import type { TcpProxy } from '../support/tcp-proxy.js';
import { expectAllServed, startRedisUnderLoad, type RedisUnderLoad } from './redis-under-load.js';
import type { WebhookLoad } from './webhook-load.js';

let redis: RedisServer;
let proxy: TcpProxy;
let load: WebhookLoad;
let started: RedisUnderLoad;

beforeAll(async () => {
  started = await startRedisUnderLoad();
  ({ redis, proxy, load } = started);
});

/** I5; I3 and I4 hold after each of them. */
afterAll(() => load?.invariants.expectResourcesBack(), 120_000);

afterAll(() => started?.stop());

/** What was running goes on: all is told, and nothing twice, for who does what is decided in the database. */
afterEach(() => load.expectNothingLost(), 90_000);

describe('F8 jobs that nobody can do', () => {
  it('are put aside and complained of, and hold up nobody', async () => {
    const connection = chooseQueueBackend({ databaseUrl: '', redisUrl: redis.url, connectionName: 'test' });
    const queue = new Queue('webhook-deliveries', { connection });
    const poison = Array.from({ length: 100 }, (_, index) => ({
      name: 'deliver',
      data: index % 2 === 0 ? { messages: "'; --" } : { messages: [{ id: '../..', endpointId: null }] },
    }));
    expectAllServed(await load.during(() => queue.addBulk(poison)));
    await eventually('put aside', async () => ((await queue.getFailedCount()) === 100 ? true : undefined));
    expect(load.workers.map(({ stdout }) => stdout()).join('')).toContain('deliveries failed');
    await queue.close();
  });
});

describe('F9 Redis', () => {
  it('is killed and comes back with what it had', async () => {
    expectAllServed(
      await load.during(async () => {
        await sleep(500);
        await redis.kill();
        await sleep(3_000);
        await redis.start('kept');
      }),
    );
  });
});

describe('F10 Redis loses its data', () => {
  it('by a kill', async () => {
    expectAllServed(
      await load.during(async () => {
        await redis.kill();
        await redis.start('lost');
        await sleep(1_000);
      }),
    );
  });

  it('by FLUSHALL, again and again', async () => {
    expectAllServed(
      await load.during(async () => {
        for (let time = 0; time < 10; time += 1) {
          await redis.command('FLUSHALL');
          await sleep(200);
        }
      }),
    );
  });
});

describe('F11 Redis has no memory left', () => {
  it('and everything is told once it has', async () => {
    expectAllServed(
      await load.during(async () => {
        await redis.command('CONFIG', 'SET', 'maxmemory', '1mb');
        await expect(redis.command('SET', 'more', 'x')).rejects.toThrow('OOM');
        await sleep(2_000);
        await redis.command('CONFIG', 'SET', 'maxmemory', '0');
      }),
    );
  });
});

describe('F14 Redis becomes a replica', () => {
  it('and everything is told once it is promoted', async () => {
    const nobody = String(await freePort());
    expectAllServed(
      await load.during(async () => {
        await redis.command('REPLICAOF', '127.0.0.1', nobody);
        await expect(redis.command('SET', 'more', 'x')).rejects.toThrow('READONLY');
        await sleep(2_000);
        await redis.command('REPLICAOF', 'NO', 'ONE');
      }),
    );
  });
});

describe('F15 connections to Redis are cut', () => {
  it('a hundred times, and are as many as before', async () => {
    const before = proxy.openConnections;
    expectAllServed(
      await load.during(async () => {
        for (let time = 0; time < 50; time += 1) {
          proxy.resetPeers();
          await sleep(20);
          await redis.command('CLIENT', 'KILL', 'TYPE', 'normal');
          await sleep(20);
        }
      }),
    );
    await eventually('as many connections', () => (proxy.openConnections === before ? true : undefined));
  });
});
