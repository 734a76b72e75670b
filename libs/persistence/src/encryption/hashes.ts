import { createHmac, createHash } from 'node:crypto';
import type { EncryptionKey, KeyRing } from './field-cipher.js';

/** HMAC-SHA-256 with a derived key: guessable values cannot be tested against a stolen dump without the key. */
export class KeyedHash {
  constructor(
    private readonly keys: KeyRing,
    private readonly purpose: string,
  ) {}

  of(text: string): Buffer {
    return keyedHash(this.keys.current(), this.purpose, text);
  }

  /** Includes the hashes of processes with another first key. Never empty. */
  candidates(text: string): Buffer[] {
    return this.keys.all().map((key) => keyedHash(key, this.purpose, text));
  }
}

export function keyedHash(key: EncryptionKey, purpose: string, text: string): Buffer {
  return createHmac('sha256', key.deriveKey(purpose)).update(text, 'utf8').digest();
}

/** For index keys that may be too long for an index or must not be readable in a dump. */
export function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
