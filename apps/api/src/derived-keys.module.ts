import { Global, Injectable, Module } from '@nestjs/common';
import { OperatorDeviceKeys } from '#application/operator';
import { SealingKeys } from '#application/tokens';
import { ClientTokenKeys, DerivedKeys } from '#persistence';

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
