import { DomainError, type ErrorCode } from '#domain';
import type { ProviderRefusal } from './provider-refusal.js';

/** What a caller is told of a refusal, and whether the same request may well succeed later. */
export type Meaning = readonly [code: ErrorCode, message: string, retryable?: boolean];

/** The wait after a rate limit that does not say how long it lasts, seconds: quotas count by the minute. */
const RATE_LIMIT_SECONDS = 10;

/** The refusal itself is left behind: the facts of it that may be told are all here. */
export function toldRefusal(
  [code, message, retryable = false]: Meaning,
  { status, code: reason, retryAfterMs }: ProviderRefusal,
  usualSeconds = RATE_LIMIT_SECONDS,
): DomainError {
  const seconds = retryAfterMs === null ? usualSeconds : Math.max(1, Math.ceil(retryAfterMs / 1_000));
  const isToWait = code === 'ProviderRateLimited' || (code === 'ProviderUnavailable' && retryAfterMs !== null);
  return new DomainError(code, message, {
    provider: { status, code: reason, message, retryable },
    ...(isToWait && { retryAfterSeconds: seconds }),
  });
}

/** A refusal that the request is to blame for, in the provider's own words. @param provider as it is called in messages */
export function rejectedInput(provider: string, { status, code, detail }: ProviderRefusal): DomainError {
  const message = `${provider} does not accept this.`;
  return new DomainError('ProviderRejected', detail === '' ? message : `${provider} does not accept this: ${detail}`, {
    provider: { status, code, message, retryable: false },
  });
}
