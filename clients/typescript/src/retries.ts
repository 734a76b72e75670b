import { UnifiedCalendarError, UnifiedCalendarNetworkError } from './errors.js';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** Whoever is told to wait longer than this is told so by the error. */
const LONGEST_RETRY_AFTER_SECONDS = 60;
const TRY_AGAIN = [429, 502, 503, 504];

/**
 * How long to wait before a request that may be repeated is repeated, milliseconds; null: repeating does not help.
 * Pauses double, each up to a half shorter, so that clients do not come back together. `Retry-After` is never shortened.
 * @param failures how often it has failed, this time included
 */
export function pauseMs(failure: unknown, failures: number, random: () => number = Math.random): number | null {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS) * (1 - random() / 2);
  if (failure instanceof UnifiedCalendarNetworkError) return pause;
  if (!(failure instanceof UnifiedCalendarError) || !isPassing(failure)) return null;
  const { retryAfterSeconds } = failure;
  if (retryAfterSeconds === null) return pause;
  if (retryAfterSeconds > LONGEST_RETRY_AFTER_SECONDS) return null;
  return retryAfterSeconds * 1_000 + random() * FIRST_PAUSE_MS;
}

function isPassing({ status, provider, retryAfterSeconds }: UnifiedCalendarError): boolean {
  // A conflict that says when to come back: an earlier try with this Idempotency-Key is still running.
  if (status === 409) return retryAfterSeconds !== null;
  return TRY_AGAIN.includes(status) && provider?.retryable !== false;
}

/** @throws the reason of the signal, as soon as it is aborted */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}
