import type { EgressFailure } from '#egress';
import type { AttemptResult } from './transport.js';

export type AttemptVerdict =
  | { kind: 'delivered' }
  | { kind: 'retry'; retryAfterMs: number | null }
  /** 410: the receiver wants no more messages; its endpoint must be disabled at once. */
  | { kind: 'gone' }
  /** Our egress blocks the URL: no retry helps. */
  | { kind: 'rejected'; reason: RejectionReason }
  /** We aborted the attempt: it does not count and must be repeated. */
  | { kind: 'interrupted' };

export type RejectionReason = Extract<EgressFailure, 'address-blocked' | 'bad-url'>;

/** Only a complete response counts: a receiver that fails after its 200 may not have processed the message. */
export function classifyAttempt({
  status,
  failure,
  retryAfterMs,
}: Pick<AttemptResult, 'status' | 'failure' | 'retryAfterMs'>): AttemptVerdict {
  if (failure === 'aborted') return { kind: 'interrupted' };
  if (failure === 'address-blocked' || failure === 'bad-url') return { kind: 'rejected', reason: failure };
  if (failure === null && status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  if (failure === null && status === 410) return { kind: 'gone' };
  return { kind: 'retry', retryAfterMs: status === 429 || status === 503 ? retryAfterMs : null };
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits before the second to the eighth and last attempt, without jitter, in ms: 27 h 35 min 5 s in all. */
export const RETRY_STEPS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
];

/** Spreads the retries of receivers that failed together. */
const JITTER = 0.2;

export const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/**
 * Wait in ms; null after the last attempt. `retryAfterMs` can only lengthen the wait.
 * @param attempt number of the failed attempt, from 1
 * @throws RangeError for an invalid attempt number
 */
export function retryDelayMs(
  attempt: number,
  { retryAfterMs, random }: { retryAfterMs: number | null; random: () => number },
): number | null {
  if (!Number.isInteger(attempt) || attempt < 1) throw new RangeError('Attempts are counted from 1');
  const stepMs = RETRY_STEPS_MS[attempt - 1];
  if (stepMs === undefined) return null;
  const jitteredMs = Math.round(stepMs * (1 - JITTER + 2 * JITTER * random()));
  return Math.max(jitteredMs, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS));
}

/** An endpoint that has only failed for this long is disabled, in ms. */
export const DISABLE_AFTER_MS = 5 * 24 * 3_600_000;

/**
 * Call after a failed attempt: silence alone must not disable an endpoint. `since`: start of uninterrupted failures.
 */
export function shouldDisable(since: Date | null, nowMs: number): boolean {
  return since !== null && nowMs - since.getTime() >= DISABLE_AFTER_MS;
}
