import { Global, Injectable, Module } from '@nestjs/common';
import { OperatorDeviceKeys, SealingKeys } from '#application';
import { KeyRing } from '#persistence';

/** Derived from the keys that the database is encrypted with, so that rotation covers them. */
@Injectable()
abstract class DerivedKeys implements SealingKeys {
  /** What they are for; changing it makes everything worthless that they have sealed. */
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

@Injectable()
class ClientTokenKeys extends DerivedKeys {
  protected override readonly purpose = 'client-tokens';
}

@Injectable()
class DeviceKeys extends DerivedKeys {
  protected override readonly purpose = 'operator-devices';
}

@Global()
@Module({
  providers: [
    { provide: SealingKeys, useClass: ClientTokenKeys },
    { provide: OperatorDeviceKeys, useClass: DeviceKeys },
  ],
  exports: [SealingKeys, OperatorDeviceKeys],
})
export class DerivedKeysModule {}
