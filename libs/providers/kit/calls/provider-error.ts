import { DomainError, type ErrorCode } from '#domain/system';
import { parseRetryAfter } from '#egress';

/** An error answer of a provider, reduced to facts that are safe to show. */
export abstract class ProviderResponseError extends Error {
  constructor(
    /** Name in messages. */
    provider: string,
    readonly status: number,
    readonly code: string | null,
    /** Sentence of the provider, from {@link providerErrorText}. Callers see it when their input was rejected. */
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
export async function orNull<T>(response: Promise<T>): Promise<T | null> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof ProviderResponseError && error.isGone) return null;
    throw error;
  }
}

const MAX_DETAIL = 300;

/** Returns one line of text without markup, shortened. @param secret is removed */
export function providerErrorText(text: string, secret: string): string {
  const clean = (secret === '' ? text : text.replaceAll(secret, '…'))
    .slice(0, 4 * MAX_DETAIL)
    .replace(/<[^>]*>/g, ' ')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  return clean.length > MAX_DETAIL ? `${clean.slice(0, MAX_DETAIL - 1)}…` : clean;
}

export function providerErrorCode(value: unknown): string | null {
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

/** Returns null without a readable `Retry-After`. Caps waits at an hour. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  return parseRetryAfter(header, nowMs, MAX_RETRY_AFTER_MS);
}

/** `retryable`: whether the same request may succeed later. */
export type ErrorMapping = readonly [code: ErrorCode, message: string, retryable?: boolean];

/** Wait after a rate limit that names no duration: quotas count by the minute. */
const RATE_LIMIT_SECONDS = 10;

/** Builds the error without the refusal as its cause, which holds more than may be shown. */
export function mapToDomainError(
  [code, message, retryable = false]: ErrorMapping,
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

/** Translates refusals of a REST provider. @param conflict message for status 409 */
export function restErrorMappings(provider: string, conflict: string) {
  const rateLimited: ErrorMapping = ['ProviderRateLimited', `${provider} asks to slow down.`, true];
  const notFound: ErrorMapping = ['NotFound', `${provider} does not have this (any more).`];
  const staleToken: ErrorMapping = [
    'SyncTokenExpired',
    'The sync token is no longer valid; read the calendar in full again.',
  ];
  const unavailable: ErrorMapping = ['ProviderUnavailable', `${provider} could not answer.`, true];
  const readOnly: ErrorMapping = ['ReadOnlyCalendar', 'The account may not write to this calendar.'];
  const rejectedToken: ErrorMapping = [
    'CredentialsRejected',
    `${provider} does not accept the access of the account (any more).`,
  ];
  const changed: ErrorMapping = ['PreconditionFailed', 'This has been changed in the meantime.'];
  const statuses = new Map<number, ErrorMapping>([
    [401, rejectedToken],
    [403, ['Forbidden', `${provider} forbids this.`]],
    [404, notFound],
    [409, ['Conflict', conflict]],
    [410, notFound],
    [412, changed],
    [413, ['PayloadTooLarge', `This is larger than ${provider} accepts.`]],
    [429, rateLimited],
  ]);
  /** Translates by the code of the refusal, else by its status. */
  const toError = (
    rejection: ProviderResponseError,
    ofCode: ErrorMapping | undefined,
    usualSeconds?: number,
  ): DomainError => {
    const { status } = rejection;
    const mapping = ofCode ?? statuses.get(status);
    if (mapping !== undefined) return mapToDomainError(mapping, rejection, usualSeconds);
    // Any other 4xx concerns the request and carries the provider's own words. A redirect makes no sense here.
    return status >= 400 && status < 500
      ? rejectedInput(provider, rejection)
      : mapToDomainError(unavailable, rejection);
  };
  return { rateLimited, notFound, staleToken, unavailable, readOnly, rejectedToken, changed, toError };
}

export function rejectedInput(provider: string, { status, code, detail }: ProviderResponseError): DomainError {
  const message = `${provider} does not accept this.`;
  return new DomainError('ProviderRejected', detail === '' ? message : `${provider} does not accept this: ${detail}`, {
    provider: { status, code, message, retryable: false },
  });
}
