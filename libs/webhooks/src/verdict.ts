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

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits before the second to the eighth and last attempt, without jitter, milliseconds: 27 h 35 min 5 s in all. */
export const RETRY_STEPS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
];

/** Receivers that fail together are not tried again together. */
const JITTER = 0.2;

/** A receiver may ask for a longer wait than the step's, up to this, milliseconds. */
export const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/**
 * How long to wait after a failed attempt, milliseconds; null after the last one: the message is given up.
 * @param attempt number of the attempt that failed, from 1
 * @param retryAfterMs what the receiver asked for: it lengthens the wait and never shortens it
 * @param random 0 ≤ x < 1
 * @throws RangeError for an attempt that is no number of one
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

/** An endpoint that has done nothing but fail for this long is disabled, milliseconds. */
export const DEAD_AFTER_MS = 5 * 24 * 3_600_000;

/**
 * To be asked when an attempt has failed: silence alone disables nothing.
 * @param since when nothing but failures began; null: the last attempt succeeded, or there was none
 */
export function isDead(since: Date | null, nowMs: number): boolean {
  return since !== null && nowMs - since.getTime() >= DEAD_AFTER_MS;
}
