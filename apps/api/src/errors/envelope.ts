import type { Response } from 'express';
import {
  DomainError,
  type ErrorCode,
  type ErrorDetail,
  type ProviderErrorDetails,
  type DomainErrorOptions,
} from '#domain/system';
import { ERROR_STATUS } from './error-status.js';
import { contextOf } from '../http/api-context.js';

export interface ErrorEnvelope {
  error: ErrorCode;
  code: ErrorCode;
  message: string;
  requestId: string;
  details?: ErrorDetail[];
  provider?: ProviderErrorDetails;
}

export interface Failure {
  status: number;
  code: ErrorCode;
  message: string;
  details?: ErrorDetail[];
  provider?: ProviderErrorDetails;
  retryAfterSeconds?: number;
  /** An error of the service itself, which is logged. */
  isServerFailure: boolean;
}

/** `Retry-After` is promised on every 429 and 503. */
const DEFAULT_RETRY_AFTER_SECONDS = 1;

/** `status` separates cases that share a code (401 of a session, 408, 415, 417, 431). */
export function failure(code: ErrorCode, message: string, status: number = ERROR_STATUS[code]): Failure {
  return { status, code, message, isServerFailure: false };
}

export function failureOf(error: DomainError): Failure {
  const status = error instanceof HttpFailure ? error.status : ERROR_STATUS[error.code];
  const retryAfterSeconds =
    error.retryAfterSeconds ?? (status === 429 || status === 503 ? DEFAULT_RETRY_AFTER_SECONDS : undefined);
  return {
    status,
    code: error.code,
    message: error.message,
    details: error.details,
    provider: error.provider,
    retryAfterSeconds: retryAfterSeconds === undefined ? undefined : Math.max(1, Math.ceil(retryAfterSeconds)),
    isServerFailure: status === 500,
  };
}

export function envelopeOf({ code, message, details, provider }: Failure, requestId: string): ErrorEnvelope {
  return {
    error: code,
    code,
    message,
    requestId,
    ...(details !== undefined && { details }),
    ...(provider !== undefined && { provider }),
  };
}

export function sendFailure(response: Response, failure: Failure, requestId: string): void {
  beginFailure(response, failure);
  response.removeHeader('x-ignored-fields');
  // Handlers of pages may have set another type before they fail.
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.send(JSON.stringify(envelopeOf(failure, requestId)));
}

export function beginFailure(response: Response, { status, code, retryAfterSeconds }: Failure): void {
  contextOf(response.req).errorCode = code;
  if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
  response.status(status);
}

export class HttpFailure extends DomainError {
  constructor(
    code: ErrorCode,
    message: string,
    readonly status: number,
    options: DomainErrorOptions = {},
  ) {
    super(code, message, options);
  }
}
