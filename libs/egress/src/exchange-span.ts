import { SpanKind, type Span } from '@opentelemetry/api';
import { currentRepeats, isRecording, markFailed, openSpan } from '#platform/telemetry';
import type { CheckedUrl } from './address-policy.js';
import { toEgressError } from './errors.js';

const FIRST_ERROR_STATUS = 400;

/** Returns null without tracing. Records only the origin: paths name calendars and people, and some are secrets. */
export function openClientSpan(method: string, { hostname, port, origin }: CheckedUrl): Span | null {
  if (!isRecording()) return null;
  const repeats = currentRepeats();
  return openSpan(method, {
    kind: SpanKind.CLIENT,
    attributes: {
      'http.request.method': method,
      'server.address': hostname,
      'server.port': port,
      'url.full': `${origin}/REDACTED`,
      ...(repeats > 0 && { 'http.request.resend_count': repeats }),
    },
  });
}

export function recordStatus(span: Span | null, status: number): void {
  span?.setAttribute('http.response.status_code', status);
  if (span !== null && status >= FIRST_ERROR_STATUS) markFailed(span, String(status));
}

export function recordFailure(span: Span | null, error: unknown): void {
  if (span !== null) markFailed(span, toEgressError(error).failure);
}
