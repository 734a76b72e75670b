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
