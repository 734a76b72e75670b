import type { EgressFailure } from '#egress';
import type { AttemptResult } from './transport.js';

/** What an attempt means for its message and its endpoint. */
export type Verdict =
  | { kind: 'delivered' }
  /** Failed, and to be tried again by the schedule. */
  | { kind: 'retry'; retryAfterMs: number | null }
  /** 410: the receiver wants no more messages; its endpoint is to be disabled at once. */
  | { kind: 'gone' }
  /** We may not go there: no retry changes that. */
  | { kind: 'refused'; reason: RefusalReason }
  /** We broke off ourselves: it counts neither as an attempt nor against the endpoint, and has to be made again. */
  | { kind: 'interrupted' };

export type RefusalReason = Extract<EgressFailure, 'address-blocked' | 'bad-url'>;

/**
 * Only a whole answer counts: a receiver that says 200 and breaks down before its answer is complete may have broken
 * down in its work too. Redirects are failures: the URL is the application's to correct.
 */
export function verdictOn({
  status,
  failure,
  retryAfterMs,
}: Pick<AttemptResult, 'status' | 'failure' | 'retryAfterMs'>): Verdict {
  if (failure === 'aborted') return { kind: 'interrupted' };
  if (failure === 'address-blocked' || failure === 'bad-url') return { kind: 'refused', reason: failure };
  if (failure === null && status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  if (failure === null && status === 410) return { kind: 'gone' };
  return { kind: 'retry', retryAfterMs: status === 429 || status === 503 ? retryAfterMs : null };
}
