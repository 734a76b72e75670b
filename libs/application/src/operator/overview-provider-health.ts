import type { ProviderType } from '#domain/accounts';

export interface ProviderHealth {
  providerType: ProviderType;
  /** `troubled`: some requests fail, or the mass-expiry breaker is tripped. `unknown`: no requests. */
  state: 'ok' | 'troubled' | 'down' | 'unknown';
  requests: number;
  /** 502, 503 and 504. */
  failures: number;
  lastFailureAt: Date | null;
}

export interface ProviderRequests {
  requests: number;
  failures: number;
  recentRequests: number;
  recentFailures: number;
}

const TROUBLED_SHARE = 0.05;
const DOWN_SHARE = 0.5;
/** Fewer failures may come from one account. */
const MIN_FAILURES_OF_DOWN = 3;

/** Prefers the recent minutes, so that a provider that recovered is not shown as down for an hour. */
export function providerState(seen: ProviderRequests, isBreakerTripped: boolean): ProviderHealth['state'] {
  const { requests, failures } = relevantRequests(seen);
  const share = requests === 0 ? 0 : failures / requests;
  if (share >= DOWN_SHARE && failures >= MIN_FAILURES_OF_DOWN) return 'down';
  if (isBreakerTripped || share >= TROUBLED_SHARE) return 'troubled';
  return requests === 0 ? 'unknown' : 'ok';
}

function relevantRequests(seen: ProviderRequests): { requests: number; failures: number } {
  if (seen.recentRequests === 0) return seen;
  return { requests: seen.recentRequests, failures: seen.recentFailures };
}
