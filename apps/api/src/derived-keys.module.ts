import { Global, Injectable, Module } from '@nestjs/common';
import { OperatorDeviceKeys } from '#application/operator';
import { SealingKeys } from '#application/tokens';
import { KeyRing } from '#persistence';

/** Derives keys from the encryption keys of the database, so that their rotation covers them. */
@Injectable()
abstract class DerivedKeys implements SealingKeys {
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
