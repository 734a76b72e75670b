import { Module, type DynamicModule } from '@nestjs/common';
import {
  AccountsModule,
  AccountsService,
  ApiKeysService,
  ApplicationsService,
  CalendarsService,
  CallbackAddress,
  EventsService,
  FreeBusyService,
  SealedTokens,
  SealingKeys,
  SignInAttempts,
  SignInGrants,
  SignInService,
} from '#application';
import { KeyRing } from '#persistence';
import type { Config } from '#platform';

/** What tokens are sealed for; changing it makes every token that is out there worthless. */
const PURPOSE = 'client-tokens';

const services = [
  AccountsService,
  ApiKeysService,
  ApplicationsService,
  CalendarsService,
  EventsService,
  FreeBusyService,
  SignInService,
];

/** The use cases. Their ports come from global modules. */
@Module({})
export class ApplicationModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: ApplicationModule,
      imports: [AccountsModule.forRoot(config)],
      providers: [
        ...services,
        SignInAttempts,
        SignInGrants,
        { provide: CallbackAddress, useFactory: () => new CallbackAddress(config.publicUrl) },
        {
          provide: SealingKeys,
          inject: [KeyRing],
          useFactory: (ring: KeyRing): SealingKeys => ({
            current: () => ({ kid: ring.current().kid, key: ring.current().deriveKey(PURPOSE) }),
            byId: (kid) => ring.byId(kid)?.deriveKey(PURPOSE) ?? null,
          }),
        },
        { provide: SealedTokens, inject: [SealingKeys], useFactory: (keys: SealingKeys) => new SealedTokens(keys) },
      ],
      exports: services,
    };
  }
}
