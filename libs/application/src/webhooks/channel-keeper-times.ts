const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 60 * 60_000;

/**
 * When a channel that lives until then is to be renewed: with a fifth of its life left, or up to a twentieth more, so
 * that channels of the same hour do not come back together.
 */
export function renewalOf(expiresAt: Date, nowMs: number, random = Math.random()): Date {
  const lifeMs = Math.max(0, expiresAt.getTime() - nowMs);
  return new Date(expiresAt.getTime() - lifeMs * (1 / 5 + random / 20));
}

/** Whole milliseconds until an upkeep that failed is tried again: twice as long each time, an hour at most. */
export function nextTryMs(failures: number, retryAfterSeconds = 0, random = Math.random()): number {
  const usualMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures, 20), LAST_RETRY_MS);
  return Math.round(Math.max(usualMs * (1 / 2 + random / 2), retryAfterSeconds * 1_000));
}
