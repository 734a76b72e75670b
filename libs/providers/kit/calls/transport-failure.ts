import { DomainError, type ErrorCode } from '#domain';
import { EgressError } from '#egress';
import type { CallOutcome } from '#platform/telemetry';
import type { AttemptVerdict } from './circuit-breaker.js';

/** AttemptVerdict on the provider, and outcome in metrics, of a request without a usable answer. */
export const FAILURES: Readonly<Record<EgressError['failure'], { verdict: AttemptVerdict; outcome: CallOutcome }>> = {
  dns: { verdict: 'failure', outcome: 'unreachable' },
  connect: { verdict: 'failure', outcome: 'unreachable' },
  tls: { verdict: 'failure', outcome: 'unreachable' },
  reset: { verdict: 'failure', outcome: 'unreachable' },
  timeout: { verdict: 'failure', outcome: 'timeout' },
  'invalid-response': { verdict: 'failure', outcome: 'badAnswer' },
  'too-large': { verdict: 'alive', outcome: 'badAnswer' },
  aborted: { verdict: 'unknown', outcome: 'aborted' },
  'address-blocked': { verdict: 'unknown', outcome: 'unreachable' },
  'bad-url': { verdict: 'unknown', outcome: 'unreachable' },
};

/** Translates an EgressError without its addresses and causes; returns any other error unchanged. */
export function transportFailure(provider: string, error: unknown): unknown {
  if (!(error instanceof EgressError)) return error;
  if (error.failure === 'invalid-response') return badAnswer(provider, error);
  if (error.failure === 'too-large') {
    const message = `The answer of ${provider} is larger than allowed.`;
    return new DomainError('ProviderUnavailable', message, {
      provider: { status: null, code: 'answer-too-large', message, retryable: false },
      cause: error,
    });
  }
  const isLate = error.failure === 'timeout' || error.failure === 'aborted';
  return isLate
    ? retryable('ProviderTimeout', `${provider} did not answer in time.`, null, error)
    : retryable('ProviderUnavailable', `${provider} cannot be reached.`, null, error);
}

export function badAnswer(provider: string, cause?: EgressError): DomainError {
  return retryable('ProviderUnavailable', `${provider} gave an answer that makes no sense.`, 'answer-invalid', cause);
}

function retryable(code: ErrorCode, message: string, providerCode: string | null, cause?: EgressError): DomainError {
  return new DomainError(code, message, {
    provider: { status: null, code: providerCode, message, retryable: true },
    cause,
  });
}
