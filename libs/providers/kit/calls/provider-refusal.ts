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

/**
 * What the refusals of a REST provider mean to a caller.
 * @param provider as it is called in messages
 * @param conflict message for status 409
 */
export function restMeanings(provider: string, conflict: string) {
  const rateLimited: Meaning = ['ProviderRateLimited', `${provider} asks to slow down.`, true];
  const notFound: Meaning = ['NotFound', `${provider} does not have this (any more).`];
  const staleToken: Meaning = [
    'SyncTokenExpired',
    'The sync token is no longer valid; read the calendar in full again.',
  ];
  const unavailable: Meaning = ['ProviderUnavailable', `${provider} could not answer.`, true];
  const readOnly: Meaning = ['ReadOnlyCalendar', 'The account may not write to this calendar.'];
  const rejectedToken: Meaning = [
    'CredentialsRejected',
    `${provider} does not accept the access of the account (any more).`,
  ];
  const changed: Meaning = ['PreconditionFailed', 'This has been changed in the meantime.'];
  const statuses = new Map<number, Meaning>([
    [401, rejectedToken],
    [403, ['Forbidden', `${provider} forbids this.`]],
    [404, notFound],
    [409, ['Conflict', conflict]],
    [410, notFound],
    [412, changed],
    [413, ['PayloadTooLarge', `This is larger than ${provider} accepts.`]],
    [429, rateLimited],
  ]);
  /** What a caller is told: what the code of the refusal means, else its status. */
  const told = (refusal: ProviderRefusal, ofCode: Meaning | undefined, usualSeconds?: number): DomainError => {
    const { status } = refusal;
    const meaning = ofCode ?? statuses.get(status);
    if (meaning !== undefined) return toldRefusal(meaning, refusal, usualSeconds);
    // Any other 4xx is about the request, in the provider's own words. A redirect makes no sense here.
    return status >= 400 && status < 500 ? rejectedInput(provider, refusal) : toldRefusal(unavailable, refusal);
  };
  return { rateLimited, notFound, staleToken, unavailable, readOnly, rejectedToken, changed, told };
}

/** A refusal that the request is to blame for, in the provider's own words. @param provider as it is called in messages */
export function rejectedInput(provider: string, { status, code, detail }: ProviderRefusal): DomainError {
  const message = `${provider} does not accept this.`;
  return new DomainError('ProviderRejected', detail === '' ? message : `${provider} does not accept this: ${detail}`, {
    provider: { status, code, message, retryable: false },
  });
}
