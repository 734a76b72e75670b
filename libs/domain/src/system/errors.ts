/** Error codes for applications. The list is closed: OpenAPI publishes it and clients branch on it. */
export const ERROR_CODES = [
  'MissingApiKey',
  'InvalidApiKey',
  'ApiKeyExpired',
  'Forbidden',
  'ValidationFailed',
  'NotFound',
  'MethodNotAllowed',
  'EndUserAccountExpired',
  'NotSupportedByProvider',
  'ReadOnlyCalendar',
  'Conflict',
  'IdempotencyKeyReused',
  'SyncTokenExpired',
  'PageTokenInvalid',
  'PreconditionFailed',
  'PayloadTooLarge',
  'RateLimited',
  'ProviderRateLimited',
  'ProviderUnavailable',
  'ProviderTimeout',
  'ProviderRejected',
  'ServerNotAllowed',
  'CredentialsRejected',
  'Overloaded',
  'ServiceUnavailable',
  'InternalServerError',
] as const;

/** Further codes of the operator API, published in its own document only. */
export const OPERATOR_ERROR_CODES = ['PasswordsDisabled', 'ReauthenticationRequired'] as const;

export type ErrorCode = (typeof ERROR_CODES)[number] | (typeof OPERATOR_ERROR_CODES)[number];

/** One invalid field. `path` is dotted (`start.dateTime`), and empty for the body as a whole. */
export interface ErrorDetail {
  path: string;
  message: string;
}

/** An error response of a provider, without its text, headers or addresses, which may hold secrets. */
export interface ProviderErrorDetails {
  /** HTTP status. null without a response. */
  status: number | null;
  /** Machine-readable code (`valid-calendar-data`, `rateLimitExceeded`). null without one. */
  code: string | null;
  message: string;
  retryable: boolean;
}

export interface DomainErrorOptions {
  details?: ErrorDetail[];
  provider?: ProviderErrorDetails;
  /** Becomes the `Retry-After` header. */
  retryAfterSeconds?: number;
  cause?: unknown;
}

/** The only error that crosses lib boundaries. `message` is a sentence for the caller without secrets. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly details: ErrorDetail[] | undefined;
  readonly provider: ProviderErrorDetails | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: DomainErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.details = options.details;
    this.provider = options.provider;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

export class ExternalIdMismatch extends DomainError {
  constructor() {
    super('Conflict', 'The account belongs to another user of the application.');
  }
}

/** The provider cannot or will not push to our URL. Its other operations work. */
export class NotificationUrlUnreachable extends DomainError {
  constructor(message: string, options: DomainErrorOptions = {}) {
    super('ProviderUnavailable', message, options);
  }
}

const TRANSIENT: ReadonlySet<ErrorCode> = new Set(['ProviderUnavailable', 'ProviderTimeout', 'ProviderRateLimited']);

export function isTransient(error: unknown): error is DomainError {
  return error instanceof DomainError && TRANSIENT.has(error.code);
}

export function invalid(path: string, message: string): DomainError {
  return new DomainError('ValidationFailed', path === '' ? message : `${path}: ${message}`, {
    details: [{ path, message }],
  });
}

export function noSuchApplication(): DomainError {
  return new DomainError('NotFound', 'There is no application with this id.');
}

export function noSuchAccount(): DomainError {
  return new DomainError('NotFound', 'There is no end user account with this id.');
}
