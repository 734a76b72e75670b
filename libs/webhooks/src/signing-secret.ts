import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { inspect } from 'node:util';

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
