import { DomainError, type ErrorCode } from '#domain';
import { EgressError } from '#egress';

/** Faults of the way there and back, told without why or where; anything but an EgressError passes unchanged. */
export function transportFailure(provider: string, error: unknown): unknown {
  if (!(error instanceof EgressError)) return error;
  switch (error.failure) {
    case 'timeout':
    case 'aborted':
      return failure('ProviderTimeout', `${provider} did not answer in time.`, null, true, error);
    case 'too-large':
      return failure(
        'ProviderUnavailable',
        `The answer of ${provider} is larger than allowed.`,
        'answer-too-large',
        false,
        error,
      );
    case 'bad-answer':
      return badAnswer(provider, error);
    case 'address-blocked':
    case 'bad-url':
    case 'dns':
    case 'connect':
    case 'tls':
    case 'reset':
      return failure('ProviderUnavailable', `${provider} cannot be reached.`, null, true, error);
  }
}

/** An answer that makes no sense. */
export function badAnswer(provider: string, cause?: EgressError): DomainError {
  return failure(
    'ProviderUnavailable',
    `${provider} gave an answer that makes no sense.`,
    'answer-invalid',
    true,
    cause,
  );
}

function failure(
  code: ErrorCode,
  message: string,
  providerCode: string | null,
  retryable: boolean,
  cause?: EgressError,
): DomainError {
  return new DomainError(code, message, { provider: { status: null, code: providerCode, message, retryable }, cause });
}
