/** An endpoint that has done nothing but fail for this long is disabled, milliseconds. */
export const DEAD_AFTER_MS = 5 * 24 * 3_600_000;

/**
 * To be asked when an attempt has failed: silence alone disables nothing.
 * @param since when nothing but failures began; null: the last attempt succeeded, or there was none
 */
export function isDead(since: Date | null, nowMs: number): boolean {
  return since !== null && nowMs - since.getTime() >= DEAD_AFTER_MS;
}
