import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { inspect } from 'node:util';
import { DomainError } from '#domain/system';
import type { StoredSigningSecrets } from '#domain/webhooks';

export const DEFAULT_OVERLAP_MS = 24 * 3_600_000;
export const MAX_OVERLAP_MS = 7 * DEFAULT_OVERLAP_MS;

/** Each secret adds a signature to every delivery. */
const MAX_VALID_SECRETS = 5;

export interface EndpointSecrets {
  active: SigningSecret;
  /** Replaced secrets that receivers may still verify with; newest first. */
  retiring: readonly RetiringSecret[];
}

export interface RetiringSecret {
  secret: SigningSecret;
  endsAt: Date;
}

/** @throws TypeError for an invalid stored secret */
export function secretsFrom({ active, retiring }: StoredSigningSecrets): EndpointSecrets {
  return {
    active: SigningSecret.parse(active),
    retiring: retiring.map(({ secret, endsAt }) => ({ secret: SigningSecret.parse(secret), endsAt })),
  };
}

/** Clear text, which the store encrypts. */
export function revealedSecrets({ active, retiring }: EndpointSecrets): StoredSigningSecrets {
  return {
    active: active.reveal(),
    retiring: retiring.map(({ secret, endsAt }) => ({ secret: secret.reveal(), endsAt })),
  };
}

/** The active secret first. */
export function secretsInForce({ active, retiring }: EndpointSecrets, atMs: number): SigningSecret[] {
  return [active, ...unended(retiring, atMs).map(({ secret }) => secret)];
}

/**
 * Use an `overlapMs` of 0 for a leaked secret.
 * @throws RangeError for an overlap outside 0 to 7 days
 * @throws DomainError Conflict when five secrets are already in force and `overlapMs` is not 0
 */
export function rotated(
  secrets: EndpointSecrets,
  next: SigningSecret,
  { nowMs, overlapMs = DEFAULT_OVERLAP_MS }: { nowMs: number; overlapMs?: number },
): EndpointSecrets {
  if (!(overlapMs >= 0 && overlapMs <= MAX_OVERLAP_MS)) throw new RangeError('The overlap is 0 to 7 days');
  const replaced = { secret: secrets.active, endsAt: new Date(nowMs + overlapMs) };
  const retiring = unended([replaced, ...secrets.retiring], nowMs);
  if (retiring.length >= MAX_VALID_SECRETS && overlapMs > 0) {
    throw new DomainError('Conflict', `${MAX_VALID_SECRETS} secrets of this endpoint are in force already.`);
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

/** Only {@link reveal} returns its text: logs, JSON and templates show a placeholder. */
export class SigningSecret {
  readonly #key: KeyObject;

  private constructor(key: Buffer) {
    this.#key = createSecretKey(key);
  }

  static generate(): SigningSecret {
    return new SigningSecret(randomBytes(NEW_BYTES));
  }

  /**
   * `whsec_` and the padded base64 (RFC 4648 §4) of 24 to 64 bytes. @throws TypeError, which does not repeat the input
   */
  static parse(text: string): SigningSecret {
    const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : '';
    const key = Buffer.from(encoded, 'base64');
    // Buffer.from skips invalid characters, so only the canonical encoding is equal.
    if (key.length < MIN_BYTES || key.length > MAX_BYTES || key.toString('base64') !== encoded) {
      throw new TypeError(`A signing secret is ${PREFIX} and the base64 of ${MIN_BYTES} to ${MAX_BYTES} bytes`);
    }
    return new SigningSecret(key);
  }

  /** The text that the receiver gets once and that is encrypted at rest. */
  reveal(): string {
    return PREFIX + this.#key.export().toString('base64');
  }

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
