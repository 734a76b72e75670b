import { DomainError, type ErrorCode } from '#domain/system';
import { EgressError } from '#egress';
import type { CallOutcome } from '#platform/telemetry';
import type { CallHealth } from './circuit-breaker.js';

/** AttemptVerdict on the provider, and outcome in metrics, of a request without a usable answer. */
export const FAILURES: Readonly<Record<EgressError['failure'], { health: CallHealth; outcome: CallOutcome }>> = {
  dns: { health: 'failure', outcome: 'unreachable' },
  connect: { health: 'failure', outcome: 'unreachable' },
  tls: { health: 'failure', outcome: 'unreachable' },
  reset: { health: 'failure', outcome: 'unreachable' },
  timeout: { health: 'failure', outcome: 'timeout' },
  'invalid-response': { health: 'failure', outcome: 'malformed_response' },
  'too-large': { health: 'alive', outcome: 'malformed_response' },
  aborted: { health: 'unknown', outcome: 'aborted' },
  'address-blocked': { health: 'unknown', outcome: 'unreachable' },
  'bad-url': { health: 'unknown', outcome: 'unreachable' },
};

/** Translates an EgressError without its addresses and causes; returns any other error unchanged. */
export function transportFailure(provider: string, error: unknown): unknown {
  if (!(error instanceof EgressError)) return error;
  if (error.failure === 'invalid-response') return malformedResponseError(provider, error);
  if (error.failure === 'too-large') {
    const message = `The answer of ${provider} is larger than allowed.`;
    return new DomainError('ProviderUnavailable', message, {
      provider: { status: null, code: 'response-too-large', message, retryable: false },
      cause: error,
    });
  }
  const isLate = error.failure === 'timeout' || error.failure === 'aborted';
  return isLate
    ? retryable('ProviderTimeout', `${provider} did not answer in time.`, null, error)
    : retryable('ProviderUnavailable', `${provider} cannot be reached.`, null, error);
}

export function malformedResponseError(provider: string, cause?: EgressError): DomainError {
  return retryable('ProviderUnavailable', `${provider} gave an answer that makes no sense.`, 'response-invalid', cause);
}

function retryable(code: ErrorCode, message: string, providerCode: string | null, cause?: EgressError): DomainError {
  return new DomainError(code, message, {
    provider: { status: null, code: providerCode, message, retryable: true },
    cause,
  });
}
