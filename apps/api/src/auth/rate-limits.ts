import { Injectable, type OnApplicationShutdown, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { RateLimiterMemory, RateLimiterRes, RateLimiterRedis } from 'rate-limiter-flexible';
import { Redis } from 'ioredis';
import type { VerifiedKey } from '#application';
import { DomainError } from '#domain';
import { counter } from '#platform/telemetry';
import { clientNetwork } from './client-network.js';

const shed = counter('calendar_requests_shed_total');

const WINDOW_SECONDS = 1;

/**
 * Sign-ins that one address may begin: each is kept for ten minutes, whether it is finished or not. A minute, because
 * users come in bursts, and through proxies.
 */
const SIGN_INS = 600;
const SIGN_IN_WINDOW_SECONDS = 60;

/** What came of asking for one request. */
export interface Taken {
  isGranted: boolean;
  /** Of the quota, as far as this process knows: others use it, too. */
  left: number;
  /** Until there is a new quota, milliseconds. */
  endsInMs: number;
}

/**
 * Limits of requests. Those of a key hold for all processes together where they have a place to share them; while it is
 * away, and without one, each process counts by itself. Addresses are always counted by each process: strangers are not to
 * make others' work.
 */
@Injectable()
export class RateLimits implements OnApplicationShutdown {
  /** One limiter for each policy that occurs: applications can have their own. */
  private readonly limiters = new Map<string, RateLimiterMemory>();
  private readonly sharedLimiters = new Map<number, RateLimiterRedis>();

  /** @param shared null: each process counts by itself */
  constructor(
    private readonly defaultRps: number,
    private readonly shared: SharedLimits | null,
  ) {}

  /** @throws DomainError RateLimited */
  async take(response: Response, { keyId, rateLimitRps }: VerifiedKey): Promise<void> {
    const quota = rateLimitRps ?? this.defaultRps;
    tell(response, await taken(this.limiterOfKeys(quota), keyId), quota, WINDOW_SECONDS);
  }

  /** For requests without a valid key. @throws DomainError RateLimited */
  async takeUnproven(response: Response, address: string): Promise<void> {
    await this.takeHere(response, unprovenSubject(address), this.defaultRps, WINDOW_SECONDS);
  }

  /**
   * A point for a key that may be a guess, before it costs a look-up. Never throws for what is not granted: right keys
   * pass, and get it back by {@link returnGuess}.
   */
  async claimGuess(address: string): Promise<Taken> {
    return taken(this.limiterOf(this.defaultRps, WINDOW_SECONDS), unprovenSubject(address));
  }

  /** It was a right key, or nobody knows what it was. */
  async returnGuess(address: string): Promise<void> {
    await this.limiterOf(this.defaultRps, WINDOW_SECONDS).reward(unprovenSubject(address));
  }

  /** It was none. @throws DomainError RateLimited */
  refuseGuess(response: Response, taken: Taken): void {
    tell(response, taken, this.defaultRps, WINDOW_SECONDS);
  }

  /** For sign-ins, which anybody may begin. @throws DomainError RateLimited */
  async takeSignIn(response: Response, address: string): Promise<void> {
    await this.takeHere(response, `sign-in:${clientNetwork(address)}`, SIGN_INS, SIGN_IN_WINDOW_SECONDS);
  }

  onApplicationShutdown(): void {
    this.shared?.close();
  }

  private async takeHere(response: Response, subject: string, quota: number, window: number): Promise<void> {
    tell(response, await taken(this.limiterOf(quota, window), subject), quota, window);
  }

  private limiterOfKeys(quota: number): RateLimiterMemory | RateLimiterRedis {
    if (this.shared === null) return this.limiterOf(quota, WINDOW_SECONDS);
    let limiter = this.sharedLimiters.get(quota);
    if (limiter === undefined) {
      limiter = this.shared.limiter(quota, WINDOW_SECONDS);
      this.sharedLimiters.set(quota, limiter);
    }
    return limiter;
  }

  private limiterOf(quota: number, window: number): RateLimiterMemory {
    const named = policy(quota, window);
    let limiter = this.limiters.get(named);
    if (limiter === undefined) {
      limiter = new RateLimiterMemory({ points: quota, duration: window });
      this.limiters.set(named, limiter);
    }
    return limiter;
  }
}

async function taken(limiter: RateLimiterMemory | RateLimiterRedis, subject: string): Promise<Taken> {
  try {
    const { remainingPoints, msBeforeNext } = await limiter.consume(subject);
    return { isGranted: true, left: remainingPoints, endsInMs: msBeforeNext };
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    return { isGranted: false, left: 0, endsInMs: error.msBeforeNext };
  }
}

/** Whom requests without a valid key are counted as. */
function unprovenSubject(address: string): string {
  return `address:${clientNetwork(address)}`;
}

/** Every answer says what is left (draft-ietf-httpapi-ratelimit-headers). @throws DomainError RateLimited */
function tell(response: Response, { isGranted, left, endsInMs }: Taken, quota: number, window: number): void {
  const endsInSeconds = Math.max(1, Math.ceil(endsInMs / 1_000));
  response.setHeader('ratelimit-policy', policy(quota, window));
  response.setHeader('ratelimit', `"default";r=${left};t=${endsInSeconds}`);
  if (isGranted) return;
  shed.add(1, { reason: 'keyRate' });
  const span = window === WINDOW_SECONDS ? 'a second' : `${window} seconds`;
  throw new DomainError('RateLimited', `More than ${quota} requests in ${span}.`, {
    retryAfterSeconds: endsInSeconds,
  });
}

/** `"default";q=300;w=1`: quota and window in seconds. */
export function policy(quota: number, window = WINDOW_SECONDS): string {
  return `"default";q=${quota};w=${window}`;
}

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
