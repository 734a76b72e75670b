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
  WebhooksModule,
} from '#application';
import { LookoutModule } from '#jobs';
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
    const accounts = AccountsModule.forRoot(config);
    const { databaseUrl, redisUrl = null } = config;
    return {
      module: ApplicationModule,
      imports: [accounts, WebhooksModule.forRoot(accounts), LookoutModule.forRoot({ databaseUrl, redisUrl })],
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
