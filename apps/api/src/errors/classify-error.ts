import { HttpException } from '@nestjs/common';
import { DomainError } from '#domain/system';
import { DatabaseUnavailable } from '#persistence';
import { ServerIsDraining } from '#platform';
import { failure, failureOf, type Failure } from './envelope.js';

const RETRY_WHEN_DRAINING_SECONDS = 1;
const RETRY_WHEN_NOT_READY_SECONDS = 5;

/** Maps any error to a failure. No text of an unknown error reaches the caller. */
export function classifyError(error: unknown): Failure {
  if (error instanceof DomainError) return failureOf(error);
  if (error instanceof ServerIsDraining) {
    return unavailable('This instance is shutting down. Try again.', RETRY_WHEN_DRAINING_SECONDS);
  }
  if (error instanceof DatabaseUnavailable) {
    const text = 'The service cannot reach its database at the moment. Try again.';
    return { ...unavailable(text, error.retryAfterSeconds), isServerFailure: true };
  }
  if (error instanceof HttpException) return classifyHttpException(error);
  return { ...failure('InternalServerError', 'Something went wrong on our side.'), isServerFailure: true };
}

function unavailable(message: string, retryAfterSeconds: number): Failure {
  return { ...failure('ServiceUnavailable', message), retryAfterSeconds };
}

function classifyHttpException(error: HttpException): Failure {
  const status = error.getStatus();
  switch (status) {
    case 401:
    case 403:
      return failure('Forbidden', 'This is not allowed.');
    case 405:
      return failure('MethodNotAllowed', 'This method is not available here.');
    case 413:
      return failure('PayloadTooLarge', 'The request body is too large.');
    case 503:
      return {
        ...unavailable('This instance is not ready.', RETRY_WHEN_NOT_READY_SECONDS),
        details: unreadyParts(error.getResponse()),
      };
    default:
      if (status >= 500) {
        return { ...failure('InternalServerError', 'Something went wrong on our side.'), isServerFailure: true };
      }
      return failure('ValidationFailed', 'The request could not be understood.', status);
  }
}

/** Format of terminus: `{ details: { database: { status: 'down', message } } }`. */
function unreadyParts(response: string | object): Failure['details'] {
  const parts = (response as { error?: Record<string, { status: string; message?: string }> }).error;
  if (typeof parts !== 'object' || parts === null) return undefined;
  return Object.entries(parts).map(([path, { status, message }]) => ({ path, message: message ?? status }));
}
