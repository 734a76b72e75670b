import { createCipheriv, createDecipheriv, randomBytes, hkdfSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';

const KEY_BYTES = 32;
const KEY_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** The master key stays private: every use gets a key derived for its purpose. */
export class EncryptionKey {
  // `#`, not `private`: printing an object must not reveal keys.
  readonly #master: Buffer;
  readonly #derived = new Map<string, Buffer>();

  constructor(
    readonly kid: string,
    master: Buffer,
  ) {
    this.#master = master;
  }

  /** Derives the 32-byte key of a purpose (HKDF-SHA-256, RFC 5869). */
  deriveKey(purpose: string): Buffer {
    let key = this.#derived.get(purpose);
    if (key === undefined) {
      key = Buffer.from(hkdfSync('sha256', this.#master, Buffer.alloc(0), `unified-calendar/${purpose}`, KEY_BYTES));
      this.#derived.set(purpose, key);
    }
    return key;
  }
}

/** `ENCRYPTION_KEYS` is invalid. Lists all problems, without key material. */
export class KeyRingError extends Error {
  override readonly name = 'KeyRingError';

  constructor(readonly problems: string[]) {
    super(`ENCRYPTION_KEYS: ${problems.join('; ')}`);
  }
}

/** The keys of this installation: the first one encrypts, all decrypt. */
export class KeyRing {
  private readonly keys: ReadonlyMap<string, EncryptionKey>;

  private constructor(
    private readonly first: EncryptionKey,
    keys: EncryptionKey[],
  ) {
    this.keys = new Map(keys.map((key) => [key.kid, key]));
  }

  /** `kid:base64,kid2:base64`, 32 bytes each, standard or URL-safe base64. @throws KeyRingError */
  static parse(text: string): KeyRing {
    const problems: string[] = [];
    const keys: EncryptionKey[] = [];
    const masters = new Set<string>();
    for (const [index, entry] of text.split(',').entries()) {
      const where = `entry ${index + 1}`;
      const { kid, encoded } = split(entry.trim());
      // The message omits the entry: without a colon it may be a key.
      if (kid === null || !KEY_ID.test(kid)) {
        problems.push(`${where} must be <key id>:<base64>, the key id of 1 to 64 letters, digits, dots, dashes`);
        continue;
      }
      const master = decode(encoded);
      if (master === null) problems.push(`${where} (${kid}) is not base64`);
      else if (master.length !== KEY_BYTES) {
        problems.push(`${where} (${kid}) has ${master.length} bytes instead of ${KEY_BYTES}`);
      } else if (new Set(master).size < 8) problems.push(`${where} (${kid}) is not random`);
      else if (keys.some((key) => key.kid === kid)) problems.push(`${where} repeats the key id ${kid}`);
      else if (masters.has(master.toString('hex'))) problems.push(`${where} (${kid}) repeats the key of another entry`);
      else {
        masters.add(master.toString('hex'));
        keys.push(new EncryptionKey(kid, master));
      }
    }
    const [first] = keys;
    if (problems.length > 0 || first === undefined) throw new KeyRingError(problems);
    return new KeyRing(first, keys);
  }

  static generateEntry(kid: string): string {
    return `${kid}:${randomBytes(KEY_BYTES).toString('base64')}`;
  }

  current(): EncryptionKey {
    return this.first;
  }

  /** All keys, the encrypting one first. */
  all(): EncryptionKey[] {
    return [...this.keys.values()];
  }

  byId(kid: string): EncryptionKey | null {
    return this.keys.get(kid) ?? null;
  }
}

function split(entry: string): { kid: string | null; encoded: string } {
  const colon = entry.indexOf(':');
  return colon < 0 ? { kid: null, encoded: '' } : { kid: entry.slice(0, colon), encoded: entry.slice(colon + 1) };
}

function decode(text: string): Buffer | null {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  return /^[A-Za-z0-9+/]+$/.test(standard) ? Buffer.from(standard, 'base64') : null;
}

const VERSION = 1;
const ALGORITHM = 'aes-256-gcm';
/** 96 bits, random: NIST SP 800-38D §8.2.2. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PURPOSE = 'field-encryption';

export interface FieldLocation {
  table: string;
  column: string;
  rowId: string;
}

/** A stored secret cannot be decrypted: unknown key, wrong row or column, damaged, or not a ciphertext. */
export class FieldCipherError extends Error {
  override readonly name = 'FieldCipherError';
}

/**
 * Layout: version (1 byte), length of the key id (1 byte), key id, nonce (12), ciphertext, tag (16). Additional
 * authenticated data: `table|column|row id`. There is no clear-text fallback.
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

/** Returns null for an unreadable secret, so that it does not block reading others. */
export function readable<T>(open: () => T): T | null {
  try {
    return open();
  } catch (error) {
    if (error instanceof FieldCipherError) return null;
    throw error;
  }
}

/** The key id in the header of a ciphertext; null when the data is not a ciphertext. */
export function keyIdOf(sealed: Buffer): string | null {
  const [version, length = 0] = sealed;
  if (version !== VERSION || length === 0) return null;
  if (sealed.length < 2 + length + NONCE_BYTES + TAG_BYTES) return null;
  return sealed.toString('utf8', 2, 2 + length);
}

export function headerOf(kid: string): Buffer {
  const id = Buffer.from(kid, 'utf8');
  return Buffer.concat([Buffer.from([VERSION, id.length]), id]);
}

function additionalData({ table, column, rowId }: FieldLocation): Buffer {
  return Buffer.from(`${table}|${column}|${rowId}`, 'utf8');
}

/** Derives keys from the encryption keys of the database, so that their rotation covers them. 32 bytes each. */
@Injectable()
export abstract class DerivedKeys {
  /** Changing it invalidates everything sealed before. */
  protected abstract readonly purpose: string;

  constructor(private readonly ring: KeyRing) {}

  current(): { kid: string; key: Buffer } {
    const entry = this.ring.current();
    return { kid: entry.kid, key: entry.deriveKey(this.purpose) };
  }

  byId(kid: string): Buffer | null {
    return this.ring.byId(kid)?.deriveKey(this.purpose) ?? null;
  }
}

/** Keys of page and sync tokens. */
@Injectable()
export class ClientTokenKeys extends DerivedKeys {
  protected override readonly purpose = 'client-tokens';
}
