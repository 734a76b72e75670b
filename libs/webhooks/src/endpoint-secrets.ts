import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { inspect } from 'node:util';
import { DomainError, type StoredSigningSecrets } from '#domain';

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

const PREFIX = 'whsec_';
const NEW_BYTES = 32;
/** Standard Webhooks 1.0.0, "Signature scheme". */
const MIN_BYTES = 24;
const MAX_BYTES = 64;
const HIDDEN = '[signing secret]';

/**
 * The key that an endpoint's messages are signed with. Its text leaves by {@link reveal} alone: printing it, putting it
 * into JSON or into a template shows that there is one.
 */
export class SigningSecret {
  readonly #key: KeyObject;

  private constructor(key: Buffer) {
    this.#key = createSecretKey(key);
  }

  /** A new one of 32 random bytes. */
  static generate(): SigningSecret {
    return new SigningSecret(randomBytes(NEW_BYTES));
  }

  /**
   * `whsec_` and the standard, padded base64 (RFC 4648 §4) of 24 to 64 bytes.
   * @throws TypeError for anything else; it does not repeat what was given
   */
  static parse(text: string): SigningSecret {
    const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : '';
    const key = Buffer.from(encoded, 'base64');
    // Buffer.from passes over what is not base64: only the canonical spelling comes back the same.
    if (key.length < MIN_BYTES || key.length > MAX_BYTES || key.toString('base64') !== encoded) {
      throw new TypeError(`A signing secret is ${PREFIX} and the base64 of ${MIN_BYTES} to ${MAX_BYTES} bytes`);
    }
    return new SigningSecret(key);
  }

  /** The text that the receiver gets, once, and that is encrypted at rest. */
  reveal(): string {
    return PREFIX + this.#key.export().toString('base64');
  }

  /** HMAC-SHA256 over the parts as if they were one, 32 bytes. */
  mac(...parts: readonly (string | Uint8Array)[]): Buffer {
    const hmac = createHmac('sha256', this.#key);
    for (const part of parts) hmac.update(part);
    return hmac.digest();
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
