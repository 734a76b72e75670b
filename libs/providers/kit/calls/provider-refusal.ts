import { DomainError, type ErrorCode } from '#domain';
import { parseRetryAfter } from '#egress';

/** What a provider answered instead of a result: the facts of its error body, nothing of its text that is not safe. */
export abstract class ProviderRefusal extends Error {
  constructor(
    /** As the provider is called in messages. */
    provider: string,
    /** HTTP status. */
    readonly status: number,
    /** The provider's own word for it; null when the body said none. */
    readonly code: string | null,
    /** The provider's own sentence, cut and cleaned; for the caller where the input is to blame. */
    readonly detail: string,
    /** Of the Retry-After header, milliseconds; null when there was none. */
    readonly retryAfterMs: number | null,
  ) {
    super(`${provider} answered ${status} ${code ?? ''}`.trimEnd());
  }

  /** Whether the provider says that there is no such thing, or none any more. */
  get isGone(): boolean {
    return this.status === 404 || this.status === 410;
  }
}

/** What a call answers, or null when the provider says that there is no such thing. */
export async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ProviderRefusal && error.isGone) return null;
    throw error;
  }
}

/** Longest sentence that is passed on, characters. */
const MAX_DETAIL = 300;

/**
 * One line of text without markup, cut.
 * @param secret never repeated, should the text hold it
 */
export function refusalSentence(text: string, secret: string): string {
  const clean = (secret === '' ? text : text.replaceAll(secret, '…'))
    .slice(0, 4 * MAX_DETAIL)
    .replace(/<[^>]*>/g, ' ')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  return clean.length > MAX_DETAIL ? `${clean.slice(0, MAX_DETAIL - 1)}…` : clean;
}

/** What is shaped like an error code; null for anything else, whose text nobody has to see. */
export function refusalCode(value: unknown): string | null {
  return typeof value === 'string' && /^[A-Za-z][\w.-]{0,63}$/.test(value) ? value : null;
}

/** null for text that is no JSON. */
export function parsedJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}

/** Longest wait that is believed, milliseconds. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** How long a provider's `Retry-After` asks to wait, milliseconds; null for none and for garbage. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  return parseRetryAfter(header, nowMs, MAX_RETRY_AFTER_MS);
}

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
