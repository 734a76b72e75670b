import { createHash, randomBytes } from 'node:crypto';
import { eventNotFound } from '#providers/kit/series';

/** Base32hex (RFC 4648 §7) in lower case, the alphabet of event ids that clients choose. */
const DIGITS = '0123456789abcdefghijklmnopqrstuv';
/** Google's own ids may hold more characters. */
const EVENT_ID = /^[A-Za-z0-9_-]{1,1024}$/;

export function randomEventId(): string {
  return base32hex(randomBytes(20));
}

/** Returns the same id for the same facts, so that a repeated write finds its event (hardening F23). */
export function derivedEventId(...facts: readonly (string | null)[]): string {
  return base32hex(createHash('sha256').update(JSON.stringify(facts)).digest().subarray(0, 20));
}

/** @throws DomainError NotFound for an invalid id */
export function checkEventId(id: string): string {
  if (!EVENT_ID.test(id)) throw eventNotFound();
  return id;
}

function base32hex(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += DIGITS[(value >> (bits - 5)) & 31];
    value &= (1 << bits) - 1;
  }
  return text;
}
