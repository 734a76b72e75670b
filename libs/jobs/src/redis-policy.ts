import {
  Logger,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Redis } from 'ioredis';
import { DegradedError, type Config, type ReadinessCheck } from '#platform';

const RECONNECT_MS = 2_000;
/** Less than the timeout of a probe. */
const RESPONSE_TIMEOUT_MS = 1_500;

/**
 * Warns when Redis may evict: the database restores evicted jobs only after a delay. Checks at each connect and ping.
 */
export class RedisPolicy implements ReadinessCheck, OnApplicationBootstrap, OnApplicationShutdown {
  readonly name = 'redis';
  /** The database knows all pending work. */
  readonly isOptional = true;
  private readonly logger = new Logger(RedisPolicy.name);
  private readonly redis: Redis;
  private policy = 'noeviction';

  constructor(redisUrl: string) {
    this.redis = new Redis(redisUrl, {
      lazyConnect: true,
      connectionName: 'unified-calendar policy',
      // Commands fail at once while Redis is down.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: RESPONSE_TIMEOUT_MS,
      commandTimeout: RESPONSE_TIMEOUT_MS,
      retryStrategy: () => RECONNECT_MS,
    });
    // Without a listener ioredis prints every failed connect. The users of the queues log the outage.
    this.redis.on('error', () => undefined);
    this.redis.on('ready', () => {
      // The next ping reads it again.
      this.read().catch(() => undefined);
    });
  }

  onApplicationBootstrap(): void {
    // Keeps retrying; the start does not wait.
    this.connect().catch(() => undefined);
  }

  /** @throws when Redis does not answer */
  async connect(): Promise<void> {
    await this.redis.connect();
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }

  /** @throws Impairment when Redis may evict jobs */
  async ping(): Promise<void> {
    await this.read();
    if (this.policy !== 'noeviction') throw new DegradedError(`maxmemory-policy is ${this.policy}, not noeviction`);
  }

  private async read(): Promise<void> {
    const policy = /^maxmemory_policy:([\w-]+)/m.exec(await this.redis.info('memory'))?.[1];
    // Services compatible with Redis may omit it.
    if (policy === undefined || policy === this.policy) return;
    this.policy = policy;
    if (policy === 'noeviction') this.logger.log('Redis does not evict any more');
    else {
      this.logger.error({
        msg: 'Redis may evict jobs: set its maxmemory-policy to noeviction',
        maxmemoryPolicy: policy,
      });
    }
  }
}

@Module({})
export class RedisPolicyModule {
  static forRoot({ redisUrl }: Pick<Config, 'redisUrl'>): DynamicModule {
    if (redisUrl === undefined) return { module: RedisPolicyModule };
    return {
      module: RedisPolicyModule,
      providers: [{ provide: RedisPolicy, useFactory: () => new RedisPolicy(redisUrl) }],
      exports: [RedisPolicy],
    };
  }
}
