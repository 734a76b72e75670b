/** How long a process may use a lease; what is left of it then is lost. */
export const LEASE_MS = 2_000;
/** Share of a minute's requests that may go at once after a pause. */
const BURST_SHARE = 0.25;
const WINDOW_MS = 60_000;

/** GCRA parameters (ITU-T I.371): one request every `intervalMs`, up to `burst` of them at once. */
export interface RequestRate {
  intervalMs: number;
  burst: number;
}

/**
 * GCRA lets through at most `burst + window / interval` in any window. A leased request is sent up to {@link LEASE_MS}
 * after it was counted, so what is sent in a minute was counted in a minute plus that. Both are chosen such that the
 * sum over all replicas never exceeds `requestsPerMinute` in any minute; after a pause the first minute gets all of it.
 */
export function requestRate(requestsPerMinute: number): RequestRate {
  if (!(requestsPerMinute >= 1)) throw new RangeError('requestsPerMinute must be 1 or more');
  const burst = Math.max(1, Math.floor(requestsPerMinute * BURST_SHARE));
  const sustained = Math.max(1, requestsPerMinute - burst);
  return { intervalMs: (WINDOW_MS + LEASE_MS) / sustained, burst };
}
