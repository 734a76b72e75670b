import type { Api } from '../api/index.js';

const DAY_MS = 86_400_000;
/** Time to create another key and to deploy it. */
const WARNED_MS = 14 * DAY_MS;

export type KeyState = 'active' | 'ending' | 'expired' | 'revoked';

/** `ending`: expires within {@link WARNED_MS}. */
export function keyState(
  { expiresAt, revokedAt }: Pick<Api.ApiKey, 'expiresAt' | 'revokedAt'>,
  nowMs: number,
): KeyState {
  if (revokedAt !== null) return 'revoked';
  return expiryState(expiresAt, nowMs);
}

/** Of what ends at a time, or never (null). */
export function expiryState(expiresAt: string | null, nowMs: number): Exclude<KeyState, 'revoked'> {
  if (expiresAt === null) return 'active';
  const leftMs = Date.parse(expiresAt) - nowMs;
  if (leftMs <= 0) return 'expired';
  return leftMs <= WARNED_MS ? 'ending' : 'active';
}

/** Sorts active keys first, by expiry, then the others from newest to oldest. */
export function byUrgency(nowMs: number): (one: Api.ApiKey, other: Api.ApiKey) => number {
  const rank: Record<KeyState, number> = { ending: 0, active: 1, expired: 2, revoked: 3 };
  return (one, other) =>
    rank[keyState(one, nowMs)] - rank[keyState(other, nowMs)] ||
    Date.parse(other.createdAt) - Date.parse(one.createdAt);
}

export const EXPIRY_CHOICES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '180', label: '180 days' },
  { value: '365', label: '365 days' },
  { value: 'never', label: 'Never' },
  { value: 'date', label: 'On a date' },
] as const;

export type ExpiryChoice = (typeof EXPIRY_CHOICES)[number]['value'];

/**
 * Returns the value for the API. A key is valid until the end of the chosen day in the operator's time zone.
 * @param day `YYYY-MM-DD`, used by the choice `date` only. The API rejects an invalid day.
 */
export function expiresOf(choice: ExpiryChoice, day: string): string {
  if (choice !== 'date') return choice;
  const end = new Date(`${day}T00:00:00`);
  end.setDate(end.getDate() + 1);
  return Number.isNaN(end.getTime()) ? day : end.toISOString();
}
