import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { KeyRing } from './key-ring.js';

const VERSION = 1;
const ALGORITHM = 'aes-256-gcm';
/** 96 bits, random: NIST SP 800-38D §8.2.2. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PURPOSE = 'field-encryption';

/** Where a ciphertext lives. It opens there and nowhere else. */
export interface FieldLocation {
  table: string;
  column: string;
  rowId: string;
}

/** A stored secret cannot be opened: unknown key, other row or column, damaged, or no ciphertext at all. */
export class FieldCipherError extends Error {
  override readonly name = 'FieldCipherError';
}

/**
 * Encrypts single fields. Layout: version (1 byte), length of the key id (1 byte), key id, nonce (12), ciphertext,
 * tag (16). Additional authenticated data: `table|column|row id`. There is no clear-text fallback.
 */
@Injectable()
export class FieldCipher {
  constructor(private readonly keys: KeyRing) {}

  seal(location: FieldLocation, clear: Buffer): Buffer {
    const key = this.keys.current();
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key.deriveKey(PURPOSE), nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(additionalData(location));
    const body = [cipher.update(clear), cipher.final()];
    const kid = Buffer.from(key.kid, 'utf8');
    return Buffer.concat([Buffer.from([VERSION, kid.length]), kid, nonce, ...body, cipher.getAuthTag()]);
  }

  /** @throws FieldCipherError */
  open(location: FieldLocation, sealed: Buffer): Buffer {
    const where = `${location.table}.${location.column} of ${location.rowId}`;
    const kid = keyIdOf(sealed);
    if (kid === null) throw new FieldCipherError(`${where} is no ciphertext`);
    const key = this.keys.byId(kid);
    if (key === null) throw new FieldCipherError(`${where} is encrypted with the unknown key ${kid}`);
    const nonceAt = 2 + Buffer.byteLength(kid);
    const bodyAt = nonceAt + NONCE_BYTES;
    const tagAt = sealed.length - TAG_BYTES;
    const decipher = createDecipheriv(ALGORITHM, key.deriveKey(PURPOSE), sealed.subarray(nonceAt, bodyAt), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(additionalData(location));
    decipher.setAuthTag(sealed.subarray(tagAt));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(bodyAt, tagAt)), decipher.final()]);
    } catch (cause) {
      throw new FieldCipherError(`${where} does not open: it is damaged or belongs elsewhere`, { cause });
    }
  }

  sealJson(location: FieldLocation, value: unknown): Buffer {
    return this.seal(location, Buffer.from(JSON.stringify(value), 'utf8'));
  }

  /** @throws FieldCipherError */
  openJson(location: FieldLocation, sealed: Buffer): unknown {
    return JSON.parse(this.open(location, sealed).toString('utf8'));
  }
}

/** null for what cannot be opened, where one secret must not keep others from being read. */
export function readable<T>(open: () => T): T | null {
  try {
    return open();
  } catch (error) {
    if (error instanceof FieldCipherError) return null;
    throw error;
  }
}

/** The key id in a ciphertext's header; null when it is no ciphertext. */
export function keyIdOf(sealed: Buffer): string | null {
  const [version, length = 0] = sealed;
  if (version !== VERSION || length === 0) return null;
  if (sealed.length < 2 + length + NONCE_BYTES + TAG_BYTES) return null;
  return sealed.toString('utf8', 2, 2 + length);
}

/** The bytes that every ciphertext under that key begins with. */
export function headerOf(kid: string): Buffer {
  const id = Buffer.from(kid, 'utf8');
  return Buffer.concat([Buffer.from([VERSION, id.length]), id]);
}

function additionalData({ table, column, rowId }: FieldLocation): Buffer {
  return Buffer.from(`${table}|${column}|${rowId}`, 'utf8');
}
