import { Injectable, type OnApplicationShutdown, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { RateLimiterMemory, RateLimiterRes, RateLimiterRedis } from 'rate-limiter-flexible';
import { Redis } from 'ioredis';
import type { VerifiedKey } from '#application/applications';
import { DomainError } from '#domain/system';
import { counter } from '#platform/telemetry';
import { clientNetwork } from '../http/client-network.js';

const shed = counter('calendar_requests_shed_total');

const WINDOW_SECONDS = 1;

/** Per address and minute: users come in bursts and through proxies. Each sign-in is stored for ten minutes. */
const SIGN_INS = 600;
const SIGN_IN_WINDOW_SECONDS = 60;

export interface QuotaResult {
  isGranted: boolean;
  /** Remaining quota as this process knows it: other processes use the same quota. */
  left: number;
  resetsInMs: number;
}

/**
 * All processes share the limits of keys in Redis; without Redis each process counts alone. Addresses always count per
 * process, so that unauthenticated callers cause no traffic to Redis.
 */
@Injectable()
export class RateLimits implements OnApplicationShutdown {
  private readonly limiters = new Map<string, RateLimiterMemory>();
  private readonly sharedLimiters = new Map<number, RateLimiterRedis>();

  /** @param shared null when each process counts alone */
  constructor(
    private readonly defaultRps: number,
    private readonly shared: SharedLimits | null,
  ) {}

  /** @throws DomainError RateLimited */
  async take(response: Response, { keyId, rateLimitRps }: VerifiedKey): Promise<void> {
    const quota = rateLimitRps ?? this.defaultRps;
    setRateLimitHeaders(response, await taken(this.limiterOfKeys(quota), keyId), quota, WINDOW_SECONDS);
  }

  /** Counts a request without a valid key. @throws DomainError RateLimited */
  async takeUnauthenticated(response: Response, address: string): Promise<void> {
    await this.takeLocally(response, unauthenticatedSubject(address), this.defaultRps, WINDOW_SECONDS);
  }

  /**
   * Reserves a point for an unknown key before it costs a query. Does not throw over the quota: valid keys must pass
   * and get their point back from {@link returnGuess}.
   */
  async claimGuess(address: string): Promise<QuotaResult> {
    return taken(this.limiterOf(this.defaultRps, WINDOW_SECONDS), unauthenticatedSubject(address));
  }

  /** Returns the point of a valid key, or of a key that could not be checked. */
  async returnGuess(address: string): Promise<void> {
    await this.limiterOf(this.defaultRps, WINDOW_SECONDS).reward(unauthenticatedSubject(address));
  }

  /** Reports the reserved point of an invalid key. @throws DomainError RateLimited */
  rejectGuess(response: Response, taken: QuotaResult): void {
    setRateLimitHeaders(response, taken, this.defaultRps, WINDOW_SECONDS);
  }

  /** Counts the start of a sign-in, which needs no key. @throws DomainError RateLimited */
  async takeSignIn(response: Response, address: string): Promise<void> {
    await this.takeLocally(response, `sign-in:${clientNetwork(address)}`, SIGN_INS, SIGN_IN_WINDOW_SECONDS);
  }

  onApplicationShutdown(): void {
    this.shared?.close();
  }

  private async takeLocally(response: Response, subject: string, quota: number, window: number): Promise<void> {
    setRateLimitHeaders(response, await taken(this.limiterOf(quota, window), subject), quota, window);
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

async function taken(limiter: RateLimiterMemory | RateLimiterRedis, subject: string): Promise<QuotaResult> {
  try {
    const { remainingPoints, msBeforeNext } = await limiter.consume(subject);
    return { isGranted: true, left: remainingPoints, resetsInMs: msBeforeNext };
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    return { isGranted: false, left: 0, resetsInMs: error.msBeforeNext };
  }
}

function unauthenticatedSubject(address: string): string {
  return `address:${clientNetwork(address)}`;
}

/** Follows draft-ietf-httpapi-ratelimit-headers. @throws DomainError RateLimited */
function setRateLimitHeaders(
  response: Response,
  { isGranted, left, resetsInMs }: QuotaResult,
  quota: number,
  window: number,
): void {
  const resetsInSeconds = Math.max(1, Math.ceil(resetsInMs / 1_000));
  response.setHeader('ratelimit-policy', policy(quota, window));
  response.setHeader('ratelimit', `"default";r=${left};t=${resetsInSeconds}`);
  if (isGranted) return;
  shed.add(1, { reason: 'rate_limit' });
  const span = window === WINDOW_SECONDS ? 'a second' : `${window} seconds`;
  throw new DomainError('RateLimited', `More than ${quota} requests in ${span}.`, {
    retryAfterSeconds: resetsInSeconds,
  });
}

/** Formats a policy such as `"default";q=300;w=1`: quota and window in seconds. */
export function policy(quota: number, window = WINDOW_SECONDS): string {
  return `"default";q=${quota};w=${window}`;
}

/** Timeout of a Redis command, during which a request waits. Longer than a busy process needs to notice a reply. */
const RESPONSE_TIMEOUT_MS = 250;
const CONNECT_MS = 2_000;
/** Pause after a failure, so that no request waits for a Redis that hangs. */
const RECONNECT_MS = 5_000;
const LINE_EVERY_MS = 60_000;

export function connectForLimits(redisUrl: string): Redis {
  return new Redis(redisUrl, {
    connectionName: 'unified-calendar quotas',
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // The check would have to finish within a command timeout, so a slow Redis would never become ready.
    enableReadyCheck: false,
    connectTimeout: CONNECT_MS,
    socketTimeout: RESPONSE_TIMEOUT_MS,
    retryStrategy: () => RECONNECT_MS,
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  });
}

export class SharedLimits {
  private readonly logger = new Logger('RateLimits');
  private lineAtMs = -Infinity;

  constructor(
    private readonly redis: Redis,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    // Without a listener ioredis prints every connection error.
    redis.on('error', () => undefined);
  }

  limiter(points: number, duration: number): RateLimiterRedis {
    return new RateLimiterRedis({
      storeClient: this.redis,
      keyPrefix: 'unified-calendar:quota',
      points,
      duration,
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
    this.logger.warn({ msg: 'rate limits per process: Redis unavailable' });
  }
}

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
