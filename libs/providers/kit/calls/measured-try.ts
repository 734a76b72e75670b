import { AsyncLocalStorage } from 'node:async_hooks';
import type { ProviderType } from '#domain';
import { EgressError } from '#egress';
import { histogram, inSpan, isTraced, type CallOutcome, type ProviderOperation } from '#platform/telemetry';

/** What a provider is asked for, in however many requests. */
export interface ProviderCall {
  provider: ProviderType;
  operation: ProviderOperation;
}

const calls = histogram('calendar_provider_call_duration_seconds');
const asked = new AsyncLocalStorage<ProviderCall>();

/** Runs what asks a provider, in a span of its own: every try within it is measured as one of this call. */
export function asCall<T>(call: ProviderCall, work: () => Promise<T>): Promise<T> {
  if (!isTraced()) return asked.run(call, work);
  const { provider, operation } = call;
  const attributes = { 'calendar.provider': provider, 'calendar.operation': operation };
  return inSpan(`${provider} ${operation}`, { attributes }, () => asked.run(call, work));
}

/**
 * Measures one request to a provider. What is asked of others than the providers of accounts is none.
 * @param outcomeOf what the provider means by an error of `send`; undefined: no more than the error itself says
 */
export async function measuredTry<T>(
  send: (answered: (status: number) => void) => Promise<T>,
  outcomeOf: (error: unknown) => CallOutcome | undefined = () => undefined,
): Promise<T> {
  const call = asked.getStore();
  if (call === undefined) return send(() => undefined);
  const startMs = performance.now();
  let outcome: CallOutcome = 'ok';
  let status: number | null = null;
  try {
    const result = await send((answered) => (status = answered));
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
  if (status === 429) return 'rateLimited';
  return status >= 500 ? 'failed' : 'refused';
}

function outcomeOfFailure(error: unknown): CallOutcome {
  // An answer came, and somebody could not read it.
  if (!(error instanceof EgressError)) return 'badAnswer';
  switch (error.failure) {
    case 'timeout':
      return 'timeout';
    case 'aborted':
      return 'aborted';
    case 'too-large':
    case 'bad-answer':
      return 'badAnswer';
    case 'address-blocked':
    case 'bad-url':
    case 'dns':
    case 'connect':
    case 'tls':
    case 'reset':
      return 'unreachable';
  }
}
