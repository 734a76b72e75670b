import { hkdfSync, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;
const KEY_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** One key of the ring. The master key itself never leaves it: every use gets a key derived for its purpose. */
export class EncryptionKey {
  // Private to the language, not only to the compiler: whatever prints objects shows none of it.
  readonly #master: Buffer;
  readonly #derived = new Map<string, Buffer>();

  constructor(
    readonly kid: string,
    master: Buffer,
  ) {
    this.#master = master;
  }

  /** 32 bytes for one purpose (HKDF-SHA-256, RFC 5869): the same every time, and unrelated to those of others. */
  deriveKey(purpose: string): Buffer {
    let key = this.#derived.get(purpose);
    if (key === undefined) {
      key = Buffer.from(hkdfSync('sha256', this.#master, Buffer.alloc(0), `unified-calendar/${purpose}`, KEY_BYTES));
      this.#derived.set(purpose, key);
    }
    return key;
  }
}

/** `ENCRYPTION_KEYS` is wrong: every problem at once, without repeating key material. */
export class KeyRingError extends Error {
  override readonly name = 'KeyRingError';

  constructor(readonly problems: string[]) {
    super(`ENCRYPTION_KEYS: ${problems.join('; ')}`);
  }
}

/** The keys of this installation: the first one encrypts, all of them decrypt. */
export class KeyRing {
  private readonly keys: ReadonlyMap<string, EncryptionKey>;

  private constructor(
    private readonly first: EncryptionKey,
    keys: EncryptionKey[],
  ) {
    this.keys = new Map(keys.map((key) => [key.kid, key]));
  }

  /**
   * @param text `kid:base64,kid2:base64`, 32 bytes each, standard or URL-safe base64
   * @throws KeyRingError
   */
  static parse(text: string): KeyRing {
    const problems: string[] = [];
    const keys: EncryptionKey[] = [];
    const masters = new Set<string>();
    for (const [index, entry] of text.split(',').entries()) {
      const where = `entry ${index + 1}`;
      const { kid, encoded } = split(entry.trim());
      // Not repeated in the message: without a colon it may be a key.
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

  /** One entry for `ENCRYPTION_KEYS`, with a fresh key. */
  static generateEntry(kid: string): string {
    return `${kid}:${randomBytes(KEY_BYTES).toString('base64')}`;
  }

  /** The key that encrypts. */
  current(): EncryptionKey {
    return this.first;
  }

  /** In their order: the one that encrypts first. */
  all(): EncryptionKey[] {
    return [...this.keys.values()];
  }

  /** null: this ring has no such key. */
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
