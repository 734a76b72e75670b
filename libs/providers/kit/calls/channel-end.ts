/** Longest life of a channel that is believed: what is asked for is a week. */
const LONGEST_LIFE_MS = 366 * 86_400_000;

/**
 * When a channel ends by its provider's word.
 * @param endsAtMs NaN for a word that says no time
 * @returns null when it cannot be true: over already, or absurdly far away
 */
export function believableEnd(endsAtMs: number, nowMs: number): Date | null {
  const lifeMs = endsAtMs - nowMs;
  return lifeMs > 0 && lifeMs <= LONGEST_LIFE_MS ? new Date(endsAtMs) : null;
}
