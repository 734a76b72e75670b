import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { VerifiedKey } from '#application';
import { DomainError } from '#domain';

const WINDOW_SECONDS = 1;

/**
 * Requests a second for each key, counted in this process. Every answer says what is left
 * (draft-ietf-httpapi-ratelimit-headers).
 */
@Injectable()
export class RateLimits {
  /** One limiter for each figure that occurs: applications can have their own. */
  private readonly limiters = new Map<number, RateLimiterMemory>();

  constructor(private readonly defaultRps: number) {}

  /** @throws DomainError RateLimited */
  async take(response: Response, { keyId, rateLimitRps }: VerifiedKey): Promise<void> {
    await this.count(response, keyId, rateLimitRps ?? this.defaultRps);
  }

  /** For requests without a valid key. @throws DomainError RateLimited */
  async takeUnproven(response: Response, address: string): Promise<void> {
    await this.count(response, `address:${address}`, this.defaultRps);
  }

  private async count(response: Response, subject: string, rps: number): Promise<void> {
    let limiter = this.limiters.get(rps);
    if (limiter === undefined) {
      limiter = new RateLimiterMemory({ points: rps, duration: WINDOW_SECONDS });
      this.limiters.set(rps, limiter);
    }
    response.setHeader('ratelimit-policy', policy(rps));
    try {
      const left = await limiter.consume(subject);
      response.setHeader('ratelimit', `"default";r=${left.remainingPoints};t=${seconds(left.msBeforeNext)}`);
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      const retryAfterSeconds = Math.max(1, seconds(error.msBeforeNext));
      response.setHeader('ratelimit', `"default";r=0;t=${retryAfterSeconds}`);
      throw new DomainError('RateLimited', `More than ${rps} requests in a second.`, { retryAfterSeconds });
    }
  }
}

/** `"default";q=300;w=1`: quota and window in seconds. */
export function policy(rps: number): string {
  return `"default";q=${rps};w=${WINDOW_SECONDS}`;
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}
