import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';

/** A request waits for it: what takes longer has failed. Longer than a busy process takes to notice an answer. */
const ANSWER_MS = 250;
const CONNECT_MS = 2_000;
/** After a failure nobody asks for that long: requests are not to wait for a Redis that hangs. */
const RECONNECT_MS = 5_000;
const LINE_EVERY_MS = 60_000;

/** A connection for the limits of keys. */
export function connectForLimits(redisUrl: string): Redis {
  return new Redis(redisUrl, {
    connectionName: 'unified-calendar quotas',
    // Nobody waits for a Redis that is away.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // It would have to be answered in the time of a command: a slow Redis would never be ready.
    enableReadyCheck: false,
    connectTimeout: CONNECT_MS,
    // The connection to a Redis that hangs ends: nobody waits for it until there is a new one.
    socketTimeout: ANSWER_MS,
    retryStrategy: () => RECONNECT_MS,
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  });
}

/** Limits that all processes share in Redis. While it does not answer, each process counts by itself. */
export class SharedLimits {
  private readonly logger = new Logger('RateLimits');
  private lineAtMs = -Infinity;

  constructor(
    private readonly redis: Redis,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    // Without a listener every failure to connect is printed.
    redis.on('error', () => undefined);
  }

  limiter(points: number, duration: number): RateLimiterRedis {
    return new RateLimiterRedis({
      storeClient: this.redis,
      keyPrefix: 'unified-calendar:quota',
      points,
      duration,
      // What is used up is refused from memory until the window ends.
      inMemoryBlockOnConsumed: points,
      rejectIfRedisNotReady: true,
      insuranceLimiter: new OwnLimiter(points, duration, () => this.logOutage()),
    });
  }

  close(): void {
    this.redis.disconnect();
  }

  private logOutage(): void {
    const nowMs = this.nowMs();
    if (nowMs < this.lineAtMs) return;
    this.lineAtMs = nowMs + LINE_EVERY_MS;
    this.logger.warn({ msg: 'every process limits keys by itself: Redis does not answer' });
  }
}

/** Counts in this process, and says that it had to. */
class OwnLimiter extends RateLimiterMemory {
  constructor(
    points: number,
    duration: number,
    private readonly onUse: () => void,
  ) {
    super({ points, duration });
  }

  override consume(...args: Parameters<RateLimiterMemory['consume']>): Promise<RateLimiterRes> {
    this.onUse();
    return super.consume(...args);
  }
}
