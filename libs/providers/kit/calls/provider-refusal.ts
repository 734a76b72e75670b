import { DomainError, type ErrorCode } from '#domain';
import { parseRetryAfter } from '#egress';

/** An error answer of a provider, reduced to facts that are safe to show. */
export abstract class ProviderRefusal extends Error {
  constructor(
    /** As the provider is called in messages. */
    provider: string,
    readonly status: number,
    readonly code: string | null,
    /** Sentence of the provider, from {@link refusalSentence}. Callers see it when their input is to blame. */
    readonly detail: string,
    readonly retryAfterMs: number | null,
  ) {
    super(`${provider} answered ${status} ${code ?? ''}`.trimEnd());
  }

  get isGone(): boolean {
    return this.status === 404 || this.status === 410;
  }
}

/** Returns null when the provider answers that the resource does not exist. */
export async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ProviderRefusal && error.isGone) return null;
    throw error;
  }
}

const MAX_DETAIL = 300;

/** One line of text without markup, cut. @param secret is taken out of it */
export function refusalSentence(text: string, secret: string): string {
  const clean = (secret === '' ? text : text.replaceAll(secret, '…'))
    .slice(0, 4 * MAX_DETAIL)
    .replace(/<[^>]*>/g, ' ')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  return clean.length > MAX_DETAIL ? `${clean.slice(0, MAX_DETAIL - 1)}…` : clean;
}

/** Returns null for anything that does not look like an error code. */
export function refusalCode(value: unknown): string | null {
  return typeof value === 'string' && /^[A-Za-z][\w.-]{0,63}$/.test(value) ? value : null;
}

export function parsedJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}

const MAX_RETRY_AFTER_MS = 3_600_000;

/** Returns null without a readable `Retry-After`. Waits of more than an hour are not believed. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  return parseRetryAfter(header, nowMs, MAX_RETRY_AFTER_MS);
}

/** `retryable`: whether the same request may succeed later. */
export type Meaning = readonly [code: ErrorCode, message: string, retryable?: boolean];

/** For a rate limit that does not say how long it lasts: quotas count by the minute. */
const RATE_LIMIT_SECONDS = 10;

/** The error does not hold the refusal as its cause: this is all of it that may be shown. */
export function toldRefusal(
  [code, message, retryable = false]: Meaning,
  { status, code: reason, retryAfterMs }: { status: number | null; code: string | null; retryAfterMs: number | null },
  usualSeconds = RATE_LIMIT_SECONDS,
): DomainError {
  const seconds = retryAfterMs === null ? usualSeconds : Math.max(1, Math.ceil(retryAfterMs / 1_000));
  const isToWait = code === 'ProviderRateLimited' || (code === 'ProviderUnavailable' && retryAfterMs !== null);
  return new DomainError(code, message, {
    provider: { status, code: reason, message, retryable },
    ...(isToWait && { retryAfterSeconds: seconds }),
  });
}

/** A refusal of the caller's input, in the provider's words. @param provider as it is called in messages */
export function rejectedInput(provider: string, { status, code, detail }: ProviderRefusal): DomainError {
  const message = `${provider} does not accept this.`;
  return new DomainError('ProviderRejected', detail === '' ? message : `${provider} does not accept this: ${detail}`, {
    provider: { status, code, message, retryable: false },
  });
}
