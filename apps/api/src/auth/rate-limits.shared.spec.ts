import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { jest } from '@jest/globals';
import type { Redis } from 'ioredis';
import type { RateLimiterRedis } from 'rate-limiter-flexible';
import { connectForLimits, SharedLimits } from './rate-limits.js';

/** What Redis does for a limiter. */
class FakeRedis {
  status = 'ready';
  isHanging = false;
  asked = 0;
  readonly counts = new Map<string, number>();
  readonly on = jest.fn();
  readonly defineCommand = jest.fn();
  readonly disconnect = jest.fn();

  async rlflxIncr([key, points]: [string, string]): Promise<[number, number]> {
    this.asked += 1;
    if (this.isHanging) throw new Error('Command timed out');
    const count = (this.counts.get(key) ?? 0) + Number(points);
    this.counts.set(key, count);
    return [count, 600];
  }
}

let redis: FakeRedis;
let nowMs: number;
let warn: ReturnType<typeof jest.spyOn>;

beforeEach(() => {
  redis = new FakeRedis();
  nowMs = 0;
  warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
});
afterEach(() => void jest.restoreAllMocks());

const limits = () => new SharedLimits(redis as unknown as Redis, () => nowMs);

async function granted(limiter: RateLimiterRedis, count: number, key = 'key'): Promise<number> {
  const asked = Array.from({ length: count }, () => limiter.consume(key));
  return (await Promise.allSettled(asked)).filter(({ status }) => status === 'fulfilled').length;
}

describe('N52 limits that processes share', () => {
  it.each([2, 50, 300])('give out %d, and not one more, of each key', async (quota) => {
    const processes = [limits(), limits(), limits()].map((one) => one.limiter(quota, 1));
    const each = await Promise.all(processes.map((one) => granted(one, quota)));
    expect(each.reduce((sum, one) => sum + one)).toBe(quota);
    expect(await granted(processes[0]!, quota, 'other')).toBe(quota);
  });

  it('say what is left, and when there is more', async () => {
    const [one, other] = [limits().limiter(10, 1), limits().limiter(10, 1)];
    expect(await one.consume('key')).toMatchObject({ remainingPoints: 9, msBeforeNext: 600 });
    expect(await other.consume('key')).toMatchObject({ remainingPoints: 8, msBeforeNext: 600 });
  });

  it('ask nobody any more in a window that is used up', async () => {
    const limiter = limits().limiter(50, 1);
    await granted(limiter, 100);
    redis.asked = 0;
    expect(await granted(limiter, 100)).toBe(0);
    expect(redis.asked).toBe(0);
  });

  it('are counted by each process while Redis is away, which is said once a minute', async () => {
    const shared = limits();
    const limiter = shared.limiter(10, 1);
    redis.status = 'reconnecting';
    expect(await granted(limiter, 20)).toBe(10);
    expect(redis.asked).toBe(0);
    nowMs += 59_999;
    await granted(limiter, 1, 'other');
    expect(warn.mock.calls).toEqual([[{ msg: 'rate limits per process: Redis unavailable' }]]);
    nowMs += 1;
    await granted(limiter, 1, 'other');
    expect(warn).toHaveBeenCalledTimes(2);
    redis.status = 'ready';
    expect(await granted(limiter, 20)).toBe(10);
  });

  it('hold in each process while Redis hangs', async () => {
    const limiter = limits().limiter(10, 1);
    redis.isHanging = true;
    expect(await granted(limiter, 20)).toBe(10);
  });

  it('wait once for a Redis that hangs', async () => {
    const connections: Socket[] = [];
    let isHanging = false;
    const server = createServer((socket) => {
      connections.push(socket);
      socket.on('data', (commands) => {
        if (!isHanging) socket.write('+OK\r\n'.repeat(commands.toString().match(/^\*/gm)!.length));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const connection = connectForLimits(`redis://127.0.0.1:${(server.address() as AddressInfo).port}`);
    try {
      const limiter = new SharedLimits(connection).limiter(10, 1);
      await once(connection, 'ready');
      isHanging = true;
      expect(await granted(limiter, 1)).toBe(1);
      expect(connection.status).toBe('reconnecting');
      expect(await granted(limiter, 20)).toBe(9);
      expect(connections).toHaveLength(1);
    } finally {
      connection.disconnect();
      for (const socket of connections) socket.destroy();
      server.close();
    }
  });

  it('let go of Redis', () => {
    limits().close();
    expect(redis.disconnect).toHaveBeenCalledTimes(1);
  });
});
