import type { Verdict } from './verdict.js';

/** An endpoint that has done nothing but fail for this long is disabled, milliseconds. */
export const DEAD_AFTER_MS = 5 * 24 * 3_600_000;

/**
 * Since when an endpoint has done nothing but fail; null: its last attempt succeeded, or there was none.
 * @param before what this said until now
 * @param at when the attempt ended
 */
export function failingSince(before: Date | null, verdict: Verdict['kind'], at: Date): Date | null {
  if (verdict === 'delivered') return null;
  if (verdict === 'interrupted') return before;
  return before !== null && before < at ? before : at;
}

/** To be asked when an attempt has failed: silence alone disables nothing. */
export function isDead(since: Date | null, nowMs: number): boolean {
  return since !== null && nowMs - since.getTime() >= DEAD_AFTER_MS;
}
