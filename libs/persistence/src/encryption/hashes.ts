import { createHmac, createHash } from 'node:crypto';
import type { EncryptionKey, KeyRing } from './field-cipher.js';

/**
 * HMAC-SHA-256 with a key of the ring, derived for one purpose. What can be guessed (a password in a request, a login)
 * cannot be tried against a stolen dump without `ENCRYPTION_KEYS`.
 */
export class KeyedHash {
  constructor(
    private readonly keys: KeyRing,
    private readonly purpose: string,
  ) {}

  /** What is stored. */
  of(text: string): Buffer {
    return keyedHash(this.keys.current(), this.purpose, text);
  }

  /** What may have been stored, by processes whose first key is another one too. Never empty. */
  candidates(text: string): Buffer[] {
    return this.keys.all().map((key) => keyedHash(key, this.purpose, text));
  }
}

/** HMAC-SHA-256 with one key, derived for one purpose. */
export function keyedHash(key: EncryptionKey, purpose: string, text: string): Buffer {
  return createHmac('sha256', key.deriveKey(purpose)).update(text, 'utf8').digest();
}

/** What keys are made of that may be longer than an index takes, or are not to be read in a dump. */
export function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
