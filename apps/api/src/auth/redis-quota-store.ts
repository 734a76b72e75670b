import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { QuotaStore, UsedQuota } from './quota-store.js';

/** A request waits for it: what takes longer has failed. Longer than a busy process takes to notice an answer. */
const ANSWER_MS = 250;
const CONNECT_MS = 2_000;
const RECONNECT_MS = 1_000;

/** Quotas in Redis: a counter for each subject, which Redis forgets at the end of its window. */
export class RedisQuotaStore implements QuotaStore {
  private readonly redis: Redis;
  private readonly counters: RateLimiterRedis;

  constructor(redisUrl: string, windowSeconds: number) {
    this.redis = new Redis(redisUrl, {
      connectionName: 'unified-calendar quotas',
      // Nobody waits for a Redis that is away.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      // It would have to be answered in the time of a command: a slow Redis would never be ready.
      enableReadyCheck: false,
      connectTimeout: CONNECT_MS,
      commandTimeout: ANSWER_MS,
      retryStrategy: () => RECONNECT_MS,
      reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    });
    // Without a listener every failure to connect is printed. Whoever asks is told.
    this.redis.on('error', () => undefined);
    this.counters = new RateLimiterRedis({
      storeClient: this.redis,
      keyPrefix: 'unified-calendar:quota',
      duration: windowSeconds,
      // It only counts: whoever asks knows the quota.
      points: 0,
      rejectIfRedisNotReady: true,
    });
  }

  async take(subject: string, count: number): Promise<UsedQuota> {
    const { consumedPoints, msBeforeNext } = await this.counters.penalty(subject, count);
    return { used: consumedPoints, endsInMs: msBeforeNext };
  }

  close(): void {
    this.redis.disconnect();
  }
}
