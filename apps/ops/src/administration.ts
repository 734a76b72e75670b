import { Global, Module, type DynamicModule } from '@nestjs/common';
import {
  AdministrationModule,
  DeliveryActions,
  OperatorAccountsService,
  OperatorDeliveriesService,
  OperatorsService,
} from '#application/operator';
import { applicationSettings } from '#application/system';
import { SealingKeys } from '#application/tokens';
import { WebhooksModule } from '#application/webhooks';
import { EgressModule } from '#egress';
import { SyncWakeupModule } from '#jobs';
import { ClientTokenKeys, KeyRing, PersistenceModule } from '#persistence';
import { ConfigModule, type Config } from '#platform';
import { ProvidersModule, trustedOrigins } from '#providers';
import { transportSettings } from '#webhooks';
import { findConfig } from './connection.js';
import { inContext } from './operator-services.js';

export interface AdministrationServices {
  accounts: OperatorAccountsService;
  deliveries: OperatorDeliveriesService;
  deliveryActions: DeliveryActions;
  operators: OperatorsService;
}

@Global()
@Module({ providers: [{ provide: SealingKeys, useClass: ClientTokenKeys }], exports: [SealingKeys] })
class PageTokensModule {}

/** Unlike `operate`, with the providers and the way out to them. */
@Module({})
class InstallationModule {
  static forRoot(config: Config): DynamicModule {
    const { databaseUrl, redisUrl } = config;
    return {
      module: InstallationModule,
      imports: [
        ConfigModule.forRoot(config, [...applicationSettings(config), transportSettings(config)]),
        PersistenceModule.forRoot({
          databaseUrl,
          keyRing: KeyRing.parse(config.encryptionKeys),
          applicationName: 'unified-calendar ops',
          poolSize: 2,
        }),
        EgressModule.forRoot(config.egressAllow, [...trustedOrigins(config.providers), config.svixServerUrl]),
        ProvidersModule.forRoot(config),
        SyncWakeupModule.forRoot({ databaseUrl, redisUrl: redisUrl ?? null }),
        PageTokensModule,
        WebhooksModule,
        AdministrationModule,
      ],
    };
  }
}

/**
 * Runs `work` with all services of the installation, which then end.
 * @throws NotConfigured, ConfigError, what `work` throws
 */
export function administer<T>(work: (services: AdministrationServices) => Promise<T>): Promise<T> {
  return inContext(InstallationModule.forRoot(findConfig(process.env)), (context) =>
    work({
      accounts: context.get(OperatorAccountsService),
      deliveries: context.get(OperatorDeliveriesService),
      deliveryActions: context.get(DeliveryActions),
      operators: context.get(OperatorsService),
    }),
  );
}
