/** Longest wait that is believed, milliseconds. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * `Retry-After` (RFC 9110 §10.2.3), a date or seconds, also with a fraction, as milliseconds; past dates are 0. null for
 * none and for garbage.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  const isDate = /^[A-Z][a-z]{2},/.test(text);
  const ms = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) * 1_000 : isDate ? Date.parse(text) - nowMs : Number.NaN;
  return Number.isNaN(ms) ? null : Math.min(Math.max(Math.ceil(ms), 0), MAX_RETRY_AFTER_MS);
}
