import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { VerifiedKey } from '#application';
import { DomainError } from '#domain';
import { counter } from '#telemetry';
import { clientNetwork } from './client-network.js';

const shed = counter('calendar_requests_shed_total');

const WINDOW_SECONDS = 1;

/**
 * Sign-ins that one address may begin: each is kept for ten minutes, whether it is finished or not. A minute, because
 * users come in bursts, and through proxies.
 */
const SIGN_INS = 600;
const SIGN_IN_WINDOW_SECONDS = 60;

/**
 * Requests of each key, counted in this process. Every answer says what is left (draft-ietf-httpapi-ratelimit-headers).
 */
@Injectable()
export class RateLimits {
  /** One limiter for each policy that occurs: applications can have their own. */
  private readonly limiters = new Map<string, RateLimiterMemory>();

  constructor(private readonly defaultRps: number) {}

  /** @throws DomainError RateLimited */
  async take(response: Response, { keyId, rateLimitRps }: VerifiedKey): Promise<void> {
    await this.count(response, keyId, rateLimitRps ?? this.defaultRps);
  }

  /** For requests without a valid key. @throws DomainError RateLimited */
  async takeUnproven(response: Response, address: string): Promise<void> {
    await this.count(response, `address:${clientNetwork(address)}`, this.defaultRps);
  }

  /** For sign-ins, which anybody may begin. @throws DomainError RateLimited */
  async takeSignIn(response: Response, address: string): Promise<void> {
    await this.count(response, `sign-in:${clientNetwork(address)}`, SIGN_INS, SIGN_IN_WINDOW_SECONDS);
  }

  private async count(response: Response, subject: string, quota: number, window = WINDOW_SECONDS): Promise<void> {
    const named = policy(quota, window);
    let limiter = this.limiters.get(named);
    if (limiter === undefined) {
      limiter = new RateLimiterMemory({ points: quota, duration: window });
      this.limiters.set(named, limiter);
    }
    response.setHeader('ratelimit-policy', named);
    try {
      const left = await limiter.consume(subject);
      response.setHeader('ratelimit', `"default";r=${left.remainingPoints};t=${seconds(left.msBeforeNext)}`);
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      shed.add(1, { reason: 'keyRate' });
      const retryAfterSeconds = Math.max(1, seconds(error.msBeforeNext));
      response.setHeader('ratelimit', `"default";r=0;t=${retryAfterSeconds}`);
      const span = window === WINDOW_SECONDS ? 'a second' : `${window} seconds`;
      throw new DomainError('RateLimited', `More than ${quota} requests in ${span}.`, { retryAfterSeconds });
    }
  }
}

/** `"default";q=300;w=1`: quota and window in seconds. */
export function policy(quota: number, window = WINDOW_SECONDS): string {
  return `"default";q=${quota};w=${window}`;
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}
