/** `Retry-After` (RFC 9110 §10.2.3) in milliseconds from `nowMs`, 0 to `maxMs`; null when absent or invalid. */
export function parseRetryAfter(header: string | undefined, nowMs: number, maxMs: number): number | null {
  const text = header?.trim() ?? '';
  const isDate = /^[A-Z][a-z]{2},/.test(text);
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : isDate ? Date.parse(text) - nowMs : Number.NaN;
  return Number.isNaN(ms) ? null : Math.min(Math.max(Math.ceil(ms), 0), maxMs);
}
