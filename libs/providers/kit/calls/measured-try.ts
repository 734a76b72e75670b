import { AsyncLocalStorage } from 'node:async_hooks';
import type { ProviderType } from '#domain/accounts';
import { EgressError } from '#egress';
import { histogram, inSpan, isRecording, type CallOutcome, type ProviderOperation } from '#platform/telemetry';
import { FAILURES } from './http.js';

interface ProviderCall {
  provider: ProviderType;
  operation: ProviderOperation;
}

const calls = histogram('calendar_provider_call_duration_seconds');
const asked = new AsyncLocalStorage<ProviderCall>();

/** Runs an operation at a provider in its own span. Requests within it are measured under this operation. */
export function withCallSpan<T>(call: ProviderCall, work: () => Promise<T>): Promise<T> {
  if (!isRecording()) return asked.run(call, work);
  const { provider, operation } = call;
  const attributes = { 'calendar.provider': provider, 'calendar.operation': operation };
  return inSpan(`${provider} ${operation}`, { attributes }, () => asked.run(call, work));
}

/** Measures one request within {@link withCallSpan}. @param outcomeOf returns undefined when the error itself has one */
export async function instrumentTry<T>(
  send: (reportStatus: (status: number) => void) => Promise<T>,
  outcomeOf: (error: unknown) => CallOutcome | undefined = () => undefined,
): Promise<T> {
  const call = asked.getStore();
  if (call === undefined) return send(() => undefined);
  const startMs = performance.now();
  let outcome: CallOutcome = 'ok';
  let status: number | null = null;
  try {
    const result = await send((received) => (status = received));
    if (status !== null) outcome = outcomeOfStatus(status);
    return result;
  } catch (error) {
    outcome = outcomeOf(error) ?? (status === null || status < 400 ? outcomeOfFailure(error) : outcomeOfStatus(status));
    throw error;
  } finally {
    calls.observe((performance.now() - startMs) / 1_000, { ...call, outcome });
  }
}

export function outcomeOfStatus(status: number): CallOutcome {
  if (status < 400) return 'ok';
  if (status === 401) return 'unauthorized';
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'server_error' : 'client_error';
}

function outcomeOfFailure(error: unknown): CallOutcome {
  // Any other error comes from reading an answer.
  return error instanceof EgressError ? FAILURES[error.failure].outcome : 'malformed_response';
}
