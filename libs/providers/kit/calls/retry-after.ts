import { parseRetryAfter } from '#egress';

/** Longest wait that is believed, milliseconds. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** How long a provider's `Retry-After` asks to wait, milliseconds; null for none and for garbage. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  return parseRetryAfter(header, nowMs, MAX_RETRY_AFTER_MS);
}
