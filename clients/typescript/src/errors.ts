import type { Error as ErrorEnvelope, ErrorCode, ErrorDetail, ProviderFault } from './generated/types.gen.js';

/** The service answered with an error. */
export class UnifiedCalendarError extends Error {
  override readonly name: string = 'UnifiedCalendarError';
  /** HTTP status. */
  readonly status: number;
  /** What happened, an {@link ErrorCode}; `UnexpectedAnswer`: the body is not one of the service's. */
  readonly code: ErrorCode;
  /** Names the request in the logs of the service. */
  readonly requestId: string | null;
  /** Seconds to wait before trying again; null: the service does not say. */
  readonly retryAfterSeconds: number | null;
  /** Each part of the request that is not valid. */
  readonly details: readonly ErrorDetail[];
  /** What the calendar provider said, when the error is about that. */
  readonly provider: ProviderFault | null;

  constructor({ status, headers }: Pick<Response, 'status' | 'headers'>, { code, message, ...body }: ErrorBody) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = body.requestId ?? headers.get('x-request-id');
    this.retryAfterSeconds = secondsUntil(headers.get('retry-after'));
    this.details = body.details ?? [];
    this.provider = body.provider ?? null;
  }
}

/** Part of the request is not valid: `details` says which. */
export class ValidationError extends UnifiedCalendarError {
  override readonly name = 'ValidationError';
}

/** The API key is missing, unknown or expired, or may not do this. */
export class AuthenticationError extends UnifiedCalendarError {
  override readonly name = 'AuthenticationError';
}

/** There is no such account, calendar, event or endpoint. */
export class NotFoundError extends UnifiedCalendarError {
  override readonly name = 'NotFoundError';
}

/** The user has to connect the account again. */
export class AccountExpiredError extends UnifiedCalendarError {
  override readonly name = 'AccountExpiredError';
}

/** The event has another version than `ifMatch`, or another request is in the way. */
export class ConflictError extends UnifiedCalendarError {
  override readonly name = 'ConflictError';
}

/** The service or the provider takes no more requests for `retryAfterSeconds`. */
export class RateLimitedError extends UnifiedCalendarError {
  override readonly name = 'RateLimitedError';
}

/** The calendar provider failed or refused: `provider` has its answer. */
export class ProviderError extends UnifiedCalendarError {
  override readonly name = 'ProviderError';
}

/** The sync token is too old: everything has to be read again. */
export class SyncTokenExpired extends UnifiedCalendarError {
  override readonly name = 'SyncTokenExpired';
}

/** Classes of errors by code; a code that is not here has the base class. */
const CLASS_OF_CODE: Record<string, typeof UnifiedCalendarError> = {
  ValidationFailed: ValidationError,
  PageTokenInvalid: ValidationError,
  MissingApiKey: AuthenticationError,
  InvalidApiKey: AuthenticationError,
  ApiKeyExpired: AuthenticationError,
  Forbidden: AuthenticationError,
  NotFound: NotFoundError,
  EndUserAccountExpired: AccountExpiredError,
  Conflict: ConflictError,
  IdempotencyKeyReused: ConflictError,
  PreconditionFailed: ConflictError,
  RateLimited: RateLimitedError,
  ProviderRateLimited: RateLimitedError,
  ProviderUnavailable: ProviderError,
  ProviderTimeout: ProviderError,
  ProviderRejected: ProviderError,
  SyncTokenExpired,
};

/** There was no answer: the network failed, or time ran out. Whether the request was carried out is not known. */
export class UnifiedCalendarNetworkError extends Error {
  override readonly name = 'UnifiedCalendarNetworkError';
}

type ErrorBody = Pick<ErrorEnvelope, 'message' | 'details' | 'provider'> & { code: string; requestId?: string };

const SHOWN_CHARACTERS = 200;

/** @param text body of an answer that is not what was asked for */
export function toError(response: Pick<Response, 'status' | 'headers'>, text: string): UnifiedCalendarError {
  const envelope = parsed(text);
  if (!isErrorBody(envelope)) {
    const message = `HTTP ${response.status} without a body of the service: ${text.slice(0, SHOWN_CHARACTERS)}`;
    return new UnifiedCalendarError(response, { code: 'UnexpectedAnswer', message });
  }
  const CodeError = Object.hasOwn(CLASS_OF_CODE, envelope.code) ? CLASS_OF_CODE[envelope.code] : undefined;
  return new (CodeError ?? UnifiedCalendarError)(response, envelope);
}

/** Returns undefined for what is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isErrorBody(body: unknown): body is ErrorBody {
  if (typeof body !== 'object' || body === null) return false;
  const { code, message } = body as Partial<ErrorBody>;
  return typeof code === 'string' && typeof message === 'string';
}

/** `Retry-After`: the service writes seconds, proxies before it may write a date (RFC 9110 §10.2.3). */
function secondsUntil(retryAfter: string | null): number | null {
  if (retryAfter === null) return null;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const atMs = Date.parse(retryAfter);
  return Number.isNaN(atMs) ? null : Math.max(0, Math.ceil((atMs - Date.now()) / 1_000));
}
