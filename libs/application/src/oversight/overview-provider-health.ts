import type { ProviderType } from '#domain';

/** How a provider answered the requests of the last hour that led to it. */
export interface ProviderHealth {
  providerType: ProviderType;
  /** `troubled`: some requests fail, or it refuses grants in masses. `unknown`: nothing was asked of it. */
  state: 'ok' | 'troubled' | 'down' | 'unknown';
  requests: number;
  /** 502, 503 and 504. */
  failures: number;
  lastFailureAt: Date | null;
}

/** How requests that led to a provider ended in the last hour, and in its last minutes. */
export interface ProviderRequests {
  requests: number;
  failures: number;
  recentRequests: number;
  recentFailures: number;
}

/** Of the requests that led to a provider. */
const TROUBLED_SHARE = 0.05;
const DOWN_SHARE = 0.5;
/** Fewer failures may be those of one account. */
const LEAST_FAILURES_OF_DOWN = 3;

/**
 * What the last minutes say counts, if anything was asked in them: a provider that is back is not told to be down for the
 * rest of the hour.
 * @param isHolding it refuses so many grants at once that accounts are not declared EXPIRED for the time being
 */
export function providerState(seen: ProviderRequests, isHolding: boolean): ProviderHealth['state'] {
  const { requests, failures } = judged(seen);
  const share = requests === 0 ? 0 : failures / requests;
  if (share >= DOWN_SHARE && failures >= LEAST_FAILURES_OF_DOWN) return 'down';
  if (isHolding || share >= TROUBLED_SHARE) return 'troubled';
  return requests === 0 ? 'unknown' : 'ok';
}

function judged(seen: ProviderRequests): { requests: number; failures: number } {
  if (seen.recentRequests === 0) return seen;
  return { requests: seen.recentRequests, failures: seen.recentFailures };
}
