import {
  Logger,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Redis } from 'ioredis';
import { Impairment, type Config, type ReadinessCheck } from '#platform';

const RECONNECT_MS = 2_000;
/** Less than a probe waits. */
const ANSWER_MS = 1_500;

/**
 * Watches over what the queues need of Redis: that it never evicts. Jobs that are evicted come back from the database,
 * but only after a while, so the operator has to know. Reads the policy at the start, whenever Redis is back, and at
 * each {@link ping}.
 */
export class RedisPolicy implements ReadinessCheck, OnApplicationBootstrap, OnApplicationShutdown {
  readonly name = 'redis';
  /** The database knows what is to be done. */
  readonly isOptional = true;
  private readonly logger = new Logger(RedisPolicy.name);
  private readonly redis: Redis;
  private policy = 'noeviction';

  constructor(redisUrl: string) {
    this.redis = new Redis(redisUrl, {
      lazyConnect: true,
      connectionName: 'unified-calendar policy',
      // Nobody waits for a Redis that is away: a ping fails at once.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: ANSWER_MS,
      commandTimeout: ANSWER_MS,
      retryStrategy: () => RECONNECT_MS,
    });
    // Without a listener every failure to connect is printed; whoever uses a queue logs that it is away.
    this.redis.on('error', () => undefined);
    this.redis.on('ready', () => {
      // What fails here is read again at the next ping.
      this.read().catch(() => undefined);
    });
  }

  onApplicationBootstrap(): void {
    // It goes on trying, and a start does not wait for it.
    this.redis.connect().catch(() => undefined);
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }

  /**
   * Resolves when Redis answers and never evicts.
   * @throws Impairment when it may evict jobs
   */
  async ping(): Promise<void> {
    await this.read();
    if (this.policy !== 'noeviction') throw new Impairment(`maxmemory-policy is ${this.policy}, not noeviction`);
  }

  private async read(): Promise<void> {
    const policy = /^maxmemory_policy:([\w-]+)/m.exec(await this.redis.info('memory'))?.[1];
    // A service that is compatible with Redis need not say.
    if (policy === undefined || policy === this.policy) return;
    this.policy = policy;
    if (policy === 'noeviction') this.logger.log('Redis does not evict any more');
    else {
      this.logger.error({
        msg: 'Redis evicts: jobs will be lost and come late; set its maxmemory-policy to noeviction',
        maxmemoryPolicy: policy,
      });
    }
  }
}

/** Provides {@link RedisPolicy}, when there is a Redis. */
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
