import { SpanKind, type Span } from '@opentelemetry/api';
import type { AttemptOutcome, ClaimedAttempt } from '#domain/webhooks';
import { histogram, inSpan, markFailed, type AttemptOutcomeLabel, type SpanOptions } from '#platform/telemetry';

const attempts = histogram('calendar_delivery_attempt_duration_seconds');

export function inDeliverySpan<T>(attempt: ClaimedAttempt, work: (span: Span) => Promise<T>): Promise<T> {
  const attributes = {
    'calendar.application.id': attempt.endpoint.applicationId,
    'calendar.endpoint.id': attempt.endpoint.id,
    'calendar.message.id': attempt.messageId,
    'calendar.event.type': attempt.eventType,
    'calendar.attempt': attempt.number,
    ...(attempt.endUserAccountId !== null && { 'calendar.account.id': attempt.endUserAccountId }),
  };
  return inSpan('webhook.deliver', { kind: SpanKind.PRODUCER, attributes, ...traceOf(attempt) }, work);
}

export function recordOutcome(span: Span, { verdict, status, failure }: AttemptOutcome): void {
  span.setAttribute('calendar.attempt.outcome', verdict.kind);
  if (verdict.kind !== 'delivered') markFailed(span, failure ?? String(status));
}

/** Later retries have their own trace with a link, because they run up to a day later. */
function traceOf({ number, traceparent }: ClaimedAttempt): Pick<SpanOptions, 'traceparent' | 'linkedTo'> {
  return number > 1 ? { traceparent: null, linkedTo: traceparent } : { traceparent };
}

export function measureAttempt(outcome: AttemptOutcome): void {
  attempts.observe(outcome.durationMs / 1_000, { outcome: labelOf(outcome) });
}

export function labelOf({ verdict: { kind }, status, failure }: AttemptOutcome): AttemptOutcomeLabel {
  if (kind === 'delivered' || kind === 'gone' || kind === 'interrupted') return kind;
  switch (failure) {
    case null:
      return labelOfStatus(status ?? 0);
    case 'timeout':
      return 'timeout';
    case 'dns':
    case 'connect':
    case 'tls':
    case 'reset':
      return 'unreachable';
    case 'address-blocked':
    case 'bad-url':
      return 'blocked';
    case 'internal':
      return 'internal';
    default:
      // A malformed response.
      return 'server_error';
  }
}

function labelOfStatus(status: number): AttemptOutcomeLabel {
  if (status >= 500 || status < 300) return 'server_error';
  return status < 400 ? 'redirected' : 'client_error';
}
