import { DomainError, type StoredSigningSecrets } from '#domain';
import { SigningSecret } from './signing-secret.js';

/** How long a replaced secret signs on, milliseconds. */
export const DEFAULT_OVERLAP_MS = 24 * 3_600_000;
export const MAX_OVERLAP_MS = 7 * DEFAULT_OVERLAP_MS;

/** Every further one is a signature more in every delivery. */
const MOST_IN_FORCE = 5;

/** What an endpoint's messages are signed with. */
export interface EndpointSecrets {
  active: SigningSecret;
  /** Replaced ones that receivers may still verify with, each until its end; newest first. */
  retiring: readonly RetiringSecret[];
}

export interface RetiringSecret {
  secret: SigningSecret;
  /** From this instant on it signs nothing. */
  endsAt: Date;
}

/** From what was stored. @throws TypeError for what is no secret */
export function secretsFrom({ active, retiring }: StoredSigningSecrets): EndpointSecrets {
  return {
    active: SigningSecret.parse(active),
    retiring: retiring.map(({ secret, endsAt }) => ({ secret: SigningSecret.parse(secret), endsAt })),
  };
}

/** To be stored, where it is encrypted. */
export function revealedSecrets({ active, retiring }: EndpointSecrets): StoredSigningSecrets {
  return {
    active: active.reveal(),
    retiring: retiring.map(({ secret, endsAt }) => ({ secret: secret.reveal(), endsAt })),
  };
}

/** The secrets that sign at an instant: the active one first. */
export function secretsInForce({ active, retiring }: EndpointSecrets, atMs: number): SigningSecret[] {
  return [active, ...unended(retiring, atMs).map(({ secret }) => secret)];
}

/**
 * Makes `next` the active secret. The one it replaces signs on for `overlapMs`; 0 for one that became known to others.
 * @throws RangeError for an overlap outside of 0 to 7 days
 * @throws DomainError Conflict, when five are in force already: the next has to wait until one ends, or come without overlap
 */
export function rotated(
  secrets: EndpointSecrets,
  next: SigningSecret,
  { nowMs, overlapMs = DEFAULT_OVERLAP_MS }: { nowMs: number; overlapMs?: number },
): EndpointSecrets {
  if (!(overlapMs >= 0 && overlapMs <= MAX_OVERLAP_MS)) throw new RangeError('The overlap is 0 to 7 days');
  const replaced = { secret: secrets.active, endsAt: new Date(nowMs + overlapMs) };
  const retiring = unended([replaced, ...secrets.retiring], nowMs);
  if (retiring.length >= MOST_IN_FORCE && overlapMs > 0) {
    throw new DomainError('Conflict', `${MOST_IN_FORCE} secrets of this endpoint are in force already.`);
  }
  return { active: next, retiring };
}

function unended(retiring: readonly RetiringSecret[], atMs: number): RetiringSecret[] {
  return retiring.filter(({ endsAt }) => endsAt.getTime() > atMs);
}
