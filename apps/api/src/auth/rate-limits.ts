import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Response } from 'express';
import { RateLimiterMemory, RateLimiterRes, type RateLimiterRedis } from 'rate-limiter-flexible';
import type { VerifiedKey } from '#application';
import { DomainError } from '#domain';
import { counter } from '#platform/telemetry';
import { clientNetwork } from './client-network.js';
import type { SharedLimits } from './shared-limits.js';

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
