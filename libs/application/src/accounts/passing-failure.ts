import { DomainError, type ErrorCode } from '#domain';

const PASSING: ReadonlySet<ErrorCode> = new Set(['ProviderUnavailable', 'ProviderTimeout', 'ProviderRateLimited']);

/** Whether the same call may succeed later: such a failure says nothing about what was asked. */
export function mayPass(error: unknown): error is DomainError {
  return error instanceof DomainError && PASSING.has(error.code);
}
