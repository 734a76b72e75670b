import { expect } from '@jest/globals';
import { startRedis, type RedisServer } from '../support/redis.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { WebhookLoad, type SeenCall } from './webhook-load.js';

export interface RedisUnderLoad {
  redis: RedisServer;
  /** Between Redis and all processes. */
  proxy: TcpProxy;
  load: WebhookLoad;
  stop(): Promise<void>;
}

export async function startRedisUnderLoad(): Promise<RedisUnderLoad> {
  const redis = await startRedis();
  const proxy = await TcpProxy.to(redis.port);
  const stopRedis = async () => {
    await proxy.close();
    await redis.stop();
  };
  try {
    const load = await WebhookLoad.start({ REDIS_URL: proxy.through(redis.url) }, 2);
    return {
      redis,
      proxy,
      load,
      async stop() {
        await load.system.fixture.calm();
        await load.stop();
        await stopRedis();
      },
    };
  } catch (error) {
    await stopRedis();
    throw error;
  }
}

export function expectAllServed(calls: SeenCall[]): void {
  expect(calls.filter(({ status }) => status >= 300)).toEqual([]);
}
