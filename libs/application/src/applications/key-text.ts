import { hash as digest, randomBytes } from 'node:crypto';
import { invalid } from '#domain/system';
import { parseIsoInstant } from '../events/iso-time.js';

/** API keys (`uck`) and operator tokens (`uco`): how their texts start. */
export type KeyKind = 'uck' | 'uco';

/** `<kind>_<id>_<secret>`: the id is a UUID without dashes, the secret 32 random bytes. */
const KEY_TEXT = /^(uc[ko])_([0-9a-f]{32})_([A-Za-z0-9-]{43})$/;
const EXPIRY_DAYS = new Set(['7', '30', '90', '180', '365']);
/** All timestamp digits of a UUIDv7 (RFC 9562 §5.7): keys of the same minute share fewer digits. */
const PREFIX_DIGITS = 12;
const DAY_MS = 86_400_000;

/** @returns `secretTail`, the last four characters */
export function createKeyText(kind: KeyKind, id: string): { text: string; secretHash: Buffer; secretTail: string } {
  // `_` separates the parts of the text, so `-` replaces it in base64url.
  const secret = randomBytes(32).toString('base64url').replaceAll('_', '-');
  const text = `${kind}_${id.replaceAll('-', '')}_${secret}`;
  return { text, secretHash: hashOf(secret), secretTail: secret.slice(-4) };
}

/** @returns id '' for a text of another form */
export function parseKeyText(kind: KeyKind, text: string): { id: string; secretHash: Buffer } {
  const [, found = '', hex = '', secret = ''] = KEY_TEXT.exec(text) ?? [];
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  return { id: found === kind ? id : '', secretHash: hashOf(secret) };
}

/** How the text of a key begins: enough to tell it from others. */
export function keyPrefixOf(kind: KeyKind, id: string): string {
  return `${kind}_${id.replaceAll('-', '').slice(0, PREFIX_DIGITS)}`;
}

/** @returns null for `never`. @throws DomainError ValidationFailed */
export function parseExpiry(expires: string, nowMs: number): Date | null {
  if (expires === 'never') return null;
  if (EXPIRY_DAYS.has(expires)) return new Date(nowMs + Number(expires) * DAY_MS);
  const date = parseIsoInstant(expires);
  if (date === null) {
    throw invalid('expires', 'must be 7, 30, 90, 180 or 365 (days), never, or an ISO 8601 date or instant');
  }
  if (date.getTime() <= nowMs) throw invalid('expires', 'must be in the future');
  return date;
}

function hashOf(secret: string): Buffer {
  return digest('sha256', secret, 'buffer');
}
