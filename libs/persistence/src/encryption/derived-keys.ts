import { Injectable } from '@nestjs/common';
import { KeyRing } from './field-cipher.js';

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
