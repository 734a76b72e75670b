import type { AttemptOutcome } from '#domain';
import { histogram, type AttemptOutcomeLabel } from '#platform/telemetry';

const attempts = histogram('calendar_delivery_attempt_duration_seconds');

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
      // An answer that is none.
      return 'failed';
  }
}

function labelOfStatus(status: number): AttemptOutcomeLabel {
  if (status >= 500 || status < 300) return 'failed';
  return status < 400 ? 'redirected' : 'refused';
}
