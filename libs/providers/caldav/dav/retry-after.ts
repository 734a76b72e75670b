/** Longest wait inside of a call, milliseconds. */
export const MAX_INLINE_WAIT_MS = 60_000;
/** Longest hint passed on to a caller, seconds. */
const MAX_HINT_SECONDS = 3_600;

/**
 * `Retry-After` (RFC 9110 §10.2.3), seconds or date, as whole seconds; past dates are 0. undefined for none and for
 * garbage.
 */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  const seconds = /^\d{1,9}$/.test(text)
    ? Number(text)
    : /^[A-Z][a-z]{2},/.test(text)
      ? Math.ceil((Date.parse(text) - nowMs) / 1_000)
      : Number.NaN;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), MAX_HINT_SECONDS);
}

/** Waits; false when the signal aborted first. */
export function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve(false);
      return;
    }
    const stop = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve(true);
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
