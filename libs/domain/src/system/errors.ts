/**
 * Every failure that applications can be answered with. The list is closed: it is published in the OpenAPI document and
 * clients branch on it.
 */
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

/** What operators are answered with besides; published in their document alone. */
export const OPERATOR_ERROR_CODES = ['PasswordsDisabled', 'ReauthenticationRequired'] as const;

export type ErrorCode = (typeof ERROR_CODES)[number] | (typeof OPERATOR_ERROR_CODES)[number];

/** One invalid part of a request: `path` in dotted form (`start.dateTime`), empty for the body as a whole. */
export interface ErrorDetail {
  path: string;
  message: string;
}

/** What the provider said, reduced to facts that are safe to repeat: never its text, headers or addresses. */
export interface ProviderFault {
  /** HTTP status of the provider's answer; null when there was none. */
  status: number | null;
  /** The provider's own machine-readable code (`valid-calendar-data`, `rateLimitExceeded`); null when it gave none. */
  code: string | null;
  message: string;
  retryable: boolean;
}

export interface DomainErrorOptions {
  details?: ErrorDetail[];
  provider?: ProviderFault;
  /** Seconds a caller should wait; becomes `Retry-After`. */
  retryAfterSeconds?: number;
  /** For logs only. */
  cause?: unknown;
}

/** The only error that crosses a boundary between libs. `message` is a sentence for the caller and holds no secret. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly details: ErrorDetail[] | undefined;
  readonly provider: ProviderFault | undefined;
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

/** The account has another `externalId` already, which must not be replaced. */
export class ExternalIdMismatch extends DomainError {
  constructor() {
    super('Conflict', 'The account belongs to another user of the application.');
  }
}

/** The provider cannot, or will not, push to our address. Whatever else it is asked for works. */
export class NotificationUrlUnreachable extends DomainError {
  constructor(message: string, options: DomainErrorOptions = {}) {
    super('ProviderUnavailable', message, options);
  }
}

const TRANSIENT: ReadonlySet<ErrorCode> = new Set(['ProviderUnavailable', 'ProviderTimeout', 'ProviderRateLimited']);

/** Whether the same call may succeed later: such a failure says nothing about what was asked. */
export function isTransient(error: unknown): error is DomainError {
  return error instanceof DomainError && TRANSIENT.has(error.code);
}

/** `ValidationFailed` for one field. */
export function invalid(path: string, message: string): DomainError {
  return new DomainError('ValidationFailed', path === '' ? message : `${path}: ${message}`, {
    details: [{ path, message }],
  });
}
